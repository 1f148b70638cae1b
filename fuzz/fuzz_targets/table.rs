//! Any bytes as a table: its encoding and delimiter are found, its records are read in pieces, and reading can begin at each of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tables::{Csv, Detector, Record, Rows, Step, clean, detect_start};

/// Records from which reading begins again.
const BEGINNINGS: usize = 4;

fn read(rows: &mut Rows, bytes: &[u8], piece: usize) -> Vec<Record> {
    let (mut pieces, mut records) = (bytes.chunks(piece), Vec::new());
    loop {
        match rows.step() {
            Step::Record(record) => records.push(record),
            Step::More => match pieces.next() {
                Some(piece) => rows.feed(piece),
                None => rows.finish(),
            },
            Step::End => return records,
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut detector = Detector::default();
    detector.feed(bytes);
    let found = detector.finish();
    let start = detect_start(&found.encoding.decode(&bytes[found.mark_bytes..]));
    let csv = |at: u64| Rows::Csv(Box::new(Csv::new(found.encoding, start.delimiter, at)));
    let whole = read(&mut csv(0), bytes, 1 << 16);
    assert_eq!(read(&mut csv(0), bytes, 7), whole);
    for (place, record) in whole.iter().enumerate().take(BEGINNINGS) {
        assert!(record.end <= bytes.len() as u64);
        assert_eq!(read(&mut csv(record.end), &bytes[record.end as usize..], 5), whole[place + 1..]);
        record.fields.iter().for_each(|field| assert!(clean(field).len() <= field.len()));
    }
});
