//! Reads CBOR (RFC 8949), as far as authenticators write it: definite lengths, no tags, no floating point numbers.

/// How deeply lists and maps may lie in one another. Authenticators use four levels at most (CTAP 2).
const DEPTH_MAX: usize = 4;

/// An item of CBOR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Integer(i64),
    Bytes(Vec<u8>),
    Text(String),
    List(Vec<Item>),
    /// The entries in their order. No key appears twice.
    Map(Vec<(Item, Item)>),
    Boolean(bool),
    Null,
}

impl Item {
    /// Reads one item. Returns it and the bytes behind it, or `None` if they are not well-formed.
    pub fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let mut reader = Reader { rest: bytes };
        let item = reader.item(DEPTH_MAX)?;
        Some((item, reader.rest))
    }

    /// Reads one item that takes all of the bytes.
    pub fn read_all(bytes: &[u8]) -> Option<Self> {
        Self::read(bytes).and_then(|(item, rest)| rest.is_empty().then_some(item))
    }

    /// Returns the value of a key that is a number.
    pub fn at(&self, key: i64) -> Option<&Item> {
        self.find(|known| *known == Item::Integer(key))
    }

    /// Returns the value of a key that is a text.
    pub fn field(&self, key: &str) -> Option<&Item> {
        self.find(|known| matches!(known, Item::Text(text) if text == key))
    }

    pub fn integer(&self) -> Option<i64> {
        if let Item::Integer(number) = self { Some(*number) } else { None }
    }

    pub fn bytes(&self) -> Option<&[u8]> {
        if let Item::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    fn find(&self, is_wanted: impl Fn(&Item) -> bool) -> Option<&Item> {
        let Item::Map(entries) = self else { return None };
        entries.iter().find(|(key, _)| is_wanted(key)).map(|(_, value)| value)
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn item(&mut self, depth: usize) -> Option<Item> {
        let [first] = *self.take(1)? else { return None };
        let (kind, short) = (first >> 5, first & 0x1f);
        if kind == 7 {
            return match short {
                20 => Some(Item::Boolean(false)),
                21 => Some(Item::Boolean(true)),
                22 => Some(Item::Null),
                _ => None,
            };
        }
        let number = self.number(short)?;
        match kind {
            0 => i64::try_from(number).ok().map(Item::Integer),
            1 => i64::try_from(number).ok().map(|number| Item::Integer(-1 - number)),
            2 => self.take(usize::try_from(number).ok()?).map(|bytes| Item::Bytes(bytes.to_vec())),
            3 => {
                let bytes = self.take(usize::try_from(number).ok()?)?;
                std::str::from_utf8(bytes).ok().map(|text| Item::Text(text.to_owned()))
            }
            4 => self.list(number, depth.checked_sub(1)?),
            5 => self.map(number, depth.checked_sub(1)?),
            _ => None,
        }
    }

    /// Reads the number of an item's head.
    fn number(&mut self, short: u8) -> Option<u64> {
        let length = match short {
            0..=23 => return Some(u64::from(short)),
            24 => 1,
            25 => 2,
            26 => 4,
            27 => 8,
            _ => return None,
        };
        Some(self.take(length)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Reads so many items. Each has one byte at least, so a false number ends with the bytes and takes no memory.
    fn list(&mut self, length: u64, depth: usize) -> Option<Item> {
        let mut items = Vec::new();
        for _ in 0..length {
            items.push(self.item(depth)?);
        }
        Some(Item::List(items))
    }

    fn map(&mut self, length: u64, depth: usize) -> Option<Item> {
        let mut entries: Vec<(Item, Item)> = Vec::new();
        for _ in 0..length {
            let key = self.item(depth)?;
            // Programs disagree on which of two values counts.
            if entries.iter().any(|(known, _)| *known == key) {
                return None;
            }
            entries.push((key, self.item(depth)?));
        }
        Some(Item::Map(entries))
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn items_are_read_as_the_standard_writes_them() {
        // From appendix A of RFC 8949.
        for (bytes, item) in [
            (&[0x17][..], Item::Integer(23)),
            (&[0x18, 0x64], Item::Integer(100)),
            (&[0x19, 0x03, 0xe8], Item::Integer(1000)),
            (&[0x39, 0x01, 0x00], Item::Integer(-257)),
            (&[0x44, 1, 2, 3, 4], Item::Bytes(vec![1, 2, 3, 4])),
            (&[0x64, 0x49, 0x45, 0x54, 0x46], Item::Text("IETF".to_owned())),
            (&[0x82, 0xf4, 0xf6], Item::List(vec![Item::Boolean(false), Item::Null])),
            (&[0xa1, 0x01, 0x20], Item::Map(vec![(Item::Integer(1), Item::Integer(-1))])),
        ] {
            assert_eq!(Item::read_all(bytes), Some(item), "{bytes:?}");
        }
        let (item, rest) = Item::read(&[0x01, 0x02]).unwrap();
        assert_eq!((item, rest), (Item::Integer(1), &[0x02][..]));
    }

    #[test]
    fn what_authenticators_do_not_write_is_refused() {
        for (bytes, what) in [
            (&[][..], "nothing"),
            (&[0x18], "a number without its byte"),
            (&[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "a number beyond 63 bits"),
            (&[0x45, 1, 2], "bytes that end early"),
            (&[0x61, 0xff], "a text that is not UTF-8"),
            (&[0x5f, 0x41, 1, 0xff], "an indefinite length"),
            (&[0x9b, 0, 0, 0, 1, 0, 0, 0, 0], "a list that is longer than the bytes"),
            (&[0xa2, 1, 1, 1, 2], "a key twice"),
            (&[0xc0, 0x60], "a tag"),
            (&[0xf9, 0, 0], "a floating point number"),
            (&[0x81, 0x81, 0x81, 0x81, 0x81, 0x01], "too deep"),
            (&[0x01, 0x01], "two items"),
        ] {
            assert_eq!(Item::read_all(bytes), None, "{what}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some((_, rest)) = Item::read(&bytes) {
                prop_assert!(rest.len() < bytes.len());
            }
        }
    }
}
