//! The summary: what needs attention, for whoever may read it.

use model::exchange::summary::{COUNT_MAX, Counts, DayCount, Summary, last_days};
use model::{Owner, Result, Scope, Timestamp};
use store::Tx;
use store::access::organisations;
use store::exchange::summary;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::platform::context::Context;
use crate::platform::resource::json;

/// Counts what needs attention.
#[derive(Clone)]
pub struct Summaries {
    context: Context,
}

/// What the caller may read.
#[derive(Clone, Copy)]
struct Readable {
    orders: bool,
    shipments: bool,
    webhooks: bool,
    inventory: bool,
}

impl Summaries {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Counts in one snapshot. What the caller may not read is left out.
    pub async fn get(&self, caller: &Caller) -> Result<Reply> {
        let (owner, now) = (caller.owner, self.context.now());
        let may_read =
            |resource: &str| Scope::read(resource).is_some_and(|scope| caller.scopes.contains(scope));
        let readable = Readable {
            orders: may_read("orders"),
            shipments: may_read("shipments"),
            webhooks: may_read("webhooks"),
            inventory: may_read("inventory"),
        };
        let read = self.context.db().read(owner, async move |tx| {
            let time_zone = organisations::settings(tx, owner).await?.settings.time_zone;
            let bought_per_day = match readable.shipments {
                true => Some(bought_per_day(tx, owner, now, &time_zone).await?),
                false => None,
            };
            let counts = counts(tx, owner, now, readable).await?;
            Ok(Summary { counts, bought_per_day, time_zone, created_at: now })
        });
        Ok(Reply::done(json(&read.await?)?))
    }
}

async fn counts(tx: &mut Tx<'_>, owner: Owner, now: Timestamp, readable: Readable) -> Result<Counts> {
    let mut counts = Counts::default();
    if readable.orders {
        counts.late_orders = Some(summary::late_orders(tx, owner, now, COUNT_MAX).await?);
        counts.held_orders = Some(summary::held_orders(tx, owner, COUNT_MAX).await?);
        counts.orders_with_exceptions = Some(summary::orders_with_exceptions(tx, owner, COUNT_MAX).await?);
    }
    if readable.shipments {
        counts.purchases_to_review = Some(summary::purchases_to_review(tx, owner, COUNT_MAX).await?);
    }
    if readable.webhooks {
        let failing = summary::failing_webhook_endpoints(tx, owner, COUNT_MAX).await?;
        counts.failing_webhook_endpoints = Some(failing);
    }
    if readable.inventory {
        counts.low_items = Some(summary::low_items(tx, owner, COUNT_MAX).await?);
    }
    Ok(counts)
}

async fn bought_per_day(
    tx: &mut Tx<'_>,
    owner: Owner,
    now: Timestamp,
    time_zone: &str,
) -> Result<Vec<DayCount>> {
    let mut counts = Vec::new();
    for day in last_days(now, time_zone) {
        let count = summary::bought(tx, owner, day.begins_at, day.ends_at).await?;
        counts.push(DayCount { date: day.date, count });
    }
    Ok(counts)
}
