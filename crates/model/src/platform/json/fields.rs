//! Splitting the text of an object into its fields, without reading their values.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Returns the fields of an object, each with its name and the text of its value, in the order of the text. The text must be valid
/// JSON, such as a stored document.
pub fn fields(text: &str) -> serde_json::Result<Vec<(&str, &str)>> {
    if let Some(fields) = split(text) {
        return Ok(fields);
    }
    let fields: BTreeMap<&str, &RawValue> = serde_json::from_str(text)?;
    Ok(fields.into_iter().map(|(name, value)| (name, value.get())).collect())
}

/// Splits an object without spaces between its parts, as documents are stored, which takes a fraction of parsing it. Returns `None`
/// for any other text.
fn split(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut rest = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (name, from_value) = rest.strip_prefix('"')?.split_once("\":")?;
        if name.contains('\\') || from_value.starts_with(|first: char| first.is_ascii_whitespace()) {
            return None;
        }
        let (value, after) = from_value.split_at(value_bytes(from_value));
        fields.push((name, value));
        rest = after.strip_prefix(',').unwrap_or(after);
    }
    Some(fields)
}

/// Returns the length of the value that a text begins with, up to the comma after it or to the end of the text.
fn value_bytes(text: &str) -> usize {
    let (mut depth, mut is_in_string) = (0_usize, false);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            // The character after it is part of the string, even if it is a quotation mark.
            b'\\' => drop(bytes.next()),
            b'"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    #[test]
    fn any_object_has_the_fields_that_its_text_tells() {
        let object = json!({"a": "}],\\\"", "b": [1, {"c": ","}], "d\"e": null, "f": "\\", "": {}});
        for text in [object.to_string(), serde_json::to_string_pretty(&object).unwrap()] {
            let plain = text.replace("d\\\"e", "de");
            let of: Map<String, Value> = serde_json::from_str(&plain).unwrap();
            let read = fields(&plain).unwrap();
            assert_eq!(read.len(), of.len(), "{plain}");
            for (name, value) in read {
                assert_eq!(serde_json::from_str::<Value>(value).unwrap(), of[name]);
            }
        }
        assert_eq!(fields("{}").unwrap(), []);
        assert!(fields("[]").is_err());
    }

    proptest! {
        #[test]
        fn strings_do_not_end_a_value_early(one in "\\PC{0,20}", other in "[\\[\\]{}\",:\\\\a ]{0,20}") {
            let object = json!({"one": one, "list": [other, {"x": one}], "other": other});
            let text = object.to_string();
            let read = fields(&text).unwrap();
            let names: Vec<&str> = read.iter().map(|(name, _)| *name).collect();
            prop_assert_eq!(names, ["one", "list", "other"]);
            for (name, value) in read {
                prop_assert_eq!(&serde_json::from_str::<Value>(value).unwrap(), &object[name]);
            }
        }
    }
}
