//! Settings of the store: the data folder, the database, and the keys that open what is sealed in it.

use std::path::PathBuf;

use clap::Args;

use super::database;
use super::group::{group, require_positive};
use crate::failure::Failure;

/// Connections to PostgreSQL, unless the operator says otherwise.
const POSTGRES_CONNECTIONS: usize = 16;

#[derive(Args, Default, Clone)]
#[command(next_help_heading = "Store")]
pub struct Store {
    /// The folder for the database, files and secrets [default: ./dockside-data].
    #[arg(long, env = "DOCKSIDE_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Use PostgreSQL (postgres://user:password@host/database) instead of SQLite in the data folder.
    #[arg(long, env = "DOCKSIDE_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,

    /// How PostgreSQL's connections are encrypted: disable, prefer, require, verify-ca or verify-full; `sslmode` of the
    /// address [default: prefer].
    #[arg(long, env = "DOCKSIDE_DATABASE_SSLMODE", value_name = "MODE")]
    pub database_sslmode: Option<String>,

    /// The authorities that may have signed its certificate: a file with certificates in PEM; `sslrootcert` of the address
    /// [default: those that this machine trusts].
    #[arg(long, env = "DOCKSIDE_DATABASE_SSLROOTCERT", value_name = "FILE")]
    pub database_sslrootcert: Option<String>,

    /// The certificate that this server shows it: a file in PEM; `sslcert` of the address.
    #[arg(long, env = "DOCKSIDE_DATABASE_SSLCERT", value_name = "FILE")]
    pub database_sslcert: Option<String>,

    /// The key of that certificate: a file in PEM; `sslkey` of the address.
    #[arg(long, env = "DOCKSIDE_DATABASE_SSLKEY", value_name = "FILE")]
    pub database_sslkey: Option<String>,

    /// The settings file [default: dockside.toml, where there is one].
    #[arg(long, env = "DOCKSIDE_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Connections to PostgreSQL [default: 16], or reader threads of SQLite [default: one per core].
    #[arg(long, env = "DOCKSIDE_DATABASE_CONNECTIONS", value_name = "N")]
    pub database_connections: Option<usize>,

    /// Days that the history of stock levels and the tracking events of shipments are kept; 0 keeps them for as long as the
    /// level or the shipment [default: 0].
    #[arg(long, env = "DOCKSIDE_HISTORY_DAYS", value_name = "DAYS")]
    pub history_days: Option<u32>,

    /// Days that data is kept which belongs to nothing any more, such as versions of locations that no shipment was made
    /// from, and access tokens that expired [default: 365].
    #[arg(long, env = "DOCKSIDE_LEFTOVER_DAYS", value_name = "DAYS")]
    pub leftover_days: Option<u32>,

    /// Signs cursors and file links: 64 hexadecimal digits. Nodes that share a database share it
    /// [default: made at first start, in the data folder].
    #[arg(long, env = "DOCKSIDE_SIGNING_KEY", value_name = "HEX", hide_env_values = true)]
    pub signing_key: Option<String>,

    /// Encrypts carriers' credentials: 64 hexadecimal digits. Nodes that share a database share it
    /// [default: made at first start, in the data folder].
    #[arg(long, env = "DOCKSIDE_ENCRYPTION_KEY", value_name = "HEX", hide_env_values = true)]
    pub encryption_key: Option<String>,
}

group!(Store {
    data,
    database_url,
    database_sslmode,
    database_sslrootcert,
    database_sslcert,
    database_sslkey,
    database_connections,
    history_days,
    leftover_days,
    signing_key,
    encryption_key,
} flags { config });

impl Store {
    pub(super) fn check(&self) -> Result<(), Failure> {
        require_positive!(self { database_connections, leftover_days })?;
        if let Some(url) = &self.database_url
            && !url.starts_with("postgres://")
            && !url.starts_with("postgresql://")
        {
            return Err(Failure("the setting database_url must start with postgres://".to_owned()));
        }
        database::check(self.database_url.as_deref(), &self.encryption())
    }

    pub fn data(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| PathBuf::from("dockside-data"))
    }

    pub fn is_postgres(&self) -> bool {
        self.database_url.is_some()
    }

    /// The parameters of the database's address that have settings of their own.
    fn encryption(&self) -> [(&'static str, Option<&str>); 4] {
        [
            ("sslmode", self.database_sslmode.as_deref()),
            ("sslrootcert", self.database_sslrootcert.as_deref()),
            ("sslcert", self.database_sslcert.as_deref()),
            ("sslkey", self.database_sslkey.as_deref()),
        ]
    }

    /// Returns the connections to PostgreSQL, or the reader threads of SQLite.
    pub fn database_connections_max(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(2, usize::from);
        let default = || if self.is_postgres() { POSTGRES_CONNECTIONS } else { cores() };
        self.database_connections.unwrap_or_else(default)
    }

    /// Returns how long histories and leftovers are kept.
    pub(super) fn retention(&self) -> service::Retention {
        let seconds = |days: u32| i64::from(days) * 24 * 3600;
        let default = service::Retention::default();
        service::Retention {
            history_seconds: self.history_days.filter(|days| *days > 0).map(seconds),
            leftover_seconds: self.leftover_days.map_or(default.leftover_seconds, seconds),
        }
    }

    pub fn place(&self) -> service::Place {
        let connections = self.database_connections_max();
        match &self.database_url {
            Some(url) => service::Place::Postgres {
                url: database::with_parameters(url, &self.encryption()),
                connections,
            },
            None => service::Place::Sqlite { file: self.data().join("dockside.db"), readers: connections },
        }
    }
}
