//! Judges the conditions of a rule: which of them do not hold, and why.

use super::conditions::{Conditions, DimensionRanges, Range, ValueRange};
use super::evaluation::Reason;
use super::facts::{Facts, Sides};
use super::words::{day, list, range, value_range};
use crate::platform::money::show_amount;
use crate::platform::time_zone::DAYS;
use crate::shipping::shipment::package::round_up;

const MASS_DECIMALS: u32 = 3;
const SIDE_DECIMALS: u32 = 1;

/// Returns the conditions that do not hold, each with its reason. If there is none, the rule matches.
pub fn unmet(conditions: &Conditions, facts: &Facts) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut refuse = |field: &str, message: Option<String>| {
        if let Some(message) = message {
            reasons.push(Reason { field: format!("/conditions/{field}"), message });
        }
    };
    refuse("destination_countries", countries(conditions, facts));
    refuse("post_code_prefixes", post_codes(conditions, facts));
    refuse("mass", conditions.mass.as_ref().and_then(|wanted| mass(wanted, facts)));
    if let Some(wanted) = &conditions.dimensions {
        for (side, message) in dimensions(wanted, facts) {
            refuse(&format!("dimensions/{side}"), message);
        }
    }
    refuse("order_value", conditions.order_value.as_ref().and_then(|wanted| value(wanted, facts)));
    refuse("item_tags", items(&conditions.item_tags, &facts.item_tags, "item_tags", "tags", facts));
    refuse("skus", items(&conditions.skus, &facts.skus, "skus", "SKUs", facts));
    refuse("channels", word(&conditions.channels, facts.channel.as_deref(), "channel", "channel", facts));
    let requested = facts.requested_service.as_deref();
    let message =
        word(&conditions.requested_services, requested, "requested_service", "requested service", facts);
    refuse("requested_services", message);
    refuse("order_tags", order_tags(conditions, facts));
    refuse("origin_location_ids", origins(conditions, facts));
    refuse("weekdays", weekdays(conditions, facts));
    refuse("time_window", window(conditions, facts));
    reasons
}

fn countries(conditions: &Conditions, facts: &Facts) -> Option<String> {
    let wanted = &conditions.destination_countries;
    if wanted.is_empty() {
        return None;
    }
    let is = match facts.destination_country {
        Some(country) if wanted.contains(&country) => return None,
        Some(country) => format!("is {country}"),
        None => "is unknown".to_owned(),
    };
    Some(format!("The destination {is}; the rule is for {}.", list(wanted)))
}

fn post_codes(conditions: &Conditions, facts: &Facts) -> Option<String> {
    let wanted = &conditions.post_code_prefixes;
    if wanted.is_empty() {
        return None;
    }
    let is = match &facts.post_code {
        Some(code) if wanted.iter().any(|prefix| begins_with(code, prefix)) => return None,
        Some(code) => format!("is {code}"),
        None => "is unknown".to_owned(),
    };
    Some(format!("The post code {is}; the rule is for codes that begin with {}.", list(wanted)))
}

/// Returns whether a post code begins with a prefix. Spaces count only if the prefix has one.
fn begins_with(code: &str, prefix: &str) -> bool {
    let upper = |text: &str| text.to_uppercase();
    if prefix.contains(' ') {
        return upper(code).starts_with(&upper(prefix));
    }
    let dense: String = code.chars().filter(|char| !char.is_whitespace()).collect();
    upper(&dense).starts_with(&upper(prefix))
}

/// Returns whether a measure is in a range, compared in whole units of its last decimal.
fn is_in(measure: f64, range: &Range, decimals: u32) -> bool {
    let measure = round_up(measure, decimals);
    range.min.is_none_or(|min| round_up(min, decimals) <= measure)
        && range.max.is_none_or(|max| measure <= round_up(max, decimals))
}

fn mass(wanted: &Range, facts: &Facts) -> Option<String> {
    let wanted_words = range(wanted, "kg");
    match facts.mass {
        Some(mass) if is_in(mass, wanted, MASS_DECIMALS) => None,
        Some(mass) => Some(format!("The total mass is {mass} kg; the rule is for {wanted_words}.")),
        None => Some(format!(
            "The total mass is unknown; the rule is for {wanted_words}.{}",
            facts.why_unknown("mass")
        )),
    }
}

