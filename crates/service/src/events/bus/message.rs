//! The text in which nodes send each other hints: words, of which each is one of `anything`, `access`, `announcement`, or the
//! owner of a log that has grown. The bus puts it into an envelope.
//!
//! Nodes of several versions may run during a roll-out: a node treats anything that it does not understand as
//! `anything`.

use bus::{ENVELOPE_BYTES_MAX, MESSAGE_BYTES_MAX, Pending};
use model::Owner;

use super::gathered::{Gathered, OWNERS_MAX};

const ANYTHING: &str = "anything";
const ACCESS: &str = "access";
const ANNOUNCEMENT: &str = "announcement";
/// The longest owner's key with the space before it, and the longest other words, in bytes.
const OWNER_BYTES_MAX: usize = 1 + 35;
const WORDS_BYTES_MAX: usize = ANYTHING.len() + 1 + ACCESS.len() + 1 + ANNOUNCEMENT.len();
/// The longest text, in bytes.
const TEXT_BYTES_MAX: usize = MESSAGE_BYTES_MAX - ENVELOPE_BYTES_MAX;

const _: () = assert!(WORDS_BYTES_MAX + OWNERS_MAX * OWNER_BYTES_MAX <= TEXT_BYTES_MAX);

impl Pending for Gathered {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn merge(&mut self, other: &Self) {
        self.merge(other);
    }

    fn text(&self) -> String {
        write(self)
    }
}

/// Writes the words of a message.
fn write(told: &Gathered) -> String {
    let said = [(told.is_anything, ANYTHING), (told.is_access, ACCESS), (told.is_announcement, ANNOUNCEMENT)];
    let words = said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, word)| word.to_owned());
    let words: Vec<String> = words.chain(told.owners.iter().map(ToString::to_string)).collect();
    words.join(" ")
}

/// Reads the words of a message.
pub fn read(text: &str) -> Gathered {
    let mut told = Gathered::default();
    for word in text.split(' ') {
        match (word, Owner::parse(word)) {
            (_, Some(owner)) => told.add_owners([owner]),
            (ACCESS, _) => told.is_access = true,
            (ANNOUNCEMENT, _) => told.is_announcement = true,
            // `anything`, and every unknown word.
            _ => told.add_anything(),
        }
    }
    told
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
        let text = "access org_00000000000000000000000001 org_00000000000000000000000002_test";
        assert_eq!(write(&told), text);
        assert_eq!(read(text), told);
    }

    #[test]
    fn what_is_not_understood_is_anything() {
        for text in ["", " ", "events", "org_1", "{}", "1 x access"] {
            assert!(read(text).is_anything, "{text:?}");
        }
        assert_eq!(read("events"), anything());
        assert_eq!(read("access later"), Gathered { is_access: true, ..anything() });
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
            let text = write(&told);
            prop_assert!(text.len() <= TEXT_BYTES_MAX);
            prop_assert_eq!(read(&text), told);
        }

        #[test]
        fn every_message_says_something(text in ".{0,200}") {
            prop_assert!(!read(&text).is_empty());
        }
    }
}
