//! Check digits of parcel numbers: GS1's modulo 10 and the Universal Postal Union's S10.

/// Returns GS1's modulo 10 check digit: weights 3 and 1 alternate, from the right. Returns `None` unless all
/// characters are digits.
pub fn mod_10(digits: &str) -> Option<u8> {
    let mut sum = 0;
    for (index, byte) in digits.bytes().rev().enumerate() {
        let digit = u32::from(digit(byte)?);
        sum += if index % 2 == 0 { 3 * digit } else { digit };
    }
    u8::try_from((10 - sum % 10) % 10).ok()
}

/// Returns a serial shipping container code of 18 digits from its first 17: extension digit, company prefix and
/// serial.
pub fn sscc(first_17: &str) -> Option<String> {
    (first_17.len() == 17).then(|| mod_10(first_17)).flatten().map(|check| format!("{first_17}{check}"))
}

/// Returns whether the text is a serial shipping container code with the right check digit.
pub fn is_sscc(text: &str) -> bool {
    text.len() == 18 && text.is_ascii() && sscc(&text[..17]).as_deref() == Some(text)
}

/// Returns the check digit of an S10 item number, from its 8 digits.
pub fn s10_digit(serial: &str) -> Option<u8> {
    const WEIGHTS: [u32; 8] = [8, 6, 4, 2, 3, 5, 9, 7];
    if serial.len() != WEIGHTS.len() {
        return None;
    }
    let mut sum = 0;
    for (byte, weight) in serial.bytes().zip(WEIGHTS) {
        sum += u32::from(digit(byte)?) * weight;
    }
    match 11 - sum % 11 {
        10 => Some(0),
        11 => Some(5),
        check => u8::try_from(check).ok(),
    }
}

/// Returns an S10 item number: two letters of the service, 8 digits, their check digit, and the country's two
/// letters.
pub fn s10(service: &str, serial: &str, country: &str) -> Option<String> {
    let are_letters = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    if !are_letters(service) || !are_letters(country) {
        return None;
    }
    s10_digit(serial).map(|check| format!("{service}{serial}{check}{country}"))
}

/// Returns whether the text is an S10 item number with the right check digit.
pub fn is_s10(text: &str) -> bool {
    text.len() == 13 && text.is_ascii() && s10(&text[..2], &text[2..10], &text[11..]).as_deref() == Some(text)
}

fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn published_examples_hold() {
        // From the GS1 General Specifications, and a GTIN-13 and a GTIN-12 of real products.
        assert_eq!(sscc("37610425002123456"), Some("376104250021234569".into()));
        assert!(is_sscc("376104250021234569") && !is_sscc("376104250021234568"));
        assert_eq!(mod_10("400638133393"), Some(1));
        assert_eq!(mod_10("03600029145"), Some(2));
        // From UPU S10.
        assert_eq!(s10("RR", "47312482", "US"), Some("RR473124829US".into()));
        assert!(is_s10("LX123456785GB") && !is_s10("LX123456784GB"));
    }

    #[test]
    fn what_is_no_number_has_no_check_digit() {
        assert_eq!(mod_10("12a"), None);
        assert_eq!(sscc("123"), None);
        assert_eq!(s10_digit("1234567"), None);
        assert_eq!(s10("R1", "47312482", "US"), None);
        assert!(!is_s10("äx123456785g") && !is_sscc("ääääääääa"));
    }

    proptest! {
        #[test]
        fn exactly_one_digit_completes_an_sscc_and_any_single_slip_is_found(
            first in "[0-9]{17}", at in 0_usize..18, wrong in 0_u8..10
        ) {
            // All ten digits are tried: the weighted sum over all 18 digits must be a multiple of ten.
            let sum = |text: &str| text.bytes().rev().enumerate()
                .map(|(n, b)| u32::from(b - b'0') * if n % 2 == 1 { 3 } else { 1 }).sum::<u32>();
            let right: Vec<String> = (0..10).map(|d| format!("{first}{d}")).filter(|t| sum(t) % 10 == 0).collect();
            prop_assert_eq!(&right, &vec![sscc(&first).unwrap()]);
            let mut slip = right[0].clone().into_bytes();
            prop_assume!(slip[at] != b'0' + wrong);
            slip[at] = b'0' + wrong;
            prop_assert!(!is_sscc(std::str::from_utf8(&slip).unwrap()));
        }

        #[test]
        fn any_single_slip_in_the_digits_of_s10_is_found(serial in "[0-9]{8}", at in 2_usize..10, wrong in 0_u8..10) {
            let right = s10("LX", &serial, "GB").unwrap();
            prop_assert!(is_s10(&right));
            let mut slip = right.into_bytes();
            prop_assume!(slip[at] != b'0' + wrong);
            slip[at] = b'0' + wrong;
            let text = String::from_utf8(slip).unwrap();
            // Two pairs of remainders share a check digit, so some errors are not detected. All others must be.
            let twins = |serial: &str| {
                let sum: u32 = serial.bytes().zip([8, 6, 4, 2, 3, 5, 9, 7]).map(|(b, w)| u32::from(b - b'0') * w).sum();
                sum % 11
            };
            let (old, new) = (twins(&serial), twins(&text[2..10]));
            let check = |remainder: u32| match 11 - remainder { 10 => 0, 11 => 5, n => n };
            prop_assert_eq!(is_s10(&text), check(old) == check(new));
        }
    }
}
