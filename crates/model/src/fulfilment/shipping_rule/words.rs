//! The sentences that explain a rule.

use super::conditions::{Range, ValueRange};
use crate::platform::money::show_amount;

/// Entries of a list that a sentence names.
const NAMED_MAX: usize = 10;

/// Returns the entries, separated by commas. A long list ends with the number of entries that are left out.
pub fn list<T: ToString>(entries: &[T]) -> String {
    let mut words: Vec<String> = entries.iter().take(NAMED_MAX).map(T::to_string).collect();
    if entries.len() > NAMED_MAX {
        words.push(format!("and {} more", entries.len() - NAMED_MAX));
    }
    words.join(", ")
}

/// Returns the range with its unit, such as `1 to 5 kg` or `up to 2 kg`.
pub fn range(range: &Range, unit: &str) -> String {
    ends(range.min.map(|min| min.to_string()), range.max.map(|max| max.to_string()), unit)
}

/// Returns the range with its currency, such as `100.00 GBP or more`.
pub fn value_range(range: &ValueRange) -> String {
    let show = |amount: i64| show_amount(amount, &range.currency_code);
    ends(range.min.map(show), range.max.map(show), &range.currency_code)
}

fn ends(min: Option<String>, max: Option<String>, unit: &str) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max} {unit}"),
        (Some(min), None) => format!("{min} {unit} or more"),
        (None, Some(max)) => format!("up to {max} {unit}"),
        (None, None) => format!("any number of {unit}"),
    }
}

/// Returns the English name of a day of the week.
pub fn day(name: &str) -> &'static str {
    match name {
        "mon" => "Monday",
        "tue" => "Tuesday",
        "wed" => "Wednesday",
        "thu" => "Thursday",
        "fri" => "Friday",
        "sat" => "Saturday",
        _ => "Sunday",
    }
}
