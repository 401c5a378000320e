//! A program that only reads, as data: the options it may be given, what each takes, and what its operands are.
//!
//! Options are listed as they are written, separated by spaces: `-la` are two without a value, and a sign at the end tells what they take:
//!
//! | sign | value |
//! |---|---|
//! | `=` | a text that is no file |
//! | `#` | a number |
//! | `@` | a file |
//! | `%` | a revision or a range of lines, with a file after its colon |
//! | `?` | a text, only attached (`-U3`, `--color=always`) or none |
//! | `==` | two texts |
//!
//! `-#` alone is a number as an option: `head -5`.

use super::explained;
use super::literal::Literal;
use super::narrow;
use super::proof::Doubt;
use super::scene::Scene;

/// What a program looks at beside its table.
pub(super) type Also = fn(&Reading<'_>, &mut Scene<'_>) -> Result<(), Doubt>;

/// A program, or a subcommand of one, that only reads with these options.
pub(super) struct Program {
    /// Its names, separated by spaces.
    pub(super) names: &'static str,
    options: &'static [&'static str],
    operands: Operands,
    most: usize,
    leading: bool,
    words: Words,
    also: Option<Also>,
}

/// What the operands of a program are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operands {
    /// There are none.
    None,
    /// Texts that name no file.
    Text,
    /// Files whose contents are shown.
    Files,
    /// Files of which only names, sizes and the like are shown.
    Names,
    /// A text, then files; or only files, if one of these options gives the text.
    TextThenFiles(&'static [&'static str]),
    /// Revisions, files, and files within revisions.
    Revisions,
}

/// How a program reads its short options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    /// As `getopt` does: the rest of the word is the value.
    Clusters,
    /// Letter by letter, even behind one that takes the next word.
    Apart,
    /// By the first letter, whatever comes after it.
    Single,
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Nothing,
    Text,
    Number,
    File,
    Revision,
    Attached,
    Two,
}

