//! Settings of events and webhooks: how long events are kept, where webhooks may go, and what carries hints between servers.

use std::path::PathBuf;

use outbound::Network;
use service::events::bus::nats::NatsUrl;

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
        /// between the servers of one PostgreSQL.
        nats_url("URL"): String, secret, shown("none, PostgreSQL carries them"), check(|url| check_nats_url(url));

        /// The authorities that may have signed the certificate of that server: a file with certificates in PEM.
        nats_sslrootcert("FILE"): PathBuf, shown("those that this machine trusts");
    }
}

values! { Network: ToString::to_string; }

fn check_nats_url(url: &str) -> Result<(), String> {
    url.parse::<NatsUrl>().map(drop).map_err(str::to_owned)
}

impl Events {
    pub(super) fn check(&self, store: &Store) -> Result<(), Failure> {
        self.check_values()?;
        self.nats_url(store).map(drop)
    }

    pub(super) fn event_seconds(&self) -> i64 {
        i64::from(self.event_days()) * 24 * 3600
    }

    pub(super) fn nats_url(&self, store: &Store) -> Result<Option<NatsUrl>, Failure> {
        let Some(url) = &self.nats_url else { return Ok(None) };
        let url: NatsUrl = url.parse().map_err(|why| Failure(format!("the setting nats_url {why}")))?;
        let url = url.with_root(self.nats_sslrootcert.clone());
        if !store.is_postgres() {
            let why = "is for several servers on one PostgreSQL: set database_url too, or leave nats_url out";
            return Err(Failure(format!("the setting nats_url {why}")));
        }
        Ok(Some(url))
    }
}
