//! The encrypted connection to NATS. The server's certificate and its name are always checked.

use std::sync::Arc;

use model::{Error, Result};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::NatsUrl;

/// Shakes hands with the server at this address.
pub async fn encrypt(socket: TcpStream, url: &NatsUrl) -> Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from(url.host().to_owned()).map_err(Error::unavailable)?;
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(Error::fault)?
        .with_root_certificates(roots(url)?)
        .with_no_client_auth();
    let encrypted = TlsConnector::from(Arc::new(config)).connect(name, socket).await;
    encrypted.map_err(|error| Error::unavailable(format!("no encrypted connection to NATS: {error}")))
}

/// The authorities in the operator's file, or those that this machine trusts.
fn roots(url: &NatsUrl) -> Result<RootCertStore> {
    let Some(file) = url.root() else { return Ok(outbound::roots()) };
    let failed = |error: &dyn std::fmt::Display| {
        Error::unavailable(format!("nats_sslrootcert {} can't be read: {error}", file.display()))
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| failed(&error))? {
        roots.add(certificate.map_err(|error| failed(&error))?).map_err(|error| failed(&error))?;
    }
    Ok(roots)
}
