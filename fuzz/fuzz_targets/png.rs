//! Any bytes as a carrier's picture of a label: they become a page of a PDF, and dots in ZPL, or are refused.
#![no_main]

use labels::converted;
use libfuzzer_sys::fuzz_target;
use model::shipping::shipment::LabelFormat;

fuzz_target!(|bytes: &[u8]| {
    for to in [LabelFormat::Pdf, LabelFormat::Zpl] {
        let Some(made) = converted(bytes, LabelFormat::Png, to) else { continue };
        match made {
            Ok(file) if to == LabelFormat::Pdf => assert!(file.starts_with(b"%PDF-")),
            Ok(file) => assert!(file.starts_with(b"^XA")),
            Err(error) => assert!(error.to_string().len() < 300, "a refusal is short"),
        }
    }
});
