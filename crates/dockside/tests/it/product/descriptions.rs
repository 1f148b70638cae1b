//! What the contract says of its fields: each description tells a reader something that the name does not.

use std::collections::BTreeSet;

use api::{openapi, routes};
use serde_json::Value;

/// Words that say nothing of a field, whichever it is.
const EMPTY_WORDS: &[&str] = &[
    "a",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "by",
    "can",
    "code",
    "date",
    "does",
    "every",
    "false",
    "field",
    "for",
    "from",
    "given",
    "has",
    "have",
    "how",
    "id",
    "identifier",
    "if",
    "in",
    "is",
    "it",
    "its",
    "line",
    "list",
    "many",
    "moment",
    "name",
    "no",
    "not",
    "null",
    "number",
    "object",
    "of",
    "on",
    "one",
    "only",
    "or",
    "own",
    "resource",
    "rfc",
    "3339",
    "set",
    "some",
    "string",
    "such",
    "text",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "this",
    "those",
    "time",
    "to",
    "true",
    "type",
    "utc",
    "value",
    "wanted",
    "was",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "who",
    "will",
    "with",
    "would",
];
/// Fewest words of a description that are neither empty nor part of the names that lead to the field.
const NEW_WORDS_MIN: usize = 3;

/// The words of a text or a name, in lower case and without the `s` of a plural.
fn words(text: &str) -> BTreeSet<String> {
    let mut spaced = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if char.is_alphanumeric() { char.to_ascii_lowercase() } else { ' ' });
    }
    let words = spaced.split_whitespace().map(|word| word.strip_suffix('s').unwrap_or(word));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// How many words the description has that the names don't.
fn new_words(description: &str, names: &[&str]) -> usize {
    // A description is read as sentences, so that an acronym is one word.
    let said = words(&description.to_lowercase());
    let known: BTreeSet<String> = names.iter().flat_map(|name| words(name)).collect();
    let empty: BTreeSet<String> = EMPTY_WORDS.iter().flat_map(|word| words(word)).collect();
    said.iter().filter(|word| !known.contains(*word) && !empty.contains(*word)).count()
}

/// The description of a schema: its own, or that of what it refers to.
fn description<'a>(document: &'a Value, schema: &'a Value) -> &'a str {
    if let Some(text) = schema["description"].as_str() {
        return text;
    }
    if let Some(place) = schema["$ref"].as_str() {
        let named = document.pointer(place.trim_start_matches('#')).expect("a schema that exists");
        return description(document, named);
    }
    let choices = ["anyOf", "allOf"].into_iter().filter_map(|name| schema[name].as_array()).flatten();
    choices.map(|choice| description(document, choice)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// Notes the fields of every schema within the value whose descriptions say too little.
fn check_fields(document: &Value, value: &Value, place: &str, poor: &mut Vec<String>) {
    for (name, schema) in value["properties"].as_object().into_iter().flatten() {
        let text = description(document, schema);
        if new_words(text, &[place, name]) < NEW_WORDS_MIN {
            poor.push(format!("{place}.{name}: {text:?}"));
        }
    }
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().map(|item| (String::new(), item)).collect(),
        _ => Vec::new(),
    };
    // Choices that tie fields of the schema together: the fields themselves are described above.
    let is_tie = |name: &str| matches!(name, "anyOf" | "allOf") && value["properties"].is_object();
    for (name, value) in inner.into_iter().filter(|(name, _)| name != "examples" && !is_tie(name)) {
        let is_frame =
            matches!(name.as_str(), "properties" | "items" | "schema" | "content" | "application/json" | "");
        check_fields(document, value, if is_frame { place } else { &name }, poor);
    }
}

#[test]
fn every_field_of_the_contract_says_more_than_its_name() {
    let document = openapi::document(&routes::all());
    let mut poor = Vec::new();
    check_fields(&document, &document["components"]["schemas"], "", &mut poor);
    check_fields(&document, &document["paths"], "", &mut poor);
    assert!(poor.is_empty(), "{} fields are not described:\n{}", poor.len(), poor.join("\n"));
}

#[test]
fn every_parameter_of_the_contract_says_more_than_its_name() {
    let document = openapi::document(&routes::all());
    let mut checked = 0;
    let mut poor = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                let text = parameter["description"]
                    .as_str()
                    .unwrap_or_else(|| description(&document, &parameter["schema"]));
                checked += 1;
                if new_words(text, &[name]) < NEW_WORDS_MIN {
                    poor.push(format!("{method} {path} {name}: {text:?}"));
                }
            }
        }
    }
    assert!(
        poor.is_empty(),
        "{} of {checked} parameters are not described:\n{}",
        poor.len(),
        poor.join("\n")
    );
}

#[test]
fn a_description_that_repeats_the_name_says_nothing() {
    assert_eq!(new_words("A shipment's id.", &["Shipment", "id"]), 0);
    assert_eq!(new_words("The tracking numbers.", &["tracking_number"]), 0);
    assert_eq!(new_words("How many.", &["packages_count"]), 0);
    assert_eq!(new_words("A moment: RFC 3339 in UTC.", &["expires_at"]), 0);
    assert!(new_words("Kilograms with the packaging, rounded up.", &["mass"]) >= NEW_WORDS_MIN);
}
