//! Values with marks for what is not known.
//!
//! The marks are Unicode noncharacters. A command that contains them itself only makes its own words unknown.

use crate::invocation::{Arg, Source, Stream, UNKNOWN};

/// Unknown, and it was downloaded.
pub(crate) const DOWNLOADED: char = '\u{FFFE}';
/// Unknown, and it was decoded from something unknown.
pub(crate) const DECODED: char = '\u{FDD0}';
/// A `*` that stands for any file name, also where it is quoted: a loop's variable over a pattern.
pub(crate) const STAR: char = '\u{FDD1}';
/// A `?` of the same kind.
pub(crate) const QUESTION: char = '\u{FDD2}';

/// Every mark.
const MARKS: [char; 5] = [UNKNOWN, DOWNLOADED, DECODED, STAR, QUESTION];

/// Says whether any part is not known.
pub(crate) fn is_sure(raw: &str) -> bool {
    // All marks begin with one of two bytes that are rare in commands.
    !raw.bytes().any(|byte| byte == 0xEF) || !raw.contains(MARKS)
}

/// Makes a word of a value; `glob` says whether a bare `*`, `?` or `[` is in it.
pub(crate) fn arg(raw: String, glob: bool) -> Arg {
    if is_sure(&raw) {
        return if glob { Arg::glob(raw) } else { Arg::new(raw) };
    }
    let source = if raw.contains(DOWNLOADED) {
        Source::Downloaded
    } else if raw.contains(DECODED) {
        Source::Decoded
    } else {
        Source::Local
    };
    let glob = glob || raw.contains([STAR, QUESTION]);
    let text: String = raw
        .chars()
        .map(|c| match c {
            DOWNLOADED | DECODED => UNKNOWN,
            STAR => '*',
            QUESTION => '?',
            other => other,
        })
        .collect();
    let arg = if glob { Arg::glob(text) } else { Arg::new(text) };
    arg.from_source(source)
}

/// Makes a value of a word.
pub(crate) fn of(arg: &Arg) -> String {
    let unknown = match arg.source() {
        Source::Local => UNKNOWN,
        Source::Decoded => DECODED,
        Source::Downloaded => DOWNLOADED,
    };
    if !arg.is_glob() && arg.is_sure() {
        return arg.text().to_owned();
    }
    arg.text()
        .chars()
        .map(|c| match c {
            UNKNOWN => unknown,
            '*' if arg.is_glob() => STAR,
            '?' if arg.is_glob() => QUESTION,
            other => other,
        })
        .collect()
}

/// Makes a value of what a program prints, without the line ends that a substitution drops.
pub(crate) fn of_stream(stream: &Stream) -> String {
    match stream {
        Stream::Text(text) => text.trim_end_matches('\n').to_owned(),
        Stream::Download => DOWNLOADED.to_string(),
        Stream::Decoded => DECODED.to_string(),
        // One word, whatever was sought.
        Stream::Processes(sought) => format!("{UNKNOWN}{}", sought.trim().replace(' ', &UNKNOWN.to_string())),
        Stream::Inherited | Stream::File(_) | Stream::Environment | Stream::Output => UNKNOWN.to_string(),
    }
}

/// The worst source of the unknown parts of a value.
pub(crate) fn source(raw: &str) -> Source {
    if raw.contains(DOWNLOADED) {
        Source::Downloaded
    } else if raw.contains(DECODED) {
        Source::Decoded
    } else {
        Source::Local
    }
}
