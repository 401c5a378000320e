//! Where a script stands, line by line.
//!
//! A command holds for the folder in which it is run, and a script goes through several: `cd web`, `pushd svc`, `popd`, and a subshell that
//! leaves again. What names a folder literally is followed. What is computed, or done only under a condition, may lead anywhere: from there
//! on nobody knows, until something names the checkout itself.

/// How pipelines and scripts call the folder that the repo was put into.
const CHECKOUTS: &[&str] = &[
    "${{ github.workspace }}",
    "${{github.workspace}}",
    "$(Build.SourcesDirectory)",
    "$(System.DefaultWorkingDirectory)",
    "$(git rev-parse --show-toplevel)",
    "$CI_PROJECT_DIR",
    "${CI_PROJECT_DIR}",
    "$GITHUB_WORKSPACE",
    "${GITHUB_WORKSPACE}",
    "~/project",
    "~/repo",
];
/// How a script calls the folder that it is in.
const BESIDE: &[&str] = &[
    "$(dirname \"$0\")",
    "$(dirname $0)",
    "$(dirname \"${0}\")",
    "$(dirname \"$BASH_SOURCE\")",
    "$(dirname \"${BASH_SOURCE[0]}\")",
    "$(dirname ${BASH_SOURCE[0]})",
    "${0%/*}",
];
/// The longest path that is followed, and the most folders that are remembered.
const LONGEST: usize = 1024;
const MOST: usize = 64;

/// Where a script stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Whereabouts {
    /// The folder, from the root of the repo; nothing if nobody knows.
    now: Option<String>,
    /// The folder of the script, if it is a file.
    own: Option<String>,
    /// Those that `popd` goes back to.
    pushed: Vec<Option<String>>,
    /// Those that the end of a subshell goes back to.
    outer: Vec<Option<String>>,
    /// How many blocks are open whose commands may be run or not.
    blocks: usize,
    /// The word that ends a text which is fed to a command.
    until: Option<String>,
    /// Whether it went through more than is remembered, and never finds back.
    is_lost: bool,
}

/// What stands between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// The beginning or the end of a line, or `;`.
    Then,
    And,
    Or,
    /// `|` or `&`: what is run beside another, in a shell of its own.
    Beside,
    Open,
    Close,
}

/// A command of a line.
struct Part<'a> {
    before: Joint,
    text: &'a str,
    after: Joint,
    /// Where it ends in its line.
    end: usize,
}

/// The commands of a line that are run one after the other. What is piped, tried or run beside another stays with it, and a line with a subshell is
/// one command.
pub(super) fn in_a_row(line: &str) -> Vec<&str> {
    let parts = parts(line);
    if parts.iter().any(|part| matches!(part.after, Joint::Open | Joint::Close)) {
        return vec![line.trim()];
    }
    let mut from = 0;
    let mut row = Vec::new();
    for part in parts.iter().filter(|part| matches!(part.after, Joint::Then | Joint::And)) {
        row.push(line[from..part.end].trim());
        let joint = if part.after == Joint::And { 2 } else { 1 };
        from = (part.end + joint).min(line.len());
    }
    row.retain(|command| !command.is_empty());
    row
}

impl Whereabouts {
    /// Begins where a pipeline says, in its own words.
    pub(super) fn at(folder: &str) -> Self {
        Self {
            now: below("", folder),
            own: None,
            pushed: Vec::new(),
            outer: Vec::new(),
            blocks: 0,
            until: None,
            is_lost: false,
        }
    }

    /// Begins at the root, with a script that lies in a folder.
    pub(super) fn of_script(folder: &str) -> Self {
        Self { own: Some(folder.to_owned()), ..Self::at("") }
    }

    /// The folder, from the root of the repo; nothing if nobody knows.
    pub(super) fn now(&self) -> Option<&str> {
        self.now.as_deref().filter(|_| !self.is_lost)
    }

    /// Says whether the next line is no command, but a text that is fed to one.
    pub(super) fn is_fed(&self) -> bool {
        self.until.is_some()
    }

    /// Goes through a line.
    pub(super) fn pass(&mut self, line: &str) {
        if let Some(end) = &self.until {
            if line.trim() == end {
                self.until = None;
            }
            return;
        }
        let parts = parts(line);
        for (at, part) in parts.iter().enumerate() {
            if part.before == Joint::Open {
                self.is_lost |= self.outer.len() == MOST;
                if !self.is_lost {
                    self.outer.push(self.now.clone());
                }
            }
            let next = parts.get(at + 1).map_or("", |part| part.text);
            self.run(part, next);
            if part.after == Joint::Close
                && let Some(outer) = self.outer.pop()
            {
                self.now = outer;
            }
        }
        self.until = fed(line);
    }

