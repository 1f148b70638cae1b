//! Tests with files for which a parser's time grows with the square of their size: each is rejected with a reason,
//! within seconds.

use super::*;
use std::time::{Duration, Instant};

const MEBIBYTE: usize = 1 << 20;
/// The time limit for a file in an unoptimised build on a busy machine.
const TIME_MAX: Duration = Duration::from_secs(20);

/// Returns a file that starts as a PDF and repeats some bytes.
fn repeated(bytes: &[u8], length: usize) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    file.extend(bytes.iter().copied().cycle().take(length));
    file
}

fn refused(file: &[u8]) -> String {
    let start = Instant::now();
    let added = Merger::new(LabelFormat::Pdf).add("", file).map(|bytes| bytes.len());
    assert!(start.elapsed() < TIME_MAX, "{:?}", start.elapsed());
    added.unwrap_err().to_string()
}

#[test]
fn objects_without_an_end_are_refused() {
    for object in [
        b"1 0 obj (".as_slice(),
        b"1 0 obj <</A(",
        b"1 0 obj [",
        b"1 0 obj <</A ",
        b"<</A ",
        b"1 0 obj <<>>\nstream\n",
    ] {
        let reason = refused(&repeated(object, 16 * MEBIBYTE));
        assert!(reason.contains("over each other") || reason.contains("deep in each other"), "{reason}");
    }
}

#[test]
fn objects_that_end_are_read_once_however_many_there_are() {
    // No reference leads to these objects, so the parser finds no pages, but it has read them all.
    for object in [
        b"1 0 obj\n<</A 1/B[2(b)]>>\nendobj\n".as_slice(),
        b"1 0 obj\nendobj\n",
        b"garbage ",
        b"\x00\xff(<[\n",
    ] {
        let reason = refused(&repeated(object, 4 * MEBIBYTE));
        assert!(reason.contains("no PDF that can be read"), "{reason}");
    }
}

#[test]
fn what_does_not_begin_as_a_pdf_is_not_read() {
    for file in [b"GIF89a\x01\x00\x01\x00".as_slice(), b"", b"<?xml version=\"1.0\"?><!DOCTYPE a>", b"BM"] {
        assert!(refused(file).contains("does not begin as a PDF does"));
    }
}

#[test]
fn brackets_in_each_other_take_no_stack() {
    for open in [b"[".as_slice(), b"<</A"] {
        let mut file = repeated(b"", 0);
        file.extend_from_slice(b"1 0 obj ");
        file.extend(open.iter().copied().cycle().take(MEBIBYTE));
        assert!(refused(&file).contains("deep in each other"));
    }
}
