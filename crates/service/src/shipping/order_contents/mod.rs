//! What shipments do to the orders that they were made from: they hold units of allocations, complete them, and give them back.
//!
//! A transaction that changes such a shipment locks its order first, then the levels of what the shipment holds, then batches,
//! shipments and purchases. It changes the contents in memory, and writes them once. So while an order is locked, none of its
//! shipments begins to be bought, is bought, fails, or is voided.

mod level;
mod not_buyable;
mod short;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use model::orders::order::Status;
use model::orders::order_exception::{ExceptionCode, OrderException};
use model::places::location_configuration::CompleteOn;
use model::platform::id::{AllocationKind, ShipmentKind};
use model::{Allocation, Code, Id, Order, Owner, Result, Shipment, Timestamp};
use store::Tx;
use store::orders::{allocations, orders};
use store::shipping::order_shipments;
use store::stock::inventory_items;
use store::stock::inventory_levels::{self, At};

use self::level::LevelState;
pub use self::not_buyable::{NotBuyable, Shortage, insufficient_stock};
use crate::orders::exceptions::NewException;
use crate::orders::order_document::LockedOrder;

/// Orders with their allocations, and the levels of those that shipments hold, all locked.
pub struct OrderContents {
    owner: Owner,
    orders: BTreeMap<Id<Order>, OrderState>,
    levels: BTreeMap<At, LevelState>,
    /// The order of each shipment that holds something.
    by_shipment: BTreeMap<Id<ShipmentKind>, Id<Order>>,
}

/// An order with its allocations as they were, and as they become.
struct OrderState {
    locked: LockedOrder,
    /// Why nothing of the order may be bought.
    refusal: Option<Code>,
    /// Pieces that the order wants.
    wanted: i64,
    before: Vec<Allocation>,
    after: Vec<Allocation>,
    exceptions: Vec<NewException>,
    /// Whether shipments of the order were added or removed.
    is_regrouped: bool,
}

impl OrderContents {
    /// Locks the orders that some shipments were made from, and the levels of what these shipments hold.
    pub async fn lock(tx: &mut Tx<'_>, owner: Owner, shipments: &[Id<Shipment>]) -> Result<Self> {
        let orders = order_shipments::orders_of(tx, owner, shipments).await?;
        let wanted: BTreeSet<_> = shipments.iter().map(|id| shipment_kind(*id)).collect();
        let is_held = |allocation: &Allocation| allocation.shipment.is_some_and(|id| wanted.contains(&id));
        Self::lock_orders(tx, owner, &orders, is_held).await
    }

    /// Locks orders, and the levels of those of their allocations that are to change.
    pub async fn lock_orders(
        tx: &mut Tx<'_>,
        owner: Owner,
        ids: &[Id<Order>],
        is_changing: impl Fn(&Allocation) -> bool,
    ) -> Result<Self> {
        let contents =
            Self { owner, orders: BTreeMap::new(), levels: BTreeMap::new(), by_shipment: BTreeMap::new() };
        match ids.is_empty() {
            true => Ok(contents),
            false => Box::pin(contents.read(tx, ids, is_changing)).await,
        }
    }

    async fn read(
        mut self,
        tx: &mut Tx<'_>,
        ids: &[Id<Order>],
        is_changing: impl Fn(&Allocation) -> bool,
    ) -> Result<Self> {
        let owner = self.owner;
        let stored = orders::all_for_update(tx, owner, ids).await?;
        let mut held: BTreeMap<Id<Order>, Vec<Allocation>> = BTreeMap::new();
        for allocation in allocations::of_orders(tx, owner, ids).await? {
            held.entry(allocation.order).or_default().push(allocation);
        }
        let lines = orders::lines_of(tx, owner, ids).await?;
        let changing = held.values().flatten().filter(|allocation| is_changing(allocation));
        self.levels = lock_levels(tx, owner, changing.map(at_of).collect()).await?;
        for (id, stored) in stored {
            let before = held.remove(&id).unwrap_or_default();
            for shipment in before.iter().filter_map(|allocation| allocation.shipment) {
                self.by_shipment.insert(shipment, id);
            }
            let wanted = lines.get(&id).map_or(0, |lines| lines.iter().map(|line| line.quantity).sum());
            let locked = LockedOrder::of(id, stored)?;
            let state = OrderState {
                refusal: refusal(&locked)?,
                locked,
                wanted,
                after: before.clone(),
                before,
                exceptions: Vec::new(),
                is_regrouped: false,
            };
            self.orders.insert(id, state);
        }
        Ok(self)
    }

    pub fn owner(&self) -> Owner {
        self.owner
    }

    /// Returns whether a shipment holds units of an order.
    pub fn holds_for(&self, shipment: Id<Shipment>) -> bool {
        self.by_shipment.contains_key(&shipment_kind(shipment))
    }

    /// Records that a shipment is bought, which may complete the allocations that it holds.
    pub fn buy(&mut self, shipment: &Shipment, now: Timestamp) {
        self.change(shipment.id, |allocation| allocation.is_buying = true);
        if shipment.complete_allocations_on != Some(CompleteOn::HandOver) {
            self.complete(shipment.id, now);
        }
    }

