//! What comparing the two sides of an edit costs: a method, a fragment that was cut badly, a file.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use custos_syntax::compare;

const RUST: &str = "    /// Makes a new token.\n    pub fn refresh(&mut self, now: Timestamp) -> Result<(), Error> {\n        if self.expires > now {\n            return Ok(());\n        }\n        let answer = self.client.post(&self.url).send_form(&[(\"token\", &self.token)])?;\n        self.token = answer.token;\n        self.expires = now + answer.lifetime;\n        Ok(())\n    }\n";
const SCRIPT: &str = "      return cached;\n    }\n  }\n\n  async refresh(force = false) {\n    if (!force && this.expires > Date.now()) {\n      return this.token;\n    }\n    const answer = await this.client.post(this.url, { token: this.token });\n    this.token = answer.token;\n    return this.token;\n  }\n";
const PYTHON: &str = "def refresh(self, force=False):\n        if not force and self.expires > now():\n            return self.token\n        answer = self.client.post(self.url, token=self.token)\n        self.token = answer.token\n        return self.token\n\n    def close(self):\n        self.client.close()\n";

fn edits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("edit");
    for (name, path, text) in [("rust", "a.rs", RUST), ("script", "a.ts", SCRIPT), ("python", "a.py", PYTHON)]
    {
        let after = text.replacen("token;", "token.trim();", 1).replacen(
            "answer.token\n",
            "answer.token.strip()\n",
            1,
        );
        group.bench_function(name, |bencher| bencher.iter(|| compare(black_box(path), text, &after)));
    }
    group.finish();
    let file = include_str!("../src/grammar/mod.rs");
    let after = file.replacen("DEEPEST: usize = 60", "DEEPEST: usize = 61", 1);
    criterion.bench_function("file", |bencher| bencher.iter(|| compare(black_box("a.rs"), file, &after)));
    let large = file.repeat(15);
    criterion.bench_function("large file", |bencher| bencher.iter(|| compare(black_box("a.rs"), "", &large)));
}

criterion_group!(benches, edits);
criterion_main!(benches);
