use custos_guard::{
    guard::Guard,
    rules::Policy,
    world::{NoFiles, Own, World},
};
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let n: usize = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(200);
    let policy = Policy::builtin();
    let own = Own::default();
    let files = NoFiles { branch: Some("feat".into()) };
    let world = World {
        home: Some("/home/user"),
        cwd: "/home/user/project",
        root: "/home/user/project",
        own: &own,
        files: &files,
    };
    let g = Guard { world, policy: &policy };
    let t = std::time::Instant::now();
    let p = custos_guard::shell::parse(&text);
    let tp = t.elapsed();
    drop(p);
    let t = std::time::Instant::now();
    let j = g.command(&text);
    let first = t.elapsed();
    let t = std::time::Instant::now();
    for _ in 0..n {
        std::hint::black_box(g.command(&text));
    }
    println!(
        "parse {:?} first {:?} avg {:?} findings {} {:?}",
        tp,
        first,
        t.elapsed() / n as u32,
        j.findings.len(),
        j.findings.first().map(|f| f.rule.to_string())
    );
}
