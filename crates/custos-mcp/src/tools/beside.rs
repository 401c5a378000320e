//! What waits in the repos of a workspace, counted for a session at its root: their items are shown only when they are asked for.

use custos_knowledge::View;
use serde_json::{Value, json};

use crate::answer::one_line;
use crate::desk::Desk;

/// How much is said of the names of repos.
const NAMES: usize = 300;

/// How many repos the data name.
const ROWS: usize = 100;

/// Counts something in each repo of a workspace that has any of it.
pub(super) fn counts_beside(
    desk: &Desk,
    view: &View,
    count: impl Fn(&View) -> usize,
) -> Vec<(String, usize)> {
    let counted = |beside: &View| (beside.own().store.name.clone(), count(beside));
    desk.base.repos_beside(view).iter().map(counted).filter(|(_, count)| *count > 0).collect()
}

/// Says how many more there are in the repos; nothing where there are none.
pub(super) fn told_beside(counts: &[(String, usize)]) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let each: Vec<String> = counts.iter().map(|(name, count)| format!("{name} has {count} more")).collect();
    format!(
        "In the repos: {}. Send a repo's name as `project_path` to see them.\n",
        one_line(&each.join(", "), NAMES)
    )
}

/// Adds the same to the data of an answer, where there are any.
pub(super) fn add_beside(data: &mut Value, counts: &[(String, usize)]) {
    let told = &counts[..counts.len().min(ROWS)];
    if !told.is_empty() {
        data["in_repos"] = told.iter().map(|(name, count)| json!({ "repo": name, "count": count })).collect();
    }
    if told.len() < counts.len() {
        data["more_repos"] = json!(counts.len() - told.len());
    }
}
