use std::fs;
use std::io::Write as _;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::edit::block::BlockError;
use crate::edit::json::{Change, JsonEdit};

/// A home directory with a ledger in it.
struct Home(TempDir);

const SETTINGS: &str = "{\n  // mine\n  \"key\": \"sk-1\"\n}\n";

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        self.write(name, text);
        self
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::File::create(path).unwrap().write_all(text.as_ref()).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn ledger(&self) -> Ledger {
        Ledger::open(&self.path("state/setup.json")).unwrap()
    }

    fn apply(&self, name: &str, part: &Part) -> Result<Action, LedgerError> {
        Ok(self.ledger().apply(&self.path(name), part, NewFile::Private)?.action)
    }

    fn restore(&self, name: &str) -> Result<Action, LedgerError> {
        Ok(self.ledger().restore(&self.path(name))?.action)
    }

    /// Every file below the home but the lock, with what it says.
    fn all(&self) -> Vec<(String, String)> {
        fn collect(directory: &Path, root: &Path, files: &mut Vec<(String, String)>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    files.push((name + "/", String::new()));
                    collect(&path, root, files);
                } else if name != "state/setup.lock" {
                    files.push((name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()));
                }
            }
        }
        let (mut files, root) = (Vec::new(), self.path(""));
        collect(&root, &root, &mut files);
        files.sort();
        files
    }

    fn originals(&self) -> Vec<String> {
        self.all().into_iter().filter(|(name, _)| name.ends_with(".original")).map(|(_, text)| text).collect()
    }
}

fn server(command: &str) -> Part {
    let change = Change::Member { key: "custos".to_owned(), value: json!({ "command": command }) };
    Part::Json(vec![JsonEdit { at: vec!["mcpServers".to_owned()], change }])
}

fn block(body: &str) -> Part {
    Part::Block { body: body.to_owned() }
}

#[test]
fn a_file_is_changed_and_given_back_byte_for_byte() {
    let home = Home::new().with("settings.json", SETTINGS);
    let file = home.path("settings.json");
    let report = home.ledger().apply(&file, &server("custos"), NewFile::Private).unwrap();
    assert_eq!(report.action, Action::Changed);
    let lines: Vec<String> = report.lines.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "-    3   \"key\": \"sk-1\"",
            "+    3   \"key\": \"sk-1\",",
            "+    4   \"mcpServers\": {",
            "+    5     \"custos\": {",
            "+    6       \"command\": \"custos\"",
            "+    7     }",
            "+    8   }",
        ]
    );
    assert_eq!(home.originals(), [SETTINGS]);
    assert_eq!(home.ledger().files().collect::<Vec<_>>(), [file.as_path()]);

    assert_eq!(home.restore("settings.json").unwrap(), Action::Restored);
    assert_eq!(
        home.all(),
        [("settings.json".to_owned(), SETTINGS.to_owned()), ("state/".to_owned(), String::new())]
    );
    assert_eq!(home.restore("settings.json").unwrap(), Action::Unknown);
}

#[test]
fn what_is_there_already_is_not_written_again() {
    let home = Home::new().with("settings.json", SETTINGS);
    home.apply("settings.json", &server("custos")).unwrap();
    let times = || {
        ["settings.json", "state/setup.json"]
            .map(|name| fs::metadata(home.path(name)).unwrap().modified().unwrap())
    };
    let (before, files) = (times(), home.all());
    assert_eq!(home.apply("settings.json", &server("custos")).unwrap(), Action::Unchanged);
    assert_eq!((times(), home.all()), (before, files));
}

#[test]
fn a_new_version_of_ours_does_not_touch_the_original() {
    let home = Home::new().with("settings.json", SETTINGS);
    home.apply("settings.json", &server("old")).unwrap();
    assert_eq!(home.apply("settings.json", &server("new")).unwrap(), Action::Changed);
    assert_eq!(home.originals(), [SETTINGS]);
    assert_eq!(home.restore("settings.json").unwrap(), Action::Restored);
    assert_eq!(home.read("settings.json"), SETTINGS);
}

#[test]
fn what_somebody_changed_meanwhile_stays() {
    let home = Home::new().with("settings.json", SETTINGS);
    home.apply("settings.json", &server("old")).unwrap();
    let theirs = home.read("settings.json").replace("sk-1", "sk-2");
    home.write("settings.json", &theirs);
    assert_eq!(home.restore("settings.json").unwrap(), Action::Trimmed);
    assert_eq!(home.read("settings.json"), SETTINGS.replace("sk-1", "sk-2"));
    assert_eq!(home.originals(), [""; 0]);
}

