//! The cost report: what carriers charged for bought shipments and gave back for voided ones, by day, carrier, service and
//! location.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};

use crate::places::closing::SHIP_DATE;
use crate::places::location::LOCATION_ID;
use crate::platform::money::CURRENCY;
use crate::platform::problem::Problem;
use crate::platform::shape::{Field, Kind, MOMENT, Shape};
use crate::platform::time_zone::TIME_ZONE;
use crate::{Day, Id, Location, Timestamp};

/// The longest range, in days: a leap year.
pub const DAYS_MAX: i64 = 366;
/// The days of a report that names no first day, the last one included.
pub const DAYS_DEFAULT: i64 = 30;
/// A report with more groups is refused, because its groups are gathered in memory.
pub const GROUPS_MAX: usize = 10_000;

/// What a report can be grouped by, in the order in which groups are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    Day,
    Carrier,
    Service,
    Location,
}

/// The words of the dimensions.
pub static DIMENSION_WORDS: [&str; 4] = ["day", "carrier", "service", "location"];

impl Dimension {
    const ALL: [Dimension; 4] = [Self::Day, Self::Carrier, Self::Service, Self::Location];

    pub fn as_str(self) -> &'static str {
        DIMENSION_WORDS[self as usize]
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dimension| dimension.as_str() == word)
    }
}

impl Serialize for Dimension {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

/// The dimensions of a report.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Grouping(BTreeSet<Dimension>);

impl Grouping {
    /// Returns the grouping by some dimensions, in any order; by carrier if none is named. Services of two carriers may have the
    /// same handle, so a grouping by service is also one by carrier.
    pub fn new(named: impl IntoIterator<Item = Dimension>) -> Self {
        let mut dimensions: BTreeSet<_> = named.into_iter().collect();
        if dimensions.is_empty() || dimensions.contains(&Dimension::Service) {
            dimensions.insert(Dimension::Carrier);
        }
        Self(dimensions)
    }

    pub fn has(&self, dimension: Dimension) -> bool {
        self.0.contains(&dimension)
    }
}

/// The days of a report, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportDays {
    pub from: Day,
    pub to: Day,
}

/// A part of the time of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Period {
    /// The day, or the first of several.
    pub date: Day,
    pub begins_at: Timestamp,
    /// When the next period begins.
    pub ends_at: Timestamp,
}

impl ReportDays {
    /// Returns the days of a report. Without `to`, the last day is today; without `from`, the report covers 30 days.
    ///
    /// # Errors
    ///
    /// If the range is empty or too long: a problem that names the parameter.
    pub fn new(from: Option<Day>, to: Option<Day>, today: Day) -> Result<Self, Problem> {
        let last = to.unwrap_or(today);
        // Days before the year 0 have a form that no client can send.
        let earlier = last.plus_days(1 - DAYS_DEFAULT).filter(|day| Day::parse(&day.to_string()).is_some());
        let Some(first) = from.or(earlier) else {
            return Err(Problem::parameter("to", "No report can begin before this day. Name a later one."));
        };
        let count = first.days_until(last) + 1;
        if count < 1 {
            let message = match to {
                Some(_) => format!("{first} is later than `to`, {last}. Exchange the two."),
                None => format!(
                    "{first} is later than today, {last}, where the report ends. Name an earlier day."
                ),
            };
            return Err(Problem::parameter("from", &message));
        }
        if count > DAYS_MAX {
            let message = format!(
                "From {first} to {last} are {count} days, and a report covers at most {DAYS_MAX}. Ask for several reports."
            );
            return Err(Problem::parameter("from", &message));
        }
        Ok(Self { from: first, to: last })
    }

