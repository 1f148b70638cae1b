//! Settings: a group for each subject, filled from flags, then the environment, then `dockside.toml`, then the defaults.
//!
//! Each subject has a file, in which `settings!` declares each of its settings once: name, type, default, validation and
//! description. The flag, the variable, the key of the settings file, the help and the line in `docs/guide/settings.md` follow
//! from that.

mod carriers;
mod command;
mod database;
mod declaration;
mod description;
mod events;
mod file;
mod files;
pub mod hex_key;
mod limits;
mod listen;
mod mail;
mod openid;
mod printing;
mod realtime;
mod server;
mod store;
mod subjects;
mod url;
mod value;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::secrets::Secrets;

pub use command::StoreSettings;
use declaration::Subject;
use limits::Limits;
pub use listen::ListenAddress;
use store::SETTINGS_FILE as FILE;
pub use store::Store;
pub use subjects::Settings;

impl Settings {
    /// Fills what neither flag nor variable set from the file, and checks the whole.
    pub fn resolve(self) -> Result<Self, Failure> {
        let file = match &self.store.config {
            Some(path) => file::read(path)?,
            None if Path::new(FILE).exists() => file::read(Path::new(FILE))?,
            None => Self::default(),
        };
        let given = self.carriers.clone();
        let mut merged = self.or(file);
        merged.carriers.add_variables(&given, std::env::vars_os());
        merged.check()?;
        Ok(merged)
    }

    fn or(self, file: Self) -> Self {
        Self {
            store: self.store.or(&file.store),
            server: self.server.or(&file.server),
            openid: self.openid.or(&file.openid),
            mail: self.mail.or(&file.mail),
            limits: self.limits.or(&file.limits),
            events: self.events.or(&file.events),
            realtime: self.realtime.or(&file.realtime),
            carriers: self.carriers.or(&file.carriers),
            files: self.files.or(&file.files),
            printing: self.printing.or(&file.printing),
        }
    }

    fn check(&self) -> Result<(), Failure> {
        self.store.check()?;
        self.server.check()?;
        self.openid.check()?;
        self.mail.check()?;
        self.limits.check()?;
        self.events.check(&self.store)?;
        self.realtime.check()?;
        self.carriers.check(&self.limits)?;
        self.files.check(&self.store)?;
        self.printing.check_values()
    }

    /// Returns the limits of HTTP.
    pub fn http_limits(&self) -> api::Limits {
        api::Limits {
            stream_connections_max: self.realtime.realtime_connections_max(),
            cors_origins: self.server.cors_origins(),
            ..self.limits.http()
        }
    }

    /// Returns the folder of the files, or `None` if they are in a bucket.
    pub fn files_folder(&self) -> Result<Option<PathBuf>, Failure> {
        self.files.local_folder(&self.store)
    }

    /// `address` is where this server listens.
    pub fn service(&self, secrets: &Secrets, address: SocketAddr) -> Result<service::Settings, Failure> {
        Ok(service::Settings {
            page_limit_default: self.limits.page_limit_default(),
            page_limit_max: self.limits.page_limit_max(),
            batch_shipments_max: self.limits.batch_shipments_max(),
            idempotency_seconds: self.limits.idempotency_seconds(),
            event_seconds: self.events.event_seconds(),
            retention: self.store.retention(),
            outbound_allow: self.events.outbound_allow(),
            printer_networks: self.printing.printer_networks(),
            stream: self.realtime.stream()?,
            carriers: self.carriers.purchasing(&self.limits),
            files: self.files.documents(&self.store, self.server.public_url(address)?)?,
            openid: self.openid.provider()?,
            mail: self.mail.mail()?,
            nats: self.events.nats(&self.store)?,
            hint_loss_percent: 0,
            signing_key: secrets.signing_key,
            encryption_key: secrets.encryption_key,
        })
    }
}

#[cfg(test)]
mod tests;
