//! Recording what a lane sent, in one transaction: the lane's cursor, its deliveries, and whether its endpoint is disabled.

use std::sync::Arc;
use std::time::Instant;

use model::events::actor::Actor;
use model::events::webhook_endpoint::DisabledReason;
use model::{Error, Event, Result, WebhookDelivery, WebhookEndpoint};
use store::Tx;
use store::events::webhook_lanes::{self, Held};
use store::events::{webhook_deliveries, webhook_endpoints};

use super::{BUSY_REST, Delivery};
use crate::events::events::EventLog;
use crate::platform::nodes::is_busy;
use crate::platform::resource::{found, json};

/// What was sent and is not recorded yet.
pub(super) struct Unrecorded {
    pub new: Vec<WebhookDelivery>,
    pub repeated: Vec<WebhookDelivery>,
    pub has_moved: bool,
    pub disable: Option<DisabledReason>,
    pub since: Instant,
}

impl Unrecorded {
    pub fn new() -> Self {
        Self { new: Vec::new(), repeated: Vec::new(), has_moved: false, disable: None, since: Instant::now() }
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        !self.has_moved && !self.has_deliveries()
    }

    pub fn has_deliveries(&self) -> bool {
        !self.repeated.is_empty() || !self.new.is_empty()
    }

    /// Whether no later read depends on it: then it may be recorded while more is sent.
    pub fn is_plain(&self) -> bool {
        self.disable.is_none() && !self.touches_retries()
    }

    /// Whether the set of deliveries that wait for a retry changed.
    fn touches_retries(&self) -> bool {
        !self.repeated.is_empty() || self.new.iter().any(|delivery| delivery.next_attempt_at.is_some())
    }
}

/// The result of a record.
pub(super) enum Recorded {
    /// Another node holds the lane: nothing was written.
    Lost,
    /// Written, and the endpoint was disabled.
    Disabled,
    /// Written; the endpoint is at this version.
    Version(i64),
}

impl Delivery {
    /// Records what a lane sent. If the database is overloaded, repeats that for as long as this node holds the lane, because
    /// events that are not recorded are sent again.
    pub(super) async fn record_lane(
        self,
        node: Arc<str>,
        held: Held,
        unrecorded: Unrecorded,
    ) -> Result<Recorded> {
        let event_log = self.context.event_log(Actor::Job("webhooks"), held.owner, self.context.now());
        let is_disabled = unrecorded.disable.is_some();
        let unrecorded = Arc::new(unrecorded);
        let _turn = self.state.turns.acquire().await;
        let version = loop {
            let (held, unrecorded, event_log) = (held.clone(), Arc::clone(&unrecorded), event_log.clone());
            let write = self
                .context
                .db()
                .write(held.owner, async move |tx| record(tx, &held, &unrecorded, &event_log).await);
            match write.await {
                Err(error) if is_busy(&error) && self.nodes.is_node(&node) => {
                    tokio::time::sleep(BUSY_REST).await
                }
                written => break written?,
            }
        };
        if is_disabled {
            self.context.notice(held.owner);
        }
        Ok(match version {
            None => Recorded::Lost,
            Some(_) if is_disabled => Recorded::Disabled,
            Some(version) => Recorded::Version(version),
        })
    }

    /// Releases a lane. If the database is overloaded, repeats that for as long as this node lives.
    pub(super) async fn release_lane(&self, held: &Held) -> Result<()> {
        loop {
            let held = held.clone();
            let release =
                self.context.db().write(held.owner, async move |tx| webhook_lanes::release(tx, &held).await);
            match release.await {
                Err(error) if is_busy(&error) && self.nodes.node().is_some() => {
                    tokio::time::sleep(BUSY_REST).await;
                }
                released => return released,
            }
        }
    }
}

/// Records what a lane sent. Returns the endpoint's version, or `None` if another node holds the lane.
async fn record(
    tx: &mut Tx<'_>,
    held: &Held,
    unrecorded: &Unrecorded,
    event_log: &EventLog,
) -> Result<Option<i64>> {
    let (owner, endpoint) = (held.owner, held.endpoint);
    if !webhook_lanes::record(tx, held).await? {
        return Ok(None);
    }
    webhook_deliveries::insert_sent(tx, owner, &unrecorded.new).await?;
    for delivery in &unrecorded.repeated {
        webhook_deliveries::update(tx, owner, delivery).await?;
    }
    if let Some(reason) = unrecorded.disable {
        disable(tx, held, reason, event_log).await?;
    }
    if unrecorded.touches_retries() || unrecorded.disable.is_some() {
        webhook_lanes::set_retry(tx, owner, endpoint).await?;
    }
    webhook_endpoints::version(tx, owner, endpoint).await
}

/// Disables an endpoint, and writes the event of that.
async fn disable(tx: &mut Tx<'_>, held: &Held, reason: DisabledReason, event_log: &EventLog) -> Result<()> {
    let (owner, id, now) = (held.owner, held.endpoint, event_log.now());
    let stored = found(webhook_endpoints::get_for_update(tx, owner, id).await?)?;
    let endpoint: WebhookEndpoint = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
    if endpoint.disabled {
        return Ok(());
    }
    let endpoint =
        WebhookEndpoint { disabled: true, disabled_reason: Some(reason), updated_at: now, ..endpoint };
    let doc = json(&endpoint)?;
    webhook_endpoints::update(tx, owner, id, &doc, &stored.secrets).await?;
    webhook_lanes::close(tx, owner, id).await?;
    webhook_deliveries::give_up(tx, owner, id, now).await?;
    event_log.append(tx, &Event::new("webhook_endpoint.disabled", id, &doc)).await
}
