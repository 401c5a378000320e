//! Where a key may go.
//!
//! Models on one's own machine or network are served over plain HTTP, and that is fine. A key that goes over plain HTTP to a public host
//! is read by everybody on the way: that is refused, before anything is sent.

use std::net::IpAddr;

use custos_distill::model::Fault;
use ureq::http::Uri;

/// The address of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    base: String,
    /// Whether it is on this machine.
    pub(crate) is_here: bool,
    /// Whether it is the provider's own, where its list of prices holds.
    pub(crate) is_official: bool,
}

impl Address {
    /// Takes the configured address or the provider's own.
    pub(crate) fn new(configured: Option<&str>, official: &str, has_key: bool) -> Result<Self, Fault> {
        let base = configured.unwrap_or(official).trim_end_matches('/');
        let wrong = |why: &str| Fault::Refused(format!("the base URL {} {why}", shown(base)));
        let uri: Uri = base.parse().map_err(|_| wrong("is no address"))?;
        let host = uri.host().ok_or_else(|| wrong("names no host: begin it with https:// or http://"))?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(wrong("holds a name or password: set the key instead"));
        }
        if uri.query().is_some() {
            return Err(wrong("holds a query, which would be lost"));
        }
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if !has_key || is_near(host) => {}
            Some("http") => {
                return Err(wrong("would send the key unencrypted to a public host: use https://"));
            }
            _ => return Err(wrong("begins with neither https:// nor http://")),
        }
        Ok(Self { base: base.to_owned(), is_here: is_here(host), is_official: base == official })
    }

    /// Adds a path.
    pub(crate) fn with(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

/// An address as it may be shown: what stands before an `@` may be a password.
fn shown(base: &str) -> String {
    match base.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => base.to_owned(),
    }
}

fn ip(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

fn is_here(host: &str) -> bool {
    ip(host).map_or_else(|| host == "localhost" || host.ends_with(".localhost"), |ip| ip.is_loopback())
}

/// Says whether a host is on this machine or in a private network, as far as its name tells.
fn is_near(host: &str) -> bool {
    match ip(host) {
        Some(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Some(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        // One word is a host of the own network, such as a neighbour among containers.
        None => {
            is_here(host)
                || !host.contains('.')
                || [".local", ".internal"].iter().any(|end| host.ends_with(end))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case("https://api.example.com/v1")]
    #[case("http://localhost:11434/v1/")]
    #[case("http://127.0.0.1:8080")]
    #[case("http://[::1]:8080/v1")]
    #[case("http://192.168.1.20:8000/v1")]
    #[case("http://ollama:11434/v1")]
    #[case("http://host.docker.internal:1234/v1")]
    fn a_key_goes_over_tls_or_to_somebody_near(#[case] base: &str) {
        assert!(Address::new(Some(base), "https://official.example", true).is_ok());
    }

    #[rstest::rstest]
    #[case("http://api.example.com/v1", "would send the key unencrypted")]
    #[case("http://8.8.8.8/v1", "would send the key unencrypted")]
    #[case("http://localhost.example.com", "would send the key unencrypted")]
    #[case("https://me:hunter2@api.example.com", "holds a name or password")]
    #[case("https://api.example.com/v1?api-version=1", "holds a query")]
    #[case("api.example.com", "")]
    #[case("ftp://localhost/", "begins with neither")]
    #[case("", "")]
    fn what_is_no_address_for_a_key_is_refused(#[case] base: &str, #[case] why: &str) {
        let fault = Address::new(Some(base), "https://official.example", true).unwrap_err();
        let Fault::Refused(message) = fault else { panic!("{fault:?}") };
        assert!(message.contains(why) && !message.contains("hunter2"), "{message}");
    }

    #[test]
    fn without_a_key_plain_http_is_the_persons_choice() {
        assert!(
            Address::new(Some("http://models.example.com/v1"), "https://official.example", false).is_ok()
        );
    }
}