#[test]
fn what_somebody_changed_between_two_setups_is_kept_and_stays() {
    let home = Home::new().with("settings.json", SETTINGS);
    home.apply("settings.json", &server("old")).unwrap();
    let theirs = home.read("settings.json").replace("sk-1", "sk-2");
    home.write("settings.json", &theirs);
    home.apply("settings.json", &server("new")).unwrap();
    assert_eq!(home.originals(), [SETTINGS, &theirs]);
    // A third setup finds what the second one wrote: nothing new to keep.
    home.apply("settings.json", &server("newer")).unwrap();
    assert_eq!(home.originals(), [SETTINGS, &theirs]);
    assert_eq!(home.restore("settings.json").unwrap(), Action::Trimmed);
    assert_eq!(home.read("settings.json"), SETTINGS.replace("sk-1", "sk-2"));
    assert_eq!(home.originals(), [""; 0]);
}

#[test]
fn files_and_directories_that_we_made_go_again() {
    let home = Home::new().with("a/theirs", "x");
    let before = home.all();
    for name in ["a/b/c/settings.json", "a/b/other.json"] {
        assert_eq!(home.apply(name, &server("custos")).unwrap(), Action::Created);
    }
    assert_eq!(home.restore("a/b/c/settings.json").unwrap(), Action::Deleted);
    assert!(home.path("a/b").exists() && !home.path("a/b/c").exists());
    assert_eq!(home.restore("a/b/other.json").unwrap(), Action::Deleted);
    assert_eq!(home.all(), [&before[..], &[("state/".to_owned(), String::new())]].concat());
}

#[test]
fn a_file_that_we_made_goes_unless_somebody_else_uses_it() {
    let home = Home::new();
    home.apply("a.json", &server("custos")).unwrap();
    let reordered = home.read("a.json").replace('\n', "\n ");
    home.write("a.json", reordered);
    assert_eq!(home.restore("a.json").unwrap(), Action::Deleted);

    home.apply("b.json", &server("custos")).unwrap();
    let used = home.read("b.json").replacen('{', "{\n  \"theirs\": 1,", 1);
    home.write("b.json", used);
    assert_eq!(home.restore("b.json").unwrap(), Action::Trimmed);
    assert_eq!(home.read("b.json"), "{\n  \"theirs\": 1\n}\n");
}

#[test]
fn a_file_that_somebody_deleted_is_forgotten() {
    let home = Home::new().with("settings.json", SETTINGS);
    home.apply("settings.json", &server("custos")).unwrap();
    fs::remove_file(home.path("settings.json")).unwrap();
    // Set up again, it is a file of ours now.
    assert_eq!(home.apply("settings.json", &server("custos")).unwrap(), Action::Created);
    assert_eq!(home.originals(), [""; 0]);
    fs::remove_file(home.path("settings.json")).unwrap();
    assert_eq!(home.restore("settings.json").unwrap(), Action::Gone);
    assert_eq!(home.all(), [("state/".to_owned(), String::new())]);
}

#[test]
fn a_part_that_no_ledger_knows_is_taken_out() {
    let home = Home::new().with("settings.json", SETTINGS);
    home.apply("settings.json", &server("custos")).unwrap();
    fs::remove_file(home.path("state/setup.json")).unwrap();
    assert_eq!(home.apply("settings.json", &server("custos")).unwrap(), Action::Unchanged);
    assert_eq!(home.restore("settings.json").unwrap(), Action::Trimmed);
    assert_eq!(home.read("settings.json"), SETTINGS);
}

#[test]
fn without_its_copy_our_part_is_taken_out() {
    let home = Home::new().with("settings.json", SETTINGS);
    home.apply("settings.json", &server("custos")).unwrap();
    home.write("state/setup-0001.original", "damaged");
    assert_eq!(home.restore("settings.json").unwrap(), Action::Trimmed);
    assert_eq!(home.read("settings.json"), SETTINGS);
}