impl Program {
    pub(super) const fn new(
        names: &'static str,
        options: &'static [&'static str],
        operands: Operands,
    ) -> Self {
        Self {
            names,
            options,
            operands,
            most: usize::MAX,
            leading: false,
            words: Words::Clusters,
            also: None,
        }
    }

    /// It may have this many operands. Where one more would be written to, so would one that stands before an option, on systems that
    /// end the options with the first operand: then, options come first.
    pub(super) const fn most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// None of its options, listed or not, could do harm: so a pattern may stand where its matches may look like options.
    pub(super) const fn takes_any_name(self) -> Self {
        Self { leading: true, ..self }
    }

    /// It reads its options without `getopt`: one that takes a value stands in a word of its own, and so does the value.
    pub(super) const fn separate_only(self) -> Self {
        Self { words: Words::Apart, ..self }
    }

    /// It looks at the first letter of a word only: each option stands alone.
    pub(super) const fn single_only(self) -> Self {
        Self { words: Words::Single, ..self }
    }

    /// What the table cannot say.
    pub(super) const fn also(self, also: Also) -> Self {
        Self { also: Some(also), ..self }
    }

    /// Says whether the program has this name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.names.split(' ').any(|known| known == name)
    }

    /// Proves that the program only reads with these arguments; `shown` is what it is called in a doubt.
    pub(super) fn prove(&self, shown: &str, args: &[Literal], scene: &mut Scene<'_>) -> Result<(), Doubt> {
        let reading = self.read(shown, args, scene)?;
        self.check_operands(&reading, scene)?;
        match self.also {
            Some(also) => also(&reading, scene),
            None => Ok(()),
        }
    }

    /// Reads the arguments; values are checked on the way.
    fn read<'a>(
        &self,
        shown: &'a str,
        args: &'a [Literal],
        scene: &mut Scene<'_>,
    ) -> Result<Reading<'a>, Doubt> {
        let mut reading = Reading { shown, given: Vec::new(), operands: Vec::new(), dashes: None };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let text = arg.text.as_str();
            if reading.dashes.is_some() || text == "-" || !text.starts_with('-') {
                reading.operands.push(arg);
                continue;
            }
            if arg.is("--") {
                reading.dashes = Some(reading.operands.len());
                continue;
            }
            if self.most != usize::MAX && !reading.operands.is_empty() {
                return Err(Doubt::new(format!("`{shown}` may take `{text}` for a file")));
            }
            if let Some(long) = text.strip_prefix("--") {
                self.read_long(arg, long, &mut rest, &mut reading, scene)?;
            } else {
                self.read_short(arg, &mut rest, &mut reading, scene)?;
            }
        }
        Ok(reading)
    }

    fn read_long<'a>(
        &self,
        arg: &'a Literal,
        long: &'a str,
        rest: &mut std::slice::Iter<'a, Literal>,
        reading: &mut Reading<'a>,
        scene: &mut Scene<'_>,
    ) -> Result<(), Doubt> {
        let (name, attached) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let unlisted = || explained::unlisted(reading.shown, &format!("--{name}"));
        let takes = self.takes_long(name).ok_or_else(unlisted)?;
        // A pattern is replaced by words that begin as it does, so the option stays this one.
        if arg.glob && (takes != Value::Text || name.contains(['*', '?', '['])) {
            return Err(Doubt::new(format!("`{}` is a pattern", arg.text)));
        }
        match (takes, attached) {
            (Value::Nothing | Value::Two, Some(_)) => return Err(unlisted()),
            (Value::Nothing | Value::Attached, None) => {}
            (_, Some(value)) => check_value(takes, value, scene)?,
            (_, None) => return self.separate(name, takes, rest, reading, scene),
        }
        reading.given.push((name, attached.unwrap_or_default()));
        Ok(())
    }

    fn read_short<'a>(
        &self,
        arg: &'a Literal,
        rest: &mut std::slice::Iter<'a, Literal>,
        reading: &mut Reading<'a>,
        scene: &mut Scene<'_>,
    ) -> Result<(), Doubt> {
        if arg.glob {
            return Err(Doubt::new(format!("`{}` is a pattern", arg.text)));
        }
        let text = arg.text.as_str();
        if text[1..].bytes().all(|byte| byte.is_ascii_digit()) && self.specs().any(|spec| spec == "-#") {
            reading.given.push(("#", &text[1..]));
            return Ok(());
        }
        for (at, short) in text.char_indices().skip(1) {
            let after = at + short.len_utf8();
            let name = &text[at..after];
            let takes = self
                .takes_short(short)
                .ok_or_else(|| explained::unlisted(reading.shown, &format!("-{name}")))?;
            let attached = &text[after..];
            let alone = at == 1 && attached.is_empty();
            let fits = match self.words {
                Words::Clusters => true,
                Words::Apart => {
                    alone
                        || takes == Value::Nothing
                        || takes == Value::Attached && at == 1 && !attached.starts_with(['-', '+'])
                }
                Words::Single => alone,
            };
            if !fits {
                return Err(Doubt::new(format!("`{} {text}` may be read in another way", reading.shown)));
            }
            match takes {
                Value::Nothing => reading.given.push((name, "")),
                Value::Attached => {
                    reading.given.push((name, attached));
                    return Ok(());
                }
                _ if attached.is_empty() => return self.separate(name, takes, rest, reading, scene),
                Value::Two => return Err(explained::unlisted(reading.shown, text)),
                _ => {
                    check_value(takes, attached, scene)?;
                    reading.given.push((name, attached));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Takes the next words as an option's value.
    fn separate<'a>(
        &self,
        name: &'a str,
        takes: Value,
        rest: &mut std::slice::Iter<'a, Literal>,
        reading: &mut Reading<'a>,
        scene: &mut Scene<'_>,
    ) -> Result<(), Doubt> {
        for _ in 0..=usize::from(takes == Value::Two) {
            let Some(value) = rest.next() else {
                return Err(Doubt::new(format!("a value is missing after `{}`", reading.shown)));
            };
            if value.glob {
                return Err(Doubt::new(format!("`{}` is a pattern", value.text)));
            }
            if self.words != Words::Clusters && value.text.starts_with(['-', '+']) {
                return Err(Doubt::new(format!(
                    "`{}` may take `{}` for an option",
                    reading.shown, value.text
                )));
            }
            check_value(takes, &value.text, scene)?;
            // Where options end with the first operand, this is a file.
            if !reading.operands.is_empty() {
                scene.check(&value.text)?;
            }
            reading.given.push((name, &value.text));
        }
        Ok(())
    }

    fn specs(&self) -> impl Iterator<Item = &'static str> {
        self.options.iter().flat_map(|options| options.split_ascii_whitespace())
    }

    fn takes_short(&self, short: char) -> Option<Value> {
        self.specs().filter(|spec| !spec.starts_with("--") && *spec != "-#").find_map(|spec| {
            let (names, takes) = split(spec);
            names.strip_prefix('-')?.contains(short).then_some(takes)
        })
    }

    fn takes_long(&self, name: &str) -> Option<Value> {
        self.specs().find_map(|spec| {
            let (known, takes) = split(spec);
            (known.strip_prefix("--")? == name).then_some(takes)
        })
    }

    fn check_operands(&self, reading: &Reading<'_>, scene: &mut Scene<'_>) -> Result<(), Doubt> {
        let operands = &reading.operands;
        let many =
            operands.len() > self.most || self.most != usize::MAX && operands.iter().any(|word| word.glob);
        if many || matches!(self.operands, Operands::None) && !operands.is_empty() {
            return Err(explained::too_many(reading.shown, self.most));
        }
        for (index, operand) in operands.iter().enumerate() {
            let after_dashes = reading.dashes.is_some_and(|dashes| index >= dashes);
            if operand.is_leading_glob() && !after_dashes && !self.leading {
                return Err(Doubt::new(format!(
                    "`{0}` may match a name that `{1}` takes for an option (`./{0}` would not)",
                    operand.text, reading.shown
                )));
            }
            self.check_operand(index, operand, reading, scene)?;
        }
        Ok(())
    }

    fn check_operand(
        &self,
        index: usize,
        operand: &Literal,
        reading: &Reading<'_>,
        scene: &mut Scene<'_>,
    ) -> Result<(), Doubt> {
        let contents = match self.operands {
            Operands::TextThenFiles(instead) => index > 0 || instead.iter().any(|option| reading.has(option)),
            Operands::Files | Operands::Revisions => true,
            Operands::Names => return scene.name(&operand.text),
            Operands::Text | Operands::None => false,
        };
        if !contents {
            return if operand.glob {
                Err(Doubt::new(format!("`{}` is a pattern", operand.text)))
            } else {
                Ok(())
            };
        }
        if operand.glob && !narrow::names_a_kind(&operand.text) {
            return Err(Doubt::new(format!("`{}` may match a secret", operand.text)));
        }
        if matches!(self.operands, Operands::Revisions) {
            return check_value(Value::Revision, &operand.text, scene);
        }
        scene.path(&operand.text)
    }
}

/// Splits an option's listing into its names and what it takes.
fn split(spec: &str) -> (&str, Value) {
    for (sign, value) in [
        ("==", Value::Two),
        ("=", Value::Text),
        ("#", Value::Number),
        ("@", Value::File),
        ("%", Value::Revision),
        ("?", Value::Attached),
    ] {
        if let Some(names) = spec.strip_suffix(sign) {
            return (names, value);
        }
    }
    (spec, Value::Nothing)
}

fn check_value(takes: Value, value: &str, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    match takes {
        Value::Number if is_number(value) => Ok(()),
        Value::Number => Err(Doubt::new(format!("`{value}` is no number"))),
        Value::File => scene.path(value),
        Value::Revision => check_revision(value, scene),
        Value::Nothing | Value::Text | Value::Attached | Value::Two => Ok(()),
    }
}

/// Proves that a revision, a file or a file within a revision may be read.
pub(super) fn check_revision(value: &str, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    if value.starts_with(":(") {
        return Err(Doubt::new(format!("`{value}` matches files by rules of its own")));
    }
    // `HEAD:.env`, `:0:.env`, `10,20:.env`: whatever stands after a colon may be the file.
    for (at, _) in value.match_indices(':') {
        scene.check(&value[at + 1..])?;
    }
    scene.path(value)
}

/// What numbers may be counted in.
static UNITS: &[&str] = &["", "b", "k", "K", "kB", "KB", "KiB", "m", "M", "MB", "MiB", "g", "G", "GB", "GiB"];

/// Says whether a text is a whole number, perhaps with a sign and a unit: nothing that could be a file's name by mistake.
pub(super) fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let unit = unsigned.trim_start_matches(|character: char| character.is_ascii_digit());
    unit.len() < unsigned.len() && UNITS.contains(&unit)
}

/// The arguments of a program, read.
pub(super) struct Reading<'a> {
    /// What the program is called in a doubt.
    pub(super) shown: &'a str,
    /// The options with their values, in their order; names without dashes.
    given: Vec<(&'a str, &'a str)>,
    /// What is left.
    pub(super) operands: Vec<&'a Literal>,
    /// How many of the operands stood before `--`.
    dashes: Option<usize>,
}

impl<'a> Reading<'a> {
    /// Says whether an option was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// The values of an option under these names.
    pub(super) fn values(&self, names: &'static [&'static str]) -> impl Iterator<Item = &'a str> {
        self.given.iter().filter(|(name, _)| names.contains(name)).map(|(_, value)| *value)
    }
}
