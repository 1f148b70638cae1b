//! Any bytes as a carrier's label in GIF: they become a PNG that can be read, or are refused.
#![no_main]

use labels::{converted, converted_exactly, gif_as_png};
use libfuzzer_sys::fuzz_target;
use model::shipping::shipment::LabelFormat;

fuzz_target!(|bytes: &[u8]| {
    match gif_as_png(bytes) {
        Ok(png) => {
            assert!(png.starts_with(b"\x89PNG"));
            // The sizes of both headers.
            let side = |at: usize| u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
            let told = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
            assert_eq!((side(6), side(8)), (told(16), told(20)));
            let page = converted(&png, LabelFormat::Png, LabelFormat::Pdf).expect("a conversion");
            assert!(page.is_ok(), "what was written can be read");
            for to in [LabelFormat::Pdf, LabelFormat::Zpl] {
                let _ = converted_exactly(&png, to);
            }
        }
        Err(error) => assert!(error.to_string().len() < 300, "a refusal is short"),
    }
});
