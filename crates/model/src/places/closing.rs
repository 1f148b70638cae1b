//! Closing times: the local time at which a location's parcels are handed over automatically.

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Timestamp;
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Issues, Kind, Path, Pattern, Shape};

/// Days that are searched for the next closing: a weekday recurs after seven days, and a clock change may skip the local
/// time on one day.
const DAYS_AHEAD: usize = 9;
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// A time of day in a time zone, on some days of the week.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Closing {
    /// The local time, such as `17:30`.
    pub time: String,
    /// A name from the IANA time zone database, such as `Europe/London`.
    pub time_zone: String,
    #[serde(default = "every_day")]
    pub days: Vec<String>,
}

fn every_day() -> Vec<String> {
    DAYS.map(str::to_owned).to_vec()
}

impl Closing {
    /// Returns the first closing after a moment. A local time that a clock change skips is shifted by the length of
    /// the gap. A local time that occurs twice counts once, at its first occurrence.
    pub fn next_after(&self, moment: Timestamp) -> Option<Timestamp> {
        let (zone, time) = (self.zone()?, read_time(&self.time)?);
        let today = local_date(&zone, moment)?;
        let days = std::iter::successors(Some(today), |day| day.tomorrow().ok()).take(DAYS_AHEAD);
        let closings = days.filter(|day| self.is_on(day.weekday())).filter_map(|day| {
            let closing = day.to_datetime(time).to_zoned(zone.clone()).ok()?;
            Some(Timestamp::from_micros(closing.timestamp().as_microsecond()))
        });
        closings.into_iter().find(|closing| *closing > moment)
    }

    /// Returns the local calendar day at a moment.
    pub fn day_at(&self, moment: Timestamp) -> Option<Day> {
        local_date(&self.zone()?, moment).map(Day)
    }

    fn zone(&self) -> Option<TimeZone> {
        TimeZone::get(&self.time_zone).ok()
    }

    fn is_on(&self, weekday: Weekday) -> bool {
        let place = weekday.to_monday_zero_offset();
        let name = usize::try_from(place).ok().and_then(|place| DAYS.get(place));
        name.is_some_and(|name| self.days.iter().any(|day| day == name))
    }
}

fn local_date(zone: &TimeZone, moment: Timestamp) -> Option<Date> {
    Some(zone.to_datetime(jiff::Timestamp::from_microsecond(moment.as_micros()).ok()?).date())
}

