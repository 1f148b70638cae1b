//! Encrypted connections to PostgreSQL, with the modes and the files that PostgreSQL's own clients use.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use model::{Error, Result};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres::{Config, Socket};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::verifier::Lenient;

/// `sslrootcert=system`: the authorities that this machine trusts, which is also the default.
const SYSTEM_ROOTS: &str = "system";

/// How strictly to check the server. The names are PostgreSQL's `sslmode` values.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mode {
    Disable,
    /// Encrypts if the server offers it, and checks no certificate.
    Prefer,
    /// Encrypts or fails. Checks the certificate as `VerifyCa` does if an authority is named.
    Require,
    VerifyCa,
    VerifyFull,
}

/// The TLS parameters of a connection URL.
#[derive(Debug, PartialEq)]
struct Options {
    mode: Mode,
    root: Option<PathBuf>,
    /// The paths of the client's certificate and of its key.
    client: Option<(PathBuf, PathBuf)>,
}

/// Makes encrypted connections. Clones share it.
#[derive(Clone)]
pub struct Tls(TlsConnector);

/// An encrypted connection.
pub struct Stream(Box<tokio_rustls::client::TlsStream<Socket>>);

/// Parses a connection URL into the client library's configuration and the TLS settings.
pub fn parse(url: &str) -> Result<(Config, Tls)> {
    let (rest, options) = split(url).map_err(Error::unavailable)?;
    let mut config: Config = rest.parse().map_err(Error::unavailable)?;
    config.ssl_mode(match options.mode {
        Mode::Disable => SslMode::Disable,
        Mode::Prefer => SslMode::Prefer,
        Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
    });
    let tls = ClientConfig::try_from(&options).map_err(Error::unavailable)?;
    Ok((config, Tls(TlsConnector::from(Arc::new(tls)))))
}

/// Takes the TLS parameters out of a URL, because the client library supports only some of them.
fn split(url: &str) -> Result<(String, Options), String> {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut mode, mut root, mut certificate, mut key) = (Mode::Prefer, None, None, None);
    let mut others = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match name {
            "sslmode" => mode = parse_mode(value)?,
            "sslrootcert" => root = Some(path(value)?),
            "sslcert" => certificate = Some(path(value)?),
            "sslkey" => key = Some(path(value)?),
            _ => others.push(pair),
        }
    }
    let client = match (certificate, key) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        (Some(_), None) => return Err("sslcert needs sslkey, the file with its key".to_owned()),
        (None, Some(_)) => return Err("sslkey needs sslcert, the file with its certificate".to_owned()),
    };
    let rest = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
    Ok((rest, Options { mode, root, client }))
}

fn parse_mode(text: &str) -> Result<Mode, String> {
    Ok(match text {
        "disable" => Mode::Disable,
        "prefer" => Mode::Prefer,
        "require" => Mode::Require,
        "verify-ca" => Mode::VerifyCa,
        "verify-full" => Mode::VerifyFull,
        _ => {
            return Err(format!(
                "sslmode is {text:?}: use one of disable, prefer, require, verify-ca, verify-full"
            ));
        }
    })
}

/// Decodes a percent-encoded file path.
fn path(text: &str) -> Result<PathBuf, String> {
    let wrong = || format!("{text:?} is no file's name: `%` begins two hexadecimal digits");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok()).ok_or_else(wrong)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| wrong())?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).map(PathBuf::from).map_err(|_| wrong())
}

impl TryFrom<&Options> for ClientConfig {
    type Error = String;

    fn try_from(options: &Options) -> Result<Self, String> {
        let provider = Arc::new(ring::default_provider());
        let builder =
            Self::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| error.to_string())?;
        let verifier = verifier(options, &provider)?;
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        match &options.client {
            None => Ok(builder.with_no_client_auth()),
            Some((certificate, key)) => {
                let chain = certificates("sslcert", certificate)?;
                let secret =
                    PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable("sslkey", key, error))?;
                let made = builder.with_client_auth_cert(chain, secret);
                made.map_err(|error| format!("sslcert and sslkey don't belong together: {error}"))
            }
        }
    }
}

