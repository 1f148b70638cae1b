//! Identifiers: a prefix that names the kind, and 26 characters of a time-ordered number.
//!
//! They are typed, so that passing a batch's id where a location's is expected does not compile. They sort by
//! creation time, so that paging by id is paging by age.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Timestamp;
use crate::platform::digits::Digits;

/// A type that has identifiers.
pub trait Kind: 'static {
    /// The letters before the underscore.
    const PREFIX: &'static str;
}

/// Crockford's base 32 in lower case. It has no i, l, o or u, so that an id can be read aloud.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
static DIGITS: Digits = Digits::new(ALPHABET);
/// Number of characters after the prefix and the underscore: 128 bits at five bits per character.
pub const BODY_CHARS: usize = 26;
/// Number of random bytes that [`Id::new`] takes, of which it uses 70 bits.
pub const RANDOM_BYTES: usize = 9;
const RANDOM_BITS: u32 = 70;

/// The prefix and the name of each kind of identifier.
const KINDS: &[(&str, &str)] = &[
    ("alloc", "an allocation"),
    ("batch", "a batch"),
    ("ca", "a carrier account"),
    ("car", "a carrier"),
    ("cs", "a carrier service"),
    ("doc", "a document"),
    ("evt", "an event"),
    ("exc", "an exception of an order"),
    ("ic", "a change of stock"),
    ("inv", "an inventory item"),
    ("lc", "a location configuration"),
    ("loc", "a location"),
    ("mail", "an e-mail"),
    ("mfst", "a manifest"),
    ("note", "a note of an order"),
    ("line", "a line of an order"),
    ("ord", "an order"),
    ("org", "an organisation"),
    ("pa", "a purchase attempt"),
    ("pj", "a print job"),
    ("pky", "a passkey"),
    ("prn", "a printer"),
    ("pt", "a package type"),
    ("rate", "a rate"),
    ("res", "a reservation"),
    ("role", "a role"),
    ("rule", "a shipping rule"),
    ("scan", "a scan"),
    ("ses", "a session"),
    ("shp", "a shipment"),
    ("tok", "an access token"),
    ("usr", "a user"),
    ("wave", "a wave"),
    ("imp", "an import"),
    ("we", "a webhook endpoint"),
    ("whd", "a webhook delivery"),
];

/// The kind of an allocation's id. A change of stock names the allocation that caused it, and the area of stock comes
/// before that of orders, which defines allocations.
pub enum AllocationKind {}

impl Kind for AllocationKind {
    const PREFIX: &'static str = "alloc";
}

/// The kind of a package type's id. A package of a shipment names its type, and the area of shipping comes before that of
/// fulfilment, which defines package types.
pub enum PackageTypeKind {}

impl Kind for PackageTypeKind {
    const PREFIX: &'static str = "pt";
}

/// The kind of a shipment's id. Orders name the shipments that were made from them, and the area of orders comes before
/// that of shipping, which defines shipments.
pub enum ShipmentKind {}

impl Kind for ShipmentKind {
    const PREFIX: &'static str = "shp";
}

/// The kind of a shipping rule's id. A shipment names the rule that chose its service, and the area of shipping comes before
/// that of fulfilment, which defines shipping rules.
pub enum ShippingRuleKind {}

impl Kind for ShippingRuleKind {
    const PREFIX: &'static str = "rule";
}

/// Returns the name of the kind with this prefix, with its article.
pub fn noun(prefix: &str) -> Option<&'static str> {
    KINDS.iter().find(|(known, _)| *known == prefix).map(|(_, noun)| *noun)
}

/// Returns whether the text is an identifier with this prefix.
pub fn is_identifier(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).is_some_and(|body| {
        body.len() == BODY_CHARS
            && body.starts_with(|first: char| ('0'..='7').contains(&first))
            && body.bytes().all(|char| matches!(char, b'0'..=b'9' | b'a'..=b'h' | b'j' | b'k' | b'm' | b'n' | b'p'..=b't' | b'v'..=b'z'))
    })
}

/// Returns the reason why a text is not an identifier with this prefix, as the rest of a sentence that begins with
/// "This", without its full stop.
pub fn mismatch(prefix: &str, text: &str) -> String {
    let expected = match noun(prefix) {
        Some(noun) => format!("{noun}'s (`{prefix}_…`)"),
        None => format!("one that starts with `{prefix}_`"),
    };
    let other = text.split_once('_').filter(|(prefix, _)| is_identifier(prefix, text));
    match other.and_then(|(prefix, _)| noun(prefix)) {
        Some(noun) => format!("is the id of {noun}; expected {expected}"),
        None => format!("is not an id; expected {expected}, {BODY_CHARS} characters after the prefix"),
    }
}

/// The identifier of a `K`.
pub struct Id<K> {
    bits: u128,
    kind: PhantomData<fn() -> K>,
}

