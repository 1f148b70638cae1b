//! What an operator sets.

use crate::access::mails;
use crate::cleaning::Retention;
use crate::platform::context::ContextSettings;
use crate::{events, shipping};

/// Limits and keys that an operator sets.
#[derive(Clone)]
pub struct Settings {
    /// Page size where the caller names none, and the largest there is.
    pub page_limit_default: usize,
    pub page_limit_max: usize,
    /// Most shipments that a batch may have.
    pub batch_shipments_max: usize,
    /// How long an answer is kept for a repeated request, in seconds.
    pub idempotency_seconds: i64,
    /// How long an event is kept, in seconds.
    pub event_seconds: i64,
    /// How long histories and leftovers are kept.
    pub retention: Retention,
    /// Networks beside the public ones that may be called.
    pub outbound_allow: Vec<outbound::Network>,
    /// Networks in which the server may connect to printers.
    pub printer_networks: Vec<outbound::Network>,
    pub stream: events::stream::Settings,
    pub carriers: shipping::purchasing::Settings,
    pub files: shipping::documents::Settings,
    /// The identity provider at which people sign in, if there is one.
    pub openid: Option<events::openid::Settings>,
    /// The mail server, if there is one.
    pub mail: Option<mails::Settings>,
    /// The NATS server that carries hints between the nodes of one database, instead of the database itself.
    pub nats: Option<bus::nats::NatsSettings>,
    /// The share of other nodes' hints that is lost, in percent. Only tests set it.
    pub hint_loss_percent: u8,
    /// Signs cursors and file links. Nodes that share a database share it.
    pub signing_key: [u8; 32],
    /// Encrypts credentials at rest. Nodes that share a database share it.
    pub encryption_key: [u8; 32],
}

impl Settings {
    /// Returns the settings that every component may need.
    pub(crate) fn context(&self) -> ContextSettings {
        ContextSettings {
            page_limit_default: self.page_limit_default,
            page_limit_max: self.page_limit_max,
            idempotency_seconds: self.idempotency_seconds,
            call_seconds: self.carriers.call_seconds,
            signing_key: self.signing_key,
            encryption_key: self.encryption_key,
        }
    }
}