fn read_time(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

/// A calendar day, such as `2026-11-15`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(Date);

impl Day {
    /// Returns the day of a moment in UTC.
    pub fn of(moment: Timestamp) -> Self {
        local_date(&TimeZone::UTC, moment).map_or(Self(Date::ZERO), Self)
    }

    /// Returns the day of a moment by the calendar of a time zone. A zone that the bundled database does not have counts as
    /// UTC.
    pub fn in_zone(moment: Timestamp, time_zone: &str) -> Self {
        let zone = TimeZone::get(time_zone).unwrap_or(TimeZone::UTC);
        local_date(&zone, moment).map_or(Self(Date::ZERO), Self)
    }

    /// Returns the day that is some days later. `None` outside of the calendar.
    pub fn plus_days(self, days: i64) -> Option<Self> {
        self.0.checked_add(jiff::Span::new().try_days(days).ok()?).ok().map(Self)
    }

    /// Returns the number of days from this day to another, which is negative if the other is earlier.
    pub fn days_until(self, other: Self) -> i64 {
        self.0.until(other.0).map_or(0, |span| span.get_days().into())
    }

    /// Returns when the day begins in a time zone. A zone that the bundled database does not have counts as UTC.
    pub fn begins_at(self, time_zone: &str) -> Option<Timestamp> {
        let zone = TimeZone::get(time_zone).unwrap_or(TimeZone::UTC);
        let begin = self.0.to_zoned(zone).ok()?;
        Some(Timestamp::from_micros(begin.timestamp().as_microsecond()))
    }

    pub fn parse(text: &str) -> Option<Self> {
        is_day(text).then(|| text.parse().ok().map(Self)).flatten()
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

impl Serialize for Day {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a day"))
    }
}

/// Returns whether the text has the form of a day and the day exists in its month.
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_form = bytes.len() == 10
        && bytes.iter().enumerate().all(|(place, byte)| match place {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_form && text.parse::<Date>().is_ok()
}

fn is_time(text: &str) -> bool {
    let is_form = |(place, byte): (usize, u8)| if place == 2 { byte == b':' } else { byte.is_ascii_digit() };
    text.len() == 5 && text.bytes().enumerate().all(is_form) && read_time(text).is_some()
}

fn check_closing(closing: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let name = closing.get("time_zone").and_then(Value::as_str).unwrap_or_default();
    if TimeZone::get(name).is_err() {
        let message = "Must be a time zone of the IANA database, such as Europe/London.";
        issues.push(Issue::new("invalid_value", format!("{at}/time_zone"), message));
    }
}

static TIME: Shape = Shape::new(
    Kind::Text {
        chars_min: 5,
        chars_max: 5,
        pattern: Some(Pattern { regex: "^([01][0-9]|2[0-3]):[0-5][0-9]$", matches: is_time }),
    },
    "Hours and minutes of a 24-hour clock, `HH:MM`, in the time zone beside it.",
)
.example(r#""17:30""#);
static TIME_ZONE: Shape =
    Shape::text(1, 60, "An IANA name, such as `Europe/London`. Summer time is followed: a time that is skipped comes an hour later, one that comes twice counts once.").example(r#""Europe/London""#);
static DAY: Shape = Shape::new(Kind::OneOf(&DAYS), "The first three letters of the English name.");
static WEEKDAYS: Shape =
    Shape::some(&DAY, 7, "The days on which parcels are closed out. Without it, every day.")
        .example(r#"["mon","tue","wed","thu","fri"]"#);
/// The time at which a location's parcels are handed over automatically.
pub static CLOSING: Shape = Shape {
    name: Some("Closing"),
    about: "At this time all parcels that leave from the origin location and are in no manifest yet are manifested, once.",
    kind: Kind::Object {
        fields: &[
            Field::required("time", &TIME),
            Field::required("time_zone", &TIME_ZONE),
            Field::optional("days", &WEEKDAYS),
        ],
        rule: Some(check_closing),
    },
    example: Some(r#"{"time":"17:30","time_zone":"Europe/London","days":["mon","tue","wed","thu","fri"]}"#),
};
/// A calendar day.
pub static SHIP_DATE: Shape = Shape::new(
    Kind::Text {
        chars_min: 10,
        chars_max: 10,
        pattern: Some(Pattern { regex: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$", matches: is_day }),
    },
    "The day of shipping, in UTC: the shipment's `options.shipping.date`, else the day on which it was bought.",
)
.example(r#""2026-11-01""#);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn closing(time: &str, time_zone: &str) -> Closing {
        Closing { time: time.to_owned(), time_zone: time_zone.to_owned(), days: every_day() }
    }

    fn next(closing: &Closing, after: &str) -> String {
        closing.next_after(Timestamp::parse(after).unwrap()).unwrap().to_string()
    }

    #[test]
    fn it_closes_by_the_clock_on_the_wall_in_winter_and_in_summer() {
        let london = closing("17:30", "Europe/London");
        assert_eq!(next(&london, "2026-11-02T12:00:00Z"), "2026-11-02T17:30:00.000000Z");
        assert_eq!(next(&london, "2026-11-02T17:30:00Z"), "2026-11-03T17:30:00.000000Z");
        assert_eq!(next(&london, "2026-07-02T12:00:00Z"), "2026-07-02T16:30:00.000000Z");
        let angeles = closing("17:30", "America/Los_Angeles");
        assert_eq!(next(&angeles, "2026-11-16T01:29:59Z"), "2026-11-16T01:30:00.000000Z");
        assert_eq!(
            angeles.day_at(Timestamp::parse("2026-11-16T01:30:00Z").unwrap()),
            Day::parse("2026-11-15")
        );
    }

    #[test]
    fn a_time_that_is_skipped_comes_later_and_one_that_comes_twice_counts_once() {
        let london = closing("01:30", "Europe/London");
        // Clocks go from 01:00 to 02:00 on 29 March 2026, and from 02:00 to 01:00 on 25 October 2026.
        assert_eq!(next(&london, "2026-03-28T12:00:00Z"), "2026-03-29T01:30:00.000000Z");
        assert_eq!(next(&london, "2026-10-24T12:00:00Z"), "2026-10-25T00:30:00.000000Z");
        assert_eq!(next(&london, "2026-10-25T00:30:00Z"), "2026-10-26T01:30:00.000000Z");
    }

    #[test]
    fn it_closes_on_its_days_alone() {
        let mut weekdays = closing("17:30", "Europe/London");
        weekdays.days = ["mon", "fri"].map(str::to_owned).to_vec();
        // 2026-11-06 is a Friday.
        assert_eq!(next(&weekdays, "2026-11-06T12:00:00Z"), "2026-11-06T17:30:00.000000Z");
        assert_eq!(next(&weekdays, "2026-11-06T18:00:00Z"), "2026-11-09T17:30:00.000000Z");
    }

    #[test]
    fn days_and_times_that_there_are_not_are_refused() {
        for text in ["2026-02-30", "2026-1-01", "26-01-01", "2026-11-01T00", "", "２026-11-1"] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        assert_eq!(Day::parse("2024-02-29").map(|day| day.to_string()).as_deref(), Some("2024-02-29"));
        assert!(is_time("00:00") && is_time("23:59"));
        assert!(!is_time("24:00") && !is_time("7:30") && !is_time("+1:30") && !is_time("12:60"));
    }

    proptest! {
        #[test]
        fn there_is_always_a_next_closing_and_it_is_near(
            micros in 0i64..4_000_000_000_000_000, hour in 0u8..24, minute in 0u8..60,
            zone in proptest::sample::select(vec!["Europe/London", "Pacific/Apia", "America/St_Johns", "UTC"]),
        ) {
            let now = Timestamp::from_micros(micros);
            let next = closing(&format!("{hour:02}:{minute:02}"), zone).next_after(now).unwrap();
            // Samoa once skipped a day.
            prop_assert!(next > now && next <= now.plus_seconds(51 * 3600));
        }
    }
}
