//! Tests of the bytes that the intake lets through, however they are split.

use proptest::prelude::*;

use super::head::is_plain;
use super::*;

const GET: &str = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
const POST: &str = "POST /locations HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{\n\n}\n";
const CHUNKED: &str = "POST /locations HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\
                       5;x=y\r\n\nGET \r\na\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n";

/// Feeds the bytes in pieces of these sizes. Returns the bytes that passed, and the code of the refusal.
fn feed(intake: &mut Intake, bytes: &[u8], pieces: &[usize]) -> (Vec<u8>, Option<Code>) {
    let (mut held, mut passed, mut rest) = (Vec::new(), Vec::new(), bytes);
    let mut sizes = pieces.iter().copied().cycle();
    while !rest.is_empty() {
        let size = sizes.next().unwrap_or(rest.len()).clamp(1, rest.len());
        held.extend_from_slice(&rest[..size]);
        rest = &rest[size..];
        let verdict = intake.admit(&held);
        passed.extend(held.drain(..verdict.passed));
        if let Some(problem) = verdict.refusal {
            return (passed, Some(problem.code));
        }
    }
    (passed, None)
}

fn refused(head: &str) -> Option<Code> {
    feed(&mut Intake::new(), head.as_bytes(), &[]).1
}

#[test]
fn whole_messages_pass_unchanged_and_a_partial_head_waits() {
    let mut intake = Intake::new();
    let (passed, refusal) = feed(&mut intake, format!("{GET}\r\n{POST}{CHUNKED}GET /").as_bytes(), &[]);
    assert_eq!((String::from_utf8(passed).unwrap(), refusal), (format!("{GET}\r\n{POST}{CHUNKED}"), None));
    assert_eq!((intake.heads(), intake.stance()), (3, Stance::Reads));
}

#[test]
fn heads_that_proxies_may_read_otherwise_are_refused() {
    let malformed = Some(Code::MalformedRequest);
    for head in [
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        "\x16\x03\x01",
    ] {
        assert_eq!(refused(head), malformed, "{head:?}");
    }
    for head in ["GET / HTTP/1.0\r\n\r\n", "\r\n\r\nGET / HTTP/1.1\r\nHost:\r\n\r\n"] {
        assert_eq!(refused(head), None, "{head:?}");
    }
}

#[test]
fn heads_beyond_the_limits_are_refused_before_they_end() {
    let head = |bytes: usize| format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}", "a".repeat(bytes));
    assert_eq!(refused(&format!("{}\r\n\r\n", head(60_000))), None);
    assert_eq!(refused(&head(70_000)), Some(Code::HeadersTooLarge));
    assert_eq!(refused(&"\r\n".repeat(HEAD_BYTES_MAX)), Some(Code::HeadersTooLarge));
    let many = |count| format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: 1\r\n".repeat(count));
    assert_eq!(refused(&many(HEADERS_MAX - 1)), None);
    assert_eq!(refused(&many(HEADERS_MAX)), Some(Code::HeadersTooLarge));
}

#[test]
fn nothing_passes_behind_a_handshake_or_broken_chunks() {
    let handshake = "GET /connection/websocket HTTP/1.1\r\nHost: a\r\nUpgrade: h2c, WebSocket\r\n\r\n";
    let mut intake = Intake::new();
    let (passed, _) = feed(&mut intake, format!("{handshake}\u{1}\n").as_bytes(), &[]);
    assert_eq!((passed, intake.stance()), (handshake.as_bytes().to_vec(), Stance::Waits));

    let start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    for broken in
        ["g", "\r", "1\n", "1;x\n", "1\r\naa", "1\r\na\n", "0\r\n\n", "0\r\nX: 1\n", "11111111111111111"]
    {
        let mut intake = Intake::new();
        let (passed, refusal) = feed(&mut intake, format!("{start}{broken}{GET}").as_bytes(), &[]);
        assert_eq!((String::from_utf8(passed).unwrap(), refusal), (format!("{start}{broken}"), None));
        assert_eq!(intake.stance(), Stance::Ends, "{broken:?}");
    }
}

proptest! {
    #[test]
    fn a_plain_path_is_a_uri(path in "/[a-zA-Z0-9/_.?=&-]{0,60}", other in "\\PC{0,20}") {
        prop_assert!(is_plain(&path) && http::Uri::try_from(&path).is_ok());
        prop_assert!(!is_plain(&other) || http::Uri::try_from(&other).is_ok());
    }

    /// The result does not depend on how the bytes are split into reads.
    #[test]
    fn pieces_do_not_matter(
        messages in proptest::collection::vec(
            prop_oneof![Just(GET), Just(POST), Just(CHUNKED), Just("\r\n"), Just("NONSENSE\r\n\r\n"), "[a-z\r\n: ]{0,9}"
                .prop_map(|text| &*text.leak())],
            1..6,
        ),
        pieces in proptest::collection::vec(1_usize..40, 1..8),
    ) {
        let bytes = messages.concat();
        let whole = feed(&mut Intake::new(), bytes.as_bytes(), &[]);
        let cut = feed(&mut Intake::new(), bytes.as_bytes(), &pieces);
        prop_assert_eq!(&whole, &cut);
        prop_assert!(bytes.as_bytes().starts_with(&whole.0));
    }
}
