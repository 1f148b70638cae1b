//! Times as shops write them.

use model::Timestamp;

/// Reads a time that names its offset, such as `2026-11-16T04:25:43-05:00`.
pub fn with_offset(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text.trim())
}

/// Reads a time that is in UTC and may leave that unsaid, as in WooCommerce's fields that end with `_gmt`.
pub fn in_utc(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}Z")))
}

/// Writes a time as UTC with whole seconds and a `Z`. Fractions are cut off, so that it is never later than the time.
pub fn whole_seconds(time: Timestamp) -> String {
    let whole = Timestamp::from_micros(time.as_seconds().saturating_mul(1_000_000)).to_string();
    match whole.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_read_with_and_without_an_offset() {
        let time = |text| Timestamp::parse(text);
        assert_eq!(with_offset("2016-05-17T04:14:36-04:00"), time("2016-05-17T08:14:36Z"));
        assert_eq!(with_offset("2016-05-17T04:14:36-00:00"), time("2016-05-17T04:14:36Z"));
        assert_eq!(with_offset("2026-11-16T03:25:43"), None);
        assert_eq!(in_utc("2026-11-16T03:25:43"), time("2026-11-16T03:25:43Z"));
        assert_eq!(in_utc("2026-11-16T03:25:43+01:00"), time("2026-11-16T02:25:43Z"));
        for other in ["", "yesterday", "2026-11-16", "2026-13-01T00:00:00", "Z"] {
            assert_eq!((with_offset(other), in_utc(other)), (None, None), "{other}");
        }
    }

    proptest! {
        #[test]
        fn whole_seconds_are_never_later(micros in -62_135_596_800_000_000_i64..253_402_207_199_999_999) {
            let time = Timestamp::from_micros(micros);
            let written = in_utc(&whole_seconds(time));
            prop_assert!(written.is_some_and(|read| read <= time && time.as_micros() - read.as_micros() < 1_000_000));
        }
    }
}
