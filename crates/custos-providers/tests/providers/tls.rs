//! Over TLS, with an authority of one's own, and through a proxy.
//!
//! The certificates below `tls/` are made for this: an authority that nobody knows, and a server `models.internal` for which it vouches.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use custos_distill::model::{Fault, Question, Reply};
use custos_providers::{Named, Provider, open};
use custos_testkit::model_server::{ModelServer, NOTHING};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::{question, settings};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/providers/tls").join(name)
}

/// Accepts connections, each on a thread of its own, until the test ends.
fn listen(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, serve) = (listener.local_addr().unwrap(), Arc::new(serve));
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            thread::spawn(move || serve(connection));
        }
    });
    address
}

/// Reads the head of a message, and its body as long as the head says that it is.
fn message(from: &mut impl BufRead) -> Option<Vec<u8>> {
    let (mut text, mut length) = (String::new(), 0);
    loop {
        let begin = text.len();
        from.read_line(&mut text).ok().filter(|read| *read > 0)?;
        let line = text[begin..].trim().to_ascii_lowercase();
        if let Some(number) = line.strip_prefix("content-length:") {
            length = number.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    Some([text.into_bytes(), body].concat())
}

/// Speaks TLS for a server that does not; gives the port.
fn terminator(server: &ModelServer) -> SocketAddr {
    let chain = CertificateDer::pem_file_iter(file("server.pem")).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(file("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let behind: SocketAddr = server.url().trim_start_matches("http://").parse().unwrap();
    listen(move |connection| {
        let session = ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut outside = BufReader::new(StreamOwned::new(session, connection));
        let mut inside = BufReader::new(TcpStream::connect(behind).unwrap());
        while let Some(request) = message(&mut outside) {
            inside.get_mut().write_all(&request).unwrap();
            let Some(response) = message(&mut inside) else { return };
            if outside.get_mut().write_all(&response).and_then(|()| outside.get_mut().flush()).is_err() {
                return;
            }
        }
    })
}

/// A proxy that leads everybody to the same place, and writes down where they wanted to go.
fn proxy(to: SocketAddr) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let wanted = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&wanted);
    let address = listen(move |mut connection| {
        let mut reading = BufReader::new(connection.try_clone().unwrap());
        let Some(request) = message(&mut reading) else { return };
        let request = String::from_utf8(request).unwrap();
        noted.lock().unwrap().push(request.lines().next().unwrap().to_owned());
        connection.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        let mut there = TcpStream::connect(to).unwrap();
        let (mut back, mut answering) = (there.try_clone().unwrap(), connection.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut back, &mut answering));
        let _ = std::io::copy(&mut reading, &mut there);
    });
    (address, wanted)
}

fn ask(provider: &Provider<'_>) -> Result<Reply, Fault> {
    let brief = Question { within: Duration::from_secs(10), ..question("What happened?") };
    open(provider)?.ask(&brief)
}

#[test]
fn an_authority_of_ones_own_vouches_where_its_certificate_is_named() {
    let (server, authority) = (ModelServer::start().unwrap(), file("authority.pem"));
    let url = format!("https://localhost:{}/v1", terminator(&server).port());
    for named in crate::OVER_HTTP {
        let known = Provider { authorities: Some(&authority), ..settings(named, &url) };
        assert_eq!(ask(&known).unwrap().text, NOTHING, "{named}");
        let fault = ask(&settings(named, &url)).unwrap_err();
        let Fault::Unreachable(message) = fault else { panic!("{fault:?}") };
        assert!(message.contains("TLS: invalid peer certificate: UnknownIssuer"), "{message}");
    }
    assert_eq!(server.requests().len(), 3, "whoever is not known gets no question");
    assert!(server.requests().iter().all(|request| !request.headers.is_empty()));
}

#[test]
fn another_name_is_not_vouched_for() {
    let (server, authority) = (ModelServer::start().unwrap(), file("authority.pem"));
    let (proxy, _) = proxy(terminator(&server));
    let proxy = format!("http://{proxy}");
    let provider = Provider {
        authorities: Some(&authority),
        proxy: Some(&proxy),
        ..settings(Named::OpenAi, "https://other.internal/v1")
    };
    let fault = ask(&provider).unwrap_err();
    assert!(fault.to_string().contains("TLS: invalid peer certificate"), "{fault}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_provider_is_reached_through_a_proxy_which_sees_nothing_of_it() {
    let (server, authority) = (ModelServer::start().unwrap(), file("authority.pem"));
    let (proxy, wanted) = proxy(terminator(&server));
    let proxy = format!("http://me:hunter2@{proxy}");
    let provider = Provider {
        authorities: Some(&authority),
        proxy: Some(&proxy),
        ..settings(Named::Anthropic, "https://models.internal/v1")
    };
    assert_eq!(ask(&provider).unwrap().text, NOTHING);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(*wanted.lock().unwrap(), ["CONNECT models.internal:443 HTTP/1.1"]);
}

#[test]
fn a_proxy_that_is_away_or_refuses_is_told_without_its_password() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refusing = listen(|mut connection| {
        message(&mut BufReader::new(connection.try_clone().unwrap()));
        let _ =
            connection.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    });
    for address in [closed, refusing] {
        let proxy = format!("http://me:hunter2@{address}");
        let provider =
            Provider { proxy: Some(&proxy), ..settings(Named::OpenAi, "https://models.internal/v1") };
        let fault = ask(&provider).unwrap_err();
        assert!(
            matches!(fault, Fault::Unreachable(_)) && !fault.to_string().contains("hunter2"),
            "{fault:?}"
        );
    }
}

#[test]
fn certificates_that_are_none_are_refused_before_anybody_is_asked() {
    let empty = tempfile::NamedTempFile::new().unwrap();
    let missing = file("there-is-no-such.pem");
    for (path, why) in [(empty.path(), "are none"), (&missing, "cannot be read")] {
        let provider =
            Provider { authorities: Some(path), ..settings(Named::OpenAi, "https://localhost/v1") };
        let Err(Fault::Refused(message)) = open(&provider).map(drop) else { panic!("it was taken") };
        assert!(message.contains(why) && message.contains(path.to_str().unwrap()), "{message}");
    }
}
