//! Settings of events and webhooks: how long events are kept, where webhooks may go, and what carries hints between servers.

use std::path::PathBuf;

use clap::Args;
use service::events::bus::nats::NatsUrl;
use service::platform::outbound::Network;

use super::Store;
use super::group::{group, require_positive};
use crate::failure::Failure;

const EVENT_DAYS: u32 = 30;

#[derive(Args, Default, Clone)]
#[command(next_help_heading = "Events and webhooks")]
pub struct Events {
    /// Days that an event stays in the log [default: 30].
    #[arg(long, env = "DOCKSIDE_EVENT_DAYS", value_name = "DAYS")]
    pub event_days: Option<u32>,

    /// Networks beside the public ones that webhooks may be sent to, such as `10.1.0.0/16`; separated by commas
    /// [default: none].
    #[arg(long, env = "DOCKSIDE_OUTBOUND_ALLOW", value_name = "NETWORKS", value_delimiter = ',')]
    pub outbound_allow: Option<Vec<Network>>,

    /// The NATS server (nats://user:password@host:4222, or nats://token@host; encrypted with tls://) that carries hints between the servers of
    /// one PostgreSQL [default: none, PostgreSQL carries them].
    #[arg(long, env = "DOCKSIDE_NATS_URL", value_name = "URL", hide_env_values = true)]
    pub nats_url: Option<String>,

    /// The authorities that may have signed the certificate of that server: a file with certificates in PEM [default: those
    /// that this machine trusts].
    #[arg(long, env = "DOCKSIDE_NATS_SSLROOTCERT", value_name = "FILE")]
    pub nats_sslrootcert: Option<PathBuf>,
}

group!(Events { event_days, outbound_allow, nats_url, nats_sslrootcert });

impl Events {
    pub(super) fn check(&self, store: &Store) -> Result<(), Failure> {
        require_positive!(self { event_days })?;
        self.nats_url(store).map(drop)
    }

    pub(super) fn event_seconds(&self) -> i64 {
        i64::from(self.event_days.unwrap_or(EVENT_DAYS)) * 24 * 3600
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
