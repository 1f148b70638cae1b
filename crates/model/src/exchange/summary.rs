//! The summary: what needs attention today, and how much was bought in the last days.

use jiff::tz::TimeZone;
use serde::Serialize;

use crate::Timestamp;
use crate::platform::shape::{Field, Kind, MOMENT, Shape};
use crate::platform::time_zone::TIME_ZONE;

/// The days of which purchases are counted, today included.
pub const DAYS: usize = 14;
/// A count stops here, so that it costs little however much there is.
pub const COUNT_MAX: i64 = 10_000;

/// What needs attention, and how much was bought. Counts that the caller may not read are null.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Summary {
    pub counts: Counts,
    /// The last days, the oldest first.
    pub bought_per_day: Option<Vec<DayCount>>,
    pub time_zone: String,
    pub created_at: Timestamp,
}

#[derive(Serialize, Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    pub late_orders: Option<i64>,
    pub held_orders: Option<i64>,
    pub orders_with_exceptions: Option<i64>,
    pub purchases_to_review: Option<i64>,
    pub failing_webhook_endpoints: Option<i64>,
    pub low_items: Option<i64>,
}

#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct DayCount {
    pub date: String,
    pub count: i64,
}

/// A day in a time zone.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    /// As in `2026-11-18`.
    pub date: String,
    pub begins_at: Timestamp,
    /// When the next day begins.
    pub ends_at: Timestamp,
}

/// Returns the last days in a time zone, the oldest first. A zone that the database does not have counts as UTC.
pub fn last_days(now: Timestamp, time_zone: &str) -> Vec<Day> {
    let zone = TimeZone::get(time_zone).unwrap_or(TimeZone::UTC);
    let moment = jiff::Timestamp::from_microsecond(now.as_micros()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let mut date = zone.to_datetime(moment).date();
    let mut days = Vec::with_capacity(DAYS);
    for _ in 0..DAYS {
        let begin = |date: jiff::civil::Date| {
            date.to_zoned(zone.clone())
                .map(|begin| Timestamp::from_micros(begin.timestamp().as_microsecond()))
        };
        let (Ok(begins_at), Ok(Ok(ends_at))) = (begin(date), date.tomorrow().map(begin)) else { break };
        days.push(Day { date: date.to_string(), begins_at, ends_at });
        let Ok(yesterday) = date.yesterday() else { break };
        date = yesterday;
    }
    days.reverse();
    days
}

const fn counted(about: &'static str) -> Shape {
    Shape::new(Kind::Integer { min: 0, max: COUNT_MAX }, about)
}

static LATE_ORDERS: Shape = counted("Committed orders whose `ship_by` has passed and that are not shipped in full. Null unless your token may read orders.").example("3");
static HELD_ORDERS: Shape =
    counted("Orders on hold: `GET /orders?on_hold=true` lists them. Null unless your token may read orders.")
        .example("1");
static EXCEPTIONS: Shape = counted("Orders with an exception that is not resolved: `GET /orders?has_exception=true` lists them. Null unless your token may read orders.").example("2");
static TO_REVIEW: Shape = counted(
    "Purchase attempts whose outcome a person must find out. Null unless your token may read shipments.",
)
.example("0");
static FAILING_ENDPOINTS: Shape =
    counted("Webhook endpoints whose last delivery failed. Null unless your token may read webhooks.")
        .example("0");
static LOW_ITEMS: Shape = counted("Inventory items with a level at or below its `reorder_point`: `GET /inventory_items?low_stock=true` lists them. Null unless your token may read inventory.").example("5");

static COUNTS: Shape = Shape::object(
    "SummaryCounts",
    &[
        Field::given_or_null("late_orders", &LATE_ORDERS),
        Field::given_or_null("held_orders", &HELD_ORDERS),
        Field::given_or_null("orders_with_exceptions", &EXCEPTIONS),
        Field::given_or_null("purchases_to_review", &TO_REVIEW),
        Field::given_or_null("failing_webhook_endpoints", &FAILING_ENDPOINTS),
        Field::given_or_null("low_items", &LOW_ITEMS),
    ],
    "What waits for a person, by cause. A count stops at 10,000.",
);
static DATE: Shape =
    Shape::text(10, 10, "A calendar day in the organisation's time zone.").example(r#""2026-11-18""#);
static BOUGHT: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Shipments bought that day, those that were voided later included.",
)
.example("214");
static DAY_COUNT: Shape = Shape::object(
    "DayCount",
    &[Field::given("date", &DATE), Field::given("count", &BOUGHT)],
    "How much happened on one calendar day.",
);
static BOUGHT_PER_DAY: Shape = Shape::list(
    &DAY_COUNT,
    DAYS,
    "The last 14 days, oldest first, today as the last. Null unless your token may read shipments.",
);
/// The summary.
pub static SUMMARY: Shape = Shape::object(
    "Summary",
    &[
        Field::given("counts", &COUNTS),
        Field::given_or_null("bought_per_day", &BOUGHT_PER_DAY),
        Field::given("time_zone", &TIME_ZONE)
            .about("In which zone the days begin: the organisation's, as `GET /organisation` shows it."),
        Field::given("created_at", &MOMENT)
            .about("When the counts were taken, all in one snapshot of the database."),
    ],
    "What needs attention now, and how much was bought on each of the last days.",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn days(now: &str, zone: &str) -> Vec<Day> {
        last_days(Timestamp::parse(now).unwrap(), zone)
    }

    #[test]
    fn days_begin_at_midnight_where_the_organisation_is() {
        let days = days("2026-11-18T23:30:00Z", "Pacific/Auckland");
        assert_eq!(days.len(), DAYS);
        let last = days.last().unwrap();
        assert_eq!(last.date, "2026-11-19");
        assert_eq!(last.begins_at, Timestamp::parse("2026-11-18T11:00:00Z").unwrap());
        assert_eq!(days.first().unwrap().date, "2026-11-06");
        assert!(days.windows(2).all(|pair| pair[0].ends_at == pair[1].begins_at));
    }

    #[test]
    fn a_day_has_23_or_25_hours_when_clocks_change() {
        let hours = |now: &str| {
            let days = days(now, "Europe/London");
            let of = |day: &Day| (day.ends_at.as_seconds() - day.begins_at.as_seconds()) / 3600;
            (of(&days[0]), of(days.last().unwrap()))
        };
        assert_eq!(hours("2026-03-29T12:00:00Z"), (24, 23));
        assert_eq!(hours("2026-10-25T12:00:00Z"), (24, 25));
        assert_eq!(days("2026-03-29T12:00:00Z", "Mars/Olympus").len(), DAYS);
    }
}
