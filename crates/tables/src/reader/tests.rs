use proptest::prelude::*;

use super::*;

fn read_from(bytes: &[u8], encoding: Encoding, position: u64, piece: usize) -> Vec<Record> {
    let mut csv = Csv::new(encoding, b';', position);
    let mut pieces = bytes[position as usize..].chunks(piece);
    let mut records = Vec::new();
    loop {
        match csv.step() {
            Step::Record(record) => records.push(record),
            Step::More => match pieces.next() {
                Some(piece) => csv.feed(piece),
                None => csv.finish(),
            },
            Step::End => return records,
        }
    }
}

fn fields(records: &[Record]) -> Vec<Vec<&str>> {
    records.iter().map(|record| record.fields.iter().map(String::as_str).collect()).collect()
}

fn encode(text: &str, encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Windows1252 => encoding_rs::WINDOWS_1252.encode(text).0.into_owned(),
        Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    }
}

const ALL: [Encoding; 4] = [Encoding::Utf8, Encoding::Windows1252, Encoding::Utf16Le, Encoding::Utf16Be];

#[test]
fn quoted_line_ends_and_delimiters_belong_to_the_field() {
    let text = "a;\"b\r\nc\";d\r\n\r\n\"x;\"\"y\"\"\";;=\"00123\"";
    for encoding in ALL {
        let records = read_from(&encode(text, encoding), encoding, 0, 3);
        let expected: [&[&str]; 2] = [&["a", "b\r\nc", "d"], &["x;\"y\"", "", "=\"00123\""]];
        assert_eq!(fields(&records), expected, "{encoding:?}");
    }
}

#[test]
fn a_record_that_is_too_large_is_left_out_and_the_next_is_read() {
    let mut text = "a;".repeat(10);
    text.push_str(&"x".repeat(RECORD_BYTES_MAX + 10));
    text.push_str("\nb;c\n");
    text.push_str(&";".repeat(FIELDS_MAX));
    text.push_str("\nd\n");
    let records = read_from(text.as_bytes(), Encoding::Utf8, 0, 1 << 16);
    assert_eq!(
        records.iter().map(|record| record.flaw).collect::<Vec<_>>(),
        [Some(Flaw::TooLarge), None, Some(Flaw::TooLarge), None]
    );
    assert_eq!((records[1].fields.len(), records[3].fields.len()), (2, 1));
}

#[test]
fn bytes_that_are_no_text_are_named() {
    let records = read_from(b"a;b\nc\xFF;d\ne;f\n", Encoding::Utf8, 0, 5);
    let flaws: Vec<_> = records.iter().map(|record| record.flaw).collect();
    assert_eq!(flaws, [None, Some(Flaw::NotText), None]);
}

#[test]
fn a_mark_at_the_beginning_of_a_record_is_text() {
    let text = "a;b\n\u{feff}c;d\n";
    let whole = read_from(text.as_bytes(), Encoding::Utf8, 0, 1000);
    assert_eq!(fields(&whole), [["a", "b"], ["\u{feff}c", "d"]]);
    assert_eq!(read_from(text.as_bytes(), Encoding::Utf8, whole[0].end, 1000), whole[1..]);
}

proptest! {
    /// A reader that begins where a record ended reads the same records as the one that read them all.
    #[test]
    fn any_record_is_a_beginning(
        text in "[aäé€\u{feff};\"\r\n]{0,60}",
        encoding in proptest::sample::select(&ALL[..]),
        piece in 1usize..7,
    ) {
        let bytes = encode(&text, encoding);
        let whole = read_from(&bytes, encoding, 0, 1000);
        prop_assert_eq!(&read_from(&bytes, encoding, 0, piece), &whole);
        for (place, record) in whole.iter().enumerate() {
            prop_assert_eq!(&read_from(&bytes, encoding, record.end, piece)[..], &whole[place + 1..]);
        }
    }

    #[test]
    fn no_bytes_are_too_strange(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        encoding in proptest::sample::select(&ALL[..]),
        piece in 1usize..9,
    ) {
        let records = read_from(&bytes, encoding, 0, piece);
        prop_assert!(records.iter().all(|record| record.end <= bytes.len() as u64));
        prop_assert!(records.is_sorted_by(|a, b| a.end < b.end));
    }
}
