//! Full stops that end an abbreviation and no sentence: `e.g.`, `approx.`, `U.S.`, `z.B.`

/// Words that are written with a full stop: in English, and the commonest in German, French and Spanish.
const ABBREVIATIONS: &[&str] = &[
    "approx", "bzw", "ca", "cf", "dept", "ebd", "eg", "ej", "esp", "etc", "evtl", "ex", "excl", "ggf", "ie",
    "incl", "inkl", "max", "min", "resp", "sog", "usw", "vgl", "viz", "vs",
];

/// Those that are so only before a number: the answer may be "no".
const BEFORE_NUMBERS: &[&str] = &["fig", "no", "nos", "nr", "núm", "sec", "vol"];

/// Says whether a full stop between two parts of a text belongs to the abbreviation that the first one ends with.
pub(crate) fn is_abbreviated(before: &str, behind: &str) -> bool {
    let Some(text) = before.strip_suffix('.') else { return false };
    let last = text.rsplit(|c: char| !c.is_alphanumeric() && c != '.').next().unwrap_or_default();
    let lower = last.to_lowercase();
    // Letters that stand alone: "U.S.", "z.B.", "e.g."
    let is_letters = !last.is_empty()
        && last.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic));
    let is_numbered = behind.trim_start().starts_with(|c: char| c.is_ascii_digit());
    is_letters
        || ABBREVIATIONS.contains(&lower.as_str())
        || (is_numbered && BEFORE_NUMBERS.contains(&lower.as_str()))
}

#[cfg(test)]
mod tests {
    use super::is_abbreviated;

    #[rstest::rstest]
    #[case::dotted("Test the parser, e.g.", " with tabs", true)]
    #[case::in_brackets("Sort imports (eg.", " these)", true)]
    #[case::shouted("Use React VS.", " Preact", true)]
    #[case::letters("Follow the U.S.", " format", true)]
    #[case::german("Keine Secrets, z.B.", " Tokens", true)]
    #[case::spaced("Keine Secrets, z.", " B. Tokens", true)]
    #[case::number("See docs/adr/No.", " 12", true)]
    #[case::answer("The answer is no.", " Ask again", false)]
    #[case::word("Use tabs.", " Not blanks", false)]
    #[case::file("Read a.rs.", " Then write", false)]
    #[case::nothing("", "", false)]
    #[case::no_full_stop("e.g", " this", false)]
    fn a_full_stop_may_end_an_abbreviation(#[case] before: &str, #[case] behind: &str, #[case] is: bool) {
        assert_eq!(is_abbreviated(before, behind), is);
    }
}
