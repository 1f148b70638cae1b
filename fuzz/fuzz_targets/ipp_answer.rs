//! Any bytes as a printer's answer: they are read or refused, and what is said of them is short and has no control characters.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[expect(dead_code, reason = "the target writes no requests")]
#[path = "../../crates/printing/src/ipp.rs"]
mod ipp;

/// The longest sentence that is made of a printer's words, in bytes.
const MESSAGE_BYTES_MAX: usize = 1000;

fuzz_target!(|bytes: &[u8]| {
    let Ok(answer) = ipp::Answer::read(bytes) else { return };
    let said = answer.message();
    assert!(said.len() <= MESSAGE_BYTES_MAX && !said.chars().any(char::is_control), "{said:?}");
    let values: usize = answer
        .groups
        .iter()
        .flat_map(|group| &group.attributes)
        .inspect(|attribute| assert!(!attribute.name.is_empty()))
        .map(|attribute| attribute.values.len())
        .sum();
    // Each value takes five bytes at least.
    assert!(values * 5 <= bytes.len());
    for tag in [ipp::OPERATION_GROUP, ipp::JOB_GROUP, ipp::PRINTER_GROUP] {
        for group in answer.groups(tag) {
            let _state = group.value("job-state").and_then(ipp::Value::as_number);
            let _name = group.value("job-name").and_then(ipp::Value::as_text);
        }
    }
});