    /// Returns each day in a time zone, or all days as one period.
    ///
    /// # Errors
    ///
    /// If a day is outside of the calendar.
    pub fn periods(self, time_zone: &str, by_day: bool) -> Result<Vec<Period>, Problem> {
        let outside =
            || Problem::parameter("to", "This day is outside of the calendar. Name an earlier one.");
        let begin = |day: Option<Day>| day.and_then(|day| day.begins_at(time_zone)).ok_or_else(outside);
        if !by_day {
            let (begins_at, ends_at) = (begin(Some(self.from))?, begin(self.to.plus_days(1))?);
            return Ok(vec![Period { date: self.from, begins_at, ends_at }]);
        }
        let mut periods = Vec::new();
        let mut date = self.from;
        while date <= self.to {
            let next = date.plus_days(1).ok_or_else(outside)?;
            periods.push(Period { date, begins_at: begin(Some(date))?, ends_at: begin(Some(next))? });
            date = next;
        }
        Ok(periods)
    }
}

/// Sums of charges in one currency, in its smallest unit.
#[derive(Serialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charges {
    pub charged: i64,
    pub voided: i64,
    pub net: i64,
    pub shipments_count: i64,
    pub voided_count: i64,
    pub duplicates_count: i64,
}

impl Charges {
    /// Adds other sums in the same currency.
    pub fn add(&mut self, other: Charges) {
        self.charged += other.charged;
        self.voided += other.voided;
        self.net += other.net;
        self.shipments_count += other.shipments_count;
        self.voided_count += other.voided_count;
        self.duplicates_count += other.duplicates_count;
    }
}

/// What carriers charged on some days.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct CostReport {
    pub from: Day,
    pub to: Day,
    pub time_zone: String,
    pub group_by: Grouping,
    pub totals: Vec<CostTotal>,
    pub groups: Vec<CostGroup>,
    pub created_at: Timestamp,
}

/// The sums of a whole report in one currency.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct CostTotal {
    pub currency_code: Option<String>,
    #[serde(flatten)]
    pub charges: Charges,
}

/// The sums of one group in one currency. Dimensions that the report is not grouped by are `None`.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct CostGroup {
    pub day: Option<Day>,
    pub carrier: Option<Named>,
    pub service: Option<Named>,
    pub location: Option<NamedLocation>,
    #[serde(flatten)]
    pub total: CostTotal,
}

/// A carrier or a service.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Named {
    pub handle: String,
    pub name: String,
}

/// A location, which may have been deleted since.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct NamedLocation {
    pub id: Id<Location>,
    pub name: Option<String>,
}

const fn sum(about: &'static str) -> Shape {
    Shape::new(Kind::Integer { min: 0, max: i64::MAX }, about)
}

static CHARGED: Shape = sum(
    "What carriers charged for the shipments that were bought, voided ones and labels that were bought twice included, in the smallest unit of the currency.",
)
.example("151900");
static VOIDED: Shape = sum(
    "What carriers gave back of `charged`: for voided shipments, and for labels that were bought twice and taken back.",
)
.example("2100");
static NET: Shape = sum("`charged` less `voided`: what remains to be paid.").example("149800");
static SHIPMENTS_COUNT: Shape =
    sum("Shipments that were bought, those that were voided later included.").example("214");
static VOIDED_COUNT: Shape =
    sum("Bought shipments whose label the carrier has taken back since.").example("3");
static DUPLICATES_COUNT: Shape = sum(
    "Labels that a carrier sold twice for one of these shipments. Their amounts are in `charged`, and in `voided` once the carrier took them back.",
)
.example("0");
const CURRENCY_ABOUT: &str = "The currency of the sums (ISO 4217); sums of different currencies are never added. Null for shipments of which the carrier stated no amount: they are counted, and their sums are 0.";
const DAY_ABOUT: &str =
    "The day of the purchase in the organisation's time zone. Null unless the report is grouped by day.";