impl<K> Id<K> {
    /// Creates an identifier from 48 bits of milliseconds, 10 bits of microseconds and 70 random bits.
    ///
    /// With the microseconds, ids sort as (`created_at`, id). One key serves both orders, and a list needs no index
    /// of its own.
    pub fn new(now: Timestamp, random: [u8; RANDOM_BYTES]) -> Self {
        let millis = u128::from(now.as_millis());
        let micros = now.as_micros().rem_euclid(1000) as u128;
        let mut tail = [0; 16];
        tail[16 - RANDOM_BYTES..].copy_from_slice(&random);
        let tail = u128::from_be_bytes(tail) & ((1 << RANDOM_BITS) - 1);
        Self::from_bits(millis << 80 | micros << RANDOM_BITS | tail)
    }

    /// Returns the identifier with exactly these bits.
    pub fn from_bits(bits: u128) -> Self {
        Self { bits, kind: PhantomData }
    }

    /// Returns the 128 bits behind the prefix.
    pub fn bits(self) -> u128 {
        self.bits
    }

    /// Returns the identifier whose text sorts the other way round: of two, the newer has the smaller. Applied twice, it
    /// returns the identifier itself.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self::from_bits(!self.bits)
    }

    /// Returns the smallest identifier that [`Id::new`] makes at this moment.
    pub fn first_at(moment: Timestamp) -> Self {
        Self::new(moment, [0; RANDOM_BYTES])
    }

    /// Returns the largest identifier that [`Id::new`] makes at this moment.
    pub fn last_at(moment: Timestamp) -> Self {
        Self::new(moment, [u8::MAX; RANDOM_BYTES])
    }
}

impl<K: Kind> Id<K> {
    /// Parses exactly what [`fmt::Display`] writes: each identifier has one spelling.
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(K::PREFIX)?.strip_prefix('_')?;
        if body.len() != BODY_CHARS {
            return None;
        }
        let mut bits: u128 = 0;
        for (place, char) in body.bytes().enumerate() {
            let digit = DIGITS.value(char)?;
            // 26 characters hold 130 bits, so the first character may carry only three.
            if place == 0 && digit > 7 {
                return None;
            }
            bits = bits << 5 | u128::from(digit);
        }
        Some(Self::from_bits(bits))
    }

    /// Returns the text that [`fmt::Display`] writes, in memory of the right size.
    pub fn text(self) -> String {
        let mut text = String::with_capacity(K::PREFIX.len() + 1 + BODY_CHARS);
        text.push_str(K::PREFIX);
        text.push('_');
        text.push_str(std::str::from_utf8(&self.body()).unwrap_or_default());
        text
    }
}

impl<K> Id<K> {
    /// Returns the characters behind the prefix and the underscore.
    fn body(self) -> [u8; BODY_CHARS] {
        let mut body = [0; BODY_CHARS];
        for (place, char) in body.iter_mut().enumerate() {
            let shift = 5 * (BODY_CHARS - 1 - place);
            *char = ALPHABET[(self.bits >> shift) as usize & 31];
        }
        body
    }
}

impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(K::PREFIX)?;
        out.write_str("_")?;
        out.write_str(std::str::from_utf8(&self.body()).map_err(|_| fmt::Error)?)
    }
}

impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

// Implemented by hand, because a derive would require the same traits of `K`, which is only a marker.
impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bits.cmp(&other.bits)
    }
}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

impl<K: Kind> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        Id::parse(&text).ok_or_else(|| serde::de::Error::custom("not an id of this kind"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Location;

    impl Kind for Location {
        const PREFIX: &'static str = "loc";
    }

    struct Batch;

    impl Kind for Batch {
        const PREFIX: &'static str = "batch";
    }

    proptest! {
        #[test]
        fn every_id_reads_back(bits: u128) {
            let id = Id::<Location>::from_bits(bits);
            prop_assert_eq!(Id::parse(&id.to_string()), Some(id));
            prop_assert_eq!(id.text(), id.to_string());
        }

        #[test]
        fn text_order_is_number_order(a: u128, b: u128) {
            let (a, b) = (Id::<Location>::from_bits(a), Id::<Location>::from_bits(b));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }

        #[test]
        fn nothing_else_reads(text in "\\PC{0,40}") {
            if let Some(id) = Id::<Location>::parse(&text) {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }

    #[test]
    fn ids_of_other_kinds_are_refused() {
        let id = Id::<Location>::from_bits(7);
        assert_eq!(Id::<Batch>::parse(&id.to_string()), None);
        assert_eq!(id.to_string(), "loc_00000000000000000000000007");
    }

    #[test]
    fn a_malformed_id_is_told_from_one_of_another_kind() {
        let batch = Id::<Batch>::from_bits(7).to_string();
        assert_eq!(mismatch("loc", &batch), "is the id of a batch; expected a location's (`loc_…`)");
        for text in ["loc_7", "nonsense", "", "zzz_00000000000000000000000007", &batch.to_uppercase()] {
            let said = mismatch("loc", text);
            assert_eq!(said, "is not an id; expected a location's (`loc_…`), 26 characters after the prefix");
        }
    }

    #[test]
    fn later_ids_sort_later() {
        let early = Id::<Location>::new(Timestamp::from_micros(1_000_000), [255; RANDOM_BYTES]);
        let late = Id::<Location>::new(Timestamp::from_micros(1_000_001), [0; RANDOM_BYTES]);
        assert!(early < late);
    }
}
