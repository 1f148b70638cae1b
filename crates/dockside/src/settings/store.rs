//! Settings of the store: the data folder, the database, and the keys that open what is sealed in it.

use std::path::PathBuf;

use super::declaration::{Subject, settings};
use super::{database, hex_key};
use crate::failure::Failure;

/// The settings file, unless the operator names another.
pub const SETTINGS_FILE: &str = "dockside.toml";
/// Connections to PostgreSQL, unless the operator says otherwise.
const POSTGRES_CONNECTIONS: usize = 16;

settings! {
    /// Settings of the store.
    pub struct Store("Store") {
        /// The folder for the database, files and secrets.
        data("DIR"): PathBuf = PathBuf::from("dockside-data"), shown("./dockside-data");

        /// The PostgreSQL database to use, as postgres://user:password@host/database.
        database_url("URL"): String, secret, shown("SQLite in the data folder"), check(|url| check_database_url(url));

        /// How PostgreSQL's connections are encrypted: disable, prefer, require, verify-ca or verify-full; `sslmode` of the
        /// address.
        database_sslmode("MODE"): String, shown("prefer");

        /// The authorities that may have signed its certificate: a file with certificates in PEM; `sslrootcert` of the
        /// address.
        database_sslrootcert("FILE"): String, shown("those that this machine trusts");

        /// The certificate that this server shows it: a file in PEM; `sslcert` of the address.
        database_sslcert("FILE"): String;

        /// The key of that certificate: a file in PEM; `sslkey` of the address.
        database_sslkey("FILE"): String;

        /// The settings file.
        config("FILE"): PathBuf, flag_only, shown(format!("{SETTINGS_FILE}, where there is one"));

        /// Connections to PostgreSQL, or reader threads of SQLite.
        database_connections("N"): usize, range(1..),
            shown(format!("{POSTGRES_CONNECTIONS} for PostgreSQL, one per core for SQLite"));

        /// Days that the history of stock levels and the tracking events of shipments are kept; 0 keeps them for as long as
        /// the level or the shipment.
        history_days("DAYS"): u32 = 0;

        /// Days that data is kept which belongs to nothing any more, such as versions of locations that no shipment was made
        /// from, and access tokens that expired.
        leftover_days("DAYS"): u32 = 365, range(1..);

        /// Signs cursors and file links: 64 hexadecimal digits. Nodes that share a database share it.
        signing_key("HEX"): String, secret, shown("made at first start, in the data folder"), check(|hex| check_key(hex));

        /// Encrypts carriers' credentials: 64 hexadecimal digits. Nodes that share a database share it.
        encryption_key("HEX"): String, secret, shown("made at first start, in the data folder"), check(|hex| check_key(hex));
    }
}

fn check_database_url(url: &str) -> Result<(), String> {
    let is_url = url.starts_with("postgres://") || url.starts_with("postgresql://");
    if is_url { Ok(()) } else { Err("must start with postgres://".to_owned()) }
}

fn check_key(hex: &str) -> Result<(), String> {
    hex_key::parse(hex).map(drop)
}

impl Store {
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.check_values()?;
        database::check(self.database_url.as_deref(), &self.encryption())
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
        let history_days = self.history_days();
        service::Retention {
            history_seconds: (history_days > 0).then(|| seconds(history_days)),
            leftover_seconds: seconds(self.leftover_days()),
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
