//! Reading JSON strictly, and merging a patch into a document.
//!
//! Duplicate keys are refused, because a proxy that checks the first and a server that uses the last is an old
//! way to slip something past a check. Numbers that don't fit, lone surrogates, bytes that are not UTF-8 and
//! nesting without end are refused by the parser underneath.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::problem::{Code, Issue, Problem};

/// Reads one JSON document.
pub fn parse(bytes: &[u8]) -> Result<Value, Problem> {
    let duplicate = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = Strict { path: String::new(), duplicate: &duplicate }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| match duplicate.into_inner() {
        Some(field) => Problem::field(
            Code::DuplicateKey,
            Issue::new("duplicate_key", field, "The key stands here twice."),
        ),
        None => Problem::from(Code::InvalidJson).with_detail(error.to_string()),
    })
}

/// Escapes one step of a JSON pointer (RFC 6901).
pub fn escape(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}

struct Strict<'a> {
    path: String,
    /// Where a key stands twice: the parser's own error can't carry a pointer.
    duplicate: &'a RefCell<Option<String>>,
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

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let seed = Strict { path: format!("{}/{}", self.path, list.len()), duplicate: self.duplicate };
            match items.next_element_seed(seed)? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let path = format!("{}/{}", self.path, escape(&key));
            if object.contains_key(&key) {
                *self.duplicate.borrow_mut() = Some(path);
                return Err(A::Error::custom("duplicate key"));
            }
            let value = entries.next_value_seed(Strict { path, duplicate: self.duplicate })?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// Merges a patch into a document (RFC 7396): absent keeps, null removes, objects merge, all else replaces.
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

/// The top-level fields of `old` that `new` changed or lost, with the values they had.
pub fn previous_attributes(old: &Value, new: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (old, new) else { return Value::Null };
    let lost = old.iter().filter(|(key, value)| new.get(*key) != Some(value));
    let gained = new.keys().filter(|key| !old.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    Value::Object(lost.map(|(key, value)| (key.clone(), value.clone())).chain(gained).collect())
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
}