    fn run(&mut self, part: &Part<'_>, next: &str) {
        let mut text = part.text;
        loop {
            let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            match first {
                "if" | "for" | "while" | "until" | "case" | "select" | "{" => self.blocks += 1,
                "fi" | "done" | "esac" | "}" => self.blocks = self.blocks.saturating_sub(1),
                "then" | "do" | "else" | "elif" | "!" | "time" => {}
                "cd" | "pushd" | "popd" => return self.go(first, rest.trim(), part, next),
                // The name of a function, whose commands are run elsewhere.
                _ if text.ends_with('{') => return self.blocks += 1,
                _ => return,
            }
            text = rest.trim_start();
        }
    }

    fn go(&mut self, how: &str, path: &str, part: &Part<'_>, next: &str) {
        let gives_up = next.starts_with("exit") || next.starts_with("return");
        let is_sure = self.blocks == 0
            && !matches!(part.before, Joint::Or | Joint::Beside)
            && (!matches!(part.after, Joint::Or | Joint::Beside) || part.after == Joint::Or && gives_up);
        let target = if is_sure { self.target(how, path) } else { None };
        if how == "pushd" {
            self.is_lost |= self.pushed.len() == MOST;
            if !self.is_lost {
                self.pushed.push(self.now.take());
            }
        }
        self.now = target;
    }

    fn target(&mut self, how: &str, path: &str) -> Option<String> {
        let path = without_redirection(path);
        if how == "popd" {
            return self.pushed.pop().flatten().filter(|_| path.is_empty());
        }
        let quoted = ['"', '\''].into_iter().find_map(|mark| path.strip_prefix(mark)?.strip_suffix(mark));
        let path = quoted.unwrap_or(path);
        let beside = BESIDE.iter().find_map(|own| path.strip_prefix(own));
        match (beside, &self.own) {
            (Some(rest), Some(own)) if rest.is_empty() || rest.starts_with('/') => {
                below(own, rest.trim_start_matches('/'))
            }
            _ if path.is_empty() || quoted.is_none() && is_several(path) => None,
            _ => match of_checkout(path) {
                Some(rest) => below("", rest),
                None => below(self.now.as_deref()?, path),
            },
        }
    }
}

/// Takes off where the output goes: `svc >/dev/null 2>&1` is `svc`.
fn without_redirection(words: &str) -> &str {
    let Some(at) = words.find(['>', '<']) else { return words };
    let before = &words[..at];
    // Its number or sign is no word of its own.
    let bare = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '&');
    if bare.is_empty() || bare.ends_with(char::is_whitespace) { bare.trim_end() } else { before.trim_end() }
}

fn is_several(path: &str) -> bool {
    path.contains(char::is_whitespace) && of_checkout(path).is_none()
}

