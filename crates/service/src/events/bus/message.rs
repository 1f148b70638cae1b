//! The message in which nodes send each other hints: `1 <sender> <word>…`, where 1 is the version, the sender is a unique name,
//! and a word is one of `anything`, `access`, `announcement`, or the owner of a log that has grown.
//!
//! Nodes of several versions may run during a roll-out: a node treats anything that it does not understand as
//! `anything`.

use model::Owner;
use store::PAYLOAD_BYTES_MAX;

use super::gathered::{Gathered, OWNERS_MAX};

const VERSION: &str = "1";
const ANYTHING: &str = "anything";
const ACCESS: &str = "access";
const ANNOUNCEMENT: &str = "announcement";
/// The longest owner's key with the space before it, and the longest rest of a message, in bytes.
const OWNER_BYTES_MAX: usize = 1 + 35;
const REST_BYTES_MAX: usize = 100;

const _: () = assert!(REST_BYTES_MAX + OWNERS_MAX * OWNER_BYTES_MAX <= PAYLOAD_BYTES_MAX);

/// Writes a message.
pub fn write(sender: &str, told: &Gathered) -> String {
    let mut text = format!("{VERSION} {sender}");
    let words =
        [(told.is_anything, ANYTHING), (told.is_access, ACCESS), (told.is_announcement, ANNOUNCEMENT)];
    for (_, word) in words.into_iter().filter(|(is_said, _)| *is_said) {
        text.extend([" ", word]);
    }
    for owner in &told.owners {
        text.extend([" ", &owner.to_string()]);
    }
    text
}

/// Reads a message. Returns `None` if it is this node's own.
pub fn read(message: &[u8], own_name: &str) -> Option<Gathered> {
    let mut told = Gathered::default();
    let mut words = std::str::from_utf8(message).unwrap_or_default().split(' ');
    if words.next() == Some(VERSION) {
        if words.next() == Some(own_name) {
            return None;
        }
        for word in words {
            match (word, Owner::parse(word)) {
                (_, Some(owner)) => told.add_owners([owner]),
                (ACCESS, _) => told.is_access = true,
                (ANNOUNCEMENT, _) => told.is_announcement = true,
                // `anything`, and every unknown word.
                _ => told.add_anything(),
            }
        }
    }
    if told.is_empty() {
        told.add_anything();
    }
    Some(told)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::{Id, World};
    use proptest::prelude::*;

    use super::*;

    fn owner(bits: u128, is_test: bool) -> Owner {
        Owner { organisation: Id::from_bits(bits), world: if is_test { World::Test } else { World::Live } }
    }

    fn anything() -> Gathered {
        Gathered { is_anything: true, ..Gathered::default() }
    }

    #[test]
    fn a_message_is_a_line_of_words() {
        let told = Gathered {
            owners: BTreeSet::from([owner(1, false), owner(2, true)]),
            is_access: true,
            ..Gathered::default()
        };
        let text = "1 ab12 access org_00000000000000000000000001 org_00000000000000000000000002_test";
        assert_eq!(write("ab12", &told), text);
        assert_eq!(read(text.as_bytes(), "cd34"), Some(told));
        assert_eq!(read(text.as_bytes(), "ab12"), None, "a node need not hear itself");
    }

    #[test]
    fn what_is_not_understood_is_anything() {
        for message in ["", "1", "1 x", "1 x ", "2 x access", "11 x access", "1 x events", "1 x org_1", "{}"]
        {
            assert_eq!(read(message.as_bytes(), "me"), Some(anything()), "{message:?}");
        }
        assert_eq!(read(b"1 x access later", "me"), Some(Gathered { is_access: true, ..anything() }));
        assert_eq!(read(b"\xff 1 x access", "me"), Some(anything()));
        assert_eq!(read(b"2 me access", "me"), Some(anything()), "another version may name itself otherwise");
    }

    proptest! {
        #[test]
        fn a_message_reads_back_and_fits(
            owners in prop::collection::btree_set((any::<u128>(), any::<bool>()), 0..=OWNERS_MAX),
            is_access in any::<bool>(), is_announcement in any::<bool>(), is_anything in any::<bool>(),
        ) {
            let mut told = Gathered { is_access, is_announcement, is_anything, ..Gathered::default() };
            told.add_owners(owners.into_iter().map(|(bits, is_test)| owner(bits, is_test)));
            prop_assume!(!told.is_empty());
            let text = write("0123456789abcdef01234567", &told);
            prop_assert!(text.len() <= PAYLOAD_BYTES_MAX);
            prop_assert_eq!(read(text.as_bytes(), "me"), Some(told));
        }

        #[test]
        fn no_message_is_a_danger(message in prop::collection::vec(any::<u8>(), 0..200)) {
            let told = read(&message, "me").expect("not our own");
            prop_assert!(!told.is_empty());
        }
    }
}
