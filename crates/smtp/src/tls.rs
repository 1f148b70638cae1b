//! Encrypted connections. The server's certificate and its name are always checked.

use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How connections are encrypted.
pub type TlsConfig = Arc<ClientConfig>;

/// Returns the configuration with which connections are encrypted. The authorities are those of the file in PEM, or else
/// `default_roots`.
pub fn tls_config(pem: Option<&[u8]>, default_roots: fn() -> RootCertStore) -> Result<TlsConfig, String> {
    let roots = match pem {
        Some(pem) => roots_in(pem)?,
        None => default_roots(),
    };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

fn roots_in(pem: &[u8]) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    if roots.is_empty() { Err("it has no certificate in PEM".to_owned()) } else { Ok(roots) }
}

/// Returns the name that the certificate must be for.
pub fn server_name(host: &str) -> Result<ServerName<'static>, String> {
    ServerName::try_from(host.trim_end_matches('.').to_owned())
        .map_err(|_| "the host name can't be in a certificate".to_owned())
}