/// What follows the name of the checkout.
fn of_checkout(path: &str) -> Option<&str> {
    let rest = CHECKOUTS.iter().find_map(|root| path.strip_prefix(root))?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// The folder that a path names from another, both from the root of the repo; nothing if it is computed, or leads out.
fn below(from: &str, path: &str) -> Option<String> {
    let path = path.trim();
    let path = of_checkout(path).unwrap_or(path);
    if path.starts_with(['/', '~', '-']) || path.contains(['$', '`', '*', '?', '[', '{', '\\']) {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/")).filter(|folder| folder.len() <= LONGEST)
}

/// Finds the word that ends a text which is fed to a command: `<<EOF`.
fn fed(line: &str) -> Option<String> {
    let rest = line.split_once("<<")?.1;
    if rest.starts_with('<') {
        return None;
    }
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start();
    let word: String = rest
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    (!word.is_empty()).then_some(word)
}

/// Takes a line apart into its commands. What is quoted, or run for its output, stays together.
fn parts(line: &str) -> Vec<Part<'_>> {
    let bytes = line.as_bytes();
    let mut parts = Vec::new();
    let (mut before, mut from, mut at) = (Joint::Then, 0, 0);
    let mut quote = None;
    let mut end = line.len();
    while at < bytes.len() {
        let byte = bytes[at];
        if let Some(mark) = quote {
            if byte == mark {
                quote = None;
            }
            at += if byte == b'\\' && mark == b'"' { 2 } else { 1 };
            continue;
        }
        let is_doubled = bytes.get(at + 1) == Some(&byte);
        let joint = match byte {
            b'"' | b'\'' | b'`' => {
                quote = Some(byte);
                None
            }
            b'(' if at > 0 && bytes[at - 1] == b'$' => {
                quote = Some(b')');
                None
            }
            b'\\' => {
                at += 2;
                continue;
            }
            b'#' if at == 0 || bytes[at - 1].is_ascii_whitespace() => {
                end = at;
                break;
            }
            b'&' if is_doubled => Some((Joint::And, 2)),
            b'|' if is_doubled => Some((Joint::Or, 2)),
            // `2>&1` and `&>log` are no commands.
            b'&' if bytes.get(at + 1) == Some(&b'>') || at > 0 && bytes[at - 1] == b'>' => None,
            b'|' | b'&' => Some((Joint::Beside, 1)),
            b';' => Some((Joint::Then, 1)),
            b'(' => Some((Joint::Open, 1)),
            b')' => Some((Joint::Close, 1)),
            _ => None,
        };
        if let Some((after, length)) = joint {
            parts.push(Part { before, text: line[from..at].trim(), after, end: at });
            before = after;
            from = at + length;
            at = from;
            continue;
        }
        at += 1;
    }
    parts.push(Part { before, text: line[from..end].trim(), after: Joint::Then, end });
    parts
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Where a script that begins in `web` is after its lines.
    #[rstest]
    #[case("cd back", Some("web/back"))]
    #[case("cd ./back/", Some("web/back"))]
    #[case("cd \"my app\"", Some("web/my app"))]
    #[case("cd ..", Some(""))]
    #[case("cd ../..", None)]
    #[case("cd ../..\ncd x", None)]
    #[case("cd a\ncd ../b\nmake", Some("web/b"))]
    #[case("cd a && make && cd ..", Some("web"))]
    #[case("set -e; cd a; make # cd b", Some("web/a"))]
    #[case("cd a || exit 1", Some("web/a"))]
    #[case("cd a || cd b", None)]
    #[case("cd a || true", None)]
    #[case("make || cd a", None)]
    #[case("cd a &", None)]
    #[case("pushd svc >/dev/null 2>&1\nmake", Some("web/svc"))]
    #[case("pushd svc2>/dev/null", Some("web/svc2"))]
    #[case("pushd a\npushd b\npopd 2>/dev/null", Some("web/a"))]
    #[case("pushd a\ncd /x\npopd", Some("web"))]
    #[case("popd", None)]
    #[case("pushd", None)]
    #[case("cd", None)]
    #[case("cd -", None)]
    #[case("cd ~", None)]
    #[case("cd /srv", None)]
    #[case("cd $DIR", None)]
    #[case("cd $DIR\ncd $GITHUB_WORKSPACE", Some(""))]
    #[case("cd \"${{ github.workspace }}/api\"", Some("api"))]
    #[case("cd ${{ github.workspace }}", Some(""))]
    #[case("cd $GITHUB_WORKSPACES", None)]
    #[case("cd $(git rev-parse --show-toplevel)", Some(""))]
    #[case("cd \"$(dirname \"$0\")/..\"", None)]
    #[case("cd a*", None)]
    #[case("cd a b", None)]
    #[case("(cd a && make)", Some("web"))]
    #[case("(\ncd a\nmake\n)", Some("web"))]
    #[case("(\ncd a", Some("web/a"))]
    #[case("x=$(cd a && pwd)", Some("web"))]
    #[case("sh -c 'cd a && make'", Some("web"))]
    #[case("echo \"a \\\" cd b; cd c\"", Some("web"))]
    #[case("if true; then cd a; fi", None)]
    #[case("if true; then\nmake\nfi\ncd a", Some("web/a"))]
    #[case("for d in a b; do\n  cd $d\ndone", None)]
    #[case("enter() {\n  cd a\n}\nmake", None)]
    #[case("cat <<EOF\ncd a\nEOF", Some("web"))]
    #[case("cat <<-'END'\ncd a\n  END\ncd b", Some("web/b"))]
    #[case("cat <<<x\ncd a", Some("web/a"))]
    #[case("cdk deploy\necho cd a\necd b", Some("web"))]
    fn a_script_is_followed_as_long_as_it_says_where_it_goes(
        #[case] script: &str,
        #[case] folder: Option<&str>,
    ) {
        let mut place = Whereabouts::at("web");
        script.lines().for_each(|line| place.pass(line));
        assert_eq!(place.now(), folder);
    }

    #[test]
    fn a_script_knows_its_own_folder() {
        for own in BESIDE {
            let mut place = Whereabouts::of_script("ci/linux");
            place.pass(&format!("cd \"{own}/..\""));
            assert_eq!(place.now(), Some("ci"), "{own}");
        }
    }

    #[test]
    fn what_goes_on_for_ever_is_not_followed() {
        let mut place = Whereabouts::at("");
        (0..100_000).for_each(|_| place.pass("(cd a; pushd b"));
        assert_eq!(place.now(), None);
        let mut place = Whereabouts::at("");
        (0..100_000).for_each(|_| place.pass("cd aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
        assert_eq!(place.now(), None);
    }
}
