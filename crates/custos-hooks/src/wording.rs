//! What the guard says to the model and to the person.
//!
//! One sentence for what happened and why, with the rule's name; then a safer way; then what else is held, so that nobody mends one thing
//! only to meet the next.

use custos_clients::tool::{Act, Deed};
use custos_guard::{Finding, Hold};

/// How much of a command is repeated.
const LONGEST: usize = 160;

/// Says what is held, and why. `hold` is what becomes of it with this client, which may not be able to ask.
pub(crate) fn words(findings: &[Finding], hold: Hold, act: Option<Act<'_>>) -> String {
    const MOST: usize = 3;
    let Some((first, rest)) = findings.split_first() else { return String::new() };
    let does = if hold == Hold::Deny { "denies" } else { "asks about" };
    let mut text = match whole(act).filter(|command| *command != first.part) {
        Some(command) => format!("Custos {does} `{command}` because of `{}`: it", first.part),
        None => format!("Custos {does} `{}`: it", first.part),
    };
    text.push_str(&format!(" {} (rule {}).", first.reason, first.rule));
    if !first.safer.is_empty() {
        text.push_str(&format!(" Instead: {}.", first.safer));
    }
    let mut others: Vec<String> = Vec::new();
    for finding in rest.iter().filter(|finding| finding.rule != first.rule) {
        let other = format!("{} (`{}`)", finding.rule, finding.part);
        if others.len() < MOST && !others.contains(&other) {
            others.push(other);
        }
    }
    if !others.is_empty() {
        text.push_str(&format!(" Also held: {}.", others.join(", ")));
    }
    text
}

/// The command, if it is short enough to be repeated.
fn whole(act: Option<Act<'_>>) -> Option<&str> {
    let text = act.filter(|act| act.deed == Deed::Shell)?.with.trim();
    (text.len() <= LONGEST && !text.contains('\n')).then_some(text)
}

/// Says how a person lets something pass that their client cannot ask about: the first of these entries that does.
pub(crate) fn way_through(
    findings: &[Finding],
    act: Option<Act<'_>>,
    lets_pass: impl Fn(&Entry) -> bool,
) -> String {
    let is_plain = |text: &str| {
        let plain = |c: char| c.is_alphanumeric() || " ./_-:=@%+,~".contains(c);
        !text.is_empty() && text.len() <= LONGEST && text.chars().all(plain)
    };
    let part = findings.first().map(|finding| finding.part.clone()).unwrap_or_default();
    let candidates = [
        whole(act).map(|command| Entry::Command(command.to_owned())),
        Some(Entry::Command(part.clone())),
        Some(Entry::Path(part)),
    ];
    let found = candidates.into_iter().flatten().find(|entry| is_plain(entry.text()) && lets_pass(entry));
    match found {
        Some(Entry::Command(entry)) => {
            format!(" To let it pass from now on, the person can run: custos guard add allow '{entry}'")
        }
        Some(Entry::Path(entry)) => {
            format!(" To let it pass from now on, the person can run: custos guard add allow-path '{entry}'")
        }
        None => " If it should happen, the person has to run it.".to_owned(),
    }
}

/// An entry of the person's own list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A command.
    Command(String),
    /// A path.
    Path(String),
}

impl Entry {
    pub(crate) fn text(&self) -> &str {
        let (Self::Command(text) | Self::Path(text)) = self;
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &'static str, part: &str, hold: Hold) -> Finding {
        Finding {
            rule: rule.into(),
            hold,
            reason: "does something".into(),
            part: part.to_owned(),
            safer: "do another thing".into(),
        }
    }

    #[test]
    fn everything_that_is_held_is_named() {
        let findings = [
            finding("git.force-push", "--force", Hold::Deny),
            finding("git.push-protected", "main", Hold::Deny),
            finding("git.push-protected", "main", Hold::Deny),
        ];
        let act = Some(Act { deed: Deed::Shell, with: "git push -f origin main" });
        assert_eq!(
            words(&findings, Hold::Deny, act),
            "Custos denies `git push -f origin main` because of `--force`: it does something (rule git.force-push). \
             Instead: do another thing. Also held: git.push-protected (`main`)."
        );
    }

    #[test]
    fn only_a_way_that_leads_somewhere_is_offered() {
        let findings = [finding("git.reset-hard", "git reset --hard", Hold::Ask)];
        let act = Some(Act { deed: Deed::Shell, with: "cd x && git reset --hard" });
        let by_call = |entry: &Entry| *entry == Entry::Command("git reset --hard".to_owned());
        assert_eq!(
            way_through(&findings, act, by_call),
            " To let it pass from now on, the person can run: custos guard add allow 'git reset --hard'"
        );
        assert_eq!(way_through(&findings, act, |_| false), " If it should happen, the person has to run it.");
    }
}
