//! Plans for a group of orders: each is planned after those before it, on what they leave. So if stock is short, the orders whose
//! turn is earlier have it.

use std::collections::{BTreeMap, BTreeSet};

use model::orders::order::{ReservedItem, Status};
use model::orders::plan::{Candidate, propose};
use model::places::geo::Place;
use model::platform::problem::Issue;
use model::{Code, Error, Id, InventoryItem, Location, Order, Owner, Problem, Result};
use serde::Deserialize;
use serde_json::Value;
use store::Tx;
use store::orders::order_turns;
use store::orders::orders;
use store::places::locations;
use store::stock::{inventory_items, inventory_levels};

use super::plans::{Areas, Demand, LOCATIONS_MAX, OrderPlan, Plans, open_demand, place_of};

/// How a group is planned.
#[derive(Clone, Debug)]
pub struct GroupTerms {
    /// The locations to plan from. Empty: all.
    pub locations: BTreeSet<Id<Location>>,
    /// Whether an order is planned of which only a part is in stock.
    pub allow_partial: bool,
}

/// What is planned for an order.
pub enum GroupPlan {
    /// All of it is allocated already.
    Allocated,
    Planned(OrderPlan, Demand),
    Refused(Problem),
}

type Stock = BTreeMap<Id<Location>, BTreeMap<Id<InventoryItem>, i64>>;

/// What is known of an order when its group is planned.
struct OrderSituation {
    status: Status,
    is_held: bool,
    is_blocked: bool,
    destination: Option<Value>,
    lines: Vec<ReservedItem>,
}

/// What is known when a group is planned.
struct GroupSituation {
    /// In the order of their turns; `None` for an order that does not exist.
    orders: Vec<Option<OrderSituation>>,
    stock: Stock,
    locations: Vec<(Id<Location>, Value)>,
}

/// What is missing of an order: items, how many are wanted, and how many there are.
type Missing = Vec<(Id<InventoryItem>, i64, i64)>;

/// A plan, before SKUs are known.
enum Found {
    Allocated,
    Planned(OrderPlan, Demand),
    Refused(Code),
    Missing(Missing),
}

impl Plans {
    /// Plans orders in the order of their turns.
    pub(crate) async fn plan_group(
        &self,
        owner: Owner,
        ids: Vec<Id<Order>>,
        terms: GroupTerms,
    ) -> Result<Vec<GroupPlan>> {
        let from = terms.locations.clone();
        let read = self.read(owner, async move |tx| situation(tx, owner, &ids, &from).await);
        let situation = read.await?;
        let stocked = situation.locations.iter().filter(|(id, _)| situation.stock.contains_key(id));
        let destinations = situation.orders.iter().flatten().filter_map(|order| order.destination.as_ref());
        let addresses = stocked.map(|(_, doc)| &doc["address"]).chain(destinations);
        let areas = self.areas(addresses).await?;
        // The search may take a while, which the threads that answer requests don't have.
        let search = move || search(&situation, &areas, &terms);
        let found = tokio::task::spawn_blocking(search).await.map_err(Error::fault)?;
        self.with_skus(owner, found).await
    }

    /// Turns what was found into plans. Refusals name what is missing by its SKU.
    async fn with_skus(&self, owner: Owner, found: Vec<Found>) -> Result<Vec<GroupPlan>> {
        let missing =
            found.iter().filter_map(|one| if let Found::Missing(items) = one { Some(items) } else { None });
        let ids: BTreeSet<_> = missing.flatten().map(|(item, ..)| *item).collect();
        let ids: Vec<_> = ids.into_iter().collect();
        let skus = match ids.is_empty() {
            true => BTreeMap::new(),
            false => self.read(owner, async move |tx| skus(tx, owner, &ids).await).await?,
        };
        let plan = |one: Found| match one {
            Found::Allocated => GroupPlan::Allocated,
            Found::Planned(plan, demand) => GroupPlan::Planned(plan, demand),
            Found::Refused(code) => GroupPlan::Refused(code.into()),
            Found::Missing(items) => GroupPlan::Refused(out_of_stock(&items, &skus)),
        };
        Ok(found.into_iter().map(plan).collect())
    }
}

/// The field of an item's document that a refusal names.
#[derive(Deserialize)]
struct ItemText {
    sku: String,
}

async fn skus(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<InventoryItem>],
) -> Result<BTreeMap<Id<InventoryItem>, String>> {
    let docs = inventory_items::docs(tx, owner, ids).await?;
    let sku = |doc: &str| serde_json::from_str::<ItemText>(doc).map(|text| text.sku).map_err(Error::fault);
    docs.into_iter().map(|(id, doc)| Ok((id, sku(&doc)?))).collect()
}

