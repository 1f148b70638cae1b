//! Settings of events and webhooks: how long events are kept, where webhooks may go, and what carries hints between servers.

use std::path::PathBuf;

use bus::nats::NatsSettings;
use outbound::Network;

use super::Store;
use super::declaration::{Subject, settings};
use super::value::values;
use crate::failure::Failure;

settings! {
    /// Settings of events and webhooks.
    pub struct Events("Events and webhooks") {
        /// Days that an event stays in the log.
        event_days("DAYS"): u32 = 30, range(1..);

        /// Networks beside the public ones that webhooks may be sent to, such as `10.1.0.0/16,fd12:3456::/32`; separated by
        /// commas.
        outbound_allow("NETWORKS"): Vec<Network> = Vec::new(), shown("none");

        /// The NATS server (nats://user:password@host:4222, or nats://token@host; encrypted with tls://) that carries hints
        /// between the servers of one PostgreSQL; several of one cluster are separated by commas.
        nats_url("URL"): String, secret, shown("none, PostgreSQL carries them"), check(|url| check_nats_url(url));

        /// The credentials for that server: a file with a user's JWT and seed (.creds), or with a seed alone.
        nats_credentials_file("FILE"): PathBuf, shown("those in `nats_url`");

        /// The authorities that may have signed the certificate of that server: a file with certificates in PEM.
        nats_sslrootcert("FILE"): PathBuf, shown("those that this machine trusts");

        /// The certificate by which Dockside shows itself to that server, if the server asks for one: a file in PEM.
        nats_sslcert("FILE"): PathBuf, shown("none");

        /// The key of that certificate: a file in PEM.
        nats_sslkey("FILE"): PathBuf, shown("none");
    }
}

values! { Network: ToString::to_string; }

fn check_nats_url(url: &str) -> Result<(), String> {
    url.parse::<NatsSettings>().map(drop).map_err(|why| why.to_string())
}

impl Events {
    pub(super) fn check(&self, store: &Store) -> Result<(), Failure> {
        self.check_values()?;
        self.nats(store).map(drop)
    }

    pub(super) fn event_seconds(&self) -> i64 {
        i64::from(self.event_days()) * 24 * 3600
    }

    pub(super) fn nats(&self, store: &Store) -> Result<Option<NatsSettings>, Failure> {
        let client_files = match (self.nats_sslcert.clone(), self.nats_sslkey.clone()) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => {
                return Err(Failure(
                    "the settings nats_sslcert and nats_sslkey belong together: set both".to_owned(),
                ));
            }
        };
        let Some(url) = &self.nats_url else { return Ok(None) };
        let settings: NatsSettings =
            url.parse().map_err(|why| Failure(format!("the setting nats_url {why}")))?;
        if !store.is_postgres() {
            let why = "is for several servers on one PostgreSQL: set database_url too, or leave nats_url out";
            return Err(Failure(format!("the setting nats_url {why}")));
        }
        Ok(Some(NatsSettings {
            credentials_file: self.nats_credentials_file.clone(),
            root_file: self.nats_sslrootcert.clone(),
            client_files,
            ..settings
        }))
    }
}