fn dimensions(wanted: &DimensionRanges, facts: &Facts) -> [(&'static str, Option<String>); 3] {
    let judge = |wanted: &Option<Range>, side: fn(&Sides) -> f64, name: &str| {
        let wanted = wanted.as_ref()?;
        let words = range(wanted, "cm");
        match facts.dimensions.as_ref().map(side) {
            Some(side) if is_in(side, wanted, SIDE_DECIMALS) => None,
            Some(side) => Some(format!("The {name} side is {side} cm; the rule is for {words}.")),
            None => Some(format!(
                "The {name} side is unknown; the rule is for {words}.{}",
                facts.why_unknown("dimensions")
            )),
        }
    };
    [
        ("length", judge(&wanted.length, |sides| sides.length, "longest")),
        ("width", judge(&wanted.width, |sides| sides.width, "second longest")),
        ("height", judge(&wanted.height, |sides| sides.height, "shortest")),
    ]
}

fn value(wanted: &ValueRange, facts: &Facts) -> Option<String> {
    let words = value_range(wanted);
    let Some(value) = &facts.order_value else {
        let why = facts.why_unknown("order_value");
        return Some(format!("The order value is unknown; the rule is for {words}.{why}"));
    };
    let shown = format!("{} {}", show_amount(value.amount, &value.currency_code), value.currency_code);
    if value.currency_code != wanted.currency_code {
        return Some(format!("The order value is {shown}, in another currency; the rule is for {words}."));
    }
    let is_in =
        wanted.min.is_none_or(|min| min <= value.amount) && wanted.max.is_none_or(|max| value.amount <= max);
    (!is_in).then(|| format!("The order value is {shown}; the rule is for {words}."))
}

fn items(wanted: &[String], known: &[String], fact: &str, noun: &str, facts: &Facts) -> Option<String> {
    if wanted.is_empty() || wanted.iter().any(|word| known.contains(word)) {
        return None;
    }
    let why = facts.why_unknown(fact);
    Some(format!("No item is known to have one of the {noun} {}.{why}", list(wanted)))
}

/// Compares two words of a shop, which may differ in case and in spaces around them.
fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

fn word(wanted: &[String], known: Option<&str>, fact: &str, noun: &str, facts: &Facts) -> Option<String> {
    if wanted.is_empty() {
        return None;
    }
    let (is, why) = match known {
        Some(known) if wanted.iter().any(|word| is_same(word, known)) => return None,
        Some(known) => (known.trim(), String::new()),
        None => ("unknown", facts.why_unknown(fact)),
    };
    Some(format!("The {noun} is {is}; the rule is for {}.{why}", list(wanted)))
}

fn order_tags(conditions: &Conditions, facts: &Facts) -> Option<String> {
    let wanted = &conditions.order_tags;
    if wanted.is_empty() || wanted.iter().any(|tag| facts.order_tags.contains(tag)) {
        return None;
    }
    let why = facts.why_unknown("order_tags");
    let has = match facts.order_tags.as_slice() {
        [] if !why.is_empty() => "The tags of the order are unknown".to_owned(),
        [] => "The order has no tags".to_owned(),
        tags => format!("The order has the tags {}", list(tags)),
    };
    Some(format!("{has}; the rule is for {}.{why}", list(wanted)))
}

fn origins(conditions: &Conditions, facts: &Facts) -> Option<String> {
    let wanted = &conditions.origin_location_ids;
    if wanted.is_empty() {
        return None;
    }
    let (is, why) = match facts.origin_location_id {
        Some(origin) if wanted.contains(&origin) => return None,
        Some(origin) => (origin.to_string(), String::new()),
        None => ("unknown".to_owned(), facts.why_unknown("origin_location_id")),
    };
    Some(format!("The origin is {is}; the rule is for {}.{why}", list(wanted)))
}

fn weekdays(conditions: &Conditions, facts: &Facts) -> Option<String> {
    let (wanted, local) = (&conditions.weekdays, &facts.local_time);
    if wanted.is_empty() {
        return None;
    }
    let window = conditions.time_window.as_ref();
    let began_yesterday = window.is_some_and(|window| window.began_yesterday(&local.time));
    let weekday = if began_yesterday { day_before(&local.weekday) } else { local.weekday.as_str() };
    if wanted.iter().any(|day| day == weekday) {
        return None;
    }
    let days: Vec<&str> = wanted.iter().map(|name| day(name)).collect();
    let is = if began_yesterday { "The time window began on" } else { "It is" };
    Some(format!("{is} {} in {}; the rule is for {}.", day(weekday), local.time_zone, list(&days)))
}

fn day_before(weekday: &str) -> &'static str {
    let place = DAYS.iter().position(|day| *day == weekday).unwrap_or_default();
    DAYS[(place + DAYS.len() - 1) % DAYS.len()]
}

fn window(conditions: &Conditions, facts: &Facts) -> Option<String> {
    let (window, local) = (conditions.time_window.as_ref()?, &facts.local_time);
    if window.contains(&local.time) {
        return None;
    }
    let (from, until) = (&window.from, &window.until);
    Some(format!("It is {} in {}; the rule is for {from} to {until}.", local.time, local.time_zone))
}
