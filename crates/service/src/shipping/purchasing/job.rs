//! A purchase that a node holds, and all that is needed to go on with it.

use std::sync::Arc;

use ::carriers::{Account, Connector, Parcel};
use model::shipping::shipment::{LabelFormat, Shipment};
use model::{Day, Owner, Timestamp};
use store::shipping::purchases::Purchase;
use store::shipping::shipments::StoredShipment;
use tracing::info;

use super::lanes::LaneSlot;
use super::next::{Decision, Next};

/// A purchase that this node holds.
pub struct Claimed {
    /// The node name under which it is claimed.
    pub node: Arc<str>,
    pub purchase: Purchase,
    /// Its slot among the purchases that wait for their carrier. A follow-up holds a slot among follow-ups for its whole turn.
    pub slot: Option<LaneSlot>,
}

/// A purchase that this node holds, and all that is needed to go on with it.
pub struct Job {
    /// The node name under which it is claimed.
    pub node: Arc<str>,
    pub purchase: Purchase,
    /// The shipment as it was stored when the purchase was claimed, and the same parsed.
    pub stored: Arc<StoredShipment>,
    pub shipment: Shipment,
    pub connector: &'static dyn Connector,
    /// Shared by the purchases that were claimed together.
    pub account: Arc<Account>,
    /// The purchase's slot in its lane, until the carrier has answered.
    pub slot: Option<LaneSlot>,
}

impl Job {
    pub fn owner(&self) -> Owner {
        self.purchase.owner
    }

    /// Returns the format that the label is wanted in: the shipment's, or else that of the batch that it is bought with.
    pub fn label_format(&self) -> LabelFormat {
        self.named_label_format().unwrap_or(LabelFormat::Pdf)
    }

    /// Returns the format that was asked for, if one was.
    pub fn named_label_format(&self) -> Option<LabelFormat> {
        self.shipment.wanted_label_format().or(self.purchase.label_format)
    }

    /// Returns the mailing date. Purchases of earlier versions, which stored none, have the day in UTC on which they were made.
    pub fn ship_on(&self) -> Day {
        self.purchase.ship_on.unwrap_or_else(|| Day::of(self.purchase.created_at))
    }

    pub fn parcel(&self) -> Parcel {
        let parcel = Parcel::new(self.shipment.id, &self.shipment.details);
        parcel.labelled_in(self.label_format()).shipped_on(self.ship_on())
    }
}

/// Logs why a purchase changes its state, unless it is bought at the first attempt, as most are.
pub fn log_decision(purchase: &Purchase, outcome: &str, next: &Next, now: Timestamp) {
    if !matches!(next, Next::Bought { .. }) || purchase.unknown_at.is_some() {
        let Decision { state, outcome, next, failures, fence, late_ms, unknown_ms, due_ms } =
            Decision::new(purchase, outcome, next, now);
        let purchase = purchase.id;
        info!(%purchase, state, outcome, next, failures, fence, late_ms, unknown_ms, due_ms, "purchase decided");
    }
}
