//! Settings: a group for each subject, filled from flags, then the environment, then `dockside.toml`, then the defaults.
//!
//! Each subject has a file with its flags, its keys in the settings file, its defaults and its checks. To add a setting, add
//! the field and its name in `group!` there, and describe it in `docs/guide/settings.md`.

mod carriers;
mod command;
mod database;
mod events;
mod file;
mod files;
mod group;
mod limits;
mod listen;
mod realtime;
mod server;
mod store;
mod subjects;
mod url;

use std::net::SocketAddr;
use std::path::Path;

use crate::failure::Failure;
use crate::secrets::Secrets;

pub use command::StoreSettings;
use group::Group;
use limits::Limits;
pub use listen::ListenAddress;
pub use store::Store;
pub use subjects::Settings;

/// The settings file, unless the operator names another.
const FILE: &str = "dockside.toml";

impl Settings {
    /// Fills what neither flag nor variable set from the file, and checks the whole.
    pub fn resolve(self) -> Result<Self, Failure> {
        let file = match &self.store.config {
            Some(path) => file::read(path)?,
            None if Path::new(FILE).exists() => file::read(Path::new(FILE))?,
            None => Self::default(),
        };
        let merged = self.or(file);
        merged.check()?;
        Ok(merged)
    }

    fn or(self, file: Self) -> Self {
        Self {
            store: self.store.or(file.store),
            server: self.server.or(file.server),
            limits: self.limits.or(file.limits),
            events: self.events.or(file.events),
            realtime: self.realtime.or(file.realtime),
            carriers: self.carriers.or(file.carriers),
            files: self.files.or(file.files),
        }
    }

    fn check(&self) -> Result<(), Failure> {
        self.store.check()?;
        self.server.check()?;
        self.limits.check()?;
        self.events.check(&self.store)?;
        self.realtime.check()?;
        self.carriers.check(&self.limits)?;
        self.files.check(&self.store)
    }

    /// Returns the limits of HTTP.
    pub fn http_limits(&self) -> api::Limits {
        let limits = self.limits.http();
        api::Limits {
            stream_connections_max: self
                .realtime
                .realtime_connections_max
                .unwrap_or(limits.stream_connections_max),
            cors_origins: self.server.cors_origins.clone().unwrap_or_default(),
            ..limits
        }
    }

    /// `address` is where this server listens.
    pub fn service(&self, secrets: &Secrets, address: SocketAddr) -> Result<service::Settings, Failure> {
        Ok(service::Settings {
            page_limit_default: self.limits.page_limit_default(),
            page_limit_max: self.limits.page_limit_max(),
            batch_shipments_max: self.limits.batch_shipments_max.unwrap_or(model::shipping::batch::NAMED_MAX),
            idempotency_seconds: self.limits.idempotency_seconds(),
            event_seconds: self.events.event_seconds(),
            retention: self.store.retention(),
            outbound_allow: self.events.outbound_allow.clone().unwrap_or_default(),
            stream: self.realtime.stream()?,
            carriers: self.carriers.purchasing(&self.limits),
            files: self.files.documents(&self.store, self.server.public_url(address)?)?,
            nats_url: self.events.nats_url(&self.store)?,
            hint_loss_percent: 0,
            signing_key: secrets.signing_key,
            encryption_key: secrets.encryption_key,
        })
    }
}

#[cfg(test)]
mod tests;
