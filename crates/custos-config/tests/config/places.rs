//! Where things are.

use std::path::PathBuf;

use custos_config::{Places, Variables};
use insta::assert_snapshot;
use rstest::rstest;

fn resolve(variables: &[(&str, &str)]) -> Result<Places, String> {
    let variables: Variables = variables.iter().copied().collect();
    Places::resolve(&variables).map_err(|error| error.to_string())
}

#[test]
fn the_home_directory_is_enough() {
    let places = resolve(&[("HOME", "/home/ada")]).unwrap();
    assert_eq!(
        places,
        Places {
            config: PathBuf::from("/home/ada/.config/ai"),
            memory: PathBuf::from("/home/ada/.config/ai/memory"),
            state: PathBuf::from("/home/ada/.local/state/ai/f81a4514b42e53e4"),
        }
    );
    assert_eq!(places.log(), PathBuf::from("/home/ada/.config/ai/memory/log"));
    assert_eq!(places.backups(), PathBuf::from("/home/ada/.config/ai/memory/backups"));
    assert_eq!(places.user_config(), PathBuf::from("/home/ada/.config/ai/config.yaml"));
    assert_eq!(places.index(3), places.state.join("index-3.db"));
    assert_eq!(places.compiled_config(), places.state.join("config.bin"));
}

#[test]
fn each_variable_moves_its_directory() {
    let places = resolve(&[
        ("AI_MEMORY_PATH", "/m"),
        ("XDG_CONFIG_HOME", "/c"),
        ("XDG_STATE_HOME", "/s"),
        ("HOME", "/home/ada"),
    ]);
    let places = places.unwrap();
    assert_eq!((places.config, places.memory), (PathBuf::from("/c/ai"), PathBuf::from("/m")));
    assert_eq!(places.state.parent().unwrap(), PathBuf::from("/s/ai"));
}

#[test]
fn the_root_can_be_a_home() {
    let places = resolve(&[("HOME", "/")]).unwrap();
    assert_eq!(places.config, PathBuf::from("/.config/ai"));
}

#[test]
fn an_empty_value_is_no_value() {
    let plain = resolve(&[("HOME", "/h")]);
    let empty = [("HOME", "/h"), ("AI_MEMORY_PATH", ""), ("XDG_CONFIG_HOME", ""), ("XDG_STATE_HOME", "")];
    assert_eq!(resolve(&empty), plain);
}

#[rstest]
#[case("/a/b/")]
#[case("/a//b")]
#[case("/a/./b/.")]
fn spellings_of_one_memory_share_a_state(#[case] spelling: &str) {
    let plain = resolve(&[("HOME", "/h"), ("AI_MEMORY_PATH", "/a/b")]);
    assert_eq!(resolve(&[("HOME", "/h"), ("AI_MEMORY_PATH", spelling)]), plain);
}

#[cfg(unix)]
#[test]
fn bytes_that_are_not_text_are_a_path_too() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    let resolve = |bytes: &[u8]| {
        let memory = OsString::from_vec(bytes.to_vec());
        let pairs = [("HOME", OsString::from("/h")), ("AI_MEMORY_PATH", memory)];
        Places::resolve(&pairs.into_iter().collect::<Variables>()).unwrap()
    };
    let (first, second) = (resolve(b"/m/\xff"), resolve(b"/m/\xfe"));
    assert_eq!(first.memory.as_os_str().as_encoded_bytes(), b"/m/\xff");
    assert_ne!(first.state, second.state);
}

#[test]
fn errors_name_the_variable_and_the_remedy() {
    let errors = [
        resolve(&[("HOME", "/h"), ("AI_MEMORY_PATH", "memory")]),
        resolve(&[("XDG_CONFIG_HOME", "./c")]),
        resolve(&[("HOME", "~")]),
        resolve(&[("HOME", "/h"), ("XDG_STATE_HOME", "s\u{1b}[31m\u{202e}")]),
        resolve(&[("HOME", "/h"), ("AI_MEMORY_PATH", "/m/../n")]),
        resolve(&[]),
        resolve(&[("XDG_CONFIG_HOME", "/c")]),
    ];
    let errors: Vec<_> = errors.into_iter().map(|error| error.unwrap_err()).collect();
    assert_snapshot!(errors.join("\n"), @r#"
    AI_MEMORY_PATH is `memory`, which is relative: it would mean another place in every working directory; set it to an absolute path or unset it
    XDG_CONFIG_HOME is `./c`, which is relative: it would mean another place in every working directory; set it to an absolute path or unset it
    HOME is `~`, which is relative: it would mean another place in every working directory; set it to an absolute path or unset it
    XDG_STATE_HOME is `s\u{1b}[31m\u{202e}`, which is relative: it would mean another place in every working directory; set it to an absolute path or unset it
    AI_MEMORY_PATH is `/m/../n`, which contains `..`: where that leads depends on links; set it to the path without `..` or unset it
    there is no place for the configuration directory: none of XDG_CONFIG_HOME, HOME is set; set one of them to an absolute path
    there is no place for the state directory: none of XDG_STATE_HOME, HOME is set; set one of them to an absolute path
    "#);
}
