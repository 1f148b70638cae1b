//! QR codes have the same modules as those of `fast_qr`, an encoder that was written by others.

use super::*;
use fast_qr::{ECL, QRBuilder};
use proptest::prelude::*;

fn check(payload: &str) {
    let code = QRBuilder::new(payload).ecl(ECL::M).build().unwrap();
    assert_eq!(side(payload), Some(code.size), "{payload}");
    let wanted: Vec<bool> = code.data[..code.size * code.size].iter().map(|module| module.value()).collect();
    let drawn = modules(payload).unwrap();
    let shown = |modules: &[bool]| {
        let row =
            |row: &[bool]| row.iter().map(|is_dark| if *is_dark { '#' } else { '.' }).collect::<String>();
        modules.chunks(code.size).map(row).collect::<Vec<_>>().join("\n")
    };
    assert!(drawn == wanted, "{payload}\n{}\n\n{}", shown(&drawn), shown(&wanted));
}

#[test]
fn payloads_of_every_length_and_mode_have_the_modules_of_another_encoder() {
    for length in 1..=super::super::matrix::MAX_BYTES {
        for sign in ["7", "Z", "%", "z", "_", ","] {
            // The last character decides the mode. The characters before it must not.
            check(&format!("{}{sign}", "1".repeat(length - 1)));
        }
    }
}

#[test]
fn what_is_too_long_has_no_code() {
    assert_eq!((side(&"7".repeat(203)), side(&"Z".repeat(155)), side(&"z".repeat(153))), (None, None, None));
    assert_eq!(modules(&"z".repeat(153)), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_payload_has_the_modules_of_another_encoder(
        payload in prop_oneof!["[ -~]{1,150}", "[0-9]{1,150}", "[A-Z0-9 $%*+./:-]{1,150}", "[A-Z]{2}[0-9]{9}GB", "\\PC{1,37}"]
    ) {
        check(&payload);
    }
}