    /// Records that the carrier has a shipment, which may complete the allocations that it holds.
    pub fn hand_over(&mut self, shipment: &Shipment, now: Timestamp) {
        if shipment.complete_allocations_on == Some(CompleteOn::HandOver) {
            self.complete(shipment.id, now);
        }
    }

    /// Returns a locked order.
    pub fn order(&self, id: Id<Order>) -> Option<&LockedOrder> {
        self.orders.get(&id).map(|state| &state.locked)
    }

    /// Returns the allocations of an order, as they are now.
    pub fn allocations(&self, id: Id<Order>) -> &[Allocation] {
        self.orders.get(&id).map_or(&[], |state| &state.after)
    }

    /// Returns the units at a level that are on hand and in no shipment. `None` if the item is not tracked there.
    pub fn unpacked(&self, at: At) -> Option<i64> {
        self.levels.get(&at).map(|level| level.now.on_hand - level.now.packed)
    }

    /// Begins the purchase of a shipment. Its units then count as being bought.
    ///
    /// # Errors
    ///
    /// Refuses an order that must not be shipped, and units that are no longer on hand or that other purchases need.
    pub fn begin(&mut self, shipment: Id<Shipment>) -> std::result::Result<(), NotBuyable> {
        let id = shipment_kind(shipment);
        let Some(state) = self.by_shipment.get(&id).and_then(|order| self.orders.get_mut(order)) else {
            return Ok(());
        };
        if let Some(code) = state.refusal {
            return Err(NotBuyable::Order(code));
        }
        let mut needed: BTreeMap<At, i64> = BTreeMap::new();
        // What is completed already has left, so that it can't be short.
        let is_needed =
            |held: &&Allocation| held.shipment == Some(id) && !held.is_buying && held.packed() > 0;
        for allocation in state.after.iter().filter(is_needed) {
            *needed.entry(at_of(allocation)).or_default() += allocation.packed();
        }
        let shortage = |(at, requested): (&At, &i64)| {
            let level = self.levels.get(at)?;
            let available = level.now.on_hand - level.now.buying;
            (available < *requested).then_some(Shortage { at: *at, requested: *requested, available })
        };
        let short: Vec<_> = needed.iter().filter_map(shortage).collect();
        if !short.is_empty() {
            return Err(NotBuyable::Short(short));
        }
        alter(state, &mut self.levels, id, |allocation| allocation.is_buying = true);
        Ok(())
    }

    /// Ends a purchase that did not succeed. The units stay in the shipment.
    pub fn fail(&mut self, shipment: Id<Shipment>) {
        self.change(shipment, |allocation| allocation.is_buying = false);
    }

    /// Completes the allocations that a shipment holds, and takes their stock. What is short stays open, and the order gets an
    /// exception.
    fn complete(&mut self, shipment: Id<Shipment>, now: Timestamp) {
        let id = shipment_kind(shipment);
        let Some(state) = self.by_shipment.get(&id).and_then(|order| self.orders.get_mut(order)) else {
            return;
        };
        let mut short = Vec::new();
        for allocation in state.after.iter_mut().filter(|held| held.shipment == Some(id)) {
            if allocation.completed_at.is_some() {
                continue;
            }
            let level = self.levels.get_mut(&at_of(allocation));
            if let Some(level) = &level
                && level.now.on_hand < allocation.quantity
            {
                let (quantity, item, on_hand) = (allocation.quantity, allocation.item, level.now.on_hand);
                short.push(format!("{quantity} of {item} were sent, {on_hand} are on hand."));
                continue;
            }
            let (packed, buying) = (allocation.packed(), allocation.buying());
            if let Some(level) = level {
                level.count(-packed, -buying);
                level.take(allocation);
            }
            allocation.completed_at = Some(now);
            allocation.completed_by = Some(id);
        }
        if !short.is_empty() {
            let message = short.join(" ");
            state.exceptions.push(NewException {
                code: ExceptionCode::StockShort,
                shipment: Some(id),
                message,
            });
        }
    }

    /// Opens the allocations that a shipment completed, and takes all of its units out of it. Stock that was taken goes back on
    /// hand, unless the carrier has it.
    pub fn void(&mut self, shipment: Id<Shipment>, is_with_carrier: bool) {
        let id = shipment_kind(shipment);
        let Some(state) = self.by_shipment.get(&id).and_then(|order| self.orders.get_mut(order)) else {
            return;
        };
        for allocation in state.after.iter_mut().filter(|held| held.completed_by == Some(id)) {
            if let Some(level) = self.levels.get_mut(&at_of(allocation)).filter(|_| allocation.took_stock) {
                level.give_back(allocation, is_with_carrier);
            }
            allocation.took_stock = false;
            (allocation.completed_at, allocation.completed_by) = (None, None);
            // It leaves before its level counts it below, so that no level counts it as packed meanwhile.
            allocation.leave_shipment();
        }
        if is_with_carrier {
            state.exceptions.push(NewException {
                code: ExceptionCode::VoidedAfterScan,
                shipment: Some(id),
                message:
                    "The shipment was voided after the carrier had it, so its units are not back in stock."
                        .to_owned(),
            });
        }
        alter(state, &mut self.levels, id, Allocation::leave_shipment);
    }

