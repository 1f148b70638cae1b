//! Certificates of authorities that a test generates.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

pub type Authority = CertifiedIssuer<'static, KeyPair>;

pub fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new([]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

pub fn pem(kind: &str, bytes: &[u8]) -> String {
    format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", STANDARD.encode(bytes))
}

/// Writes a certificate of the authority, and its key beside it.
pub fn certify(authority: &Authority, mut params: CertificateParams, common_name: &str, certificate: &Path) {
    params.distinguished_name.push(DnType::CommonName, common_name);
    let key = KeyPair::generate().unwrap();
    let made = params.signed_by(&key, authority).unwrap();
    fs::write(certificate, pem("CERTIFICATE", made.der())).unwrap();
    fs::write(certificate.with_extension("key"), pem("PRIVATE KEY", &key.serialize_der())).unwrap();
}
