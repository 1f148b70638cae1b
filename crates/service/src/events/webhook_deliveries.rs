//! Webhook deliveries: what was sent, what came of it, and sending it again.

use model::events::webhook_delivery::{Status, WebhookDelivery};
use model::{Code, Id, Owner, Result, Timestamp, WebhookEndpoint, ensure};
use store::events::{events, webhook_deliveries, webhook_endpoints, webhook_lanes};
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::provisioned::ensure_provisioned;
use crate::events::stored_endpoints::read_enabled;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json};
use crate::platform::signal::Signal;

/// Operations on the deliveries of webhook endpoints.
#[derive(Clone)]
pub struct WebhookDeliveries {
    context: Context,
    /// Notified when there is something to deliver.
    deliveries: Signal,
}

impl WebhookDeliveries {
    pub(crate) fn new(context: &Context, deliveries: &Signal) -> Self {
        Self { context: context.clone(), deliveries: deliveries.clone() }
    }

    pub async fn get(
        &self,
        caller: &Caller,
        endpoint: Id<WebhookEndpoint>,
        id: Id<WebhookDelivery>,
    ) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            ensure_provisioned(tx, owner).await?;
            found(webhook_endpoints::version(tx, owner, endpoint).await?)?;
            found(webhook_deliveries::get(tx, owner, endpoint, id).await?)
        });
        let delivery = read.await?;
        Ok(Reply::resource(etag(&delivery), json(&delivery)?))
    }

    /// A page of an endpoint's deliveries, of one status or of all.
    pub async fn list(
        &self,
        caller: &Caller,
        endpoint: Id<WebhookEndpoint>,
        query: ListQuery,
        status: Option<Status>,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            ensure_provisioned(tx, owner).await?;
            found(webhook_endpoints::version(tx, owner, endpoint).await?)?;
            webhook_deliveries::page(tx, owner, endpoint, status, &start, limit).await
        });
        let page = read.await?;
        let items = page.items.iter().map(json).collect::<Result<_>>()?;
        let page = Page { items, older_than: page.older_than, newer_than: page.newer_than };
        self.context.listing(owner, &query, page)
    }

    /// Sends what a delivery sent once more, as a delivery of its own.
    pub async fn replay(
        &self,
        command: Command,
        endpoint: Id<WebhookEndpoint>,
        id: Id<WebhookDelivery>,
    ) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let new = self.context.new_id(now);
        let replay = async move |tx: &mut Tx<'_>| {
            ensure_provisioned(tx, owner).await?;
            read_enabled(tx, owner, endpoint).await?;
            let old = found(webhook_deliveries::get(tx, owner, endpoint, id).await?)?;
            ensure(events::get(tx, owner, old.event_id).await?.is_some(), Code::EventExpired)?;
            let delivery = WebhookDelivery { id: new, ..pending(old, now) };
            insert_due(tx, owner, &delivery, None).await
        };
        let reply = self.context.write(&command, replay).await?;
        self.deliveries.notify();
        Ok(reply)
    }
}

/// A delivery that starts again.
fn pending(delivery: WebhookDelivery, now: Timestamp) -> WebhookDelivery {
    WebhookDelivery {
        status: Status::Pending,
        attempt: 0,
        next_attempt_at: Some(now),
        attempts: Vec::new(),
        created_at: now,
        updated_at: now,
        ..delivery
    }
}

/// Inserts a delivery that is due now, and answers with it.
pub(crate) async fn insert_due(
    tx: &mut Tx<'_>,
    owner: Owner,
    delivery: &WebhookDelivery,
    payload: Option<&str>,
) -> Result<Reply> {
    let endpoint = delivery.webhook_endpoint_id;
    webhook_deliveries::insert(tx, owner, delivery, payload).await?;
    webhook_lanes::set_retry(tx, owner, endpoint).await?;
    let path = format!("/webhook_endpoints/{endpoint}/deliveries/{}", delivery.id);
    Ok(Reply::created(path, Some(etag(delivery)), json(delivery)?))
}

/// Deliveries change with each attempt.
fn etag(delivery: &WebhookDelivery) -> String {
    format!("\"{}-{}\"", delivery.attempt, delivery.status.as_str())
}
