//! Times: whole microseconds since 1970, always written in UTC with six decimals and a `Z`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time, in microseconds since the start of 1970.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Timestamp(i64);

/// The earliest and latest accepted times: the years 1 to 9999, which RFC 3339 can write.
const MICROS_MIN: i64 = -62_135_596_800_000_000;
const MICROS_MAX: i64 = 253_402_207_199_999_999;

impl Timestamp {
    /// Returns the time this many microseconds after the start of 1970, limited to the years that RFC 3339 can write.
    pub fn from_micros(micros: i64) -> Self {
        Self(micros.clamp(MICROS_MIN, MICROS_MAX))
    }

    /// Returns the microseconds since the start of 1970.
    pub fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the milliseconds since the start of 1970, or zero for earlier times.
    pub fn as_millis(self) -> u64 {
        u64::try_from(self.0.div_euclid(1000)).unwrap_or(0)
    }

    /// Returns the whole seconds since the start of 1970.
    pub fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Returns the time this many seconds later.
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self::from_micros(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// Parses RFC 3339 with any offset.
    pub fn parse(text: &str) -> Option<Self> {
        let moment: jiff::Timestamp = text.parse().ok()?;
        let micros = moment.as_microsecond();
        (MICROS_MIN..=MICROS_MAX).contains(&micros).then_some(Self(micros))
    }
}

impl Timestamp {
    /// Parses an HTTP date, such as `Sun, 01 Nov 2026 09:00:00 GMT`.
    pub fn parse_http_date(text: &str) -> Option<Self> {
        let moment = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
        Some(Self::from_micros(moment.as_microsecond()))
    }
}

impl Timestamp {
    /// Returns the time as headers of e-mails write it, such as `Sun, 1 Nov 2026 09:00:00 +0000`.
    pub fn mail_date(self) -> String {
        let whole = jiff::Timestamp::from_microsecond(self.0).unwrap_or_default();
        let date = whole.to_zoned(jiff::tz::TimeZone::UTC);
        jiff::fmt::rfc2822::to_string(&date).unwrap_or_default()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_microsecond(self.0).map_err(|_| fmt::Error)?;
        write!(out, "{moment:.6}")
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        Timestamp::parse(&text).ok_or_else(|| serde::de::Error::custom("not a date-time of RFC 3339"))
    }
}

/// Parses a duration such as `30d`, `12h` or `1h 30m` into whole seconds.
pub fn parse_duration_seconds(text: &str) -> Option<i64> {
    let span: jiff::Span = text.parse().ok()?;
    let day = jiff::SpanRelativeTo::days_are_24_hours();
    let seconds = span.total((jiff::Unit::Second, day)).ok()?;
    (1.0..=100.0 * 366.0 * 86_400.0).contains(&seconds).then_some(seconds as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_moment_reads_back(micros in MICROS_MIN..=MICROS_MAX) {
            let moment = Timestamp::from_micros(micros);
            prop_assert_eq!(Timestamp::parse(&moment.to_string()), Some(moment));
        }
    }

    #[test]
    fn offsets_are_normalised() {
        let moment = Timestamp::parse("2026-11-01T12:30:00+02:00").map(|m| m.to_string());
        assert_eq!(moment.as_deref(), Some("2026-11-01T10:30:00.000000Z"));
        assert_eq!(Timestamp::parse("yesterday"), None);
        assert_eq!(Timestamp::parse("2026-11-01"), None);
    }

    #[test]
    fn e_mails_are_dated() {
        let moment = Timestamp::parse("2026-11-01T09:00:00.5Z").map(Timestamp::mail_date);
        assert_eq!(moment.as_deref(), Some("Sun, 1 Nov 2026 09:00:00 +0000"));
    }

    #[test]
    fn durations_are_friendly() {
        assert_eq!(parse_duration_seconds("30d"), Some(2_592_000));
        assert_eq!(parse_duration_seconds("1h30m"), Some(5400));
        assert_eq!(parse_duration_seconds("-1h"), None);
        assert_eq!(parse_duration_seconds("soon"), None);
    }
}
