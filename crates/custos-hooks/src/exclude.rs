//! What the person does not want to have recorded: projects, and files.
//!
//! A pattern names some whole steps of a path, `*` is any text: `secrets` keeps out `app/secrets/key.txt`, `*.pem` every such file,
//! `/home/me/diary` that directory and all below it. Case does not matter, as it does not to every disk, and a step may end in `\` as
//! well. A project goes by its identity, which is that of its repository, and by its directory.
//!
//! A call that touches such a file is not stored, nor is a command in which it is named. Where only the output names it, as that of a
//! search through everything does, the call is stored without its output. What a program reads that no word of the call tells of cannot
//! be seen.

use custos_clients::overrides::Overrides;
use custos_clients::{Happening, HookEvent};
use custos_config::Project;

use crate::record;
use crate::touched::Touched;

/// What stands where an answer was that names a file of which nothing is recorded.
const LEFT_OUT: &str = "[left out: it names a file that is excluded by capture.exclude_paths]";

/// What is not recorded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exclude<'a> {
    /// Patterns for projects.
    pub projects: &'a [String],
    /// Patterns for files.
    pub paths: &'a [String],
}

impl Exclude<'_> {
    /// Says whether nothing of a project is recorded.
    pub(crate) fn has_project(&self, project: Option<&Project>) -> bool {
        let Some(project) = project.filter(|_| !self.projects.is_empty()) else { return false };
        let names = [Some(project.identity.as_str()), project.root.to_str()];
        self.projects.iter().any(|pattern| names.iter().flatten().any(|name| names_part(pattern, name)))
    }

    /// Says whether an event names a file of which nothing is recorded.
    pub(crate) fn has_named(&self, event: &HookEvent, overrides: &Overrides, home: Option<&str>) -> bool {
        !self.paths.is_empty()
            && (self.has_file(&record::named(event, overrides, home))
                || record::command(event, overrides).is_some_and(|command| self.is_named_in(command, home)))
    }

    /// Takes out what a tool answered if that names such a file.
    pub(crate) fn hide_output(&self, event: &mut HookEvent, home: Option<&str>) {
        let Happening::ToolEnded { end, .. } = &mut event.happening else { return };
        if self.paths.is_empty() {
            return;
        }
        let extra = || serde_json::to_string(&event.extra).unwrap_or_default();
        let is_named = end.output.as_ref().is_some_and(|output| self.is_named_in(output, home))
            || !event.extra.is_empty() && self.is_named_in(&extra(), home);
        if is_named {
            end.output = Some(LEFT_OUT.to_owned());
            // What else the client said of the answer says it again.
            event.extra.clear();
        }
    }

    /// Says whether a text has such a file among its words.
    fn is_named_in(&self, text: &str, home: Option<&str>) -> bool {
        let words = text.split(|c: char| c.is_whitespace() || "\"'`()[]{}<>|;,:=&".contains(c));
        // A single step without an ending is more likely a word of a language.
        words.filter(|word| word.contains(['/', '\\', '.'])).any(|word| {
            let word = word.trim_end_matches(['.', '!', '?']);
            match (word.strip_prefix("~/"), home) {
                (Some(below), Some(home)) => self.has_path(&format!("{home}/{below}")),
                _ => self.has_path(word),
            }
        })
    }

    /// Says whether a call touched a file of which nothing is recorded.
    fn has_file(&self, touched: &Touched) -> bool {
        touched.read.iter().chain(&touched.changed).any(|file| self.has_path(file))
    }

    fn has_path(&self, path: &str) -> bool {
        let path = path.replace('\\', "/");
        self.paths.iter().any(|pattern| names_part(pattern, &path))
    }
}

/// Says whether a pattern names a run of whole steps of a path.
fn names_part(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
    let starts = std::iter::once(0).chain(path.match_indices(['/', ':']).map(|(at, _)| at + 1));
    let rooted = pattern.starts_with('/');
    !pattern.is_empty()
        && starts.filter(|start| !rooted || *start == 0).any(|start| {
            let ends = path[start..].match_indices('/').map(|(at, _)| start + at);
            ends.chain([path.len()]).any(|end| fits(pattern.as_bytes(), &path.as_bytes()[start..end]))
        })
}

/// Says whether a text is what a pattern describes. Linear in their product: a star that went wrong is taken up again, and only the last one.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p + 1, t));
            p += 1;
        } else if pattern.get(p).is_some_and(|byte| byte.eq_ignore_ascii_case(&text[t])) {
            (p, t) = (p + 1, t + 1);
        } else if let Some((after, taken)) = star {
            star = Some((after, taken + 1));
            (p, t) = (after, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("secrets", "/home/me/app/secrets/key.txt", true)]
    #[case("secrets", "/home/me/app/secrets.txt", false)]
    #[case("secrets*", "/home/me/app/secrets.txt", true)]
    #[case("*.pem", "/etc/tls/site.pem", true)]
    #[case("*.pem", "/etc/tls/site.pem.txt", false)]
    #[case("/home/me/diary", "/home/me/diary/2026/november.md", true)]
    #[case("/home/me/diary", "/mnt/home/me/diary/x", false)]
    #[case("app/secrets/", "/home/me/app/secrets/key.txt", true)]
    #[case("acme/*", "github.com/acme/shop", true)]
    #[case("acme/shop", "git@github.com:acme/shop", true)]
    #[case("*", "anything", true)]
    #[case("", "/home/me", false)]
    fn a_pattern_names_whole_steps(#[case] pattern: &str, #[case] path: &str, #[case] excluded: bool) {
        assert_eq!(names_part(pattern, path), excluded);
    }

    #[rstest]
    #[case::read_by_a_program("python3 -c \"print(open('secrets/key.txt').read())\"", true)]
    #[case::found("src/main.rs:3: pw\nsecrets/key.txt:1: pw = 7", true)]
    #[case::of_windows(r"C:\Users\me\Secrets\key.txt", true)]
    #[case::by_its_ending("wrote ./tls/SITE.PEM.", true)]
    #[case::at_home("less ~/diary/november.md", true)]
    #[case::words("keep the secrets of the trade", false)]
    #[case::another("cat src/secrets.rs docs/pem.md", false)]
    fn a_text_names_a_file_by_a_word_that_is_a_path(#[case] text: &str, #[case] excluded: bool) {
        let paths = ["secrets", "*.pem", "/home/me/diary"].map(str::to_owned);
        let exclude = Exclude { projects: &[], paths: &paths };
        assert_eq!(exclude.is_named_in(text, Some("/home/me")), excluded);
    }
}
