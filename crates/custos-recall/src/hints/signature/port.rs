//! The port that an error is about.
//!
//! A connection that is refused at 5432 and one at 6379 are refused by two services, and what helps against the one does not help against
//! the other. So a port that somebody chose belongs to an error, unlike all other numbers in it.

/// What an error says that is about a port.
const OF_PORTS: [&str; 7] = ["refused", "in use", "allocated", "listen", "connect", "bind", "port "];

/// From here on, ports are given out by the system, and are others each time.
const EPHEMERAL: u32 = 32_768;

/// Finds the port that an error is about: behind another one, somebody else does not answer.
pub(super) fn of(lower: &str) -> Option<&str> {
    if !OF_PORTS.iter().any(|sign| lower.contains(sign)) {
        return None;
    }
    let mut before = "";
    for word in lower.split([' ', '/', '"', '\'', '`', '(', ')', ',', '=']) {
        let word = word.trim_end_matches(['.', ';', ':']);
        let (head, number) =
            word.rsplit_once(':').unwrap_or((if before == "port" { "port" } else { "" }, word));
        let is_number = (2..=5).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        // `0.0.0.0:80`, `:::3000`, `localhost:5432`, `port 5432`; not `net.js:1141` nor `12:30`.
        let is_host = head == "port"
            || head.ends_with([':', ']', '*'])
            || head.bytes().filter(|byte| *byte == b'.').count() == 3
            || !head.is_empty() && !head.contains('.') && head.bytes().any(|byte| byte.is_ascii_alphabetic());
        if is_number && is_host && number.parse::<u32>().is_ok_and(|number| number < EPHEMERAL) {
            return Some(number);
        }
        before = word;
    }
    None
}
