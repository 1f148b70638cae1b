//! Any bytes as a carrier's PDF that is merged with others: they become pages or are refused, and the file stays whole.
#![no_main]

use labels::Merger;
use libfuzzer_sys::fuzz_target;
use model::shipping::shipment::LabelFormat;

fuzz_target!(
    init: {
        // The merger catches panics of the PDF parser, which is a third party's, and refuses the file. The fuzzer's own hook
        // would end the process before that; a panic that gets out of the target still does.
        std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    },
    |bytes: &[u8]| {
        let mut merger = Merger::new(LabelFormat::Pdf);
        let mut file = Vec::new();
        let mut is_added = false;
        // Twice, since what is shared between files is written once.
        for _ in 0..2 {
            match merger.add("label", bytes) {
                Ok(part) => file.extend(part),
                Err(error) => assert!(error.to_string().len() < 300, "a refusal is short"),
            }
            is_added |= !file.is_empty();
        }
        file.extend(merger.finish());
        if is_added {
            assert!(file.starts_with(b"%PDF-"));
            assert!(file.ends_with(b"%%EOF\n"));
        }
    }
);
