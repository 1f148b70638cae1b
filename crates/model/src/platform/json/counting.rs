//! Counts the memory that the tree of a document would take, without making the tree.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::memory::{Memory, exhausted};

/// Counts a value as [`super::Strict`] does. A key that appears twice counts twice; the document is refused anyway.
#[derive(Clone, Copy)]
pub(super) struct Counting<'a>(pub(super) &'a Memory);

impl<'de> DeserializeSeed<'de> for Counting<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counting<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.0.count_text(value).map_err(exhausted)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut entries = 0;
        while items.next_element_seed(self)?.is_some() {
            self.0.count_entry(entries).map_err(exhausted)?;
            entries += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut fields = 0;
        while entries.next_key_seed(self)?.is_some() {
            entries.next_value_seed(self)?;
            self.0.count_field(fields).map_err(exhausted)?;
            fields += 1;
        }
        Ok(())
    }
}
