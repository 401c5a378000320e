//! As much of HTTP/1.1 as a client of a model speaks.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

use super::Request;

/// No question is longer; whoever sends more is not one of ours.
const MOST: usize = 64 << 20;

/// Reads the next request of a connection; none where the client is done.
pub(super) fn read(from: &mut impl BufRead) -> io::Result<Option<Request>> {
    let Some(first) = line(from)? else { return Ok(None) };
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    while let Some(header) = line(from)?.filter(|header| !header.is_empty()) {
        if let Some((name, value)) = header.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let value = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let body = if value("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        chunks(from)?
    } else {
        exactly(from, value("content-length").and_then(|length| length.parse().ok()).unwrap_or(0))?
    };
    let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(Request { method, path, headers, body: json, bytes: body.len() }))
}

fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = from.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end().to_owned()))
}

fn chunks(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(from)?.unwrap_or_default();
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default(), 16).unwrap_or(0);
        body.extend(exactly(from, size)?);
        line(from)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn exactly(from: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > MOST {
        return Err(io::Error::other("the request is too long"));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(body)
}

/// Sends a whole answer.
pub(super) fn answer(
    to: &mut impl Write,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> io::Result<()> {
    begin(to, status, headers, body.len())?;
    to.write_all(body)
}

/// Sends the head of an answer whose body is so many bytes long.
pub(super) fn begin(
    to: &mut impl Write,
    status: u16,
    headers: &[(String, String)],
    length: usize,
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
    if !headers.iter().any(|(name, _)| name == "content-type") {
        head.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {length}\r\n\r\n"));
    to.write_all(head.as_bytes())
}
