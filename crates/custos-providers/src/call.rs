//! One HTTP request, and which fault its failure is.
//!
//! Everything that can go wrong between here and a model is sorted here, once for all providers: who cannot be reached, who is busy, who
//! does not know us, who failed, who declines a question, and who answered something that nobody can read. The words of the server are kept, because they say
//! best what to do; the key is taken out of them, and they are cut.

use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use custos_distill::model::{Fault, Spent};
use serde_json::Value;
use ureq::http::Response;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, Proxy, SendBody};

use crate::address::Address;
use crate::open::Provider;
use crate::retry_after;

/// The most that is read of an answer in words. The longest that was asked for is a hundredth of it.
const MOST_ANSWER: u64 = 1 << 20;
/// The longest time until a server is connected to. Shorter than any question: who was not reached was told nothing, and charges nothing.
const MOST_CONNECTING: Duration = Duration::from_secs(10);
/// The most that is repeated of what a server said.
const MOST_SAID: usize = 200;

/// Somebody who calls one provider.
pub(crate) struct Caller {
    agent: Agent,
    provider: &'static str,
    key: Option<String>,
    most_answer: u64,
}

/// What is sent; it knows whether all of it was.
struct Letter {
    text: Vec<u8>,
    read: usize,
}

impl Read for Letter {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = (&self.text[self.read..]).read(buffer)?;
        self.read += length;
        Ok(length)
    }
}

impl Letter {
    /// Says of a fault whether it came after the letter was gone.
    fn fault(&self, fault: Fault) -> Fault {
        if self.read == self.text.len() { cut_off(fault) } else { fault }
    }
}

/// Whoever had the question already cannot be out of reach.
fn cut_off(fault: Fault) -> Fault {
    match fault {
        Fault::Unreachable(message) => Fault::CutOff(message),
        fault => fault,
    }
}

/// An answer that says no, and in which words.
#[derive(Debug)]
pub(crate) struct No {
    pub(crate) status: u16,
    /// What the provider said, without the key.
    pub(crate) said: String,
    retry_after: Option<Duration>,
}

/// What came back from a call.
pub(crate) enum Answer {
    Yes(Value),
    No(No),
}

impl Caller {
    /// Prepares to call; the environment is asked neither for a proxy nor for authorities.
    pub(crate) fn new(name: &'static str, address: &Address, provider: &Provider<'_>) -> Result<Self, Fault> {
        let proxy = provider.proxy.filter(|proxy| !proxy.is_empty() && !address.is_here);
        let proxy = proxy.map(Proxy::new).transpose();
        let proxy = proxy.map_err(|_| Fault::Refused("the proxy is no address".to_owned()))?;
        let roots = provider.authorities.map_or(Ok(RootCerts::WebPki), authorities)?;
        let config = Agent::config_builder()
            .proxy(proxy)
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            // An answer of any status is read: its words say what is wrong.
            .http_status_as_error(false)
            // Nobody is followed to another host with a key at hand.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("custos/", env!("CARGO_PKG_VERSION")))
            .build();
        let key = provider.key.map(str::to_owned);
        Ok(Self { agent: config.into(), provider: name, key, most_answer: MOST_ANSWER })
    }

    /// Reads answers of up to so many megabytes.
    pub(crate) fn reading(self, megabytes: u64) -> Self {
        Self { most_answer: megabytes << 20, ..self }
    }

