//! A purchased shipment, as the papers are made from it.

use model::Timestamp;
use model::shipping::shipment::ShipmentInput;

/// A shipment with its carrier's answer.
#[derive(Debug, Clone, Copy)]
pub struct Bought<'a> {
    pub shipment: &'a ShipmentInput,
    /// The display names of the carrier and the service.
    pub carrier: &'a str,
    pub service: &'a str,
    /// One number per package, in their order. A carrier with one number for all packages gives one.
    pub tracking_numbers: &'a [String],
    pub is_test: bool,
    /// The day of shipping, in UTC, unless the shipment's options name another.
    pub date: Timestamp,
    /// The customer's own reference; empty if there is none.
    pub reference: &'a str,
}

/// Returns a package's tracking number; the first package's if the carrier gave only one; the customer's own
/// reference if the carrier gave none.
pub(crate) fn tracking_number<'a>(bought: &Bought<'a>, package: usize) -> &'a str {
    let numbers = bought.tracking_numbers;
    numbers.get(package).or_else(|| numbers.first()).map_or(bought.reference, String::as_str)
}

/// Returns the day of shipping, as `2026-11-15`.
pub(crate) fn ship_date(bought: &Bought<'_>) -> String {
    let shipping = bought.shipment.options.as_ref().and_then(|options| options.shipping.as_ref());
    day(shipping.and_then(|shipping| shipping.date).unwrap_or(bought.date))
}

pub(crate) fn day(moment: Timestamp) -> String {
    moment.to_string().split('T').next().unwrap_or_default().to_owned()
}
