//! Any text where one word is expected, such as an id, a date, a cursor, a token or a channel: it is read or refused, and
//! what was read is written and read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::access::access_token::Secret;
use model::access::scope::Scopes;
use model::places::closing::Day;
use model::places::country::CountryCode;
use model::places::{post_code, province};
use model::platform::money::{parse_amount, show_amount};
use model::platform::nearest::suggestion;
use model::platform::time::parse_duration_seconds;
use model::{Id, Location, Owner, Scope, Timestamp};
use realtime::channel::Channel;
use realtime::session::ClientId;
use realtime::token::{Key, Signer};

#[expect(dead_code, reason = "the target makes no links")]
#[path = "../../crates/service/src/shipping/documents/link.rs"]
mod link;
#[path = "../../crates/service/src/platform/cursor/sealed.rs"]
mod sealed;

const KEY: [u8; 32] = [7; 32];
const PURPOSE: &[&str] = &["cursor", "org_1", "locations", ""];
/// A sentence about a word shows at most a part of it.
const SENTENCE_BYTES_MAX: usize = 3000;

/// What the domain reads.
fn domain(text: &str) {
    if let Some(id) = Id::<Location>::parse(text) {
        assert_eq!(id.to_string(), text);
    }
    if let Some(owner) = Owner::parse(text) {
        assert_eq!(owner.to_string(), text);
    }
    for moment in [Timestamp::parse(text), Timestamp::parse_http_date(text)].into_iter().flatten() {
        assert_eq!(Timestamp::parse(&moment.to_string()), Some(moment));
    }
    if let Some(day) = Day::parse(text) {
        assert_eq!(day.to_string(), text);
    }
    if let Some(seconds) = parse_duration_seconds(text) {
        assert!(seconds >= 1);
    }
    if let Some(scope) = Scope::parse(text) {
        assert_eq!(scope.to_string(), text);
        assert!(Scopes::parse(text).is_ok_and(|scopes| scopes.contains(scope)));
    }
    for currency in ["GBP", "JPY", "KWD"] {
        if let Some(amount) = parse_amount(text, currency) {
            assert_eq!(parse_amount(&show_amount(amount, currency), currency), Some(amount));
        }
    }
    for country in ["GB", "US", "CA", "NL", "JP"].into_iter().filter_map(CountryCode::parse) {
        if let Ok(code) = post_code::normalise(country, text) {
            assert_eq!(post_code::normalise(country, &code).as_ref(), Ok(&code), "{country} {text:?}");
        }
        if let Ok(code) = province::normalise(country, text) {
            assert!(
                province::normalise(country, &code).is_ok_and(|again| again == code),
                "{country} {text:?}"
            );
        }
    }
    assert!(suggestion(text, ["limit", "cursor", "GB"]).len() <= SENTENCE_BYTES_MAX);
    let _ = Secret::owner_of(text);
}

/// What clients of streams send.
fn streams(text: &str) {
    if let Ok(channel) = Channel::parse(text) {
        assert_eq!(channel.to_string(), text);
    }
    if let Some(id) = ClientId::parse(text) {
        assert_eq!(id.to_string(), text);
    }
    let signer = Signer::new(Key::hs256(&KEY).expect("a key"), "dockside", "fuzz");
    assert!(signer.verify_connection(0, text).is_err() && signer.verify_subscription(0, text).is_err());
}

/// What is signed, and can't be guessed.
fn sealed_texts(text: &str) {
    assert_eq!(sealed::open(&KEY, PURPOSE, text), None);
    let cursor = sealed::seal(&KEY, PURPOSE, text).expect("a key of the right length");
    assert_eq!(sealed::open(&KEY, PURPOSE, &cursor).as_deref(), Some(text));
    assert_eq!(sealed::open(&KEY, &PURPOSE[1..], &cursor), None);
    assert!(link::LinkKey::derive(&KEY).read(text).is_none());
}

fuzz_target!(|text: &str| {
    domain(text);
    streams(text);
    sealed_texts(text);
});
