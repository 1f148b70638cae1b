//! Dates and times as shops write them.

use crate::Timestamp;

/// Returns a date, with or without a time, as RFC 3339. Without an offset it is UTC. Other texts stay as they are, and are refused by
/// the shape.
pub(super) fn plain_moment(text: &str) -> String {
    if Timestamp::parse(text).is_some() {
        return text.to_owned();
    }
    written(text).filter(|moment| Timestamp::parse(moment).is_some()).unwrap_or_else(|| text.to_owned())
}

fn written(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.trim_start_matches(['T', ' ']).trim_end();
    if rest.is_empty() {
        return Some(format!("{date}T00:00:00Z"));
    }
    let time_chars =
        rest.find(|char: char| !char.is_ascii_digit() && char != ':' && char != '.').unwrap_or(rest.len());
    let (time, zone) = rest.split_at(time_chars);
    let time = if time.matches(':').count() == 1 { format!("{time}:00") } else { time.to_owned() };
    let zone = zone.trim();
    let zone = match (zone, zone.as_bytes()) {
        ("" | "Z" | "UTC" | "GMT", _) => "Z".to_owned(),
        // Shopify writes +0100.
        (_, [b'+' | b'-', hour @ .., _, _]) if hour.len() == 2 && !zone.contains(':') => {
            format!("{}:{}", &zone[..3], &zone[3..])
        }
        _ => zone.to_owned(),
    };
    Some(format!("{date}T{time}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_shops_are_read() {
        assert_eq!(plain_moment("2026-11-01T09:30:00Z"), "2026-11-01T09:30:00Z");
        assert_eq!(plain_moment("2026-11-01 09:30:00 +0100"), "2026-11-01T09:30:00+01:00");
        assert_eq!(plain_moment("2026-11-01 09:30:00"), "2026-11-01T09:30:00Z");
        assert_eq!(plain_moment("2026-11-01 09:30"), "2026-11-01T09:30:00Z");
        assert_eq!(plain_moment("2026-11-01 09:30:00 UTC"), "2026-11-01T09:30:00Z");
        assert_eq!(plain_moment("2026-11-01"), "2026-11-01T00:00:00Z");
        for other in ["1.11.2026", "yesterday", "", "2026-13-01", "2026-11-01é9:30"] {
            assert_eq!(plain_moment(other), other);
        }
    }
}
