//! Tracking numbers of the sandbox, in the format of the Universal Postal Union (S10): two letters, eight digits, a
//! check digit, and the country that the parcel leaves from.

use model::{CountryCode, Id, Shipment};
use sha2::{Digest, Sha256};

/// Letters that no postal operator uses for its own parcels.
const PREFIX: &str = "SB";
const WEIGHTS: [u32; 8] = [8, 6, 4, 2, 3, 5, 9, 7];

/// Returns the tracking number of a package. It is always the same for the same shipment, package and attempt.
pub fn tracking_number(shipment: Id<Shipment>, package: usize, attempt: u32, from: CountryCode) -> String {
    number_of(&shipment.to_string(), package, attempt, from)
}

/// Returns the tracking number of a purchase that has only a reference.
pub(super) fn number_of(reference: &str, package: usize, attempt: u32, from: CountryCode) -> String {
    let digits = serial_of(&format!("{reference} {package} {attempt}"));
    format!("{PREFIX}{digits}{}{from}", check_digit(&digits))
}

/// Returns eight digits that follow from a text.
pub(super) fn serial_of(text: &str) -> String {
    let hash = Sha256::digest(text);
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash[..8]);
    format!("{:08}", u64::from_be_bytes(bytes) % 100_000_000)
}

/// Returns whether a text is a number of this format, with the right check digit.
pub fn is_tracking_number(text: &str) -> bool {
    let is_upper = |part: &str| part.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = (text.get(..2), text.get(2..10), text.get(10..11), text.get(11..));
    let (Some(service), Some(serial), Some(check), Some(country)) = parts else { return false };
    country.len() == 2
        && is_upper(service)
        && is_upper(country)
        && is_digits(serial)
        && check == check_digit(serial).to_string()
}

fn check_digit(digits: &str) -> u32 {
    let sum: u32 = digits.bytes().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    match 11 - sum % 11 {
        10 => 0,
        11 => 5,
        check => check,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn gb() -> CountryCode {
        CountryCode::parse("GB").unwrap()
    }

    #[test]
    fn the_standard_s_own_example() {
        assert_eq!(check_digit("12345678"), 5);
        assert!(is_tracking_number("LX123456785GB"));
        assert!(!is_tracking_number("LX123456784GB"));
        assert!(!is_tracking_number("LX12345678"));
        assert!(!is_tracking_number("Ł123456785GB"));
    }

    proptest! {
        #[test]
        fn numbers_are_sound_and_repeat(bits: u128, package in 0usize..99, attempt in 0u32..9) {
            let number = tracking_number(Id::from_bits(bits), package, attempt, gb());
            prop_assert!(is_tracking_number(&number), "{}", number);
            prop_assert_eq!(tracking_number(Id::from_bits(bits), package, attempt, gb()), number);
        }

        #[test]
        fn a_wrong_digit_is_noticed(bits: u128, place in 2usize..10, by in 1u8..10) {
            let mut number = tracking_number(Id::from_bits(bits), 0, 0, gb()).into_bytes();
            number[place] = b'0' + (number[place] - b'0' + by) % 10;
            let number = String::from_utf8(number).unwrap();
            // Two remainders share the digit 5 or 0, so the standard itself does not detect all errors.
            let sum = |text: &str| text[2..10].bytes().zip(WEIGHTS).map(|(d, w)| u32::from(d - b'0') * w).sum::<u32>() % 11;
            let is_shared = matches!(sum(&number), 0 | 1 | 6);
            prop_assert!(!is_tracking_number(&number) || is_shared);
        }

        #[test]
        fn any_text_is_judged(text in "\\PC{0,20}") {
            let _ = is_tracking_number(&text);
        }
    }
}
