//! What redaction costs a hook: a page without secrets, a page with some, and a large text.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use custos_redact::redact;

/// Ordinary code: this crate's own walk, which is full of signs and names.
const CODE: &str = include_str!("../src/scan.rs");
const PROSE: &str = "The log is the truth and the index is derived from it, so that it may be deleted at any time. \
    Whoever reads first catches up; a hook that only records never opens the index.\n";
const KILOBYTE: usize = 1024;

/// Repeats a text and cuts it to a length.
fn fill(text: &str, length: usize) -> String {
    text.chars().filter(char::is_ascii).cycle().take(length).collect()
}

fn with_secrets() -> String {
    let tail = "a8F3k2M9x7Q1w2E4r5T6y7U8i9O0p1A2s3D4";
    let lines = [
        format!("export GITHUB_TOKEN={}{tail}", "ghp_"),
        "postgres://app:k3Lq9zTw@db.internal/orders".to_owned(),
        format!("Authorization: Bearer {tail}"),
        "{\"password\": \"hunter2x9\"}".to_owned(),
    ];
    let mut text = fill(CODE, 3 * KILOBYTE + 800);
    for line in lines {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

fn redaction(criterion: &mut Criterion) {
    let texts = [
        ("4 KB of code", fill(CODE, 4 * KILOBYTE)),
        ("4 KB of prose", fill(PROSE, 4 * KILOBYTE)),
        ("4 KB with four secrets", with_secrets()),
        ("1 MB of code", fill(CODE, KILOBYTE * KILOBYTE)),
        ("1 MB of password=", fill("password=", KILOBYTE * KILOBYTE)),
        ("1 MB of headers without a body", fill("-----BEGIN RSA PRIVATE KEY-----", KILOBYTE * KILOBYTE)),
        ("50 MB of prose", fill(PROSE, 50 * KILOBYTE * KILOBYTE)),
    ];
    let mut group = criterion.benchmark_group("redact");
    for (name, text) in &texts {
        group.throughput(Throughput::Bytes(text.len() as u64));
        if text.len() > KILOBYTE * KILOBYTE {
            group.sample_size(10);
        }
        group.bench_function(*name, |bencher| bencher.iter(|| redact(black_box(text))));
    }
    group.finish();
}

criterion_group!(benches, redaction);
criterion_main!(benches);