#[test]
fn a_file_that_is_all_ours_is_deleted_unless_changed() {
    let home = Home::new();
    let plugin = |text: &str| Part::Whole { text: text.to_owned() };
    home.apply("plugin.js", &plugin("one")).unwrap();
    home.write("plugin.js", "theirs");
    assert_eq!(home.apply("plugin.js", &plugin("two")).unwrap(), Action::Changed);
    assert_eq!(home.originals(), ["theirs"]);
    assert_eq!(home.restore("plugin.js").unwrap(), Action::Deleted);

    home.apply("plugin.js", &plugin("one")).unwrap();
    home.write("plugin.js", "theirs");
    assert_eq!(home.restore("plugin.js").unwrap(), Action::Left);
    assert_eq!(home.read("plugin.js"), "theirs");
}

#[test]
fn every_kind_of_file_goes_there_and_back() {
    let home = Home::new().with("AGENTS.md", "# Rules\r\n").with("config.toml", "model = 'x'\n");
    let entries = json!({ "command": "custos", "args": ["mcp"] }).as_object().unwrap().clone();
    let table = Part::Toml { at: vec!["mcp_servers".to_owned(), "custos".to_owned()], entries };
    let before = home.all();
    for (name, part) in [("AGENTS.md", block("Ask Custos.")), ("config.toml", table)] {
        assert_eq!(home.apply(name, &part).unwrap(), Action::Changed);
        let theirs = home.read(name).replacen(['R', 'x'], "z", 1);
        home.write(name, &theirs);
        assert_eq!(home.restore(name).unwrap(), Action::Trimmed);
        home.write(name, home.read(name).replacen('z', if name == "AGENTS.md" { "R" } else { "x" }, 1));
    }
    assert_eq!(home.all(), [&before[..], &[("state/".to_owned(), String::new())]].concat());
}

#[test]
fn no_copy_is_kept_of_a_file_that_must_not_lie_about_twice() {
    let server = |program: &str| {
        let value = json!({ "command": program, "args": ["mcp"] });
        let change = Change::Server { name: "custos".to_owned(), value };
        Part::Json(vec![JsonEdit { at: vec!["mcpServers".to_owned()], change }])
    };
    let home = Home::new().with("state.json", SETTINGS);
    let file = home.path("state.json");
    let apply = |program| home.ledger().apply_without_copy(&file, &server(program)).unwrap().action;
    assert_eq!(apply("/old/custos"), Action::Changed);
    home.write("state.json", home.read("state.json").replace("sk-1", "sk-2"));
    assert_eq!(apply("/new/custos"), Action::Changed);
    assert_eq!(home.originals(), [""; 0]);
    assert_eq!(home.restore("state.json").unwrap(), Action::Trimmed);
    assert_eq!(home.read("state.json"), SETTINGS.replace("sk-1", "sk-2"));

    let home = Home::new();
    let file = home.path("state.json");
    home.ledger().apply_without_copy(&file, &server("custos")).unwrap();
    assert_eq!(home.restore("state.json").unwrap(), Action::Deleted);
}

#[test]
fn a_file_that_two_ledgers_know_is_given_back_by_the_last() {
    for original in [None, Some("# Rules\r\n")] {
        let home = Home::new();
        if let Some(text) = original {
            home.write("AGENTS.md", text);
        }
        let before = home.all();
        let file = home.path("AGENTS.md");
        let open = |name: &str| Ledger::open(&home.path(name)).unwrap();
        for name in ["state/first.json", "state/second.json"] {
            open(name).apply(&file, &block("x"), NewFile::Shared).unwrap();
        }
        open("state/first.json").pass_on(&file, &mut open("state/second.json")).unwrap();
        assert_eq!(open("state/first.json").files().count(), 0);
        assert!(home.read("AGENTS.md").contains("custos:begin"));
        let action = open("state/second.json").restore(&file).unwrap().action;
        assert_eq!(action, if original.is_some() { Action::Restored } else { Action::Deleted });
        let after: Vec<_> = home.all().into_iter().filter(|(name, _)| !name.starts_with("state/")).collect();
        assert_eq!(after, before);
    }
}

#[test]
fn a_rehearsal_reports_the_same_and_changes_nothing() {
    let home = Home::new().with("settings.json", SETTINGS);
    let before = home.all();
    let (ledger, file) = (home.path("state/setup.json"), home.path("settings.json"));
    let rehearsed =
        Ledger::rehearse(&ledger).unwrap().apply(&file, &server("custos"), NewFile::Private).unwrap();
    let new = home.path("new/dir/settings.json");
    let created =
        Ledger::rehearse(&ledger).unwrap().apply(&new, &server("custos"), NewFile::Private).unwrap();
    assert_eq!((created.action, home.all()), (Action::Created, before));

    assert_eq!(home.ledger().apply(&file, &server("custos"), NewFile::Private).unwrap(), rehearsed);
    let before = home.all();
    let rehearsed = Ledger::rehearse(&ledger).unwrap().restore(&file).unwrap();
    assert_eq!(home.all(), before);
    assert_eq!(home.ledger().restore(&file).unwrap(), rehearsed);
}