static COST_TOTAL: Shape = Shape::object(
    "CostTotal",
    &[
        Field::given_or_null("currency_code", &CURRENCY).about(CURRENCY_ABOUT),
        Field::given("charged", &CHARGED),
        Field::given("voided", &VOIDED),
        Field::given("net", &NET),
        Field::given("shipments_count", &SHIPMENTS_COUNT),
        Field::given("voided_count", &VOIDED_COUNT),
        Field::given("duplicates_count", &DUPLICATES_COUNT),
    ],
    "The sums of all groups in one currency.",
);
static CARRIER_HANDLE: Shape =
    Shape::text(1, 255, "By which requests name the carrier, such as `carrier=` of `GET /shipments`.")
        .example(r#""sandbox""#);
static CARRIER_NAME: Shape = Shape::text(1, 255, "What people call the company.").example(r#""Sandbox""#);
static SERVICE_HANDLE: Shape =
    Shape::text(1, 255, "By which purchases name the service. It is unique within its carrier.")
        .example(r#""standard""#);
static SERVICE_NAME: Shape =
    Shape::text(1, 255, "What the carrier calls the service. Its handle, if the service is no longer known.")
        .example(r#""Standard""#);
static LOCATION_NAME: Shape =
    Shape::text(1, 255, "What the location is called now. Null if it was deleted since.")
        .example(r#""Main warehouse""#);
static CARRIER: Shape = Shape::object(
    "CostCarrier",
    &[Field::given("handle", &CARRIER_HANDLE), Field::given("name", &CARRIER_NAME)],
    "A company that charged.",
);
static SERVICE: Shape = Shape::object(
    "CostService",
    &[Field::given("handle", &SERVICE_HANDLE), Field::given("name", &SERVICE_NAME)],
    "What was bought of a carrier.",
);
static LOCATION: Shape = Shape::object(
    "CostLocation",
    &[Field::given("id", &LOCATION_ID), Field::given_or_null("name", &LOCATION_NAME)],
    "A place that parcels left from.",
);
static COST_GROUP: Shape = Shape::object(
    "CostGroup",
    &[
        Field::given_or_null("day", &SHIP_DATE).about(DAY_ABOUT),
        Field::given_or_null("carrier", &CARRIER).about("Who charged. Null unless the report is grouped by carrier or service."),
        Field::given_or_null("service", &SERVICE).about("What was bought there. Null unless the report is grouped by service."),
        Field::given_or_null("location", &LOCATION).about("The location that the shipments leave from. Null unless the report is grouped by location, and for shipments whose origin was given as an address."),
        Field::given_or_null("currency_code", &CURRENCY).about(CURRENCY_ABOUT),
        Field::given("charged", &CHARGED),
        Field::given("voided", &VOIDED),
        Field::given("net", &NET),
        Field::given("shipments_count", &SHIPMENTS_COUNT),
        Field::given("voided_count", &VOIDED_COUNT),
        Field::given("duplicates_count", &DUPLICATES_COUNT),
    ],
    "The sums of shipments that have day, carrier, service and location in common, as far as the report is grouped by them, in one currency.",
);
static DIMENSION: Shape =
    Shape::new(Kind::OneOf(&DIMENSION_WORDS), "What the shipments of a group have in common.")
        .example(r#""carrier""#);
static GROUP_BY: Shape = Shape::list(
    &DIMENSION,
    DIMENSION_WORDS.len(),
    "What the groups are made by, each once. `service` brings `carrier` with it, because services of two carriers may have the same handle.",
);
static TOTALS: Shape =
    Shape::list(&COST_TOTAL, 1000, "The sums of the whole report, one entry for each currency.");
static GROUPS: Shape = Shape::list(
    &COST_GROUP,
    GROUPS_MAX,
    "One entry for each group and currency in which something was bought, by day, carrier, service, location and currency. What is null comes first.",
);
/// The cost report.
pub static COST_REPORT: Shape = Shape::object(
    "CostReport",
    &[
        Field::given("from", &SHIP_DATE).about(
            "The first day of which purchases are counted, 29 days before `to` if the request names none.",
        ),
        Field::given("to", &SHIP_DATE).about("The last day of the report, which is included."),
        Field::given("time_zone", &TIME_ZONE)
            .about("In which zone the days begin: the organisation's, as `GET /organisation` shows it."),
        Field::given("group_by", &GROUP_BY),
        Field::given("totals", &TOTALS),
        Field::given("groups", &GROUPS),
        Field::given("created_at", &MOMENT)
            .about("When the sums were taken, all in one snapshot of the database."),
    ],
    "What carriers charged for the shipments that were bought on some days, and what they gave back.",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        Day::parse(text).unwrap()
    }

    fn days(from: Option<&str>, to: Option<&str>) -> Result<(String, String), String> {
        let range = ReportDays::new(from.map(day), to.map(day), day("2026-11-19"));
        range.map(|range| (range.from.to_string(), range.to.to_string())).map_err(|problem| {
            let issue = &problem.issues[0];
            format!("{}: {}", issue.field, issue.message)
        })
    }

    #[test]
    fn without_days_the_last_thirty_are_meant() {
        let expected = |from: &str, to: &str| Ok((from.to_owned(), to.to_owned()));
        assert_eq!(days(None, None), expected("2026-10-21", "2026-11-19"));
        assert_eq!(days(None, Some("2024-03-01")), expected("2024-02-01", "2024-03-01"));
        assert_eq!(days(Some("2026-11-19"), None), expected("2026-11-19", "2026-11-19"));
        assert!(days(None, Some("0000-01-29")).unwrap_err().starts_with("to: "));
        assert!(days(None, Some("0000-01-30")).is_ok());
    }

    #[test]
    fn a_range_has_between_1_and_366_days() {
        assert!(days(Some("2024-01-01"), Some("2024-12-31")).is_ok());
        assert!(days(Some("2025-01-01"), Some("2026-01-01")).is_ok());
        assert_eq!(
            days(Some("2025-01-01"), Some("2026-01-02")).unwrap_err(),
            "from: From 2025-01-01 to 2026-01-02 are 367 days, and a report covers at most 366. Ask for several reports."
        );
        assert_eq!(
            days(Some("2026-01-02"), Some("2026-01-01")).unwrap_err(),
            "from: 2026-01-02 is later than `to`, 2026-01-01. Exchange the two."
        );
        assert_eq!(
            days(Some("2026-11-20"), None).unwrap_err(),
            "from: 2026-11-20 is later than today, 2026-11-19, where the report ends. Name an earlier day."
        );
    }

    #[test]
    fn periods_follow_each_other_without_a_gap() {
        let range = ReportDays { from: day("2026-03-28"), to: day("2026-03-30") };
        let days = range.periods("Europe/London", true).unwrap();
        let hours = |period: &Period| (period.ends_at.as_seconds() - period.begins_at.as_seconds()) / 3600;
        assert_eq!(days.iter().map(hours).collect::<Vec<_>>(), [24, 23, 24]);
        assert!(days.windows(2).all(|pair| pair[0].ends_at == pair[1].begins_at));
        let all = range.periods("Europe/London", false).unwrap();
        assert_eq!((all[0].begins_at, all[0].ends_at), (days[0].begins_at, days[2].ends_at));
        assert_eq!(all.len(), 1);
        let last = ReportDays { from: day("9999-12-31"), to: day("9999-12-31") };
        assert_eq!(last.periods("UTC", true).unwrap_err().issues[0].field, "to");
        assert!(last.periods("UTC", false).is_err());
    }

    #[test]
    fn a_grouping_is_sorted_and_a_service_belongs_to_a_carrier() {
        let words =
            |named: &[Dimension]| serde_json::to_string(&Grouping::new(named.iter().copied())).unwrap();
        assert_eq!(words(&[]), r#"["carrier"]"#);
        assert_eq!(words(&[Dimension::Day]), r#"["day"]"#);
        assert_eq!(words(&[Dimension::Location, Dimension::Service]), r#"["carrier","service","location"]"#);
        assert!(DIMENSION_WORDS.iter().all(|word| Dimension::parse(word).unwrap().as_str() == *word));
        assert_eq!(Dimension::parse("week"), None);
    }
}
