//! The log in lines that a person can compare: pseudonyms become `s1`, `main`, `sub1`, `t1` in the order in which they come.

use std::path::Path;

use serde_json::Value;

/// Writes events down, one to a line: kind, outcome, session, agent and role, task, where, and the body.
pub(crate) fn trace(events: &[Value], person: &Path) -> String {
    let mut names = Names::default();
    let lines: Vec<String> = events.iter().map(|event| line(event, &mut names)).collect();
    names.replace(lines.join("\n")).replace(person.to_str().unwrap(), "~")
}

fn line(event: &Value, names: &mut Names) -> String {
    let text = |name: &str| event[name].as_str().unwrap_or_default();
    let mut words = vec![text("kind").to_owned()];
    words.extend(event["outcome"].as_str().map(str::to_owned));
    names.meet("s", text("session"));
    words.push(text("session").to_owned());
    let agent = &event["agent"];
    let id = agent["id"].as_str().unwrap_or_default();
    // The main agent bears the name of its session.
    let is_main = id.strip_prefix("ag-") == text("session").strip_prefix("s-");
    if is_main {
        words.push("main".to_owned());
    } else {
        names.meet("sub", id);
        words.push(id.to_owned());
    }
    words.extend(agent["role"].as_str().map(|role| format!("as {role}")));
    if let Some(task) = event["task"].as_str() {
        names.meet("t", task);
        words.push(task.to_owned());
    }
    let places = ["project", "branch", "commit"].map(|name| event[name].as_str());
    let places: Vec<&str> = places.into_iter().flatten().collect();
    format!("{} in {}\n    {}", words.join(" "), places.join(" "), event["body"])
}

/// The pseudonyms that were met.
#[derive(Default)]
struct Names(Vec<(String, String)>);

impl Names {
    fn meet(&mut self, sort: &str, id: &str) {
        if !id.is_empty() && self.0.iter().all(|(known, _)| known != id) {
            let count = self.0.iter().filter(|(_, name)| is_numbered(name, sort)).count();
            self.0.push((id.to_owned(), format!("{sort}{}", count + 1)));
        }
    }

    fn replace(&self, mut text: String) -> String {
        for (id, name) in &self.0 {
            text = text.replace(id, name);
            // A parent is named by its agent, which is the session's.
            if let Some(digits) = id.strip_prefix("s-") {
                text = text.replace(&format!("ag-{digits}"), &format!("main of {name}"));
            }
        }
        text
    }
}

fn is_numbered(name: &str, sort: &str) -> bool {
    name.strip_prefix(sort).is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
