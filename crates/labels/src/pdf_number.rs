//! Numbers in the commands of a PDF. A label has hundreds of them, so they are not written by the general formatter.

/// Appends a number with at most three decimals, and a space behind it.
pub(crate) fn real(out: &mut Vec<u8>, value: f32) {
    #[expect(clippy::cast_possible_truncation, reason = "a page has thousands of dots, not billions")]
    let whole = value as i32;
    // Most numbers are whole, because everything that must be sharp lies on a dot.
    if whole as f32 == value {
        decimal(out, whole < 0, whole.unsigned_abs(), 0);
        return;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a page has thousands of dots, not billions")]
    let thousandths = (f64::from(value) * 1000.0).round() as i32;
    let size = thousandths.unsigned_abs();
    decimal(out, thousandths < 0, size / 1000, size % 1000);
}

fn decimal(out: &mut Vec<u8>, is_negative: bool, whole: u32, thousandths: u32) {
    // A sign, ten digits, a point, three decimals and a space.
    let mut text = [b' '; 16];
    let mut at = text.len() - 1;
    let mut put = |byte: u8| {
        at -= 1;
        text[at] = byte;
    };
    if thousandths > 0 {
        let (mut left, mut places) = (thousandths, 3);
        // A zero at the end says nothing.
        while left % 10 == 0 {
            (left, places) = (left / 10, places - 1);
        }
        for _ in 0..places {
            put(digit(left));
            left /= 10;
        }
        put(b'.');
    }
    let mut left = whole;
    loop {
        put(digit(left));
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if is_negative {
        put(b'-');
    }
    out.extend_from_slice(&text[at..]);
}

/// The last digit of a number.
fn digit(number: u32) -> u8 {
    b'0' + u8::try_from(number % 10).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_written_to_the_thousandth(
            value in prop_oneof![-40_000.0_f32..40_000.0, -1.5_f32..1.5, (-9_999_i16..9_999).prop_map(f32::from)]
        ) {
            let mut out = Vec::new();
            real(&mut out, value);
            // Adding zero takes the sign from a zero.
            let rounded = (f64::from(value) * 1000.0).round() / 1000.0 + 0.0;
            prop_assert_eq!(String::from_utf8(out).unwrap(), format!("{rounded} "));
        }
    }

    #[test]
    fn small_and_large_numbers_have_all_their_digits() {
        let cases = [
            (0.0, "0 "),
            (-0.0, "0 "),
            (-0.0004, "0 "),
            (0.05, "0.05 "),
            (-0.001, "-0.001 "),
            (7.5, "7.5 "),
            (-2_000_000_000.0, "-2000000000 "),
        ];
        for (value, wanted) in cases {
            let mut out = Vec::new();
            real(&mut out, value);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
        }
    }
}
