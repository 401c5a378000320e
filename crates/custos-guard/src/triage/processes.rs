//! `ps`, which shows the environments of programs, and with them secrets, if there is an `e` among its letters.
//!
//! With a dash, `e` means something else; but a `ps` of Linux that cannot make sense of its options reads all of them once more as if
//! there were no dashes. So `e` is taken only where nothing else in the call can fail. And `u` with a dash takes the rest of its word.

use super::literal::Literal;
use super::proof::Doubt;
use super::scene::Scene;

/// Letters without a dash.
const OLD_STYLE: &str = "auxwflj";
/// Letters with a dash.
const DASHED: &str = "AaefFlLjHTyx";
/// Long options without a value.
const LONG: &[&str] = &["--forest", "--no-headers", "--headers"];

/// Columns that may be shown and sorted by: everything but environments.
static COLUMNS: &[&str] = &[
    "%cpu", "%mem", "args", "cmd", "comm", "command", "cpu", "etime", "etimes", "gid", "group", "lstart",
    "ni", "nice", "nlwp", "pcpu", "pgid", "pid", "pmem", "ppid", "pri", "psr", "rss", "ruser", "s", "sid",
    "size", "start", "stat", "state", "sz", "time", "tt", "tty", "ucmd", "uid", "user", "vsz", "wchan",
];

/// Proves a call of `ps`.
pub(super) fn ps(args: &[Literal], _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let mut dashed_e = false;
    let mut fragile = false;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        let harmless = if arg.glob || text.is_empty() {
            false
        } else if LONG.contains(&text) {
            true
        } else if let Some(keys) = text.strip_prefix("--sort=") {
            are_columns(&keys.replace(['-', '+'], ""))
        } else if let Some(letters) = text.strip_prefix('-') {
            let (letters, value) = match letters.strip_suffix(['o', 'p']) {
                Some(before) => (before, args.next()),
                None => (letters, None),
            };
            dashed_e |= letters.contains('e');
            fragile |= letters.contains('x');
            letters
                .chars()
                .all(|letter| DASHED.contains(letter) || letter == 'u' && !text.contains(['e', 'o', 'p']))
                && !text.starts_with("--")
                && match (text.ends_with('o'), text.ends_with('p'), value) {
                    (true, _, Some(columns)) => !columns.glob && are_columns(&columns.text),
                    (_, true, Some(ids)) => {
                        ids.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
                    }
                    (false, false, _) => true,
                    _ => false,
                }
        } else {
            fragile = true;
            text.chars().all(|letter| OLD_STYLE.contains(letter))
        };
        if !harmless {
            return Err(Doubt::new(format!("`ps {text}` may show environments")));
        }
    }
    if dashed_e && fragile {
        return Err(Doubt::known("`ps` may take `-e` for `e`, which shows environments"));
    }
    Ok(())
}

/// Says whether these are known columns, perhaps with headings of their own.
fn are_columns(list: &str) -> bool {
    list.split(',').all(|column| COLUMNS.contains(&column.trim_end_matches('=')))
}
