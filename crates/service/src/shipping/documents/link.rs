//! Signed links to files: the holder of a link may fetch that file until the link expires, and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::{Document, Id, Owner, World};
use ring::hmac;

/// The purpose from which the key of links is derived.
const KEY_PURPOSE: &[u8] = b"dockside file links";
/// Organisation, world, document, expiry.
const LINK_BYTES: usize = 16 + 1 + 16 + 8;

/// What a link says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Link {
    pub owner: Owner,
    pub document: Id<Document>,
    /// The first second in which it is no longer valid, since 1970.
    pub expires_at: i64,
}

/// The key that signs links. Nodes that share a database share it.
pub struct LinkKey(hmac::Key);

impl LinkKey {
    pub fn derive(signing_key: &[u8; 32]) -> Self {
        let signing = hmac::Key::new(hmac::HMAC_SHA256, signing_key);
        Self(hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&signing, KEY_PURPOSE).as_ref()))
    }

    /// Returns the link as text that fits into a path.
    pub fn write(&self, link: &Link) -> String {
        let mut bytes = Vec::with_capacity(LINK_BYTES + 32);
        bytes.extend(link.owner.organisation.bits().to_be_bytes());
        bytes.push(world_byte(link.owner.world));
        bytes.extend(link.document.bits().to_be_bytes());
        bytes.extend(link.expires_at.to_be_bytes());
        let tag = hmac::sign(&self.0, &bytes);
        bytes.extend(tag.as_ref());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads what [`LinkKey::write`] wrote with the same key, and nothing else: each link has exactly one spelling.
    pub fn read(&self, token: &str) -> Option<Link> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (said, tag) = bytes.split_at_checked(LINK_BYTES)?;
        // `verify` compares in constant time: timing must not help to forge the tag of another customer's file.
        hmac::verify(&self.0, said, tag).ok()?;
        let (organisation, rest) = said.split_first_chunk()?;
        let (world, rest) = rest.split_first()?;
        let (document, expires_at) = rest.split_first_chunk()?;
        let owner = Owner {
            organisation: Id::from_bits(u128::from_be_bytes(*organisation)),
            world: [World::Live, World::Test].into_iter().find(|known| world_byte(*known) == *world)?,
        };
        let document = Id::from_bits(u128::from_be_bytes(*document));
        Some(Link { owner, document, expires_at: i64::from_be_bytes(expires_at.try_into().ok()?) })
    }
}

fn world_byte(world: World) -> u8 {
    match world {
        World::Live => 0,
        World::Test => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn link(organisation: u128, is_test: bool, document: u128, expires_at: i64) -> Link {
        let world = if is_test { World::Test } else { World::Live };
        let owner = Owner { organisation: Id::from_bits(organisation), world };
        Link { owner, document: Id::from_bits(document), expires_at }
    }

    fn key() -> LinkKey {
        LinkKey::derive(&[7; 32])
    }

    proptest! {
        #[test]
        fn a_link_reads_back(organisation: u128, is_test: bool, document: u128, expires_at: i64) {
            let link = link(organisation, is_test, document, expires_at);
            let token = key().write(&link);
            prop_assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            prop_assert_eq!(key().read(&token), Some(link));
            prop_assert_eq!(LinkKey::derive(&[8; 32]).read(&token), None);
        }

        #[test]
        fn an_altered_letter_makes_it_invalid(bits: u128, place: prop::sample::Index, letter in "[A-Za-z0-9_-]") {
            let token = key().write(&link(bits, false, !bits, 1_793_523_600));
            let place = place.index(token.len());
            let mut altered = token.clone();
            altered.replace_range(place..=place, &letter);
            prop_assume!(altered != token);
            prop_assert_eq!(key().read(&altered), None);
        }

        #[test]
        fn an_altered_byte_makes_it_invalid(bits: u128, place: prop::sample::Index, flip in 1u8..) {
            let token = key().write(&link(bits, true, !bits, 1_793_523_600));
            let mut bytes = URL_SAFE_NO_PAD.decode(token).unwrap();
            let place = place.index(bytes.len());
            bytes[place] ^= flip;
            prop_assert_eq!(key().read(&URL_SAFE_NO_PAD.encode(bytes)), None);
        }

        #[test]
        fn a_part_of_it_is_invalid(length in 0usize..98, more in "[A-Za-z0-9_-]{1,4}") {
            let token = key().write(&link(1, true, 2, 3));
            prop_assert_eq!(key().read(&token[..length]), None);
            prop_assert_eq!(key().read(&format!("{token}{more}")), None);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,120}") {
            prop_assert_eq!(key().read(&text), None);
        }
    }

    #[test]
    fn a_cut_tag_is_no_tag() {
        let bytes = URL_SAFE_NO_PAD.decode(key().write(&link(1, false, 2, 3))).unwrap();
        for length in 0..bytes.len() {
            assert_eq!(key().read(&URL_SAFE_NO_PAD.encode(&bytes[..length])), None);
        }
    }
}
