//! Facets: the words by which lists of orders are filtered, besides the columns that every order has.
//!
//! A facet is a kind and a value as one text, such as `tag=gift`. An order without facets has no rows for them. The same
//! functions make the facets of an order and those that a filter asks for, so both engines find the same orders.

/// The facet of an order that is on hold.
pub const ON_HOLD: &str = "on_hold";
/// The facet of an order with an unresolved exception.
pub const HAS_EXCEPTION: &str = "has_exception";
/// The beginning of the facets of lines that match no item. The store has an index of them.
const UNMATCHED_SKU: &str = "unmatched_sku=";

pub fn channel(channel: &str) -> String {
    format!("channel={channel}")
}

pub fn tag(tag: &str) -> String {
    format!("tag={tag}")
}

/// Returns the facet of a customer's name or company, whatever its case.
pub fn customer(name: &str) -> String {
    format!("customer={}", folded(name))
}

/// Returns the facet of a customer's email address, whatever its case.
pub fn email_address(address: &str) -> String {
    format!("email_address={}", folded(address))
}

/// Returns the facet of a draft with a line that has this SKU and no item.
pub fn unmatched_sku(sku: &str) -> String {
    format!("{UNMATCHED_SKU}{sku}")
}

/// Returns the SKU of a facet that [`unmatched_sku`] made.
pub fn sku_of(facet: &str) -> Option<&str> {
    facet.strip_prefix(UNMATCHED_SKU)
}

fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_found_whatever_their_case() {
        assert_eq!(customer(" ÖZGÜR Straße "), customer("özgür straße"));
        assert_eq!(email_address("Ann@Example.com"), email_address("ann@example.COM"));
        assert_ne!(customer("ann"), email_address("ann"));
        assert_eq!(sku_of(&unmatched_sku("A=b")), Some("A=b"));
        assert_eq!(sku_of(&tag("x")), None);
    }
}
