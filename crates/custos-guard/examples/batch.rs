use custos_guard::{
    Access,
    guard::Guard,
    rules::Policy,
    world::{NoFiles, Own, World},
};
use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let quiet = std::env::args().nth(1).as_deref() == Some("-q");
    let policy = Policy::builtin();
    let own = Own::default();
    let (mut dt, mut dm, mut at, mut am) = (0, 0, 0, 0);
    let mut worst = std::time::Duration::ZERO;
    for line in text.lines() {
        if line.trim().is_empty() {
            continue;
        }
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        if v.get("debatable").is_some() {
            continue;
        }
        let files =
            NoFiles { branch: Some(v.get("branch").and_then(|b| b.as_str()).unwrap_or("feat").to_owned()) };
        let world = World {
            home: Some("/home/user"),
            cwd: "/home/user/project",
            root: "/home/user/project",
            own: &own,
            files: &files,
        };
        let g = Guard { world, policy: &policy };
        let t = std::time::Instant::now();
        let j = match v.get("cmd").and_then(|c| c.as_str()) {
            Some(c) => g.command(c),
            None => {
                let op = if v["op"] == "read" { Access::Read } else { Access::Write };
                g.path(v["path"].as_str().unwrap(), op)
            }
        };
        worst = worst.max(t.elapsed());
        let held = j.verdict().is_some();
        if v["expect"] == "deny" {
            dt += 1;
            if !held {
                dm += 1;
                if !quiet {
                    println!(
                        "MISS [{}] {} -- {}{}",
                        v["class"].as_str().unwrap_or(""),
                        v.get("cmd").unwrap_or(&v["path"]),
                        v["why"].as_str().unwrap_or(""),
                        v.get("branch").map(|b| format!(" ON {b}")).unwrap_or_default()
                    )
                }
            }
        } else {
            at += 1;
            if held {
                am += 1;
                if !quiet {
                    let f = j.reason().unwrap();
                    println!(
                        "ALARM [{}] {} -- {} ({})",
                        v["class"].as_str().unwrap_or(""),
                        v.get("cmd").unwrap_or(&v["path"]),
                        f.rule,
                        f.part
                    )
                }
            }
        }
    }
    println!(
        "dangerous {} missed {} ({:.2}% held); harmless {} disturbed {} ({:.2}%); worst {:?}",
        dt,
        dm,
        100.0 * (dt - dm) as f64 / (dt.max(1)) as f64,
        at,
        am,
        100.0 * am as f64 / at.max(1) as f64,
        worst
    );
}
