//! Waves: jobs that turn many orders into shipments and batches.
//!
//! A wave is a list of orders in the order of their turns. One node works on a wave at a time, under a claim, and takes the next
//! orders in groups. Each step of an order is one transaction, which also records in the wave that the step was done. So an order
//! is processed once, whatever crashes: what was committed is recorded, and what is not recorded was not committed. A second
//! transaction for each group puts the shipments into batches and records what came of the orders.

mod batching;
mod change;
mod claim;
mod create;
mod end;
mod group;
mod parallel;
mod planning;
mod rating;
mod scopes;
mod shipping;
mod turn;

use std::sync::Arc;

use model::fulfilment::wave::{OrderResult, Status, WaveException};
use model::{Id, Result, Wave};
use store::Tx;
use store::fulfilment::{wave_orders, waves};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::fulfilment::order_shipments::OrderShipments;
use crate::fulfilment::shipping_rules::rule_set;
use crate::orders::plans::Plans;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::nodes::Nodes;
use crate::platform::resource::{found, json, version_etag};
use crate::platform::runner::{Counts, Totals};
use crate::platform::signal::Signal;
use crate::shipping::batches::Batches;
use crate::shipping::rates::Rates;
use change::{read_wave, write_wave};
use scopes::ensure_scopes;

/// The state that all waves of a node share.
struct State {
    /// Changes when there may be something to do.
    work: Signal,
    counts: Arc<Counts>,
}

/// Waves. Clones share their state.
#[derive(Clone)]
pub struct Waves {
    context: Context,
    nodes: Nodes,
    plans: Plans,
    order_shipments: OrderShipments,
    rates: Rates,
    batches: Batches,
    state: Arc<State>,
}

/// The components that waves need.
pub(crate) struct Needs<'a> {
    pub nodes: &'a Nodes,
    pub plans: &'a Plans,
    pub order_shipments: &'a OrderShipments,
    pub rates: &'a Rates,
    pub batches: &'a Batches,
}

impl Waves {
    pub(crate) fn new(context: &Context, needs: &Needs<'_>) -> Self {
        Self {
            context: context.clone(),
            nodes: needs.nodes.clone(),
            plans: needs.plans.clone(),
            order_shipments: needs.order_shipments.clone(),
            rates: needs.rates.clone(),
            batches: needs.batches.clone(),
            state: Arc::new(State { work: Signal::default(), counts: Arc::default() }),
        }
    }

    /// Returns the counters of this node's turns.
    pub fn turn_totals(&self) -> Totals {
        self.state.counts.totals()
    }

    /// Notifies the claiming task that there may be a wave to work on.
    fn notify(&self) {
        self.state.work.notify();
    }

    pub async fn get(&self, caller: &Caller, id: Id<Wave>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| found(waves::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery, status: Option<Status>) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| waves::page(tx, owner, status, &start, limit).await);
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    /// Returns a page of a wave's orders, in the order of their turns.
    pub async fn list_orders(
        &self,
        caller: &Caller,
        query: ListQuery,
        id: Id<Wave>,
        result: Option<OrderResult>,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            found(waves::get(tx, owner, id).await?)?;
            wave_orders::page(tx, owner, id, result, &start, limit).await
        });
        let page = read.await?.try_map(|order| json(&order))?;
        self.context.listing_in(store::Order::OldestFirst, owner, &query, page)
    }

    /// Ends a wave before all of its orders are processed. What it has made stays.
    pub async fn cancel(&self, command: Command, id: Id<Wave>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let cancel = async move |tx: &mut Tx<'_>| {
            let stored = found(waves::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let mut wave = read_wave(&stored)?;
            if !wave.cancel(log.now())? {
                return Ok(Reply::resource(version_etag(stored.version), stored.doc));
            }
            let doc =
                write_wave(tx, owner, &stored, &wave, stored.done_to, Some("wave.updated"), &log).await?;
            waves::wake(tx, owner, id, log.now()).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        let reply = self.context.write(&command, cancel).await?;
        self.notify();
        Ok(reply)
    }

    /// Processes the exceptions of a completed wave again, by the shipping rules as they are now.
    pub async fn retry(&self, command: Command, id: Id<Wave>) -> Result<Reply> {
        let owner = command.caller.owner;
        let (caller, precondition) = (command.caller, command.precondition.clone());
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let retry = async move |tx: &mut Tx<'_>| {
            waves::lock_all(tx, owner).await?;
            let stored = found(waves::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let mut wave = read_wave(&stored)?;
            ensure_scopes(&caller, &wave.details)?;
            wave.ensure_retryable()?;
            let again = wave_orders::retry(tx, owner, id).await?;
            let why = WaveException::in_other_wave();
            let refused = wave_orders::still_refused(tx, owner, id, &why).await?;
            let refused = vec![why; usize::try_from(refused).unwrap_or_default()];
            wave.retry(usize::try_from(again).unwrap_or_default(), &refused, log.now());
            let rules = json(&rule_set(tx, owner).await?)?;
            waves::resume(tx, owner, id, &rules, log.now()).await?;
            let doc = write_wave(tx, owner, &stored, &wave, 0, Some("wave.updated"), &log).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        let reply = self.context.write(&command, retry).await?;
        self.notify();
        Ok(reply)
    }
}
