//! The knowledge base's own doctor.

use custos_knowledge::Refusal;
use serde_json::json;

use crate::answer::Answer;
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::page;

pub(super) fn kb_doctor(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let fix = arguments.flag("fix");
    let report = desk.base.check(&view, fix)?;
    let mut text = String::new();
    for finding in &report.findings {
        let place = if finding.line == 0 {
            finding.file.clone()
        } else {
            format!("{}:{}", finding.file, finding.line)
        };
        let state = match (finding.fixed, finding.fixable) {
            (true, _) => "fixed",
            (false, true) => "can be fixed",
            (false, false) => "by hand",
        };
        text.push_str(&format!(
            "- [{state}] {} ({}) {place}: {}",
            finding.level.word(),
            finding.store,
            finding.what
        ));
        if !finding.fixed && !finding.next.is_empty() {
            text.push_str(&format!(". {}", finding.next));
        }
        text.push('\n');
    }
    let left = report.findings.iter().filter(|finding| !finding.fixed).count();
    let fixable = report.findings.iter().filter(|finding| finding.fixable && !finding.fixed).count();
    let summary = match (report.findings.len(), left, fixable) {
        (0, ..) => "The knowledge base is in order.".to_owned(),
        (all, 0, _) => format!("{all} found, all of them fixed."),
        (all, left, 0) => format!("{all} found, {left} left for a person."),
        (all, left, fixable) => format!("{all} found, {left} left; fix: true repairs {fixable} of them."),
    };
    let page = page(&format!("{summary}\n\n{text}"), arguments.number("page"));
    Ok(Answer::new(page.text, json!({ "findings": report.findings, "left": left, "fixable": fixable })))
}
