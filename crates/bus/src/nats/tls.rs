//! Encrypted connections to NATS. The server's certificate and its name are always checked.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::settings::NatsSettings;
use crate::error::{Error, Result};

/// Returns the configuration of connections that are encrypted. Without a file of the operator, `default_roots` are trusted.
pub fn config(settings: &NatsSettings, default_roots: fn() -> RootCertStore) -> Result<ClientConfig> {
    let roots = match &settings.root_file {
        Some(file) => roots_in(file)?,
        None => default_roots(),
    };
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Refused(error.to_string()))?
        .with_root_certificates(roots);
    let Some((certificates, key)) = &settings.client_files else { return Ok(builder.with_no_client_auth()) };
    let failed = |error: &dyn Display| unusable("nats_sslkey", key, error);
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| failed(&error))?;
    let chain = certificates_in("nats_sslcert", certificates)?;
    builder.with_client_auth_cert(chain, secret).map_err(|error| failed(&error))
}

fn roots_in(file: &Path) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates_in("nats_sslrootcert", file)? {
        roots.add(certificate).map_err(|error| unusable("nats_sslrootcert", file, &error))?;
    }
    Ok(roots)
}

fn certificates_in(setting: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let failed = |error: &dyn Display| unusable(setting, file, error);
    let all = CertificateDer::pem_file_iter(file).map_err(|error| failed(&error))?;
    all.collect::<std::result::Result<_, _>>().map_err(|error| failed(&error))
}

fn unusable(setting: &str, file: &Path, error: &dyn Display) -> Error {
    Error::Refused(format!("{setting} {} can't be used: {error}", file.display()))
}
