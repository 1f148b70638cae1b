//! Strict JSON parsing, and merging of a patch into a document.
//!
//! Duplicate keys are rejected: if a proxy checks the first occurrence and a server uses the last, a request can
//! bypass the check. The underlying parser rejects numbers that do not fit, lone surrogates, invalid UTF-8 and
//! excessive nesting. The memory of the parsed tree can be limited.

mod counting;
mod fields;
mod memory;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::platform::pointer::pointer;
use crate::platform::problem::{Code, Issue, Problem};
use counting::Counting;
use fields::fields;
use memory::{Memory, exhausted};

/// Length in bytes from which the memory of a document is counted before anything is allocated for it. A shorter one is
/// counted while it is parsed, which is faster, and takes at most a few megabytes until it is refused.
const COUNTED_FIRST_BYTES: usize = 32 * 1024;

/// Parses one JSON document, without a memory limit.
pub fn parse(bytes: &[u8]) -> Result<Value, Problem> {
    parse_within(bytes, usize::MAX)
}

/// Parses one JSON document whose tree may take at most this many bytes of memory. Parsing stops at the limit.
pub fn parse_within(bytes: &[u8], memory_bytes_max: usize) -> Result<Value, Problem> {
    if bytes.len() >= COUNTED_FIRST_BYTES && memory_bytes_max < usize::MAX {
        ensure_memory(bytes, memory_bytes_max)?;
    }
    let (duplicate, memory) = (RefCell::new(Vec::new()), Memory::new(memory_bytes_max));
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = Strict { duplicate: &duplicate, memory: &memory }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| match duplicate.into_inner().as_slice() {
        _ if memory.is_exhausted() => too_many_values(memory_bytes_max),
        [] => Problem::from(Code::InvalidJson).with_detail(error.to_string()),
        steps => {
            let field = pointer(steps.iter().rev().map(String::as_str));
            let message = "This key appears more than once. Send it once.";
            Problem::field(Code::DuplicateKey, Issue::new("duplicate_key", field, message))
        }
    })
}

/// Refuses a document whose tree would exceed the limit. Allocates nothing: freed memory stays with the thread that parsed
/// for a while, so refused trees of several threads would add up.
fn ensure_memory(bytes: &[u8], memory_bytes_max: usize) -> Result<(), Problem> {
    let memory = Memory::new(memory_bytes_max);
    // A document that is not valid is refused with the place of its error when it is parsed.
    let _is_valid = Counting(&memory).deserialize(&mut serde_json::Deserializer::from_slice(bytes)).is_ok();
    if memory.is_exhausted() { Err(too_many_values(memory_bytes_max)) } else { Ok(()) }
}

fn too_many_values(memory_bytes_max: usize) -> Problem {
    let detail = format!(
        "The body has too many values: read, it takes more than {memory_bytes_max} bytes of memory. Send it in parts."
    );
    Problem::from(Code::BodyTooLarge).with_detail(detail)
}

#[derive(Clone, Copy)]
struct Strict<'a> {
    memory: &'a Memory,
    /// The path to a duplicate key, the innermost step first, because the parser's error type cannot carry it. The
    /// steps are collected while the error propagates, so that a body without such a key costs nothing.
    duplicate: &'a RefCell<Vec<String>>,
}

