//! Barcodes of inventory items. GTINs (UPC, EAN and ITF-14 codes) compare by their number, own codes as they are.
//!
//! A GTIN has 8, 12, 13 or 14 digits, of which the last is a check digit. The same number may be printed with more
//! zeros in front: the UPC-A `012345678905` is the EAN-13 `0012345678905`. Scanners return either form, so both must
//! find the same item.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::platform::problem::Issue;
use crate::platform::shape::{Issues, Kind, Path, Pattern, Shape};

/// Maximum number of barcodes of an item.
pub const BARCODES_MAX: usize = 20;
/// Maximum number of characters of a barcode.
pub const BARCODE_CHARS_MAX: usize = 100;
/// The digits of the longest GTIN.
const GTIN_DIGITS: usize = 14;

/// Returns the form in which barcodes are compared: a valid GTIN with zeros in front up to 14 digits, and every other
/// code as it is.
pub fn comparable(code: &str) -> Cow<'_, str> {
    if is_gtin(code) && code.len() < GTIN_DIGITS {
        return Cow::Owned(format!("{code:0>GTIN_DIGITS$}"));
    }
    Cow::Borrowed(code)
}

/// Returns whether the code is a GTIN-8, GTIN-12, GTIN-13 or GTIN-14 with the right check digit.
pub fn is_gtin(code: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    match code.as_bytes() {
        [number @ .., check] if matches!(code.len(), 8 | 12..=14) => {
            code.as_bytes().iter().all(is_digit) && check_digit(number) == *check
        }
        _ => false,
    }
}

/// Returns the forms in which a scanner may return the code: a valid GTIN with each number of zeros in front that makes a
/// GTIN, and every other code as it is.
pub fn spellings(code: &str) -> Vec<String> {
    if !is_gtin(code) {
        return vec![code.to_owned()];
    }
    let number = code.trim_start_matches('0');
    let lengths = [8, 12, 13, GTIN_DIGITS].into_iter().filter(|length| number.len() <= *length);
    lengths.map(|length| format!("{number:0>length$}")).collect()
}

/// Returns the check digit of the digits before it. Their weights are 3 and 1 in turn from the right, so zeros in front
/// change nothing.
fn check_digit(number: &[u8]) -> u8 {
    let weighted = number.iter().rev().enumerate().map(|(place, digit)| {
        let weight = if place % 2 == 0 { 3 } else { 1 };
        weight * u32::from(digit - b'0')
    });
    let rest = (10 - weighted.sum::<u32>() % 10) % 10;
    b'0' + rest as u8
}

/// Refuses a list that has one code twice.
pub(crate) fn refuse_repeated(codes: &[Value], at: &Path<'_>, issues: &mut Issues) {
    let mut seen = BTreeMap::new();
    for (place, code) in codes.iter().enumerate() {
        let Some(code) = code.as_str() else { continue };
        if let Some(first) = seen.insert(comparable(code), place) {
            let message = format!("This is the same code as entry {}. Name it once.", first + 1);
            issues.push(Issue::new("duplicate", &Path::Item(at, place), message));
        }
    }
}

fn is_trimmed(text: &str) -> bool {
    text.trim() == text
}

/// A barcode.
pub static BARCODE: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: BARCODE_CHARS_MAX,
        pattern: Some(Pattern {
            regex: r"^[^\s\u0000-\u001F\u007F-\u009F]([^\u0000-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F])?$",
            matches: is_trimmed,
        }),
    },
    "A GTIN (UPC-A, EAN-8, EAN-13 or ITF-14) or a code of your own. A GTIN with the right check digit matches with and without zeros in front; every other code matches exactly.",
)
.example(r#""4006381333931""#);
/// The barcodes of an item.
pub static BARCODES: Shape = Shape::list(
    &BARCODE,
    BARCODES_MAX,
    "What a scanner reads from the item: GTINs (UPC, EAN) or codes of your own. No two items of the organisation have the same code. `GET /inventory_items?barcode=` finds the item.",
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn published_codes_have_their_check_digits() {
        // An EAN-13 and a GTIN-14 of GS1's own examples, a UPC-A, an EAN-8.
        for code in ["4006381333931", "10614141000415", "036000291452", "96385074", "00000000"] {
            assert!(is_gtin(code), "{code}");
        }
        for code in [
            "4006381333932",
            "0360002914523",
            "9638507",
            "963850745",
            "12345678901",
            "４００６３８１３３３９３１",
            "",
        ] {
            assert!(!is_gtin(code), "{code}");
        }
    }

    #[test]
    fn the_forms_of_one_number_are_equal_and_other_codes_are_not() {
        let upc = comparable("012345678905");
        assert_eq!(upc, "00012345678905");
        assert_eq!(comparable("0012345678905"), upc);
        assert_eq!(comparable("00012345678905"), upc);
        // Without a valid check digit it is a code of the merchant's own.
        assert_eq!(comparable("012345678904"), "012345678904");
        assert_ne!(comparable("12345678905"), upc);
        assert_ne!(comparable("BOX-7"), comparable("box-7"));
    }

    #[test]
    fn a_code_that_is_named_twice_is_refused_where_it_is_repeated() {
        let mut issues = Issues::default();
        let codes = ["A", "012345678905", "B", "0012345678905", "A"].map(Value::from);
        refuse_repeated(&codes, &Path::Root("/barcodes"), &mut issues);
        let places: Vec<_> = issues.iter().map(|issue| issue.field.clone()).collect();
        assert_eq!(places, ["/barcodes/3", "/barcodes/4"]);
    }

    proptest! {
        #[test]
        fn zeros_in_front_change_nothing(number in "[0-9]{7}|[0-9]{11,13}") {
            let code = format!("{number}{}", check_digit(number.as_bytes()) as char);
            prop_assert!(is_gtin(&code));
            let full = format!("{code:0>14}");
            prop_assert!(is_gtin(&full));
            prop_assert_eq!(comparable(&code), comparable(&full));
            // What is compared is its own normal form.
            let normal = comparable(&code);
            prop_assert_eq!(comparable(&normal), full.as_str());
            // Every spelling is the same number, and the code and its full form are among them.
            let spellings = spellings(&code);
            prop_assert!(spellings.contains(&code) && spellings.contains(&full));
            prop_assert!(spellings.iter().all(|spelling| comparable(spelling) == full));
        }

        #[test]
        fn one_wrong_digit_is_noticed(number in "[0-9]{13}", place in 0usize..14, by in 1u8..10) {
            let mut code = format!("{number}{}", check_digit(number.as_bytes()) as char).into_bytes();
            code[place] = b'0' + (code[place] - b'0' + by) % 10;
            prop_assert!(!is_gtin(std::str::from_utf8(&code).unwrap()));
        }

        #[test]
        fn other_codes_stay_as_they_are(code in "\\PC{0,20}") {
            prop_assert!(is_gtin(&code) || comparable(&code) == code);
        }
    }
}
