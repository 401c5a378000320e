//! The name of a repo by its remote: one for all the ways in which its address can be written.
//!
//! `git@host:owner/name.git`, `ssh://git@host/owner/name` and `https://user:token@HOST/owner/name/` are
//! `host/owner/name`. An address often carries a token, and the name goes into the log: whatever does not
//! read clearly as host and path is not used at all.

use std::path::Path;

use crate::source::{Links, read_small};

/// The largest git configuration that is read.
const LARGEST_CONFIG: u64 = 1024 * 1024;
/// The longest address that is believed.
const LONGEST_URL: usize = 1024;

/// Normalises the address of a remote to `host/owner/name`, without credentials.
///
/// Nothing comes back for a local path, another transport, or an address that cannot be taken apart with
/// certainty. Ports of ssh are dropped, for they say nothing about the repo; other ports are kept unless
/// they are the usual ones.
pub fn remote_identity(url: &str) -> Option<String> {
    let url = url.trim();
    if url.len() > LONGEST_URL || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return None;
    }
    let (host, path) = if let Some((scheme, rest)) = url.split_once("://") {
        let (authority, path) = rest.split_once('/')?;
        let usual_port = match scheme.to_ascii_lowercase().as_str() {
            "https" => Some("443"),
            "http" => Some("80"),
            "git" => Some("9418"),
            "ssh" | "git+ssh" | "ssh+git" => None,
            _ => return None,
        };
        (host_of(authority, usual_port)?, path)
    } else {
        let (authority, path) = scp_parts(url)?;
        (host_of(authority, None)?, path)
    };
    Some(format!("{host}/{}", path_of(path)?))
}

/// Takes `[user@]host:path` apart. A colon after a slash is part of a path, and one letter is a drive.
fn scp_parts(url: &str) -> Option<(&str, &str)> {
    let after_user = url.find('@').map_or(0, |at| at + 1);
    let colon = if url[after_user..].starts_with('[') {
        after_user + url[after_user..].find("]:")? + 1
    } else {
        url.find(':')?
    };
    let (authority, path) = (&url[..colon], &url[colon + 1..]);
    let is_local = authority.contains(['/', '\\']) || authority.len() < 2;
    (!is_local && !path.starts_with(':')).then_some((authority, path))
}

/// The host in lower case, with its port if that belongs to the name.
fn host_of(authority: &str, usual_port: Option<&str>) -> Option<String> {
    let address = authority.rsplit('@').next()?;
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']')?;
            (host, rest.strip_prefix(':'))
        }
        None => address.split_once(':').map_or((address, None), |(host, port)| (host, Some(port))),
    };
    let fine = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
    if host.is_empty() || !host.chars().all(fine) {
        return None;
    }
    let host = host.to_ascii_lowercase();
    match (port.filter(|port| !port.is_empty()), usual_port) {
        (Some(port), _) if !port.bytes().all(|byte| byte.is_ascii_digit()) => None,
        (Some(port), Some(usual)) if port != usual => Some(format!("{host}:{port}")),
        _ => Some(host),
    }
}

/// The path without what does not tell repos apart.
fn path_of(path: &str) -> Option<String> {
    // An `@` can be the end of a password with a slash in it, and a query can be a token.
    if path.contains('@') {
        return None;
    }
    let path = path.split(['?', '#']).next()?;
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let path = parts.join("/");
    let path = path.strip_suffix(".git").unwrap_or(&path).trim_end_matches('/');
    (!path.is_empty() && !parts.contains(&"..")).then(|| path.to_owned())
}

/// Reads the address of `origin` from a git configuration file. What the file includes is not read.
pub(crate) fn origin_url(config: &Path) -> Option<String> {
    let bytes = read_small(config, LARGEST_CONFIG, Links::Follow).ok()??;
    let text = String::from_utf8_lossy(&bytes);
    let mut in_origin = false;
    for line in text.lines() {
        let mut line = line.trim();
        if line.starts_with('[') {
            let (heading, rest) = line[1..].split_once(']')?;
            in_origin = is_origin(heading);
            line = rest.trim();
        }
        if in_origin
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            return Some(unquoted(value.trim()));
        }
    }
    None
}

/// Tells whether a heading is `remote "origin"`; of the two only the first ignores case.
fn is_origin(heading: &str) -> bool {
    heading
        .split_once(char::is_whitespace)
        .is_some_and(|(section, name)| section.eq_ignore_ascii_case("remote") && name.trim() == "\"origin\"")
}

/// The value without quotes, escapes and comment.
fn unquoted(value: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => out.extend(chars.next()),
            '#' | ';' if !quoted => break,
            c => out.push(c),
        }
    }
    out.trim_end().to_owned()
}
