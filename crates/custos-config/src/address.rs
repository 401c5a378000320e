//! The address of a server that a hook may ask: plain HTTP, one host, nothing secret in it.
//!
//! A hook carries no TLS, for that would cost every call what only one in a thousand needs. So there is exactly one form, and what is
//! written in another is refused with its reason rather than tried. The characters are few: an address goes into a request as it is, and
//! into files that are read line by line.

use std::fmt;
use std::net::Ipv6Addr;

use crate::shown::shown;

/// The longest address.
const LONGEST: usize = 256;

/// The port of plain HTTP.
const HTTP: u16 = 80;

/// The address of a server on plain HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// A name or an IP address, the latter without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// What comes before every path that is asked for: empty, or a slash and more, without one at its end.
    pub path: String,
}

impl Address {
    /// Reads an address; the error says in words what was found instead.
    ///
    /// Programs differ in whether `/v1` belongs to the address of such a server; here it does not, and is taken off.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("a text of {} characters, and {LONGEST} is the most", text.chars().count()));
        }
        if text.starts_with("https://") {
            return Err(format!("\"{}\", and hooks carry no TLS", shown(text)));
        }
        Self::parts(text).ok_or_else(|| format!("the text \"{}\"", shown(text)))
    }

    fn parts(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("http://")?;
        let (place, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = if let Some(bracketed) = place.strip_prefix('[') {
            let (host, port) = bracketed.split_once(']')?;
            host.parse::<Ipv6Addr>().ok().map(|_| (host, port))?
        } else {
            let (host, port) = place.split_at(place.find(':').unwrap_or(place.len()));
            is_made_of(host, ".-_").then_some((host, port))?
        };
        let port = match port.strip_prefix(':') {
            Some(digits) if is_made_of(digits, "") => digits.parse().ok().filter(|port| *port > 0)?,
            None if port.is_empty() => HTTP,
            _ => return None,
        };
        let path = path.trim_end_matches('/');
        let path = path.strip_suffix("/v1").unwrap_or(path).trim_end_matches('/');
        (path.is_empty() || is_made_of(path, "/.-_~")).then(|| Self {
            host: host.to_owned(),
            port,
            path: path.to_owned(),
        })
    }

    /// The host with its port, as requests name it.
    pub fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        if *port == HTTP { host } else { format!("{host}:{port}") }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority(), self.path)
    }
}

/// Tells whether a text has something in it, and only ASCII letters, digits and these.
fn is_made_of(text: &str, also: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || also.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("http://localhost:11434", "localhost", 11434, "", "http://localhost:11434")]
    #[case("http://localhost:1234/v1/", "localhost", 1234, "", "http://localhost:1234")]
    #[case("http://10.0.0.7/", "10.0.0.7", 80, "", "http://10.0.0.7")]
    #[case("http://[::1]:80/a/v1", "::1", 80, "/a", "http://[::1]/a")]
    #[case(
        "http://gate.lan:8080/team-a/llm",
        "gate.lan",
        8080,
        "/team-a/llm",
        "http://gate.lan:8080/team-a/llm"
    )]
    fn is_read_in_parts(
        #[case] text: &str,
        #[case] host: &str,
        #[case] port: u16,
        #[case] path: &str,
        #[case] printed: &str,
    ) {
        let address = Address { host: host.to_owned(), port, path: path.to_owned() };
        assert_eq!(Address::read(text), Ok(address.clone()));
        assert_eq!(address.to_string(), printed);
        assert_eq!(Address::read(printed), Ok(address));
    }

    #[rstest]
    fn has_no_other_form(
        #[values(
            "localhost:11434",
            "http://",
            "http://:80",
            "http:///v1",
            "http://a:0",
            "http://a:65536",
            "http://a:+80",
            "http://a:",
            "http://user:password@a",
            "http://a?b=c",
            "http://a/b#c",
            "http://a b",
            "http://a/\r\nHost: b",
            "http://[::1",
            "http://[a]:80",
            "http://[::1]80",
            "http://::1",
            "ftp://a",
            "unix:///run/a"
        )]
        text: &str,
    ) {
        assert_eq!(Address::read(text), Err(format!("the text \"{}\"", shown(text))));
    }

    #[test]
    fn says_why_it_takes_no_https_and_no_novel() {
        let https = Address::read("https://api.example.com/v1");
        assert_eq!(https, Err("\"https://api.example.com/v1\", and hooks carry no TLS".to_owned()));
        let long = Address::read(&format!("http://{}", "a".repeat(250)));
        assert_eq!(long, Err("a text of 257 characters, and 256 is the most".to_owned()));
    }
}
