//! Starting a wave: its orders and the shipping rules are recorded as they are at that moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::fulfilment::wave::{ORDERS_MAX, WaveException, WaveFilter, WaveInput};
use model::orders::order::Status;
use model::platform::problem::Issue;
use model::{Code, Error, Event, Id, Location, Order, Owner, Problem, Result, Wave, ensure};
use store::Tx;
use store::fulfilment::{wave_orders, waves};
use store::orders::order_filters::{self, Filter};
use store::orders::order_turns::{self, OrderTurn};
use store::places::locations;

use super::Waves;
use super::scopes::ensure_scopes;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::fulfilment::shipping_rules::rule_set;
use crate::platform::resource::{json, version_etag};

/// Orders that one statement looks up or inserts.
const CHUNK: usize = 5000;
/// Unknown orders that a refusal names.
const NAMED_MAX: usize = 10;

impl Waves {
    /// Starts a wave. Its orders are processed in the background.
    pub async fn create(&self, command: Command, mut input: WaveInput) -> Result<Reply> {
        ensure_scopes(&command.caller, &input)?;
        let owner = command.caller.owner;
        let named = input.order_ids.take();
        let orders = match self.turns(owner, named, &input).await {
            Ok(orders) => orders,
            Err(Error::Refused(problem)) => return self.refuse(&command, *problem).await,
            Err(fault) => return Err(fault),
        };
        let now = self.context.now();
        let (id, log) =
            (self.context.new_id::<Wave>(now), self.context.event_log(&command.caller, owner, now));
        let orders = Arc::new(orders);
        let create = async move |tx: &mut Tx<'_>| {
            waves::lock_all(tx, owner).await?;
            let refused = insert_orders(tx, owner, id, &orders).await?;
            let wave = Wave::queued(id, input.clone(), orders.len(), &refused, now);
            let (rules, doc) = (json(&rule_set(tx, owner).await?)?, json(&wave)?);
            waves::insert(tx, owner, &wave, &rules, &doc).await?;
            log.append(tx, &Event::new("wave.created", id, &doc)).await?;
            Ok(Reply::created(format!("/waves/{id}"), Some(version_etag(1)), doc))
        };
        let reply = self.context.write(&command, create).await?;
        self.notify();
        Ok(reply)
    }

    /// Returns the orders of a wave, in the order of their turns. Refuses what does not exist, and a wave without orders.
    async fn turns(
        &self,
        owner: Owner,
        named: Option<Vec<Id<Order>>>,
        input: &WaveInput,
    ) -> Result<Vec<Id<Order>>> {
        let (locations, filter) = (named_locations(input), input.filter.clone());
        let filter = filter.map(taken_by).unwrap_or_default();
        let read = self.context.db().read(owner, async move |tx| {
            ensure_locations(tx, owner, &locations).await?;
            match &named {
                Some(ids) => named_turns(tx, owner, ids).await,
                None => order_filters::turns(tx, owner, &filter, ORDERS_MAX + 1).await,
            }
        });
        let mut turns = read.await?;
        ensure(!turns.is_empty(), Code::WaveEmpty)?;
        ensure(turns.len() <= ORDERS_MAX, Code::WaveTooLarge)?;
        turns.sort_unstable_by_key(OrderTurn::key);
        Ok(turns.into_iter().map(|turn| turn.order).collect())
    }

    /// Answers a refusal; but if the request had an answer before, with that one.
    async fn refuse(&self, command: &Command, problem: Problem) -> Result<Reply> {
        if command.idempotency.is_none() {
            return Err(problem.into());
        }
        self.context.write(command, async move |_: &mut Tx<'_>| Err(problem.clone().into())).await
    }
}

/// Returns the filter of orders that a wave takes: those that are committed, and so not shipped entirely, and not held.
fn taken_by(filter: WaveFilter) -> Filter {
    Filter {
        status: Some(Status::Committed),
        is_held: Some(false),
        reference: None,
        fulfilment_status: filter.fulfilment_status,
        customer: filter.customer,
        email_address: filter.email_address,
        channel: filter.channel,
        tags: filter.tags,
        placed_after: filter.placed_after,
        placed_before: filter.placed_before,
        ship_by_before: filter.ship_by_before,
        location: filter.location_id,
        sku: filter.sku,
        has_exception: filter.has_exception,
    }
}

/// Returns the turns of orders that a request names, each once.
///
/// # Errors
///
/// Refuses orders that do not exist, naming the first of them.
async fn named_turns(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Order>]) -> Result<Vec<OrderTurn>> {
    let mut places: BTreeMap<Id<Order>, usize> = BTreeMap::new();
    for (place, id) in ids.iter().enumerate() {
        places.entry(*id).or_insert(place);
    }
    let unique: Vec<_> = places.keys().copied().collect();
    let mut turns = Vec::with_capacity(unique.len());
    for chunk in unique.chunks(CHUNK) {
        turns.extend(order_turns::of_ids(tx, owner, chunk).await?);
    }
    for turn in &turns {
        places.remove(&turn.order);
    }
    if places.is_empty() {
        return Ok(turns);
    }
    let mut missing: Vec<_> = places.into_values().collect();
    missing.sort_unstable();
    let issue = |place: &usize| {
        let field = format!("/order_ids/{place}");
        Issue::new(Code::OrderNotFound.as_str(), field, "There is no such order.")
    };
    let issues: Vec<_> = missing.iter().take(NAMED_MAX).map(issue).collect();
    Err(Problem::fields(Code::OrderNotFound, issues).into())
}

/// Returns the locations that a request names, each with its JSON pointer.
fn named_locations(input: &WaveInput) -> Vec<(Id<Location>, String)> {
    let listed = input.location_ids.iter().enumerate();
    let listed = listed.map(|(place, id)| (*id, format!("/location_ids/{place}")));
    let filtered = input.filter.iter().filter_map(|filter| filter.location_id);
    listed.chain(filtered.map(|id| (id, "/filter/location_id".to_owned()))).collect()
}

async fn ensure_locations(tx: &mut Tx<'_>, owner: Owner, named: &[(Id<Location>, String)]) -> Result<()> {
    let mut issues = Vec::new();
    for (location, field) in named {
        if locations::get(tx, owner, *location).await?.is_none() {
            let message = "There is no such location.";
            issues.push(Issue::new(Code::LocationNotFound.as_str(), field.clone(), message));
        }
    }
    if issues.is_empty() { Ok(()) } else { Err(Problem::fields(Code::LocationNotFound, issues).into()) }
}

/// Inserts the orders of a wave. Returns an exception for each that waits in another wave.
async fn insert_orders(
    tx: &mut Tx<'_>,
    owner: Owner,
    wave: Id<Wave>,
    orders: &[Id<Order>],
) -> Result<Vec<WaveException>> {
    let mut rest: BTreeMap<i64, Id<Order>> = (1..).zip(orders.iter().copied()).collect();
    let all: Vec<_> = rest.iter().map(|(position, order)| (*position, *order)).collect();
    for chunk in all.chunks(CHUNK) {
        for position in wave_orders::insert(tx, owner, wave, chunk).await? {
            rest.remove(&position);
        }
    }
    let why = WaveException::in_other_wave();
    for (position, order) in &rest {
        wave_orders::insert_exception(tx, owner, wave, (*position, *order), &why).await?;
    }
    Ok(vec![why; rest.len()])
}
