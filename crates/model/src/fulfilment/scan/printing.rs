//! When the label is printed that a scan asked for.

use super::{PurchaseStatus, Scan};
use crate::shipping::shipment::{Shipment, Status};
use crate::{Code, Timestamp};

/// How soon a label is looked for again at first, and how late at most.
const PAUSE_SECONDS_MIN: i64 = 1;
const PAUSE_SECONDS_MAX: i64 = 60;
/// The pause grows with the age of the scan, by this part of it.
const PAUSE_PART_OF_AGE: i64 = 10;
/// How long a purchase may be pending that the server stopped before. The client repeats its request long before.
const PENDING_SECONDS_MAX: i64 = 3600;

/// What is to be done about a label that waits to be printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Printing {
    /// There is a label.
    Now,
    /// Look again at this moment.
    Wait(Timestamp),
    /// There will be none.
    Never(Code),
}

/// Decides about the label that a scan asked to print.
pub fn next_printing(scan: &Scan, shipment: &Shipment, has_label: bool, now: Timestamp) -> Printing {
    let age_seconds = (now.as_micros() - scan.created_at.as_micros()) / 1_000_000;
    let pause = (age_seconds / PAUSE_PART_OF_AGE).clamp(PAUSE_SECONDS_MIN, PAUSE_SECONDS_MAX);
    let wait = Printing::Wait(now.plus_seconds(pause));
    match shipment.status {
        Status::Voided => Printing::Never(Code::ShipmentVoided),
        Status::Purchased if has_label => Printing::Now,
        Status::Purchased if !shipment.label_pending => Printing::Never(Code::LabelMissing),
        Status::Purchased | Status::Purchasing => wait,
        Status::Draft | Status::Rated | Status::PurchaseFailed => {
            let is_pending =
                scan.purchase.as_ref().is_some_and(|step| step.status == PurchaseStatus::Pending);
            if is_pending && age_seconds < PENDING_SECONDS_MAX {
                return wait;
            }
            Printing::Never(Code::ShipmentNotPurchased)
        }
    }
}