    /// Takes all units out of a shipment that is deleted.
    pub fn free(&mut self, shipment: Id<Shipment>) {
        self.change(shipment, Allocation::leave_shipment);
        if let Some(state) = self.state_of(shipment) {
            state.is_regrouped = true;
        }
    }

    /// Records whether the carrier reports a shipment as delivered.
    pub fn deliver(&mut self, shipment: Id<Shipment>, is_delivered: bool) {
        self.change(shipment, |allocation| allocation.is_delivered = is_delivered);
    }

    /// Puts units of an allocation into a new shipment. If it has more, the rest becomes an allocation of its own.
    pub fn pack(
        &mut self,
        order: Id<Order>,
        id: Id<AllocationKind>,
        shipment: Id<Shipment>,
        quantity: i64,
        rest: Id<AllocationKind>,
    ) {
        let Some(state) = self.orders.get_mut(&order) else { return };
        let Some(place) = state.after.iter().position(|allocation| allocation.id == id) else { return };
        let allocation = &mut state.after[place];
        let more = allocation.quantity - quantity;
        allocation.quantity = quantity;
        allocation.shipment = Some(shipment_kind(shipment));
        if let Some(level) = self.levels.get_mut(&at_of(allocation)) {
            level.count(allocation.packed(), 0);
        }
        let rest = allocation.split(rest, more);
        if more > 0 {
            state.after.push(rest);
        }
        state.is_regrouped = true;
        self.by_shipment.insert(shipment_kind(shipment), order);
    }

    /// Notes that shipments of an order were removed.
    pub fn regroup(&mut self, order: Id<Order>) {
        if let Some(state) = self.orders.get_mut(&order) {
            state.is_regrouped = true;
        }
    }

    fn state_of(&mut self, shipment: Id<Shipment>) -> Option<&mut OrderState> {
        let order = self.by_shipment.get(&shipment_kind(shipment))?;
        self.orders.get_mut(order)
    }

    fn change(&mut self, shipment: Id<Shipment>, change: impl Fn(&mut Allocation)) {
        let id = shipment_kind(shipment);
        if let Some(state) = self.by_shipment.get(&id).and_then(|order| self.orders.get_mut(order)) {
            alter(state, &mut self.levels, id, change);
        }
    }
}

/// Changes the allocations that a shipment holds, and what their levels count.
fn alter(
    state: &mut OrderState,
    levels: &mut BTreeMap<At, LevelState>,
    shipment: Id<ShipmentKind>,
    change: impl Fn(&mut Allocation),
) {
    for allocation in state.after.iter_mut().filter(|held| held.shipment == Some(shipment)) {
        let (packed, buying) = (allocation.packed(), allocation.buying());
        change(allocation);
        if let Some(level) = levels.get_mut(&at_of(allocation)) {
            level.count(allocation.packed() - packed, allocation.buying() - buying);
        }
    }
}

/// Returns why nothing of an order may be bought.
fn refusal(order: &LockedOrder) -> Result<Option<Code>> {
    let exceptions: Vec<OrderException> = order.get("exceptions")?;
    let is_blocking = |exception: &OrderException| exception.is_blocking && exception.resolved_at.is_none();
    Ok(match order.status {
        Status::Cancelled => Some(Code::OrderCancelled),
        _ if order.is_held() => Some(Code::OrderOnHold),
        _ if exceptions.iter().any(is_blocking) => Some(Code::OrderBlocked),
        _ => None,
    })
}

/// Refuses an order of which nothing may be shipped.
pub fn ensure_shippable(order: &LockedOrder) -> Result<()> {
    refusal(order)?.map_or(Ok(()), |code| Err(code.into()))
}

/// Locks those levels that exist. A level that is missing stays missing until the transaction ends.
async fn lock_levels(tx: &mut Tx<'_>, owner: Owner, keys: BTreeSet<At>) -> Result<BTreeMap<At, LevelState>> {
    let mut levels = inventory_levels::lock_all(tx, owner, &keys).await?;
    let missing: BTreeSet<At> = keys.into_iter().filter(|at| !levels.contains_key(at)).collect();
    if !missing.is_empty() {
        let items: BTreeSet<_> = missing.iter().map(|at| at.item).collect();
        inventory_items::hold_levels(tx, owner, &items.into_iter().collect::<Vec<_>>()).await?;
        levels.extend(inventory_levels::lock_all(tx, owner, &missing).await?);
    }
    Ok(levels.into_iter().map(|(at, level)| (at, LevelState::new(level))).collect())
}

pub fn at_of(allocation: &Allocation) -> At {
    At { item: allocation.item, location: allocation.location }
}

/// Returns the id of a shipment as orders and allocations name it.
pub fn shipment_kind(id: Id<Shipment>) -> Id<ShipmentKind> {
    Id::from_bits(id.bits())
}
