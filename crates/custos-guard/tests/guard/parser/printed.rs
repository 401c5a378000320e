//! Trees printed as bash again.
//!
//! What the tree drops (`!`, the difference between `while` and `until`) cannot be printed, and quotes come out in one form only.
//! [`is_faithful`] says which scripts lose nothing that matters; [`normal`] takes off what does not.

use custos_guard::shell::syntax::{
    Action, AssignedValue, Command, Kind, Link, Missing, Operator, Parameter, Part, Redirect, Script, Which,
    Word,
};

/// Says whether there may be a heredoc in a script.
pub(crate) fn has_heredoc(text: &str) -> bool {
    text.replace("<<<", "").replace("x << 2", "").contains("<<")
}

/// Says whether all of a script is in its tree, apart from what [`normal`] evens out.
pub(crate) fn is_faithful(text: &str) -> bool {
    const DROPPED: &[&str] = &[
        "!", "time", "|&", "&>", ">|", ";&", "coproc", "`", "$'", "$\"", "]=", "]+=", "${a:", "${b:", "${a^",
        "${a@", "$[", "\\", "(a)(b)", "3>&1-",
    ];
    !has_heredoc(text) && !DROPPED.iter().any(|dropped| text.contains(dropped))
}

/// Evens out a text that bash has printed.
pub(crate) fn normal(text: &str) -> String {
    let mut plain = text.replace(['\'', '"', '\\'], "");
    for (one, other) in [("until ", "while "), ("select ", "for "), ("function ", ""), ("${", "$"), ("}", "")]
    {
        plain = plain.replace(one, other);
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn script(script: &Script) -> String {
    let mut text = String::new();
    for command in &script.commands {
        text.push_str(&self::command(command));
        text.push_str(match command.link {
            Link::Then => "\n",
            Link::And => " && ",
            Link::Or => " || ",
            Link::Background => " &\n",
        });
    }
    text
}

fn command(command: &Command) -> String {
    let mut text = match &command.kind {
        Kind::Simple(simple) => {
            let mut items = Vec::new();
            for assignment in &simple.assignments {
                let index =
                    assignment.index.as_ref().map_or(String::new(), |index| format!("[{}]", word(index)));
                let sign = if assignment.append { "+=" } else { "=" };
                let value = match &assignment.value {
                    AssignedValue::Word(value) => word(value),
                    AssignedValue::Array(elements) => format!("({})", words(elements)),
                };
                items.push(format!("{}{index}{sign}{value}", assignment.name));
            }
            items.extend(simple.words.iter().map(word));
            items.extend(simple.redirects.iter().map(redirect));
            // `!` and `time` may stand alone.
            if items.is_empty() { "!".to_owned() } else { items.join(" ") }
        }
        Kind::Pipeline(stages) => stages.iter().map(self::command).collect::<Vec<_>>().join(" | "),
        Kind::Subshell(inner) => format!("(\n{})", script(inner)),
        Kind::Group(inner) => format!("{{\n{}}}", script(inner)),
        Kind::If(branches) => {
            let mut text = String::new();
            for (index, (condition, body)) in branches.iter().enumerate() {
                let opening = if index == 0 { "if" } else { "elif" };
                match condition {
                    Some(condition) => {
                        text.push_str(&format!("{opening} {}then\n{}", script(condition), script(body)));
                    }
                    None => text.push_str(&format!("else\n{}", script(body))),
                }
            }
            text + "fi"
        }
        Kind::Loop { condition, body } => format!("while {}do\n{}done", script(condition), script(body)),
        Kind::For { name, words: values, body } => {
            let values = values.as_ref().map_or(String::new(), |values| format!(" in {}", words(values)));
            format!("for {name}{values}\ndo\n{}done", script(body))
        }
        Kind::Arithmetic { expression, body } if body.commands.is_empty() => {
            format!("(({}))", word(expression))
        }
        Kind::Arithmetic { expression, body } => {
            format!("for (({})); do\n{}done", word(expression), script(body))
        }
        Kind::Case { word: value, arms } => {
            let mut text = format!("case {} in\n", word(value));
            for (patterns, inner) in arms {
                let patterns: Vec<String> = patterns.iter().map(word).collect();
                text.push_str(&format!("({})\n{};;\n", patterns.join(" | "), script(inner)));
            }
            text + "esac"
        }
        Kind::Test(values) => format!("[[ {} ]]", words(values)),
        Kind::Function { name, body } => format!("function {name} () {}", self::command(body)),
        Kind::Coprocess(body) => format!("coproc {}", self::command(body)),
    };
    for one in &command.redirects {
        text.push(' ');
        text.push_str(&redirect(one));
    }
    text
}

fn redirect(redirect: &Redirect) -> String {
    let target = word(&redirect.target);
    let sign = match redirect.operator {
        Operator::Read => "< ",
        // `>` followed by a process.
        Operator::Write => "> ",
        Operator::Append => ">> ",
        Operator::ReadWrite => "<> ",
        Operator::Duplicate => ">&",
        Operator::Heredoc => "<< ",
        Operator::HereString => "<<< ",
    };
    format!("{}{sign}{target}", redirect.descriptor.as_deref().unwrap_or_default())
}

fn words(values: &[Word]) -> String {
    values.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn word(word: &Word) -> String {
    within(word, false)
}

/// Prints a word that stands within double quotes, or not.
fn within(word: &Word, quotes: bool) -> String {
    word.parts.iter().map(|part| self::part(part, quotes)).collect()
}

fn part(part: &Part, quotes: bool) -> String {
    match part {
        Part::Bare(text) => text.clone(),
        Part::Quoted(text) if quotes => {
            let escape = |character: char| match character {
                '$' | '`' | '"' | '\\' => format!("\\{character}"),
                _ => character.to_string(),
            };
            format!("\"{}\"", text.chars().map(escape).collect::<String>())
        }
        Part::Quoted(text) => format!("'{}'", text.replace('\'', "'\\''")),
        Part::Parameter(one) => quoted(&parameter(one), one.quoted && !quotes),
        Part::Substitution { script: inner, quoted: in_quotes } => {
            quoted(&format!("$({})", script(inner).trim_end()), *in_quotes && !quotes)
        }
        Part::Arithmetic(parts) => {
            format!("$(({}))", parts.iter().map(|part| self::part(part, false)).collect::<String>())
        }
        Part::Process { script: inner, output } => {
            format!("{}({})", if *output { '>' } else { '<' }, script(inner).trim_end())
        }
    }
}

fn quoted(text: &str, quoted: bool) -> String {
    if quoted { format!("\"{text}\"") } else { text.to_owned() }
}

fn colon(missing: Missing) -> &'static str {
    match missing {
        Missing::Unset => "",
        Missing::Empty => ":",
    }
}

fn parameter(parameter: &Parameter) -> String {
    let quotes = parameter.quoted;
    let index = parameter.index.as_ref().map_or(String::new(), |index| format!("[{index}]"));
    let name = format!("{}{}{index}", if parameter.indirect { "!" } else { "" }, parameter.name);
    let action = match &parameter.action {
        Action::Plain => String::new(),
        Action::Length => return format!("${{#{name}}}"),
        Action::Default(value, missing) => format!("{}-{}", colon(*missing), within(value, quotes)),
        Action::Assign(value, missing) => format!("{}={}", colon(*missing), within(value, quotes)),
        Action::Demand(value, missing) => format!("{}?{}", colon(*missing), within(value, quotes)),
        Action::Alternative(value, missing) => format!("{}+{}", colon(*missing), within(value, quotes)),
        Action::WithoutPrefix { pattern, longest } => {
            format!("{}{}", if *longest { "##" } else { "#" }, within(pattern, quotes))
        }
        Action::WithoutSuffix { pattern, longest } => {
            format!("{}{}", if *longest { "%%" } else { "%" }, within(pattern, quotes))
        }
        Action::Replace { pattern, with, which } => {
            let which = match which {
                Which::First => "/",
                Which::All => "//",
                Which::Prefix => "/#",
                Which::Suffix => "/%",
            };
            let with =
                if with.parts.is_empty() { String::new() } else { format!("/{}", within(with, quotes)) };
            format!("{which}{}{with}", within(pattern, quotes))
        }
        Action::Slice { offset, length } => {
            let length =
                length.as_ref().map_or(String::new(), |length| format!(":{}", within(length, quotes)));
            format!(":{}{length}", within(offset, quotes))
        }
        Action::Case { upper, all } => {
            let sign = if *upper { "^" } else { "," };
            if *all { sign.repeat(2) } else { sign.to_owned() }
        }
        Action::Transform(how @ ('*' | '@')) => how.to_string(),
        Action::Transform(how) => format!("@{how}"),
    };
    format!("${{{name}{action}}}")
}
