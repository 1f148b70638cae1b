//! A purchase, as far as UPS is told.

use model::Day;
use model::shipping::shipment::options::LabelFormat;

/// A purchase, as far as UPS is told.
pub struct Purchase<'a> {
    pub number: &'a str,
    pub service_code: &'a str,
    pub reference: &'a str,
    pub format: LabelFormat,
    pub ship_on: Day,
}

/// A day without separators: `20261119`.
pub fn compact(day: Day) -> String {
    day.to_string().replace('-', "")
}