    /// Posts a question, and waits no longer than `within` for all of the answer.
    pub(crate) fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        body: &Value,
        within: Duration,
    ) -> Result<Answer, Fault> {
        if within.is_zero() {
            return Err(self.unreachable("there was no time left to ask"));
        }
        let mut letter = Letter { text: body.to_string().into_bytes(), read: 0 };
        let mut request = self.agent.post(url).content_type("application/json");
        // Without it the length would not be told beforehand, which some servers do not understand.
        request = request.header("content-length", letter.text.len().to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let connecting = MOST_CONNECTING.min(within / 2);
        let config = request.config().timeout_global(Some(within));
        let request = config.timeout_resolve(Some(connecting)).timeout_connect(Some(connecting)).build();
        match request.send(SendBody::from_reader(&mut letter)) {
            Ok(response) => self.read(response),
            Err(error) => Err(letter.fault(self.failed(&error))),
        }
    }

    fn read(&self, response: Response<Body>) -> Result<Answer, Fault> {
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let retry_after = retry_after::of_headers(header("retry-after"), header("date"));
        let status = response.status().as_u16();
        let body = self.body(response.into_body());
        if status == 200 {
            let body = body?;
            return match serde_json::from_slice(&body) {
                Ok(answer) => Ok(Answer::Yes(answer)),
                Err(error) if error.is_eof() && !body.is_empty() => {
                    Err(Fault::CutOff(format!("{} answered half of a message", self.provider)))
                }
                Err(_) => Err(self.garbled("answered something that is no JSON")),
            };
        }
        // A refusal whose words are lost is still a refusal.
        let body = body.unwrap_or_default();
        let json: Value = serde_json::from_slice(&body).unwrap_or_default();
        let retry_after = retry_after.or_else(|| retry_after::of_google(&json));
        Ok(Answer::No(No { status, said: self.words(&json, &body), retry_after }))
    }

    fn body(&self, body: Body) -> Result<Vec<u8>, Fault> {
        let too_long = || {
            let most = match self.most_answer >> 20 {
                1 => "a megabyte".to_owned(),
                megabytes => format!("{megabytes} megabytes"),
            };
            self.declined(&format!("answered more than {most}"), None)
        };
        if body.content_length().is_some_and(|length| length > self.most_answer) {
            return Err(too_long());
        }
        let mut bytes = Vec::new();
        let read = body.into_reader().take(self.most_answer + 1).read_to_end(&mut bytes);
        read.map_err(|error| cut_off(self.broke_off(&error)))?;
        if bytes.len() as u64 > self.most_answer { Err(too_long()) } else { Ok(bytes) }
    }

    /// Finds what a server said, in one of the shapes in which they say it.
    fn words(&self, json: &Value, body: &[u8]) -> String {
        let error = &json["error"];
        let said =
            [&error["message"], error, &json["message"], &json["detail"]].into_iter().find_map(Value::as_str);
        let said = said.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
        let said = match error["type"]
            .as_str()
            .or_else(|| error["code"].as_str())
            .or_else(|| error["status"].as_str())
        {
            Some(kind) if !said.contains(kind) => format!("{kind}: {said}"),
            _ => said,
        };
        self.safe(&said)
    }

    /// Makes one short line of what somebody said, without keys.
    pub(crate) fn safe(&self, said: &str) -> String {
        let mut line = said.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(key) = self.key.as_deref().filter(|key| !key.is_empty()) {
            line = line.replace(key, "[key]");
        }
        custos_redact::redact(&line).chars().take(MOST_SAID).collect()
    }

    /// Sorts a refusal.
    pub(crate) fn fault(&self, no: No) -> Fault {
        let No { status, said, retry_after } = no;
        let provider = self.provider;
        let used_up =
            ["insufficient_quota", "credit balance", "billing", "API_KEY_INVALID", "API key not valid"];
        let message = format!("{provider} answered {status}: {said}");
        match status {
            401..=403 => Fault::Refused(format!("{message}. Check the key")),
            400 | 429 if used_up.iter().any(|words| said.contains(words)) => {
                Fault::Refused(format!("{message}. Check the key and its account"))
            }
            404 => Fault::Refused(format!("{message}. Check the model's name and the base URL")),
            300..=399 => Fault::Refused(format!("{provider} moved ({status}). Check the base URL")),
            // 503 and 529 are how providers say that they are overloaded.
            429 | 503 | 529 => Fault::Busy { message, retry_after },
            400..=499 if status != 408 => {
                let message = format!("{message}. The question was not taken");
                // What is not taken is not charged.
                Fault::Declined { message, spent: Some(Spent::default()) }
            }
            _ => Fault::Broken(message),
        }
    }

    /// Says that an answer cannot be read.
    pub(crate) fn garbled(&self, what: &str) -> Fault {
        Fault::Garbled(format!("{} {what}", self.provider))
    }

    /// Says that a question has no answer, and what that took.
    pub(crate) fn declined(&self, what: &str, spent: Option<Spent>) -> Fault {
        Fault::Declined { message: format!("{} {what}", self.provider), spent }
    }

    fn unreachable(&self, why: &str) -> Fault {
        Fault::Unreachable(format!("{} could not be reached: {why}", self.provider))
    }

    /// Says why there was no answer at all. The texts are ours where the library's could hold an address with a password.
    fn failed(&self, error: &ureq::Error) -> Fault {
        match error {
            ureq::Error::Timeout(_) => self.unreachable("no answer in time"),
            ureq::Error::HostNotFound => self.unreachable("the host is not known"),
            ureq::Error::ConnectionFailed => self.unreachable("the connection failed"),
            ureq::Error::ConnectProxyFailed(_) => self.unreachable("the proxy refused"),
            ureq::Error::Io(error) => self.broke_off(error),
            ureq::Error::Rustls(error) => self.unreachable(&self.safe(&format!("TLS: {error}"))),
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
                self.garbled("answered no HTTP")
            }
            other => self.unreachable(&self.safe(&other.to_string())),
        }
    }

    fn broke_off(&self, error: &io::Error) -> Fault {
        // The library wraps its own error where the body is read.
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
        match (inner, error.kind()) {
            (Some(ureq::Error::Timeout(_)), _) | (_, io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) => {
                self.unreachable("no whole answer in time")
            }
            (_, io::ErrorKind::ConnectionRefused) => self.unreachable("the connection was refused"),
            // So the library passes on what TLS objects to.
            (None, io::ErrorKind::InvalidData) => self.unreachable(&self.safe(&format!("TLS: {error}"))),
            _ => self.unreachable("the connection broke off"),
        }
    }
}

/// Reads the authorities that vouch for servers, in the place of those that are compiled in.
fn authorities(file: &Path) -> Result<RootCerts, Fault> {
    let wrong = |why: &str| Fault::Refused(format!("the certificates in {} {why}", file.display()));
    let pem = std::fs::read(file).map_err(|error| wrong(&format!("cannot be read: {error}")))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|_| wrong("are no PEM"))? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        Err(wrong("are none"))
    } else {
        Ok(RootCerts::new_with_certs(&certificates))
    }
}
