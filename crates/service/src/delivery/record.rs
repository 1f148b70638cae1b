//! Writing down what a lane sent, in one transaction: its place, its deliveries, and the end of its endpoint.

use std::sync::Arc;
use std::time::Instant;

use model::webhook_endpoint::DisabledReason;
use model::{Error, Event, Result, WebhookDelivery, WebhookEndpoint};
use store::webhook_lanes::{self, Held};
use store::{Tx, webhook_deliveries, webhook_endpoints};

use super::{BUSY_REST, is_busy};
use crate::events::EventLog;
use crate::reply::json;
use crate::{Service, found};

/// What was sent and is not written down yet.
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
        !self.has_moved && self.repeated.is_empty() && self.new.is_empty()
    }

    /// Whether nothing that is read next depends on it: then it may be written while more is sent.
    pub fn is_plain(&self) -> bool {
        self.disable.is_none() && !self.touches_retries()
    }

    /// Whether the set of deliveries that wait to be repeated changed.
    fn touches_retries(&self) -> bool {
        !self.repeated.is_empty() || self.new.iter().any(|delivery| delivery.next_attempt_at.is_some())
    }
}

/// What came of writing down what was sent.
pub(super) enum Recorded {
    /// The lane is held by another: nothing was written.
    Lost,
    /// Written, and the endpoint is to get nothing more.
    Disabled,
    /// Written; the endpoint is at this version.
    Version(i64),
}

impl Service {
    /// Writes down what a lane sent. A database that has too much to do is asked again for as long as the lane is ours:
    /// what is not written down is sent again.
    pub(super) async fn record_lane(
        self,
        node: Arc<str>,
        held: Held,
        unrecorded: Unrecorded,
    ) -> Result<Recorded> {
        let event_log = self.event_log(held.owner, self.now());
        let is_disabled = unrecorded.disable.is_some();
        let unrecorded = Arc::new(unrecorded);
        let _turn = self.0.delivery.turns.acquire().await;
        let version = loop {
            let (held, unrecorded, event_log) = (held.clone(), Arc::clone(&unrecorded), event_log.clone());
            let write =
                self.db().write(held.owner, async move |tx| record(tx, &held, &unrecorded, &event_log).await);
            match write.await {
                Err(error) if is_busy(&error) && self.is_node(&node) => tokio::time::sleep(BUSY_REST).await,
                written => break written?,
            }
        };
        if is_disabled {
            self.notice(held.owner);
        }
        Ok(match version {
            None => Recorded::Lost,
            Some(_) if is_disabled => Recorded::Disabled,
            Some(version) => Recorded::Version(version),
        })
    }

    /// Gives a lane back, with the same patience.
    pub(super) async fn release_lane(&self, held: &Held) -> Result<()> {
        loop {
            let held = held.clone();
            let release =
                self.db().write(held.owner, async move |tx| webhook_lanes::release(tx, &held).await);
            match release.await {
                Err(error) if is_busy(&error) && self.node().is_some() => {
                    tokio::time::sleep(BUSY_REST).await;
                }
                released => return released,
            }
        }
    }
}

/// Writes down what a lane sent; gives the endpoint's version, or `None` where the lane is held by another.
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

/// Ends deliveries to an endpoint, and says so in the log.
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
