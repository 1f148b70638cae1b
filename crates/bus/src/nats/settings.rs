//! What an operator says about NATS.

use std::path::PathBuf;
use std::str::FromStr;

use super::servers::NatsServers;

/// Where NATS is, and what this program shows to be let in. Files are read with each connection that is made, so that an operator
/// can replace them while the program runs.
#[derive(Clone)]
pub struct NatsSettings {
    pub servers: NatsServers,
    /// A file with a user's JWT and seed (`.creds`), or with a seed alone. It replaces credentials in an address.
    pub credentials_file: Option<PathBuf>,
    /// A file with the authorities that may have signed the servers' certificates, in PEM.
    pub root_file: Option<PathBuf>,
    /// The files with this client's certificate and its key, in PEM, for servers that ask for them.
    pub client_files: Option<(PathBuf, PathBuf)>,
}

/// Reads addresses, without any file.
impl FromStr for NatsSettings {
    type Err = <NatsServers as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let servers = text.parse()?;
        Ok(Self { servers, credentials_file: None, root_file: None, client_files: None })
    }
}
