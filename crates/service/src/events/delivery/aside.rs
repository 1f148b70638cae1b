//! Lanes that are resumed alone, and deliveries that are set aside because servers stopped while they sent them.

use model::events::webhook_delivery::{Attempt, Status};
use model::{Error, Result, Timestamp, WebhookDelivery, WebhookEndpoint};
use store::Tx;
use store::events::webhook_lanes::{self, Held};
use store::events::{events, webhook_deliveries, webhook_endpoints};

use super::pages::PAGE_EVENTS;
use super::{Delivery, Linger};
use crate::platform::set_aside::SET_ASIDE_ALONE;

impl Delivery {
    /// Goes on with a lane that is a suspect, for a few deliveries. The lane is then released, and claimed like any other.
    pub(crate) async fn resume_lane(self, held: Held) {
        // The lane has logged an error already, and is released.
        let _logged = self.clone().run_lane(held, Linger::Alone).await;
        self.news.notify();
    }

    /// Ends the first due delivery of a lane as failed. The lane goes on with the next one.
    pub(crate) async fn set_delivery_aside(&self, held: Held) -> Result<()> {
        let now = self.context.now();
        let (id, attempted_at) = (self.context.new_id(now), self.context.machine_time());
        let skip = self.context.db().write(held.owner, async move |tx| {
            let mut held = held.clone();
            let Some(first) = First::read(tx, &mut held, now).await? else { return Ok(()) };
            if !webhook_lanes::record(tx, &held).await? {
                return Ok(());
            }
            let fail = |delivery| failed(delivery, attempted_at, now);
            match first {
                First::Due(delivery) => webhook_deliveries::update(tx, held.owner, &fail(*delivery)).await?,
                First::New(delivery) => {
                    let delivery = fail(WebhookDelivery { id, ..*delivery });
                    webhook_deliveries::insert(tx, held.owner, &delivery, None).await?;
                }
                First::Unwanted => {}
            }
            webhook_lanes::set_retry(tx, held.owner, held.endpoint).await?;
            webhook_lanes::release(tx, &held).await
        });
        skip.await?;
        self.news.notify();
        Ok(())
    }
}

/// What a lane sends next.
enum First {
    Due(Box<WebhookDelivery>),
    /// An event that was not sent before, as a delivery whose id is not set yet.
    New(Box<WebhookDelivery>),
    /// The endpoint wants none of the next events.
    Unwanted,
}

impl First {
    /// Reads what a lane sends next, in the lane's own order, and moves the cursor past it. Returns `None` if the endpoint was
    /// deleted.
    async fn read(tx: &mut Tx<'_>, held: &mut Held, now: Timestamp) -> Result<Option<Self>> {
        let (owner, id) = (held.owner, held.endpoint);
        let Some(stored) = webhook_endpoints::get(tx, owner, id).await? else { return Ok(None) };
        if let Some(due) = webhook_deliveries::due(tx, owner, id, now, 1).await?.pop() {
            return Ok(Some(Self::Due(Box::new(due.delivery))));
        }
        let endpoint: WebhookEndpoint = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
        for event in events::after(tx, owner, held.cursor, PAGE_EVENTS as usize).await? {
            held.cursor = event.sequence;
            if endpoint.wants(&event.r#type) {
                let delivery = WebhookDelivery {
                    id: model::Id::from_bits(0),
                    webhook_endpoint_id: id,
                    event_id: event.id,
                    event_type: event.r#type,
                    sequence: Some(event.sequence),
                    status: Status::Pending,
                    attempt: 0,
                    next_attempt_at: None,
                    attempts: Vec::new(),
                    created_at: now,
                    updated_at: now,
                };
                return Ok(Some(Self::New(Box::new(delivery))));
            }
        }
        Ok(Some(Self::Unwanted))
    }
}

/// Returns a delivery that is given up. Its last attempt says why.
fn failed(delivery: WebhookDelivery, attempted_at: Timestamp, now: Timestamp) -> WebhookDelivery {
    let error = Some(format!("{SET_ASIDE_ALONE} Replay the delivery to send it once more."));
    let attempt = Attempt { attempted_at, status_code: None, latency_ms: 0, error, response_body: None };
    let mut attempts = delivery.attempts;
    attempts.push(attempt);
    WebhookDelivery {
        status: Status::Failed,
        attempt: delivery.attempt + 1,
        next_attempt_at: None,
        attempts,
        updated_at: now,
        ..delivery
    }
}
