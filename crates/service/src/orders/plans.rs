//! Plans: where to send the rest of an order from. The search itself is pure and lives in `model::orders::plan`.

use std::collections::{BTreeMap, BTreeSet};

use model::orders::order::{ReservedItem, Status};
use model::orders::plan::{Candidate, Plan, propose};
use model::places::geo::{Place, Point, lookup_keys, to_degrees};
use model::{
    Allocation, Code, CountryCode, Error, Id, InventoryItem, Location, Order, Owner, Problem, Result, ensure,
};
use serde_json::{Value, json as object};
use store::orders::orders;
use store::places::locations;
use store::places::postal_places::{self, Area};
use store::stock::inventory_levels::{self, At};
use store::{Access, Tx};

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::orders::allocations::{Wish, allocate, views};
use crate::orders::order_document::LockedOrder;
use crate::platform::context::Context;
use crate::platform::resource::found;

/// Locations that a plan looks at.
pub const LOCATIONS_MAX: usize = 10_000;

/// What is known when a plan is made.
struct Situation {
    status: Status,
    is_held: bool,
    destination: Option<Value>,
    lines: Vec<ReservedItem>,
    stock: BTreeMap<Id<Location>, BTreeMap<Id<InventoryItem>, i64>>,
    /// The locations' documents.
    locations: Vec<(Id<Location>, Value)>,
}

/// The areas of post codes.
pub type Areas = BTreeMap<(CountryCode, String), Area>;
/// Items, and how many of each are wanted.
pub type Demand = Vec<(Id<InventoryItem>, i64)>;
/// The locations from which an order's items could come.
pub type OrderPlan = Plan<Id<Location>, Id<InventoryItem>>;

/// Plans from which locations an order is sent.
#[derive(Clone)]
pub struct Plans {
    context: Context,
}

impl Plans {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Reads on one consistent state of the database.
    pub(super) async fn read<T, F>(&self, owner: Owner, read: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    {
        self.context.db().read(owner, read).await
    }

    /// Proposes allocations for what of the order is not allocated yet; makes the best ones where asked to.
    pub async fn create(&self, command: Command, order: Id<Order>, apply: bool) -> Result<Reply> {
        match self.plan(command.caller.owner, order).await {
            Ok((plan, demand)) if apply => self.apply_plan(command, order, plan, demand).await,
            Ok((plan, _)) => self.answer(&command, Ok(Reply::done(shown(&plan, &[])?))).await,
            Err(Error::Refused(problem)) => self.answer(&command, Err(*problem)).await,
            Err(fault) => Err(fault),
        }
    }

    /// Gives an answer that changes nothing; but where the request had an answer before, that one.
    async fn answer(&self, command: &Command, answer: Result<Reply, Problem>) -> Result<Reply> {
        if command.idempotency.is_none() {
            return answer.map_err(Error::from);
        }
        self.context.write(command, async move |_: &mut Tx<'_>| answer.clone().map_err(Error::from)).await
    }

    /// The plan for an order, and the demand that it is for.
    async fn plan(&self, owner: Owner, order: Id<Order>) -> Result<(OrderPlan, Demand)> {
        let situation = self.situation(owner, order).await?;
        match situation.status {
            Status::Draft => return Err(Code::OrderNotCommitted.into()),
            Status::Cancelled => return Err(Code::OrderCancelled.into()),
            Status::Committed | Status::Fulfilled => {}
        }
        ensure(!situation.is_held, Code::OrderOnHold)?;
        let demand = open_demand(&situation.lines);
        let stocked = situation.locations.iter().filter(|(id, _)| situation.stock.contains_key(id));
        let addresses = stocked.map(|(_, doc)| &doc["address"]).chain(&situation.destination);
        let areas = self.areas(addresses).await?;
        // The search may take a while, which the threads that answer requests don't have.
        let plan =
            tokio::task::spawn_blocking(move || search(&situation, &areas)).await.map_err(Error::fault)?;
        Ok((plan, demand))
    }

    async fn situation(&self, owner: Owner, order: Id<Order>) -> Result<Situation> {
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(orders::get(tx, owner, order).await?)?;
            let doc: Value = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
            let lines = orders::lines(tx, owner, order).await?;
            let items: Vec<_> = open_demand(&lines).into_iter().map(|(item, _)| item).collect();
            let mut locations = Vec::new();
            for (id, doc) in locations::all(tx, owner, LOCATIONS_MAX).await? {
                locations.push((id, serde_json::from_str(&doc).map_err(Error::fault)?));
            }
            Ok(Situation {
                status: stored.status,
                is_held: doc["hold"].is_object(),
                destination: doc.get("destination").filter(|value| !value.is_null()).cloned(),
                stock: inventory_levels::available(tx, owner, &items).await?,
                lines,
                locations,
            })
        });
        read.await
    }

    /// Returns where the post codes of addresses are: of destinations, and of locations with stock.
    pub(super) async fn areas(&self, addresses: impl Iterator<Item = &Value>) -> Result<Areas> {
        let mut keys: BTreeMap<CountryCode, BTreeSet<String>> = BTreeMap::new();
        for address in addresses {
            if let Some((country, post_code)) = post_code_of(address) {
                let known = lookup_keys(country, &post_code).into_iter().map(|key| key.post_code);
                keys.entry(country).or_default().extend(known);
            }
        }
        let read = self.context.db().read(Access::System, async move |tx| {
            let mut areas = Areas::new();
            for (country, codes) in &keys {
                for (post_code, area) in postal_places::find(tx, country.as_str(), codes).await? {
                    areas.insert((*country, post_code), area);
                }
            }
            Ok(areas)
        });
        read.await
    }

