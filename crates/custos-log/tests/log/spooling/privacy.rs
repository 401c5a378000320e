//! What no kept file may show.

use super::*;

#[test]
fn no_secret_and_no_clients_own_id_is_ever_in_a_kept_file() {
    let machine = Machine::new();
    spool(&machine).keep(&machine.log, rich(), Origin::Hook).unwrap();
    assert_eq!(machine.files_with("A1b2C3d4"), Vec::<PathBuf>::new());
    assert_eq!(machine.files_with("another-own-id"), Vec::<PathBuf>::new());
    // The map from pseudonyms to agents is the one place that has it.
    let map = machine.log.places().state.join("agents");
    let found = machine.files_with("their-own-id");
    assert!(found.len() == 1 && found[0].starts_with(&map), "{found:?}");
}

#[test]
fn without_a_key_agents_stay_nameless_and_nobody_else_may_read() {
    let machine = Machine::new();
    machine.log.append(tool(json!({})), Origin::Hook).unwrap();
    let (log, spool) = walled(&machine, machine.log.places().state.clone(), ErrorKind::ReadOnlyFilesystem);
    let agent = rich().agent;
    let private =
        Draft { agent: agent.clone(), ..Draft::new(Kind::ToolUsed, Scope::Agent, object(json!({}))) };
    for draft in [rich(), private] {
        assert!(kept(spool.record(&log, draft, Origin::Hook)).nameless);
    }
    let pseudonym = format!("ag-{}", "0".repeat(32));
    let named = DraftAgent { id: Some(pseudonym.clone()), ..agent.unwrap() };
    let named = Draft { agent: Some(named), ..tool(json!({})) };
    assert!(!kept(spool.record(&log, named, Origin::Hook)).nameless);
    assert_eq!(machine.files_with("own-id"), Vec::<PathBuf>::new());

    assert_eq!(replay(&machine), (3, 0, vec![]));
    let mut seen: Vec<(Value, Value)> = contents(&machine.log)[1..]
        .iter()
        .map(|event| (event["agent"].clone(), event["acl"].clone()))
        .collect();
    seen.sort_by_key(|(agent, acl)| format!("{acl} {agent}"));
    let nameless = json!({ "client": "codex", "role": "musician" });
    let named = json!({ "client": "codex", "id": pseudonym, "role": "musician" });
    // Kept within one millisecond, so in any order.
    assert_eq!(seen, [(named, json!(["user"])), (nameless.clone(), json!(["user"])), (nameless, json!([]))]);
}

#[test]
fn with_a_key_but_a_full_disk_agents_have_their_pseudonyms() {
    let machine = Machine::new();
    machine.log.append(rich(), Origin::Hook).unwrap();
    let (log, spool) = walled(&machine, machine.log.places().state.clone(), ErrorKind::StorageFull);
    assert!(!kept(spool.record(&log, rich(), Origin::Hook)).nameless);
    assert_eq!(replay(&machine), (1, 0, vec![]));
    let held = contents(&machine.log);
    assert_eq!((&held[0]["agent"], &held[0]["acl"]), (&held[1]["agent"], &held[1]["acl"]));
}

#[cfg(unix)]
#[test]
fn files_and_directories_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    let kept = spool(&machine).keep(&machine.log, tool(json!({})), Origin::Hook).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode(&kept.at), mode(&waiting(&machine))), (0o600, 0o700));
}
