//! The memory of a parsed document: each allocation of the tree is counted before it is made.
//!
//! An array with two bytes per entry (`[0,0,…]`) becomes a tree that is 36 times larger, and small objects grow more.
//! So the size of a body does not limit the memory of its tree.

use std::cell::Cell;

use serde_json::Value;

/// Bytes that the allocator adds to each allocation, for its own data or by rounding up.
const ALLOCATION_BYTES: usize = 16;
const VALUE_BYTES: usize = size_of::<Value>();
/// Bytes of an object's field: the hash of its key, the key and the value.
const FIELD_BYTES: usize = size_of::<u64>() + size_of::<String>() + VALUE_BYTES;
/// Bytes of a slot in an object's hash table: the index of the field and a control byte.
const SLOT_BYTES: usize = size_of::<usize>() + 1;
/// Capacity of an array after its first allocation, and of an object's hash table.
const FIRST_PLACES: usize = 4;

/// The memory that is left for a document.
pub struct Memory {
    left: Cell<usize>,
    is_exhausted: Cell<bool>,
}

/// The error of a document that exceeds its memory limit.
pub struct Exhausted;

impl Memory {
    pub fn new(bytes_max: usize) -> Self {
        Self { left: Cell::new(bytes_max), is_exhausted: Cell::new(false) }
    }

    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted.get()
    }

    /// Counts the text of a string or a key.
    pub fn count_text(&self, text: &str) -> Result<(), Exhausted> {
        if text.is_empty() { Ok(()) } else { self.count(ALLOCATION_BYTES + text.len()) }
    }

    /// Counts the allocation that adding one entry to an array with this many causes. A full array doubles its capacity.
    pub fn count_entry(&self, entries: usize) -> Result<(), Exhausted> {
        match entries {
            0 => self.count(ALLOCATION_BYTES + FIRST_PLACES * VALUE_BYTES),
            full if full >= FIRST_PLACES && full.is_power_of_two() => self.count(full * VALUE_BYTES),
            _ => Ok(()),
        }
    }

    /// Counts the allocation that adding one field to an object with this many causes. The hash table doubles when seven eighths are
    /// used. The list of fields has the capacity of the table.
    pub fn count_field(&self, fields: usize) -> Result<(), Exhausted> {
        if fields == 0 {
            let places = places_in(FIRST_PLACES);
            return self.count(2 * ALLOCATION_BYTES + FIRST_PLACES * SLOT_BYTES + places * FIELD_BYTES);
        }
        let slots = slots_for(fields);
        if fields < places_in(slots) {
            return Ok(());
        }
        self.count(slots * SLOT_BYTES + (places_in(2 * slots) - fields) * FIELD_BYTES)
    }

    fn count(&self, bytes: usize) -> Result<(), Exhausted> {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.is_exhausted.set(true);
                Err(Exhausted)
            }
        }
    }
}

/// Returns the error that ends parsing. The caller replaces it with a more detailed problem.
pub fn exhausted<E: serde::de::Error>(_: Exhausted) -> E {
    E::custom("the memory for the document is exhausted")
}

/// Returns how many fields a table with this many slots holds.
fn places_in(slots: usize) -> usize {
    if slots < 8 { slots - 1 } else { slots / 8 * 7 }
}

/// Returns the number of slots of the smallest table for this many fields.
fn slots_for(fields: usize) -> usize {
    let mut slots = FIRST_PLACES;
    while places_in(slots) < fields {
        slots *= 2;
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::super::*;

    /// Returns the smallest memory limit with which a document can be parsed.
    fn cost(text: &str) -> usize {
        let (mut too_little, mut enough) = (0, 1 << 30);
        while enough - too_little > 1 {
            let middle = usize::midpoint(too_little, enough);
            match parse_within(text.as_bytes(), middle) {
                Ok(_) => enough = middle,
                Err(_) => too_little = middle,
            }
        }
        enough
    }

    fn list_of(entry: &str, count: usize) -> String {
        format!("[{}]", vec![entry; count].join(","))
    }

    #[test]
    fn small_entries_cost_many_times_their_bytes() {
        let value = size_of::<Value>();
        let numbers = list_of("0", 1 << 16);
        assert!((value << 16..(value << 16) + 1000).contains(&cost(&numbers)), "{}", cost(&numbers));
        // The same entries, each in its own array or object, cost several times as much.
        for (entry, least) in [("[0]", 4 * value), (r#"{"":0}"#, 3 * value)] {
            let nested = cost(&list_of(entry, 1 << 10));
            assert!(nested > (value + least) << 10, "{entry}: {nested}");
        }
        // A large string costs little more than its own bytes.
        assert!(cost(&format!("\"{}\"", "a".repeat(100_000))) < 100_100);
    }

    #[test]
    fn an_array_doubles_its_capacity_where_that_is_counted() {
        let mut list: Vec<Value> = Vec::new();
        for entries in 0..10_000_usize {
            let before = list.capacity();
            list.push(Value::Null);
            let memory = Memory::new(usize::MAX);
            memory.count_entry(entries).unwrap_or_else(|_| panic!("unlimited"));
            assert_eq!(memory.left.get() < usize::MAX, list.capacity() > before, "{entries} entries");
        }
    }

    #[test]
    fn counting_without_a_tree_finds_what_counting_with_one_does() {
        use proptest::prelude::*;
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i32>().prop_map(Value::from),
            "[a-z\\\\\"é]{0,12}".prop_map(Value::from),
        ];
        let tree = leaf.prop_recursive(5, 300, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{0,6}", inner, 0..20)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        });
        proptest!(|(document in tree)| {
            let text = document.to_string();
            let cost = cost(&text);
            prop_assert!(ensure_memory(text.as_bytes(), cost).is_ok());
            // `cost` finds 1 for what takes none.
            prop_assert!(cost == 1 || ensure_memory(text.as_bytes(), cost - 1).is_err());
        });
    }

    #[test]
    fn what_an_object_allocates_is_counted() {
        let object = |fields: usize| {
            let fields: Vec<_> = (0..fields).map(|field| format!(r#""{field:06}":0"#)).collect();
            format!("{{{}}}", fields.join(","))
        };
        for fields in [1, 3, 4, 7, 8, 14, 15, 1000, 20_000] {
            let Ok(Value::Object(read)) = parse(object(fields).as_bytes()) else { panic!("an object") };
            let field = size_of::<Value>() + size_of::<String>() + 8;
            let least = fields * (field + 6);
            let cost = cost(&object(fields));
            assert_eq!(read.len(), fields);
            assert!(cost >= least && cost < 4 * least + 500, "{fields} fields: {cost}, at least {least}");
        }
    }

    #[test]
    fn a_document_beyond_its_memory_is_refused_while_it_is_read() {
        for entry in ["0", "[]", "{}", "[0]", r#"{"a":1}"#, r#""abc""#, "[[[[[[[[]]]]]]]]"] {
            let large = list_of(entry, 1 << 16);
            let problem = parse_within(large.as_bytes(), 1 << 20).unwrap_err();
            assert_eq!(problem.code, Code::BodyTooLarge, "{entry}");
            assert!(parse(large.as_bytes()).is_ok(), "{entry}");
            // Parsing stops at the memory limit: the rest is not read.
            let broken = format!("{} what follows", &large[..large.len() - 1]);
            assert_eq!(parse_within(broken.as_bytes(), 1 << 20).unwrap_err().code, Code::BodyTooLarge);
        }
    }
}
