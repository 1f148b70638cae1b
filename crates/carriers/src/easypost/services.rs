//! The services that EasyPost names, carrier by carrier: what a merchant may choose from before anything was rated. Rates
//! may name others, of contracts of the merchant's own.

/// A line for each carrier: its name, and the names of its services.
const TEXT: &str = include_str!("services.txt");

/// Carriers and their services, by EasyPost's own names.
pub fn services() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.lines()
        .filter_map(|line| line.split_once(' '))
        .flat_map(|(carrier, services)| services.split('|').map(move |service| (carrier, service)))
}

/// What programs call a service: `usps.ground_advantage`.
pub fn handle(carrier: &str, service: &str) -> String {
    format!("{}.{}", snake(carrier), snake(service))
}

/// `GroundAdvantage` as `ground_advantage`; what is in capitals stays one word.
pub fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut was_lower = false;
    for char in text.chars() {
        if char.is_ascii_alphanumeric() {
            if char.is_ascii_uppercase() && was_lower {
                out.push('_');
            }
            was_lower = char.is_ascii_lowercase() || char.is_ascii_digit();
            out.push(char.to_ascii_lowercase());
        } else if !out.ends_with('_') && !out.is_empty() {
            out.push('_');
            was_lower = false;
        }
    }
    out.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_service_has_a_handle() {
        assert!(services().count() > 900);
        assert!(services().any(|(carrier, service)| handle(carrier, service) == "usps.ground_advantage"));
        for (carrier, service) in services() {
            let handle = handle(carrier, service);
            let is_sound =
                |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || "._".contains(char);
            assert!(handle.chars().all(is_sound) && handle.len() <= 150, "{handle}");
        }
    }
}