#[test]
fn text_that_cannot_be_changed_is_left_alone() {
    let broken = "<!-- custos:begin -->\n";
    let home = Home::new().with("AGENTS.md", broken).with("latin1.md", b"caf\xe9").with("dir.md/x", "");
    let before = home.all();
    let error = home.apply("AGENTS.md", &block("x")).unwrap_err();
    assert!(matches!(
        error,
        LedgerError::Edit { why: super::super::EditError::Block(BlockError::Unclosed { .. }), .. }
    ));
    assert!(matches!(home.apply("latin1.md", &block("x")), Err(LedgerError::NotText { .. })));
    assert!(matches!(home.apply("dir.md", &block("x")), Err(LedgerError::NotAFile { .. })));
    assert!(matches!(
        home.ledger().apply(Path::new("a.md"), &block("x"), NewFile::Shared),
        Err(LedgerError::Relative { .. })
    ));
    assert_eq!(home.all(), [&before[..], &[("state/".to_owned(), String::new())]].concat());
}

#[test]
fn text_that_somebody_broke_is_left_alone_and_remembered() {
    let home = Home::new().with("settings.json", SETTINGS);
    home.apply("settings.json", &server("custos")).unwrap();
    home.write("settings.json", "{ broken");
    let before = home.all();
    assert!(matches!(home.restore("settings.json"), Err(LedgerError::Edit { .. })));
    assert!(matches!(home.apply("settings.json", &server("custos")), Err(LedgerError::Edit { .. })));
    assert_eq!(home.all(), before);
}

#[test]
fn a_crash_before_the_file_was_written_does_no_harm() {
    let home = Home::new().with("settings.json", SETTINGS);
    home.apply("settings.json", &server("custos")).unwrap();
    home.write("settings.json", SETTINGS); // As if the renaming had never come.
    assert_eq!(home.apply("settings.json", &server("custos")).unwrap(), Action::Changed);
    assert_eq!(home.originals(), [SETTINGS]);
    home.write("settings.json", SETTINGS);
    assert_eq!(home.restore("settings.json").unwrap(), Action::Unchanged);
    assert_eq!(home.read("settings.json"), SETTINGS);
}

#[test]
fn a_file_that_changes_while_it_is_edited_is_left_alone() {
    let home = Home::new().with("settings.json", SETTINGS);
    let target = Target::find(&home.path("settings.json")).unwrap();
    let mut ledger = home.ledger();
    home.write("settings.json", "{\"theirs\": 1}");
    let written = ledger.write(&target, b"{}", NewFile::Private, Trace::Whole, Copies::Kept);
    assert!(matches!(written, Err(LedgerError::ChangedMeanwhile { .. })));
    let left = [("settings.json", "{\"theirs\": 1}"), ("state/", "")];
    assert_eq!(home.all(), left.map(|(name, text)| (name.to_owned(), text.to_owned())));
}

#[test]
fn a_ledger_that_is_not_ours_is_left_alone() {
    let home = Home::new().with("state/setup.json", "{}");
    let open = || Ledger::open(&home.path("state/setup.json"));
    assert!(matches!(open(), Err(LedgerError::Damaged { .. })));
    home.write("state/setup.json", "{\"version\": 3, \"entries\": {}}");
    assert!(matches!(open(), Err(LedgerError::TooNew { version: 3, .. })));
    assert_eq!(home.read("state/setup.json"), "{\"version\": 3, \"entries\": {}}");
    assert!(matches!(Ledger::rehearse(Path::new("setup.json")), Err(LedgerError::Relative { .. })));
}