impl Strict<'_> {
    /// Records a step of the path while a duplicate-key error propagates. Ignores other errors.
    fn passed(&self, step: impl FnOnce() -> String) {
        let mut steps = self.duplicate.borrow_mut();
        if !steps.is_empty() {
            steps.push(step());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.memory.count_text(value).map_err(exhausted)?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let read = items.next_element_seed(self);
            match read.inspect_err(|_| self.passed(|| list.len().to_string()))? {
                Some(item) => {
                    self.memory.count_entry(list.len()).map_err(exhausted)?;
                    list.push(item);
                }
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                self.duplicate.borrow_mut().push(key);
                return Err(A::Error::custom("duplicate key"));
            }
            self.memory.count_text(&key).map_err(exhausted)?;
            let value = entries.next_value_seed(self).inspect_err(|_| self.passed(|| key.clone()))?;
            self.memory.count_field(object.len()).map_err(exhausted)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// Merges a patch into a document (RFC 7396): absent fields stay, null removes, objects merge, other values replace.
pub fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else { return };
    for (key, change) in patch {
        if change.is_null() {
            target.remove(&key);
        } else {
            merge(target.entry(key).or_insert(Value::Null), change);
        }
    }
}

/// Returns the top-level fields of `old` that `new` changed or removed, with their previous values.
pub fn previous_attributes(old: &Value, new: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (old, new) else { return Value::Null };
    let lost = old.iter().filter(|(key, value)| new.get(*key) != Some(value));
    let gained = new.keys().filter(|key| !old.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    Value::Object(lost.map(|(key, value)| (key.clone(), value.clone())).chain(gained).collect())
}

/// Returns [`previous_attributes`] of two documents given as text, by their names. Only fields whose text differs are parsed, which
/// for a large document with few changes costs a fraction of parsing both.
pub fn previous_attributes_of(old: &str, new: &str) -> serde_json::Result<Value> {
    let (old, new) = (fields(old)?, fields(new)?);
    let (mut lost, mut gained) = (BTreeMap::new(), BTreeMap::new());
    for (place, &(name, before)) in old.iter().enumerate() {
        let after = find(&new, place, name);
        if after == Some(before) {
            continue;
        }
        let before: Value = serde_json::from_str(before)?;
        let after: Option<Value> = after.map(serde_json::from_str).transpose()?;
        if after.as_ref() != Some(&before) {
            lost.insert(name, before);
        }
    }
    for (place, &(name, _)) in new.iter().enumerate() {
        if find(&old, place, name).is_none() {
            gained.insert(name, Value::Null);
        }
    }
    let all = lost.into_iter().chain(gained);
    Ok(Value::Object(all.map(|(name, value)| (name.to_owned(), value)).collect()))
}

/// Returns the value of a field. Documents of one kind have their fields in the same order, so it is usually in the same place.
fn find<'a>(fields: &[(&str, &'a str)], place: usize, name: &str) -> Option<&'a str> {
    let here = fields.get(place).filter(|(known, _)| *known == name);
    here.or_else(|| fields.iter().find(|(known, _)| *known == name)).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn code(text: &str) -> Option<Code> {
        parse(text.as_bytes()).err().map(|problem| problem.code)
    }

    #[test]
    fn what_is_not_json_is_refused() {
        let deep = "[".repeat(10_000);
        for text in ["", "{", "{} {}", r#""\ud800""#, "1e400", "nul", "{'a':1}", "\u{feff}{}", "[1,]", &deep]
        {
            assert_eq!(code(text), Some(Code::InvalidJson), "{text:.20}");
        }
        assert_eq!(parse(b"\"\xff\"").err().map(|problem| problem.code), Some(Code::InvalidJson));
    }

    #[test]
    fn numbers_are_read_to_the_last_digit() {
        for text in ["-55.23610291266976", "0.1", "51.4494", "1e-300"] {
            let number = parse(text.as_bytes()).unwrap().as_f64();
            assert_eq!(number, text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn duplicate_keys_are_pointed_at() {
        let problem = parse(br#"{"a":[{"x/y":1,"x/y":2}]}"#).unwrap_err();
        assert_eq!((problem.code, problem.issues[0].field.as_str()), (Code::DuplicateKey, "/a/0/x~1y"));
        assert_eq!(code(r#"{"a":[{"x":1}, {"y":}]}"#), Some(Code::InvalidJson));
    }

    #[test]
    fn a_pointer_to_a_duplicate_key_is_bounded() {
        let long = "~/".repeat(10_000);
        let deep = format!(r#"{{"{long}":"#).repeat(100);
        let problem = parse(format!(r#"{deep}{{"a":1,"a":2}}{}"#, "}".repeat(100)).as_bytes()).unwrap_err();
        assert_eq!(problem.code, Code::DuplicateKey);
        assert!(problem.issues[0].field.len() < 1_100, "{}", problem.issues[0].field.len());
    }

    #[test]
    fn merging_follows_rfc_7396() {
        let cases = [
            (json!({"a":"b"}), json!({"a":"c"}), json!({"a":"c"})),
            (json!({"a":"b"}), json!({"a":null}), json!({})),
            (json!({"a":["b"]}), json!({"a":"c"}), json!({"a":"c"})),
            (json!({"a":{"b":"c"}}), json!({"a":{"b":"d","c":null}}), json!({"a":{"b":"d"}})),
            (json!({"e":null}), json!({"a":1}), json!({"e":null,"a":1})),
            (json!({}), json!({"a":{"bb":{"ccc":null}}}), json!({"a":{"bb":{}}})),
            (json!([1, 2]), json!({"a":"b"}), json!({"a":"b"})),
        ];
        for (mut target, patch, expected) in cases {
            merge(&mut target, patch);
            assert_eq!(target, expected);
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-d]", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reading_is_the_inverse_of_writing(value in any_json()) {
            prop_assert_eq!(parse(value.to_string().as_bytes()).unwrap(), value);
        }

        #[test]
        fn merging_twice_is_merging_once(mut target in any_json(), patch in any_json()) {
            merge(&mut target, patch.clone());
            let once = target.clone();
            merge(&mut target, patch);
            prop_assert_eq!(target, once);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = parse(&bytes);
        }
    }

    #[test]
    fn what_changed_is_the_same_told_of_texts_and_of_values() {
        let texts = [
            r#"{}"#,
            r#"{"a":1,"b":{"c":[1,2.5]},"d":null}"#,
            r#"{"a":1,"b":{"c":[1,2.50]},"d":null}"#,
            r#"{"a":2,"b":{"c":[1,2.5],"e":"\u00e9"},"f":"x"}"#,
            r#"{"a":1,"b":{"e":"é","c":[1,2.5]},"f":"x"}"#,
        ];
        for (old, new) in texts.iter().flat_map(|old| texts.map(|new| (*old, new))) {
            let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let expected = previous_attributes(&value(old), &value(new));
            assert_eq!(previous_attributes_of(old, new).unwrap(), expected, "{old} {new}");
        }
    }
}
