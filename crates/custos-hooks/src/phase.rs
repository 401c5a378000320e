//! What runs at which moment: one table, and nothing else decides it.

use custos_clients::Moment;

/// A part of what a hook does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Judges a tool call before it runs.
    Guard,
    /// Gives a line about the file that a tool is for, or the error that it ended with.
    Hint,
    /// Appends what happened to the log.
    Record,
    /// Gives the model what it should know.
    Recall,
    /// Starts a worker if work waits and none runs.
    Wake,
    /// Notes whether what was recalled proved useful.
    Improve,
}

impl Phase {
    /// Lists the phases in the order in which they run.
    pub const ALL: [Self; 6] =
        [Self::Guard, Self::Hint, Self::Record, Self::Recall, Self::Wake, Self::Improve];

    /// Gives the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Hint => "hint",
            Self::Record => "record",
            Self::Recall => "recall",
            Self::Wake => "wake",
            Self::Improve => "improve",
        }
    }

    /// Says what it is for, in one line.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Guard => "judges a tool call before it runs",
            Self::Hint => "gives a line about the file that a tool is for, or the error that it ended with",
            Self::Record => "appends what happened to the log",
            Self::Recall => "gives the model what it should know",
            Self::Wake => "starts a worker if work waits and none runs",
            Self::Improve => "notes whether what was recalled proved useful",
        }
    }

    /// Says whether this version of the program does it.
    pub const fn is_there(self) -> bool {
        !matches!(self, Self::Improve)
    }
}

/// Gives the phases of a moment, in the order in which they run.
pub const fn phases(moment: Moment) -> &'static [Phase] {
    match moment {
        Moment::SessionStarted | Moment::PromptSubmitted | Moment::SubagentStarted => {
            &[Phase::Record, Phase::Recall]
        }
        // A denial is recorded by the guard's verdict; a call that may go on is recorded when it has ended.
        Moment::ToolStarting => &[Phase::Guard, Phase::Hint, Phase::Record],
        Moment::PermissionAsked => &[Phase::Guard, Phase::Record],
        Moment::ToolFinished | Moment::ToolFailed => &[Phase::Hint, Phase::Record, Phase::Improve],
        // What a sub-agent did is distilled with the turn that sent it.
        Moment::ToolDenied | Moment::Compacting | Moment::SubagentStopped => &[Phase::Record],
        Moment::TurnEnded | Moment::SessionEnded => &[Phase::Record, Phase::Wake],
    }
}

/// Writes the page that documents the table.
pub fn page() -> String {
    use std::fmt::Write as _;

    let mut page = String::from(
        "# What a hook does, and when\n\n\
         This page is generated from the table in `crates/custos-hooks/src/phase.rs`; a test keeps it current.\n\n\
         ## The phases\n\n| phase | what it does | in this version |\n|---|---|---|\n",
    );
    for phase in Phase::ALL {
        let there = if phase.is_there() { "yes" } else { "not yet" };
        let _ = writeln!(page, "| {} | {} | {there} |", phase.name(), phase.what());
    }
    page.push_str("\n## Which moment runs which phases\n\n| moment |");
    for phase in Phase::ALL {
        let _ = write!(page, " {} |", phase.name());
    }
    page.push_str("\n|---|---|---|---|---|---|---|\n");
    for moment in Moment::ALL {
        let _ = write!(page, "| {} |", moment.title());
        for phase in Phase::ALL {
            let _ = write!(page, " {} |", if phases(moment).contains(&phase) { "×" } else { "" });
        }
        page.push('\n');
    }
    page.push_str("\n## What each client calls them\n\n| moment |");
    for client in custos_clients::CLIENTS {
        let _ = write!(page, " {} |", client.title);
    }
    page.push_str("\n|---|---|---|---|---|---|---|\n");
    for moment in Moment::ALL {
        let _ = write!(page, "| {} |", moment.title());
        for client in custos_clients::CLIENTS {
            let rows = client.manifest.events.iter().filter(|row| row.moment == moment);
            let names: Vec<String> = rows.map(|row| format!("`{}`", row.event)).collect();
            let _ = write!(page, " {} |", if names.is_empty() { "–".to_owned() } else { names.join(", ") });
        }
        page.push('\n');
    }
    page.push_str("\n## Where a client has no event\n\n| client | moment | instead |\n|---|---|---|\n");
    for client in custos_clients::CLIENTS {
        for fallback in client.manifest.fallbacks {
            let _ =
                writeln!(page, "| {} | {} | {} |", client.title, fallback.moment.title(), fallback.instead);
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test that renews a page when asked to")]
    fn the_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hooks.md");
        if std::env::var_os("CUSTOS_RENEW").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == page(),
            "docs/hooks.md is not current: CUSTOS_RENEW=1 cargo test -p custos-hooks page"
        );
    }

    #[test]
    fn phases_run_in_one_order_and_every_moment_is_recorded() {
        for moment in Moment::ALL {
            let order: Vec<usize> = phases(moment)
                .iter()
                .filter_map(|phase| Phase::ALL.iter().position(|p| p == phase))
                .collect();
            assert!(order.is_sorted(), "{}", moment.name());
            assert!(phases(moment).contains(&Phase::Record), "{}", moment.name());
        }
    }
}