#[test]
fn two_at_a_time_are_one_too_many() {
    let home = Home::new();
    let _first = home.ledger();
    assert!(matches!(Ledger::open(&home.path("state/setup.json")), Err(LedgerError::Busy { .. })));
    assert!(Ledger::rehearse(&home.path("state/setup.json")).is_ok());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    impl Home {
        fn mode(&self, name: &str) -> u32 {
            fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o7777
        }

        fn set_mode(&self, name: &str, mode: u32) {
            fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
        }
    }

    #[test]
    fn a_link_stays_and_the_file_behind_it_is_changed() {
        let home = Home::new().with("dotfiles/claude.json", SETTINGS).with("home/x", "");
        symlink("../dotfiles/claude.json", home.path("home/settings.json")).unwrap();
        symlink(home.path("home"), home.path("link")).unwrap();
        assert_eq!(home.apply("link/settings.json", &server("custos")).unwrap(), Action::Changed);
        assert_ne!(home.read("dotfiles/claude.json"), SETTINGS);
        // By whatever name, it is the same file.
        assert_eq!(home.apply("dotfiles/claude.json", &server("custos")).unwrap(), Action::Unchanged);
        assert_eq!(home.ledger().files().collect::<Vec<_>>(), [home.path("dotfiles/claude.json")]);
        assert_eq!(home.restore("home/settings.json").unwrap(), Action::Restored);
        assert_eq!(home.read("dotfiles/claude.json"), SETTINGS);
        let link = fs::read_link(home.path("home/settings.json")).unwrap();
        assert_eq!(link, Path::new("../dotfiles/claude.json"));
    }

    #[test]
    fn a_link_to_nothing_gets_its_file_and_loses_it_again() {
        let home = Home::new();
        symlink("dotfiles/claude.json", home.path("settings.json")).unwrap();
        assert_eq!(home.apply("settings.json", &server("custos")).unwrap(), Action::Created);
        assert!(home.path("dotfiles/claude.json").is_file());
        assert_eq!(home.restore("settings.json").unwrap(), Action::Deleted);
        assert!(!home.path("dotfiles").exists() && home.path("settings.json").is_symlink());
    }

    #[test]
    fn links_in_a_circle_are_an_error() {
        let home = Home::new();
        symlink("b", home.path("a")).unwrap();
        symlink("a", home.path("b")).unwrap();
        assert!(matches!(home.apply("a", &server("custos")), Err(LedgerError::Unreadable { .. })));
    }

    #[test]
    fn modes_are_kept_and_ours_are_private() {
        let home = Home::new().with("settings.json", SETTINGS);
        home.set_mode("settings.json", 0o640);
        home.apply("settings.json", &server("custos")).unwrap();
        home.apply("new/private.json", &server("custos")).unwrap();
        home.ledger().apply(&home.path("repo/AGENTS.md"), &block("x"), NewFile::Shared).unwrap();
        let names = [
            "settings.json",
            "new",
            "new/private.json",
            "repo",
            "repo/AGENTS.md",
            "state",
            "state/setup.json",
            "state/setup.lock",
            "state/setup-0001.original",
        ];
        let modes = [0o640, 0o700, 0o600, 0o755, 0o644, 0o700, 0o600, 0o600, 0o600];
        assert_eq!(names.map(|name| home.mode(name)), modes);
        home.restore("settings.json").unwrap();
        assert_eq!(home.mode("settings.json"), 0o640);
    }

    #[test]
    fn what_is_read_only_is_left_alone() {
        let home = Home::new().with("file/settings.json", SETTINGS).with("dir/settings.json", SETTINGS);
        home.apply("file/settings.json", &server("old")).unwrap();
        home.set_mode("file/settings.json", 0o444);
        home.set_mode("dir", 0o555);
        let before = home.all();
        let refused = |result| matches!(result, Err(LedgerError::ReadOnly { .. }));
        assert!(refused(home.apply("file/settings.json", &server("new"))));
        assert!(refused(home.restore("file/settings.json")));
        assert!(refused(home.apply("dir/settings.json", &server("new"))));
        assert!(refused(home.apply("dir/deep/new.json", &server("new"))));
        assert_eq!(home.all(), before);
        home.set_mode("dir", 0o755);
    }

    #[test]
    fn a_ledger_that_cannot_be_written_stops_the_change() {
        let home = Home::new().with("settings.json", SETTINGS);
        let mut ledger = home.ledger();
        // A directory where the ledger should be: nothing can be renamed over it.
        fs::create_dir_all(home.path("state/setup.json/x")).unwrap();
        let before = home.all();
        let result = ledger.apply(&home.path("settings.json"), &server("custos"), NewFile::Private);
        assert!(matches!(result, Err(LedgerError::Ledger { .. })));
        let created = ledger.apply(&home.path("a/b/new.json"), &server("custos"), NewFile::Private);
        assert!(matches!(created, Err(LedgerError::Ledger { .. })));
        assert_eq!(home.all(), before);
    }
}
