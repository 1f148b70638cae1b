//! Bins: where an item lies in a location, and in which order a person walks past them.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::str::Chars;

/// Compares two bins in natural order: numbers by value and letters without case, so that `A-2` comes before `A-10`. An
/// empty bin comes last. Bins that differ only in case or in leading zeros are ordered by their characters.
pub fn compare_bins(a: &str, b: &str) -> Ordering {
    let by_presence = a.is_empty().cmp(&b.is_empty());
    by_presence.then_with(|| compare_parts(a, b)).then_with(|| a.cmp(b))
}

fn compare_parts(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.chars().peekable(), b.chars().peekable());
    loop {
        let order = match (a.peek().copied(), b.peek().copied()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(one), Some(other)) if one.is_ascii_digit() && other.is_ascii_digit() => {
                let (one, other) = (digits(&mut a), digits(&mut b));
                // A longer number without leading zeros is larger.
                one.len().cmp(&other.len()).then_with(|| one.cmp(&other))
            }
            (Some(one), Some(other)) => {
                a.next();
                b.next();
                one.to_lowercase().cmp(other.to_lowercase())
            }
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Takes a number, and returns its digits without leading zeros.
fn digits(text: &mut Peekable<Chars<'_>>) -> String {
    let mut number = String::new();
    while let Some(digit) = text.next_if(char::is_ascii_digit) {
        if !(number.is_empty() && digit == '0') {
            number.push(digit);
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_count_by_value_and_letters_without_case() {
        let mut bins = ["B-1", "A-10", "", "a-3", "A-2", "A-02", "A-2-11", "A-2-2", "A", "10", "9", "Ä-1"];
        bins.sort_by(|a, b| compare_bins(a, b));
        assert_eq!(bins, ["9", "10", "A", "A-02", "A-2", "A-2-2", "A-2-11", "a-3", "A-10", "B-1", "Ä-1", ""]);
    }

    #[test]
    fn a_number_of_any_length_is_compared() {
        let (long, longer) = ("9".repeat(60), format!("1{}", "0".repeat(60)));
        assert_eq!(compare_bins(&long, &longer), Ordering::Less);
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in "[aAbB0-2-]{0,6}", b in "[aAbB0-2-]{0,6}", c in "[aAbB0-2-]{0,6}") {
            prop_assert_eq!(compare_bins(&a, &b), compare_bins(&b, &a).reverse());
            prop_assert_eq!(compare_bins(&a, &b).is_eq(), a == b);
            if compare_bins(&a, &b).is_le() && compare_bins(&b, &c).is_le() {
                prop_assert!(compare_bins(&a, &c).is_le());
            }
        }
    }
}
