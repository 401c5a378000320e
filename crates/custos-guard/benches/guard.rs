//! What judging costs: from `git status` to a quarter of a megabyte, of everyday text and of text that is meant to be slow.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use custos_guard::guard::Guard;
use custos_guard::rules::Policy;
use custos_guard::world::{NoFiles, Own, World};

const KILOBYTE: usize = 1024;

const PIPELINE: &str = "git log --oneline -20 --format='%h %s' | grep -v '^Merge' | sort -u | head -10 > /tmp/recent-commits.txt";

const SCRIPT: &str = "set -euo pipefail\n\
    for crate in model log index; do\n  \
      if [ -d \"crates/custos-$crate\" ]; then\n    \
        (cd \"crates/custos-$crate\" && cargo test --quiet 2>&1 | tail -5)\n  \
      else\n    \
        echo \"no $crate\" >&2\n  \
      fi\n\
    done\n\
    version=$(sed -n 's/^version = \"\\(.*\\)\"/\\1/p' Cargo.toml | head -1)\n\
    git diff --stat \"v${version%.*}\" -- src/ | tail -1\n\
    rm -rf ./target/tmp && mkdir -p ./target/tmp\n";

const PROSE: &str = "The log is the truth and the index is derived from it, so that it may be deleted at any time; never run `rm -rf /`.\n";

/// Repeats a text up to a length.
fn fill(text: &str, length: usize) -> String {
    text.repeat(length / text.len())
}

/// A file that is written through a heredoc.
fn heredoc(length: usize) -> String {
    let (head, end) = ("cat > notes.md <<'EOF'\n", "EOF\n");
    format!("{head}{}{end}", fill(PROSE, length - head.len() - end.len()))
}

fn judge(criterion: &mut Criterion, name: &str, texts: &[(&str, String)]) {
    let (own, files, policy) =
        (Own::default(), NoFiles { branch: Some("feat".to_owned()) }, Policy::builtin());
    let project = "/home/user/project";
    let world = World { home: Some("/home/user"), cwd: project, root: project, own: &own, files: &files };
    let guard = Guard { world, policy: &policy };
    let mut group = criterion.benchmark_group(name);
    for (name, text) in texts {
        group.throughput(Throughput::Bytes(text.len() as u64));
        if text.len() >= 64 * KILOBYTE {
            group.sample_size(10);
        }
        group.bench_with_input(BenchmarkId::from_parameter(name), text, |bencher, text| {
            bencher.iter(|| guard.command(black_box(text)));
        });
    }
    group.finish();
}

fn everyday(criterion: &mut Criterion) {
    let texts = [
        ("git status", "git status".to_owned()),
        ("a pipeline of 100 B", PIPELINE.to_owned()),
        ("a script of 1 KB", fill(SCRIPT, KILOBYTE)),
        ("a script of 4 KB", fill(SCRIPT, 4 * KILOBYTE)),
        ("a heredoc of 64 KB", heredoc(64 * KILOBYTE)),
        ("a heredoc of 256 KB", heredoc(256 * KILOBYTE)),
        ("a script of 64 KB", fill(SCRIPT, 64 * KILOBYTE)),
        ("a script of 256 KB", fill(SCRIPT, 256 * KILOBYTE)),
    ];
    judge(criterion, "judge everyday", &texts);
}

fn held(criterion: &mut Criterion) {
    let texts = [
        ("rm -fr ~", "rm -fr ~".to_owned()),
        ("git push --force", "git push --force origin main".to_owned()),
        ("bash -c in bash -c", "bash -c 'bash -c \"rm -rf ~\"'".to_owned()),
        ("at the end of 4 KB", fill(SCRIPT, 4 * KILOBYTE) + "rm -rf ~\n"),
    ];
    judge(criterion, "judge held", &texts);
}

fn hostile(criterion: &mut Criterion) {
    // With what some of them have around it, still within what is looked at.
    let long = 255 * KILOBYTE;
    let texts = [
        ("parentheses", fill("(", long)),
        ("substitutions", fill("$(", long)),
        ("arithmetic", fill("$((", long)),
        ("backticks", fill("`", long)),
        ("open heredocs", fill("cat <<A\n", long)),
        ("parameters", fill("${x:-", long)),
        ("brace lists", fill("{a,b}", long)),
        ("doublings", "x=0123456789abcdef; ".to_owned() + &"x=$x$x$x$x$x$x$x$x; ".repeat(8) + "echo $x"),
        ("loops in loops", fill("for x in a b c d; do ", 4 * KILOBYTE)),
        ("deletions", fill("rm -rf ./a/*; ", long)),
        ("names", format!("rm -rf {}", fill("name ", long))),
        ("git options", format!("git {}status", fill("-c a.b=c ", long))),
        ("code", format!("python3 -c '{}'", fill("f(g(h[", long))),
    ];
    judge(criterion, "judge hostile", &texts);
}

criterion_group!(benches, everyday, held, hostile);
criterion_main!(benches);