async fn situation(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<Order>],
    from: &BTreeSet<Id<Location>>,
) -> Result<GroupSituation> {
    let mut stored: BTreeMap<_, _> = order_turns::all(tx, owner, ids).await?.into_iter().collect();
    let mut lines = orders::lines_of(tx, owner, ids).await?;
    let mut orders = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(order) = stored.remove(id) else {
            orders.push(None);
            continue;
        };
        let mut doc: Value = serde_json::from_str(&order.doc).map_err(Error::fault)?;
        orders.push(Some(OrderSituation {
            status: order.status,
            is_held: doc["hold"].is_object(),
            is_blocked: is_blocked(&doc),
            destination: Some(doc["destination"].take()).filter(|value| !value.is_null()),
            lines: lines.remove(id).unwrap_or_default(),
        }));
    }
    let demanded = orders.iter().flatten().flat_map(|order| open_demand(&order.lines));
    let items: BTreeSet<_> = demanded.map(|(item, _)| item).collect();
    let items: Vec<_> = items.into_iter().collect();
    if items.is_empty() {
        return Ok(GroupSituation { orders, stock: Stock::new(), locations: Vec::new() });
    }
    let is_wanted = |id: &Id<Location>| from.is_empty() || from.contains(id);
    let mut stock = inventory_levels::available(tx, owner, &items).await?;
    stock.retain(|id, _| is_wanted(id));
    let mut known = Vec::new();
    for (id, doc) in locations::all(tx, owner, LOCATIONS_MAX).await? {
        if is_wanted(&id) {
            known.push((id, serde_json::from_str(&doc).map_err(Error::fault)?));
        }
    }
    Ok(GroupSituation { orders, stock, locations: known })
}

/// Returns whether an exception blocks an order.
fn is_blocked(order: &Value) -> bool {
    let exceptions = order["exceptions"].as_array().map_or(&[][..], Vec::as_slice);
    exceptions.iter().any(|one| one["is_blocking"] == true && one["resolved_at"].is_null())
}

/// Plans one order after the other. What a plan takes, later ones no longer find.
fn search(situation: &GroupSituation, areas: &Areas, terms: &GroupTerms) -> Vec<Found> {
    let place = |(id, doc): &(Id<Location>, Value)| {
        Some((*id, place_of(&doc["address"], &doc["coordinates"], areas)?))
    };
    let places: BTreeMap<_, _> = situation.locations.iter().filter_map(place).collect();
    let mut stock = situation.stock.clone();
    let plan = |order: &Option<OrderSituation>| match order {
        None => Found::Refused(Code::NotFound),
        Some(order) => plan_order(order, &places, &mut stock, areas, terms),
    };
    situation.orders.iter().map(plan).collect()
}

fn plan_order(
    order: &OrderSituation,
    places: &BTreeMap<Id<Location>, Place>,
    stock: &mut Stock,
    areas: &Areas,
    terms: &GroupTerms,
) -> Found {
    match order.status {
        Status::Draft => return Found::Refused(Code::OrderNotCommitted),
        Status::Cancelled => return Found::Refused(Code::OrderCancelled),
        Status::Committed | Status::Fulfilled if order.is_held => return Found::Refused(Code::OrderOnHold),
        Status::Committed | Status::Fulfilled if order.is_blocked => {
            return Found::Refused(Code::OrderBlocked);
        }
        Status::Committed | Status::Fulfilled => {}
    }
    let demand = open_demand(&order.lines);
    if demand.is_empty() {
        return Found::Allocated;
    }
    let candidate = |(id, place): (&Id<Location>, &Place)| {
        let here = stock.get(id);
        let of = |item: &Id<InventoryItem>| here.and_then(|here| here.get(item)).copied();
        let stock = demand.iter().filter_map(|(item, _)| Some((*item, of(item)?))).collect();
        (*id, Candidate { place: place.clone(), stock })
    };
    let candidates: BTreeMap<_, _> = places.iter().map(candidate).collect();
    let destination = order.destination.as_ref();
    let destination = destination.and_then(|record| place_of(record, &record["coordinates"], areas));
    let plan = propose(&demand, &candidates, destination.as_ref());
    let missing = |(item, wanted): &(Id<InventoryItem>, i64)| {
        let unallocated = plan.unallocated.iter().find(|one| one.id == *item)?;
        Some((*item, *wanted, *wanted - unallocated.quantity))
    };
    let missing: Missing = demand.iter().filter_map(missing).collect();
    match plan.proposals.first() {
        None => Found::Missing(missing),
        Some(_) if !missing.is_empty() && !terms.allow_partial => Found::Missing(missing),
        Some(best) => {
            for allocation in &best.allocations {
                let Some(here) = stock.get_mut(&allocation.location) else { continue };
                for taken in &allocation.items {
                    *here.entry(taken.id).or_default() -= taken.quantity;
                }
            }
            Found::Planned(plan, demand)
        }
    }
}

/// Refuses an order of which something is not in stock.
fn out_of_stock(missing: &Missing, skus: &BTreeMap<Id<InventoryItem>, String>) -> Problem {
    let issue = |(item, wanted, available): &(Id<InventoryItem>, i64, i64)| {
        let sku = skus.get(item).cloned().unwrap_or_else(|| item.to_string());
        let message = format!("{sku}: {wanted} wanted, {available} can be allocated.");
        Issue::new(Code::InsufficientStock.as_str(), "order_id", message)
    };
    Problem::fields(Code::InsufficientStock, missing.iter().map(issue).collect::<Vec<_>>())
}
