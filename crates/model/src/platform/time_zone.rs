//! Time zones by their names in the IANA database, and the local time in one.

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Timestamp;
use crate::platform::problem::Issue;
use crate::platform::shape::{Issues, Path, Shape};

/// The time zone of an organisation that has set none.
pub const UTC: &str = "UTC";
/// The days of the week, as requests and answers name them.
pub const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// The name of a time zone.
pub static TIME_ZONE: Shape =
    Shape::text(1, 60, "A name of the IANA time zone database, such as `Europe/London`.")
        .example(r#""Europe/London""#);

/// The day of the week and the time of day in a time zone.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct LocalTime {
    /// One of [`DAYS`].
    pub weekday: String,
    /// Hours and minutes, such as `17:30`.
    pub time: String,
    pub time_zone: String,
}

impl LocalTime {
    /// Returns the local time at a moment. A zone that the bundled database does not have any more counts as UTC, and
    /// the result says so.
    pub fn at(moment: Timestamp, time_zone: &str) -> Self {
        let zone = TimeZone::get(time_zone);
        let name = if zone.is_ok() { time_zone } else { UTC };
        let zone = zone.unwrap_or(TimeZone::UTC);
        let moment =
            jiff::Timestamp::from_microsecond(moment.as_micros()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let local = zone.to_datetime(moment);
        Self {
            weekday: day_name(local.date().weekday()).to_owned(),
            time: format!("{:02}:{:02}", local.hour(), local.minute()),
            time_zone: name.to_owned(),
        }
    }
}

fn day_name(weekday: Weekday) -> &'static str {
    let place = usize::try_from(weekday.to_monday_zero_offset()).unwrap_or_default();
    DAYS[place % DAYS.len()]
}

/// Returns the name as the database writes it, or `None` if there is no such time zone.
pub fn canonical_name(name: &str) -> Option<String> {
    let zone = TimeZone::get(name).ok()?;
    Some(zone.iana_name().unwrap_or(name).to_owned())
}

/// Rejects a `time_zone` that does not exist, and writes an existing one as the database does.
pub(crate) fn check_time_zone(object: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let Some(name) = object.get("time_zone").and_then(Value::as_str) else { return };
    match canonical_name(name) {
        Some(name) => {
            object.insert("time_zone".to_owned(), Value::String(name));
        }
        None => {
            let message = "Must be a time zone of the IANA database, such as Europe/London.";
            issues.push(Issue::new("invalid_value", format!("{at}/time_zone"), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(moment: &str, zone: &str) -> (String, String) {
        let local = LocalTime::at(Timestamp::parse(moment).unwrap(), zone);
        (local.weekday, local.time)
    }

    #[test]
    fn the_local_time_follows_summer_time_and_the_date_line() {
        let is = |weekday: &str, time: &str| (weekday.to_owned(), time.to_owned());
        assert_eq!(local("2026-07-01T12:00:00Z", "Europe/London"), is("wed", "13:00"));
        assert_eq!(local("2026-12-01T12:00:00Z", "Europe/London"), is("tue", "12:00"));
        // Clocks go from 01:00 to 02:00 on 29 March 2026, and from 02:00 to 01:00 on 25 October 2026.
        assert_eq!(local("2026-03-29T00:59:00Z", "Europe/London"), is("sun", "00:59"));
        assert_eq!(local("2026-03-29T01:00:00Z", "Europe/London"), is("sun", "02:00"));
        assert_eq!(local("2026-10-25T00:30:00Z", "Europe/London"), is("sun", "01:30"));
        assert_eq!(local("2026-10-25T01:30:00Z", "Europe/London"), is("sun", "01:30"));
        assert_eq!(local("2026-11-01T23:30:00Z", "Pacific/Auckland"), is("mon", "12:30"));
    }

    #[test]
    fn names_are_checked_and_written_as_the_database_does() {
        assert_eq!(canonical_name("europe/london").as_deref(), Some("Europe/London"));
        assert_eq!(canonical_name("UTC").as_deref(), Some("UTC"));
        for name in ["", "Mars/Olympus", "Europe/", "+01:00", "London"] {
            assert_eq!(canonical_name(name), None, "{name}");
        }
        assert_eq!(LocalTime::at(Timestamp::from_micros(0), "Mars/Olympus").time_zone, UTC);
    }
}
