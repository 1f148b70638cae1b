//! Opening connections: the look-up, the check of every address, the socket, and TLS.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, CertificateError, ClientConfig, InvalidMessage, RootCertStore};

use super::live::Live;
use super::reach::Reach;
use super::target::{Endpoint, Named, Origin};
use super::{Failure, Lookup, Party, Phase};

/// Time limit for the socket and TLS together.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// Addresses of one host that are tried; each gets its share of the time.
const ADDRESSES_MAX: usize = 4;

/// Opens all connections of the client.
pub struct Connector {
    reach: Reach,
    lookup: Arc<dyn Lookup>,
    tls: TlsConnector,
}

/// Returns the authorities that this machine trusts, and those that browsers trust. So a machine without any (a bare container)
/// can call receivers, too, and one with an old list can call new ones.
pub fn roots() -> RootCertStore {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    // Certificates that can't be read are skipped silently: the reason would not help the reader of a delivery's error.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

impl Connector {
    pub fn new(reach: Reach, lookup: Arc<dyn Lookup>, roots: RootCertStore) -> Result<Self, rustls::Error> {
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { reach, lookup, tls: TlsConnector::from(Arc::new(config)) })
    }

    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Opens a connection to the host, at an address that may be reached.
    pub async fn connect(
        &self,
        origin: &Origin,
        party: Option<Party>,
        phase: &mut Phase,
    ) -> Result<Live, Failure> {
        *phase = Phase::Lookup;
        let addresses = self.addresses(&origin.host, origin.is_allowed_only, party).await?;
        *phase = Phase::Connect;
        let deadline = Instant::now() + CONNECT_TIME_MAX;
        let socket = dial(&addresses, &origin.host, origin.port, deadline).await?;
        if !origin.is_tls {
            return Live::plain(socket).await;
        }
        *phase = Phase::Handshake;
        let limit = Failure::Timeout { phase: Phase::Handshake, limit: CONNECT_TIME_MAX };
        let stream = timeout_at(deadline, self.shake_hands(socket, origin)).await.map_err(|_| limit)??;
        Live::tls(stream).await
    }

    /// Opens a socket to the endpoint, at an address that may be reached.
    pub async fn open(
        &self,
        endpoint: &Endpoint,
        party: Option<Party>,
        phase: &mut Phase,
    ) -> Result<TcpStream, Failure> {
        *phase = Phase::Lookup;
        let addresses = self.addresses(&endpoint.host, false, party).await?;
        *phase = Phase::Connect;
        dial(&addresses, &endpoint.host, endpoint.port, Instant::now() + CONNECT_TIME_MAX).await
    }

    /// Returns the addresses of the host that may be reached. The others are dropped; a host with none is not called.
    async fn addresses(
        &self,
        host: &Named,
        is_allowed_only: bool,
        party: Option<Party>,
    ) -> Result<Vec<IpAddr>, Failure> {
        let found = match host {
            Named::Address(address) => vec![*address],
            Named::Name(name) => self.lookup.addresses(name, party).await.unwrap_or_default(),
        };
        let admit = |address| match is_allowed_only {
            true => self.reach.admit_allowed(address),
            false => self.reach.admit(address),
        };
        let admitted: Vec<_> = found.into_iter().filter_map(admit).collect();
        if !admitted.is_empty() {
            return Ok(admitted);
        }
        let named = host.to_string();
        Err(match host {
            _ if !self.reach.has_public() => Failure::Outside { host: named },
            _ if is_allowed_only => Failure::Unencrypted { host: named },
            Named::Address(_) => Failure::Refused { host: named },
            Named::Name(_) => Failure::Unresolved { host: named },
        })
    }

    async fn shake_hands(&self, socket: TcpStream, origin: &Origin) -> Result<TlsStream<TcpStream>, Failure> {
        let fail = |cause| Failure::Tls { host: origin.host.to_string(), cause };
        let name = match &origin.host {
            Named::Address(address) => ServerName::from(*address),
            // A name that ends with a dot is the same name, but certificates are written without it.
            Named::Name(name) => ServerName::try_from(name.trim_end_matches('.').to_owned())
                .map_err(|_| fail("the host name can't be in a certificate".to_owned()))?,
        };
        self.tls.connect(name, socket).await.map_err(|error| fail(tls_cause(&error)))
    }
}

/// Returns a socket to the first address that accepts a connection.
async fn dial(
    addresses: &[IpAddr],
    host: &Named,
    port: u16,
    deadline: Instant,
) -> Result<TcpStream, Failure> {
    let tried = addresses.len().min(ADDRESSES_MAX);
    let mut failure = Failure::Timeout { phase: Phase::Connect, limit: CONNECT_TIME_MAX };
    for (index, address) in addresses.iter().take(tried).enumerate() {
        let share =
            deadline.saturating_duration_since(Instant::now()) / u32::try_from(tried - index).unwrap_or(1);
        match timeout(share, TcpStream::connect(SocketAddr::new(*address, port))).await {
            Ok(Ok(socket)) => {
                // Without this, a small message waits for the acknowledgement of the one before.
                let _unimportant = socket.set_nodelay(true);
                return Ok(socket);
            }
            Ok(Err(error)) => {
                let (host, cause) = (host.to_string(), connect_cause(&error));
                failure = Failure::Connect { host, port, cause };
            }
            Err(_) => {}
        }
    }
    Err(failure)
}

fn connect_cause(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "it refuses connections (is the receiver running?)".to_owned(),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            "there is no way to it from here".to_owned()
        }
        _ => error.to_string(),
    }
}

fn tls_cause(error: &io::Error) -> String {
    use rustls::Error as Tls;
    let Some(cause) = error.get_ref().and_then(|cause| cause.downcast_ref::<Tls>()) else {
        return format!("the TLS handshake was broken off ({error})");
    };
    match cause {
        Tls::InvalidCertificate(certificate) => certificate_cause(certificate),
        Tls::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "it does not speak TLS on this port (is it an `http://` URL?)".to_owned()
        }
        other => other.to_string(),
    }
}

fn certificate_cause(error: &CertificateError) -> String {
    use CertificateError as Certificate;
    let cause = match error {
        Certificate::UnknownIssuer | Certificate::BadSignature => {
            "its certificate is not signed by an authority that this server trusts (is it self-signed, or is the \
             intermediate certificate missing?)"
        }
        Certificate::Expired | Certificate::ExpiredContext { .. } => "its certificate has expired",
        Certificate::NotValidYet | Certificate::NotValidYetContext { .. } => {
            "its certificate is not valid yet"
        }
        Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => {
            "its certificate is for other host names"
        }
        Certificate::Revoked => "its certificate was revoked",
        other => return format!("its certificate is not good: {other}"),
    };
    cause.to_owned()
}
