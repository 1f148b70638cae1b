//! A level whose units shipments hold, take and give back.

use std::borrow::Cow;

use model::platform::id::AllocationKind;
use model::stock::inventory_item::{REASON_COMPLETED, REASON_VOIDED, REASON_VOIDED_AFTER_SCAN};
use model::{Allocation, Id};
use store::stock::inventory_levels::LockedLevel;

/// A locked level as it was and as it becomes.
pub struct LevelState {
    pub before: LockedLevel,
    pub now: LockedLevel,
    /// The changes of its stock, in their order.
    pub steps: Vec<StockStep>,
}

/// A change of the stock of a level.
pub struct StockStep {
    pub delta: i64,
    /// What was on hand before.
    pub on_hand: i64,
    pub reason: Cow<'static, str>,
    pub allocation: Option<Id<AllocationKind>>,
}

impl LevelState {
    pub fn new(level: LockedLevel) -> Self {
        Self { before: level, now: level, steps: Vec::new() }
    }

    /// Counts units that come into shipments or leave them.
    pub fn count(&mut self, packed: i64, buying: i64) {
        self.now.packed += packed;
        self.now.buying += buying;
    }

    /// Takes the stock of an allocation that is completed.
    pub fn take(&mut self, allocation: &mut Allocation) {
        allocation.took_stock = true;
        self.step(-allocation.quantity, REASON_COMPLETED, Some(allocation.id));
    }

    /// Returns the stock of an allocation that is open again. What the carrier has is written off at once, so that the history
    /// of the allocation adds up to nothing.
    pub fn give_back(&mut self, allocation: &Allocation, is_with_carrier: bool) {
        self.step(allocation.quantity, REASON_VOIDED, Some(allocation.id));
        if is_with_carrier {
            self.step(-allocation.quantity, REASON_VOIDED_AFTER_SCAN, None);
        }
    }

    /// Takes units off that are not there, and returns how many: never more than are on hand.
    pub fn write_off(&mut self, quantity: i64, reason: String) -> i64 {
        let written_off = quantity.min(self.now.on_hand).max(0);
        if written_off > 0 {
            self.step(-written_off, reason, None);
        }
        written_off
    }

    fn step(
        &mut self,
        delta: i64,
        reason: impl Into<Cow<'static, str>>,
        allocation: Option<Id<AllocationKind>>,
    ) {
        let reason = reason.into();
        self.steps.push(StockStep { delta, on_hand: self.now.on_hand, reason, allocation });
        self.now.on_hand += delta;
    }
}
