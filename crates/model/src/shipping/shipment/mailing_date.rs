//! The mailing date of a shipment: the day on which its carrier gets it, by the calendar of the place that it leaves from.

use super::ShipmentInput;
use crate::{Day, Timestamp};

const DAY_MICROS: i64 = 24 * 3600 * 1_000_000;

/// Returns the mailing date of a shipment that is bought now: the day of its `options.shipping.date` (`wanted`), or today if it
/// has none, or if that day is over.
///
/// A wanted moment at midnight in UTC is how clients write a day without a time, so it means that day in every time zone.
pub fn mailing_date(wanted: Option<Timestamp>, now: Timestamp, time_zone: &str) -> Day {
    let today = Day::in_zone(now, time_zone);
    let day = wanted.map(|moment| match moment.as_micros().rem_euclid(DAY_MICROS) {
        0 => Day::of(moment),
        _ => Day::in_zone(moment, time_zone),
    });
    day.map_or(today, |day| day.max(today))
}

impl ShipmentInput {
    /// Returns the moment at which the shipment should be handed over, if it names one.
    pub fn wanted_date(&self) -> Option<Timestamp> {
        self.options.as_ref()?.shipping.as_ref()?.date
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANGELES: &str = "America/Los_Angeles";

    fn date(wanted: Option<&str>, now: &str, zone: &str) -> String {
        let moment = |text: &str| Timestamp::parse(text).unwrap();
        mailing_date(wanted.map(moment), moment(now), zone).to_string()
    }

    #[test]
    fn it_is_today_where_the_parcel_is() {
        // 18:00 on the eighteenth in Los Angeles.
        let now = "2026-11-19T02:00:00Z";
        assert_eq!(date(None, now, ANGELES), "2026-11-18");
        assert_eq!(date(None, now, "UTC"), "2026-11-19");
        assert_eq!(date(None, now, "Pacific/Auckland"), "2026-11-19");
        assert_eq!(date(None, "2026-11-19T12:00:00Z", "Pacific/Auckland"), "2026-11-20");
        assert_eq!(date(None, now, "Mars/Olympus"), "2026-11-19", "a zone that is gone counts as UTC");
    }

    #[test]
    fn a_wanted_day_counts_unless_it_is_over() {
        let now = "2026-11-19T02:00:00Z";
        assert_eq!(date(Some("2026-11-21T01:00:00Z"), now, ANGELES), "2026-11-20");
        assert_eq!(date(Some("2026-11-21T00:00:00Z"), now, ANGELES), "2026-11-21", "a day without a time");
        assert_eq!(date(Some("2026-11-01T12:00:00Z"), now, ANGELES), "2026-11-18");
    }
}
