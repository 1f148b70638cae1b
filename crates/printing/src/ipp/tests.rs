//! Messages, compared with bytes as RFC 8010 shows them, and arbitrary bytes.

use proptest::prelude::*;

use super::*;

#[test]
fn a_request_has_the_bytes_of_the_standard() {
    let request = Request::new(Operation::PrintJob, 1, "ipp://p/x")
        .with("job-name", &Value::Name("pj".to_owned()))
        .job_group()
        .with("copies", &Value::Integer(20))
        .into_bytes();
    let mut expected = vec![2, 0, 0, 2, 0, 0, 0, 1, 1];
    expected.extend(b"\x47\x00\x12attributes-charset\x00\x05utf-8");
    expected.extend(b"\x48\x00\x1battributes-natural-language\x00\x02en");
    expected.extend(b"\x45\x00\x0bprinter-uri\x00\x09ipp://p/x");
    expected.extend(b"\x42\x00\x08job-name\x00\x02pj");
    expected.extend(b"\x02\x21\x00\x06copies\x00\x04\x00\x00\x00\x14\x03");
    assert_eq!(request, expected);
}

#[test]
fn an_answer_is_read_with_all_kinds_of_values() {
    let mut bytes = vec![2, 0, 0x04, 0x0a, 0, 0, 0, 7, OPERATION_GROUP];
    bytes.extend(b"\x41\x00\x0estatus-message\x00\x04No!\n");
    bytes.extend(b"\x02\x21\x00\x06job-id\x00\x04\x00\x00\x00\x93");
    bytes.extend(b"\x23\x00\x09job-state\x00\x04\x00\x00\x00\x09");
    bytes.extend(b"\x36\x00\x08job-name\x00\x08\x00\x02en\x00\x02pj");
    bytes.extend(b"\x33\x00\x06copies\x00\x08\x00\x00\x00\x01\x00\x00\x03\xe7");
    bytes.extend(b"\x22\x00\x02ok\x00\x01\x01\x44\x00\x01k\x00\x01a\x44\x00\x00\x00\x01b");
    // A collection with one member is several values without a name.
    bytes.extend(
        b"\x34\x00\x01c\x00\x00\x4a\x00\x00\x00\x01m\x21\x00\x00\x00\x04\x00\x00\x00\x05\x37\x00\x00\x00\x00",
    );
    bytes.extend(b"\x13\x00\x01n\x00\x00\x03the document");
    let answer = Answer::read(&bytes).unwrap();
    assert_eq!((answer.status, answer.request_id, answer.is_success()), (0x040a, 7, false));
    assert_eq!(answer.message(), "No! (status 0x040a)");
    let job = answer.groups(JOB_GROUP).next().unwrap();
    assert_eq!(job.value("job-id").and_then(Value::as_number), Some(147));
    assert_eq!(job.value("job-state").and_then(Value::as_number), Some(9));
    assert_eq!(job.value("job-name").and_then(Value::as_text), Some("pj"));
    assert_eq!(job.value("copies"), Some(&Value::Range(1, 999)));
    assert_eq!(job.value("ok"), Some(&Value::Boolean(true)));
    let words: Vec<_> = job.values("k").iter().filter_map(Value::as_text).collect();
    assert_eq!(words, ["a", "b"]);
    assert_eq!(job.values("c").len(), 4);
    assert_eq!((job.value("n"), job.value("absent")), (Some(&Value::Other(0x13)), None));
}

#[test]
fn a_refusal_without_words_is_told_by_its_code() {
    let answer = Answer::read(&[1, 1, 0x05, 0x07, 0, 0, 0, 1, 3]).unwrap();
    assert_eq!((answer.message().as_str(), answer.is_success()), ("status 0x0507", false));
}

#[test]
fn what_is_cut_off_or_out_of_order_is_no_answer() {
    let whole =
        Request::new(Operation::GetJobs, 1, "ipp://p/").with_keywords("requested-attributes", &["a", "b"]);
    let whole = whole.into_bytes();
    assert!(Answer::read(&whole).is_ok());
    for end in 0..whole.len() {
        assert_eq!(Answer::read(&whole[..end]), Err(Malformed), "{end}");
    }
    // A value before any group, a further value before any attribute, and a number of three bytes.
    for bytes in [
        &b"\x21\x00\x01a\x00\x04\x00\x00\x00\x01\x03"[..],
        b"\x01\x21\x00\x00\x00\x04\x00\x00\x00\x01\x03",
        b"\x01\x21\x00\x01a\x00\x03\x00\x00\x01\x03",
    ] {
        let bytes = [&[2, 0, 0, 0, 0, 0, 0, 1][..], bytes].concat();
        assert_eq!(Answer::read(&bytes), Err(Malformed), "{bytes:?}");
    }
    let many = [&[2, 0, 0, 0, 0, 0, 0, 1][..], &vec![1; ATTRIBUTES_MAX + 1], &[3]].concat();
    assert_eq!(Answer::read(&many), Err(Malformed));
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i32>().prop_map(Value::Integer),
        any::<i32>().prop_map(Value::Enum),
        any::<bool>().prop_map(Value::Boolean),
        any::<(i32, i32)>().prop_map(|(least, most)| Value::Range(least, most)),
        "\\PC{0,40}".prop_map(Value::Name),
        "\\PC{0,40}".prop_map(Value::Keyword),
        "\\PC{0,40}".prop_map(Value::Uri),
        "\\PC{0,40}".prop_map(Value::MediaType),
        "\\PC{0,40}".prop_map(Value::Text),
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_an_answer_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _either = Answer::read(&bytes);
    }

    #[test]
    fn what_is_written_is_read(id: u32, values in proptest::collection::vec(any_value(), 0..8)) {
        let mut request = Request::new(Operation::GetJobAttributes, id, "ipp://p/").job_group();
        for (place, value) in values.iter().enumerate() {
            request = request.with(&format!("a{place}"), value);
        }
        let read = Answer::read(&request.into_bytes()).unwrap();
        let job = read.groups(JOB_GROUP).next().unwrap();
        prop_assert_eq!(read.request_id, id);
        for (place, value) in values.iter().enumerate() {
            prop_assert_eq!(job.value(&format!("a{place}")), Some(value));
        }
    }
}
