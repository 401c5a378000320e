//! Trees as text, for tests on whole trees: see [`show`].

use crate::shell::syntax::{
    Action, AssignedValue, Assignment, Command, Kind, Link, Missing, Operator, Parameter, Part, Redirect,
    Script, Which, Word,
};

/// Shows a script on one line: commands in parentheses, quoted text in quotes, expansions in angle brackets with `"` if they are quoted.
pub(super) fn show(script: &Script) -> String {
    script.commands.iter().map(with_link).collect::<Vec<_>>().join(" ")
}

fn with_link(command: &Command) -> String {
    let link = match command.link {
        Link::Then => "",
        Link::And => " &&",
        Link::Or => " ||",
        Link::Background => " &",
    };
    format!("{}{link}", shown(command))
}

fn shown(command: &Command) -> String {
    let kind = match &command.kind {
        Kind::Simple(simple) => {
            let mut items: Vec<String> = simple.assignments.iter().map(assignment).collect();
            items.extend(simple.words.iter().map(word));
            items.extend(simple.redirects.iter().map(redirect));
            items.join(" ")
        }
        Kind::Pipeline(stages) => format!("| {}", stages.iter().map(shown).collect::<Vec<_>>().join(" ")),
        Kind::Subshell(script) => format!("subshell {}", show(script)),
        Kind::Group(script) => format!("group {}", show(script)),
        Kind::If(branches) => {
            let branch = |(condition, body): &(Option<Script>, Script)| match condition {
                Some(condition) => format!("if {} then {}", show(condition), show(body)),
                None => format!("else {}", show(body)),
            };
            branches.iter().map(branch).collect::<Vec<_>>().join(" ")
        }
        Kind::Loop { condition, body } => format!("loop {} do {}", show(condition), show(body)),
        Kind::For { name, words: values, body } => {
            let values = values.as_ref().map_or("-".to_owned(), |values| words(values));
            format!("for {name} in {values} do {}", show(body))
        }
        Kind::Arithmetic { expression, body } => format!("arithmetic {} do {}", word(expression), show(body)),
        Kind::Case { word: value, arms } => {
            let arm =
                |(patterns, script): &(Vec<Word>, Script)| format!("[{}: {}]", words(patterns), show(script));
            format!("case {} {}", word(value), arms.iter().map(arm).collect::<Vec<_>>().join(" "))
        }
        Kind::Test(values) => format!("test {}", words(values)),
        Kind::Function { name, body } => format!("function {name} {}", shown(body)),
        Kind::Coprocess(body) => format!("coprocess {}", shown(body)),
    };
    let redirects: Vec<String> = command.redirects.iter().map(|one| format!(" {}", redirect(one))).collect();
    format!("({kind}{})", redirects.concat())
}

fn assignment(assignment: &Assignment) -> String {
    let index = assignment.index.as_ref().map_or(String::new(), |index| format!("[{}]", word(index)));
    let sign = if assignment.append { "+=" } else { "=" };
    let value = match &assignment.value {
        AssignedValue::Word(value) => word(value),
        AssignedValue::Array(elements) => format!("({})", words(elements)),
    };
    format!("{}{index}:{sign}{value}", assignment.name)
}

fn redirect(redirect: &Redirect) -> String {
    let sign = match redirect.operator {
        Operator::Read => "<",
        Operator::Write => ">",
        Operator::Append => ">>",
        Operator::ReadWrite => "<>",
        Operator::Duplicate => "&",
        Operator::Heredoc => "<<",
        Operator::HereString => "<<<",
    };
    format!("{{{}{sign} {}}}", redirect.descriptor.as_deref().unwrap_or_default(), word(&redirect.target))
}

fn words(values: &[Word]) -> String {
    values.iter().map(word).collect::<Vec<_>>().join(" ")
}

pub(super) fn word(word: &Word) -> String {
    parts(&word.parts)
}

fn parts(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Bare(text) => text.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'"),
        Part::Quoted(text) => format!("'{}'", text.escape_debug().to_string().replace("\\\"", "\"")),
        Part::Parameter(one) => format!("<{}{}>", if one.quoted { "\"" } else { "" }, parameter(one)),
        Part::Substitution { script, quoted } => {
            format!("<{}$ {}>", if *quoted { "\"" } else { "" }, show(script))
        }
        Part::Arithmetic(inner) => format!("<= {}>", self::parts(inner)),
        Part::Process { script, output } => {
            format!("<{} {}>", if *output { "to" } else { "from" }, show(script))
        }
    };
    parts.iter().map(part).collect()
}

fn colon(missing: Missing) -> &'static str {
    match missing {
        Missing::Unset => "",
        Missing::Empty => ":",
    }
}

fn parameter(parameter: &Parameter) -> String {
    let indirect = if parameter.indirect { "!" } else { "" };
    let index = parameter.index.as_ref().map_or(String::new(), |index| format!("[{index}]"));
    let action = match &parameter.action {
        Action::Plain => String::new(),
        Action::Length => " length".to_owned(),
        Action::Default(value, missing) => format!(" {}default {}", colon(*missing), word(value)),
        Action::Assign(value, missing) => format!(" {}assign {}", colon(*missing), word(value)),
        Action::Demand(value, missing) => format!(" {}demand {}", colon(*missing), word(value)),
        Action::Alternative(value, missing) => format!(" {}alternative {}", colon(*missing), word(value)),
        Action::WithoutPrefix { pattern, longest } => {
            format!(" without {}{}", if *longest { "##" } else { "#" }, word(pattern))
        }
        Action::WithoutSuffix { pattern, longest } => {
            format!(" without {}{}", if *longest { "%%" } else { "%" }, word(pattern))
        }
        Action::Replace { pattern, with, which } => {
            let which = match which {
                Which::First => "first",
                Which::All => "all",
                Which::Prefix => "prefix",
                Which::Suffix => "suffix",
            };
            format!(" replace {which} {} by {}", word(pattern), word(with))
        }
        Action::Slice { offset, length } => {
            format!(" slice {} {}", word(offset), length.as_ref().map_or("-".to_owned(), word))
        }
        Action::Case { upper, all } => format!(" case {upper} {all}"),
        Action::Transform(how) => format!(" transform {how}"),
    };
    format!("{indirect}{}{index}{action}", parameter.name)
}