    /// Makes the best proposal's allocations, unless the order or the stock moved since it was made.
    async fn apply_plan(
        &self,
        command: Command,
        order: Id<Order>,
        plan: OrderPlan,
        demand: Demand,
    ) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let apply = async move |tx: &mut Tx<'_>| {
            let made = apply(tx, owner, order, &plan, &demand, &log).await?;
            Ok(Reply::done(shown(&plan, &views(&made)?)?))
        };
        self.context.write(&command, apply).await
    }
}

/// Makes the allocations of a plan's best proposal.
///
/// # Errors
///
/// Refuses with `stock_moved` if the order or the stock is not what the plan was made for.
pub async fn apply(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    plan: &OrderPlan,
    demand: &Demand,
    log: &EventLog,
) -> Result<Vec<Allocation>> {
    let wishes = wishes(plan)?;
    let locked = LockedOrder::lock(tx, owner, order).await?;
    ensure(!locked.is_held(), Code::OrderOnHold)?;
    let lines = orders::lines(tx, owner, order).await?;
    ensure(open_demand(&lines) == *demand, Code::StockMoved)?;
    ensure_stock(tx, owner, &wishes).await?;
    allocate(tx, owner, locked, (&wishes, true), log).await
}

/// What of the order is not allocated yet.
pub fn open_demand(lines: &[ReservedItem]) -> Demand {
    let open = lines.iter().map(|line| (line.id, line.quantity - line.allocated_quantity));
    open.filter(|(_, quantity)| *quantity > 0).collect()
}

fn search(situation: &Situation, areas: &Areas) -> OrderPlan {
    let mut candidates = BTreeMap::new();
    for (id, doc) in &situation.locations {
        let stock = situation.stock.get(id).cloned().unwrap_or_default();
        if let Some(place) = place_of(&doc["address"], &doc["coordinates"], areas) {
            candidates.insert(*id, Candidate { place, stock });
        }
    }
    let destination = situation.destination.as_ref();
    let destination = destination.and_then(|record| place_of(record, &record["coordinates"], areas));
    propose(&open_demand(&situation.lines), &candidates, destination.as_ref())
}

/// The country and the post code of an address record.
fn post_code_of(record: &Value) -> Option<(CountryCode, String)> {
    let country = CountryCode::parse(record["address"]["country_code"].as_str()?)?;
    Some((country, record["address"]["post_code"].as_str()?.to_owned()))
}

/// Where an address is: by its coordinates, else by the table of post codes, else only by country and post code.
pub fn place_of(record: &Value, coordinates: &Value, areas: &Areas) -> Option<Place> {
    let country = CountryCode::parse(record["address"]["country_code"].as_str()?)?;
    let post_code = record["address"]["post_code"].as_str().map(str::to_owned);
    let given = coordinates["latitude"].as_f64().zip(coordinates["longitude"].as_f64());
    let point = match given {
        Some((latitude, longitude)) => {
            Some((Point { latitude, longitude }, coordinates["confidence"].as_f64().unwrap_or(1.0)))
        }
        None => post_code.as_deref().and_then(|post_code| {
            lookup_keys(country, post_code).into_iter().find_map(|key| {
                let area = areas.get(&(country, key.post_code))?;
                let point =
                    Point { latitude: to_degrees(area.latitude), longitude: to_degrees(area.longitude) };
                Some((point, key.class.confidence(area.spread)))
            })
        }),
    };
    Some(Place { country, post_code, point })
}

/// The best proposal as wishes, in the order of their levels.
fn wishes(plan: &OrderPlan) -> Result<Vec<Wish>> {
    let best = plan.proposals.first().ok_or(Code::NothingToAllocate)?;
    let lines = best.allocations.iter().flat_map(|allocation| {
        allocation.items.iter().map(|line| Wish {
            location: allocation.location,
            item: line.id,
            quantity: line.quantity,
            location_field: String::new(),
            item_field: String::new(),
        })
    });
    Ok(lines.collect())
}

/// Locks the levels that a plan draws on, and refuses where they no longer have what it counted on.
async fn ensure_stock(tx: &mut Tx<'_>, owner: Owner, wishes: &[Wish]) -> Result<()> {
    let mut levels: Vec<_> =
        wishes.iter().map(|wish| At { item: wish.item, location: wish.location }).collect();
    levels.sort_unstable();
    inventory_levels::lock_all(tx, owner, &levels.iter().copied().collect()).await?;
    let mut items: Vec<_> = levels.iter().map(|at| at.item).collect();
    items.dedup();
    let stock = inventory_levels::available(tx, owner, &items).await?;
    let is_there = |wish: &Wish| {
        let available = stock.get(&wish.location).and_then(|items| items.get(&wish.item));
        available.is_some_and(|available| *available >= wish.quantity)
    };
    ensure(wishes.iter().all(is_there), Code::StockMoved)
}

fn shown(plan: &OrderPlan, made: &[Value]) -> Result<String> {
    let mut shown = serde_json::to_value(plan).map_err(Error::fault)?;
    shown["is_applied"] = (!made.is_empty()).into();
    shown["data"] = object!(made);
    Ok(shown.to_string())
}
