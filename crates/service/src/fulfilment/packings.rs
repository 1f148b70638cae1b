//! Packings: which packages the open allocations of an order need. The search itself is pure and lives in
//! `model::fulfilment::packing`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::fulfilment::order_packing::{LocationPacking, OrderToPack, pack_order};
use model::fulfilment::package_type::PackageType;
use model::fulfilment::packing_view::{LocationPackingView, PackingInput};
use model::orders::order::Status;
use model::platform::id::AllocationKind;
use model::platform::json::parse as parse_json;
use model::platform::problem::Issue;
use model::{Allocation, Code, Error, Id, Order, Owner, Problem, Result, Scope, ensure};
use serde_json::json as object;
use store::fulfilment::package_types;
use store::orders::orders::StoredOrder;
use store::orders::{allocations, orders};
use store::stock::inventory_items;
use store::{FairPermits, Tx};

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::platform::context::Context;
use crate::platform::resource::{found, json};

/// Packs orders. Clones share the permits to search.
#[derive(Clone)]
pub struct Packings {
    context: Context,
    /// A search takes up to ten milliseconds of a processor for each location, so as many run at once as there are
    /// processors, and organisations get their turns at them.
    permits: FairPermits,
}

/// An order with its packages.
pub struct PackedOrder {
    pub order: Arc<OrderToPack>,
    /// For each location that sends something of it.
    pub locations: Vec<LocationPacking>,
}

impl Packings {
    pub(crate) fn new(context: &Context) -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Self { context: context.clone(), permits: FairPermits::new(processors, processors) }
    }

    /// Proposes packages for the open allocations of an order, or for those that the request names. It stores nothing but
    /// the answer to a request with an idempotency key.
    pub async fn create(&self, command: Command, order: Id<Order>, input: PackingInput) -> Result<Reply> {
        if let Some(scope) = Scope::read("package_types") {
            command.caller.require(scope)?;
        }
        let answer = match self.pack(command.caller.owner, order, input.allocation_ids).await {
            Ok(packed) => Ok(Reply::done(shown(&packed)?)),
            Err(Error::Refused(problem)) => Err(*problem),
            Err(fault) => return Err(fault),
        };
        if command.idempotency.is_none() {
            return answer.map_err(Error::from);
        }
        self.context.write(&command, async move |_: &mut Tx<'_>| answer.clone().map_err(Error::from)).await
    }

    /// Packs the open allocations of an order, or the given ones, on one consistent state of the database.
    pub async fn pack(
        &self,
        owner: Owner,
        order: Id<Order>,
        given: Option<Vec<Id<AllocationKind>>>,
    ) -> Result<PackedOrder> {
        let read =
            self.context.db().read(owner, async move |tx| gather(tx, owner, order, given.as_deref()).await);
        let order = Arc::new(read.await?);
        let locations = self.search(owner, Arc::clone(&order)).await?;
        Ok(PackedOrder { order, locations })
    }

    /// Searches packages for an order that was read already.
    pub async fn search(&self, owner: Owner, to_pack: Arc<OrderToPack>) -> Result<Vec<LocationPacking>> {
        let permit = self.permits.acquire(owner.into()).await;
        // The threads that answer requests have no time for the search. The permit moves along: if the request is given
        // up, the search goes on until its end.
        let search = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            pack_order(&to_pack)
        });
        search.await.map_err(Error::fault)?.map_err(Error::from)
    }
}

/// Reads what packing an order needs.
///
/// # Errors
///
/// Refuses an order that does not exist or must not be packed, allocations that are not of the order or are completed,
/// and an order without open allocations.
pub async fn gather(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    given: Option<&[Id<AllocationKind>]>,
) -> Result<OrderToPack> {
    ensure_packable(&found(orders::get(tx, owner, order).await?)?)?;
    let all = allocations::of_order(tx, owner, order).await?;
    let allocations = match given {
        Some(given) => named(&all, given)?,
        None => all.into_iter().filter(|allocation| allocation.completed_at.is_none()).collect(),
    };
    ensure(!allocations.is_empty(), Code::NothingToPack)?;
    let ids: BTreeSet<_> = allocations.iter().map(|allocation| allocation.item).collect();
    let ids: Vec<_> = ids.into_iter().collect();
    let mut items = BTreeMap::new();
    for (id, doc) in inventory_items::docs(tx, owner, &ids).await? {
        items.insert(id, serde_json::from_str(&doc).map_err(Error::fault)?);
    }
    let docs = package_types::all(tx, owner).await?;
    let package_types: serde_json::Result<Vec<PackageType>> =
        docs.iter().map(|doc| serde_json::from_str(doc)).collect();
    Ok(OrderToPack {
        allocations,
        items,
        package_types: package_types.map_err(Error::fault)?,
        only: BTreeMap::new(),
    })
}

/// Refuses an order that must not be packed.
fn ensure_packable(order: &StoredOrder) -> Result<()> {
    ensure(order.status != Status::Cancelled, Code::OrderCancelled)?;
    let is_held = parse_json(order.doc.as_bytes())?["hold"].is_object();
    ensure(!is_held, Code::OrderOnHold)
}

/// Returns the allocations that a request names.
pub fn named(all: &[Allocation], given: &[Id<AllocationKind>]) -> Result<Vec<Allocation>> {
    let refuse = |code: Code, place: usize, message: &str| {
        let issue = Issue::new(code.as_str(), format!("/allocation_ids/{place}"), message);
        Err(Problem::field(code, issue).into())
    };
    let mut found = Vec::new();
    for (place, id) in given.iter().enumerate() {
        match all.iter().find(|allocation| allocation.id == *id) {
            None => return refuse(Code::AllocationNotFound, place, "The order has no such allocation."),
            Some(_) if given[..place].contains(id) => {
                return refuse(Code::DuplicateAllocation, place, "Name each allocation once.");
            }
            Some(allocation) if allocation.completed_at.is_some() => {
                return refuse(Code::AllocationCompleted, place, "The allocation is completed.");
            }
            Some(allocation) => found.push(*allocation),
        }
    }
    Ok(found)
}

fn shown(packed: &PackedOrder) -> Result<String> {
    let view = |location| LocationPackingView::new(location, &packed.order.package_types);
    let views: Vec<_> = packed.locations.iter().map(view).collect();
    json(&object!({"data": views}))
}