fn verifier(options: &Options, provider: &Arc<CryptoProvider>) -> Result<Arc<Lenient>, String> {
    let algorithms = provider.signature_verification_algorithms;
    let is_checked = match options.mode {
        Mode::VerifyCa | Mode::VerifyFull => true,
        Mode::Require => options.root.is_some(),
        Mode::Disable | Mode::Prefer => false,
    };
    if !is_checked {
        return Ok(Arc::new(Lenient::unchecked(algorithms)));
    }
    let mut roots = RootCertStore::empty();
    match options.root.as_deref().filter(|root| *root != Path::new(SYSTEM_ROOTS)) {
        Some(file) => {
            for certificate in certificates("sslrootcert", file)? {
                roots.add(certificate).map_err(|error| unreadable("sslrootcert", file, error))?;
            }
        }
        None => _ = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
    }
    let strict = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build();
    let strict =
        strict.map_err(|error| format!("no authority is trusted: {error}. Name one with sslrootcert"))?;
    Ok(Arc::new(Lenient::checked(strict, options.mode == Mode::VerifyFull, algorithms)))
}

fn certificates(name: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(file).map_err(|error| unreadable(name, file, error))?;
    let found = read.collect::<Result<Vec<_>, _>>().map_err(|error| unreadable(name, file, error))?;
    if found.is_empty() {
        return Err(format!("{name} {} has no certificate in PEM", file.display()));
    }
    Ok(found)
}

fn unreadable(name: &str, file: &Path, error: impl std::fmt::Display) -> String {
    format!("{name} {} can't be read: {error}", file.display())
}

impl MakeTlsConnect<Socket> for Tls {
    type Stream = Stream;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        Ok(Handshake { tls: self.0.clone(), name: ServerName::try_from(host.to_owned()).ok() })
    }
}

/// A TLS handshake with a server of this name. tokio-postgres makes one for a local socket too, whose host is a path.
/// It is never used.
pub struct Handshake {
    tls: TlsConnector,
    name: Option<ServerName<'static>>,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Stream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let name =
                self.name.ok_or_else(|| io::Error::other("the host's name can't be in a certificate"))?;
            Ok(Stream(Box::new(self.tls.connect(name, socket).await?)))
        })
    }
}

impl TlsStream for Stream {
    /// Returns no channel binding, because every server accepts SCRAM without it.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, into)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_concerns_encryption_is_taken_out_of_the_address() {
        let url = "postgres://ada:x@a,b/shop?sslmode=verify-full&target_session_attrs=read-write&sslrootcert=%2Fetc%2Fca%20.pem";
        let (rest, options) = split(url).unwrap();
        assert_eq!(rest, "postgres://ada:x@a,b/shop?target_session_attrs=read-write");
        let root = Some(PathBuf::from("/etc/ca .pem"));
        assert_eq!(options, Options { mode: Mode::VerifyFull, root, client: None });
        let config: Config = rest.parse().unwrap();
        assert_eq!(config.get_hosts().len(), 2);

        let (rest, options) = split("postgres://db/shop").unwrap();
        assert_eq!((rest.as_str(), options.mode), ("postgres://db/shop", Mode::Prefer));
        let (_, options) = split("postgres://db/shop?sslcert=a.pem&sslkey=b.pem").unwrap();
        assert_eq!(options.client, Some((PathBuf::from("a.pem"), PathBuf::from("b.pem"))));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_a_reason() {
        for (query, reason) in [
            ("sslmode=allow", "use one of disable, prefer, require, verify-ca, verify-full"),
            ("sslcert=a.pem", "sslcert needs sslkey"),
            ("sslkey=a.pem", "sslkey needs sslcert"),
            ("sslrootcert=a%2", "two hexadecimal digits"),
            ("sslmode=verify-ca&sslrootcert=/nowhere/ca.pem", "sslrootcert /nowhere/ca.pem can't be read"),
            ("sslcert=/nowhere/a.pem&sslkey=/nowhere/b.pem", "sslcert /nowhere/a.pem can't be read"),
        ] {
            let refused = parse(&format!("postgres://db/shop?{query}")).err().map(|error| error.to_string());
            assert!(refused.as_deref().is_some_and(|why| why.contains(reason)), "{query}: {refused:?}");
        }
    }
}
