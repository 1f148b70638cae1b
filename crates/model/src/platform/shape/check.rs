//! Validation of a value against its shape. All invalid fields are reported.

use serde_json::{Map, Value};

use super::leaf::{Fraction, check_text, whole};
use super::{Field, Kind, Need, Path, Pattern, Rule, Shape};
use crate::platform::id::{is_identifier, mismatch};
use crate::platform::nearest::{counted, suggestion};
use crate::platform::problem::{Code, Issue, Issues};
use crate::platform::time::Timestamp;

/// Largest free-form object, in bytes of JSON.
const OPEN_BYTES_MAX: usize = 16_384;
/// Longest list of allowed values that a message contains.
const WORDS_SHOWN_MAX: usize = 100;
/// Maximum number of errors per body that contain a suggestion. Further suggestions would not help, and cost time.
const SUGGESTIONS_MAX: usize = 20;

impl Shape {
    /// Reports the removal of unknown fields, because merging would silently ignore a misspelt name. Fields that the
    /// server sets are ignored, as in [`Self::check`].
    pub(super) fn check_removals(&self, patch: &Value, at: &Path<'_>, issues: &mut Issues) {
        let (Kind::Object { fields, .. }, Value::Object(patch)) = (&self.kind, patch) else { return };
        for (key, value) in patch {
            let place = Path::Key(at, key);
            match fields.iter().find(|field| field.name == key) {
                None if value.is_null() => issues.add(|issues| unknown_field(fields, key, &place, issues)),
                None | Some(Field { need: Need::Given | Need::GivenOrNull, .. }) => {}
                Some(field) => field.shape.check_removals(value, &place, issues),
            }
        }
    }

    /// Checks a value and reports all its errors.
    pub fn check(&self, value: &mut Value, at: &Path<'_>, issues: &mut Issues) {
        if let Kind::List { of, takes_one: true, .. } = self.kind
            && matches!(value, Value::Object(_) | Value::String(_))
        {
            of.check(value, at, issues);
            *value = Value::Array(vec![value.take()]);
            return;
        }
        let mut refuse = |code, message: String| issues.push(Issue::new(code, at, message));
        match (&self.kind, value) {
            (Kind::Text { chars_min, chars_max, pattern }, Value::String(text)) => {
                if let Err((code, mut message)) = check_text(text, *chars_min, *chars_max, pattern.as_ref()) {
                    if let (Some(example), "invalid_format") = (self.example, code) {
                        message.push_str(&format!(" An example is {example}."));
                    }
                    refuse(code, message);
                }
            }
            (Kind::OneOf(words), Value::String(word)) => {
                if !words.contains(&word.as_str()) {
                    issues.add(|issues| invalid_value(words, self.about, word, at, issues));
                }
            }
            (Kind::Integer { min, max }, Value::Number(number)) => match whole(number) {
                Ok(whole) if (*min..=*max).contains(&whole) => *number = whole.into(),
                Err(Fraction) => refuse("not_integer", "Must be a whole number.".to_owned()),
                Ok(_) => refuse("out_of_range", format!("Must be a whole number from {min} to {max}.")),
            },
            (Kind::Amount { max }, Value::Number(number)) => match whole(number) {
                Ok(whole) if (0..=*max).contains(&whole) => *number = whole.into(),
                Err(Fraction) => {
                    let message = "Must be a whole number of the currency's smallest unit: 2325 for 23.25.";
                    refuse("amount_not_integer", message.to_owned());
                }
                Ok(_) => refuse("out_of_range", format!("Must be a whole number from 0 to {max}.")),
            },
            (Kind::Number { min, max }, Value::Number(number)) => {
                if !number.as_f64().is_some_and(|number| (*min..=*max).contains(&number)) {
                    refuse("out_of_range", format!("Must be a number from {min} to {max}."));
                }
            }
            (Kind::Boolean, Value::Bool(_)) => {}
            (Kind::Open, open @ Value::Object(_)) => {
                if open.to_string().len() > OPEN_BYTES_MAX {
                    refuse(
                        "too_long",
                        format!(
                            "Must have at most {OPEN_BYTES_MAX} bytes of JSON. Remove entries, or shorten them."
                        ),
                    );
                }
            }
            (Kind::Moment, Value::String(text)) => {
                if Timestamp::parse(text).is_none() {
                    refuse(
                        "invalid_format",
                        "Must be a date and time as in RFC 3339, such as 2026-11-01T09:30:00Z.".to_owned(),
                    );
                }
            }
            (Kind::Identifier(prefix), Value::String(text)) => {
                if !is_identifier(prefix, text) {
                    refuse("invalid_id", format!("This {}.", mismatch(prefix, text)));
                }
            }
            (Kind::Identified { of, whole }, value) => of.check_identified(whole, value, at, issues),
            (Kind::List { of, items_min, items_max, .. }, Value::Array(items)) => {
                if items.len() > *items_max {
                    refuse("too_many", format!("Must have at most {}.", counted(*items_max, "entry")));
                } else if items.len() < *items_min {
                    refuse("too_few", format!("Must have at least {}.", counted(*items_min, "entry")));
                } else {
                    for (place, item) in items.iter_mut().enumerate() {
                        of.check(item, &Path::Item(at, place), issues);
                    }
                }
            }
            (Kind::Object { fields, rule }, Value::Object(object)) => {
                check_object(fields, *rule, object, at, issues);
            }
            (Kind::Map { key, of, entries_max }, Value::Object(object)) => {
                check_map(key, of, *entries_max, object, at, issues);
            }
            (kind, _) => refuse("invalid_type", format!("Must be {}.", kind.noun())),
        }
    }
}

impl Shape {
    /// Checks an object that may be given as its id alone or as the whole resource, and replaces it with an object
    /// that has an id.
    fn check_identified(&self, whole: &Shape, value: &mut Value, at: &Path<'_>, issues: &mut Issues) {
        let Some(id) = self.fields().iter().find(|field| field.name == "id") else { return };
        let place = Path::Key(at, "id");
        match value {
            Value::String(_) => id.shape.check(value, at, issues),
            Value::Object(object) => {
                let is_known =
                    |key: &str| self.fields().iter().chain(whole.fields()).any(|field| field.name == key);
                for key in object.keys().filter(|key| !is_known(key)) {
                    let place = Path::Key(at, key);
                    issues.add(|issues| unknown_field(self.fields(), key, &place, issues));
                }
                match object.get_mut("id") {
                    None | Some(Value::Null) => issues.push(Issue::new("required", &place, "Is required.")),
                    Some(named) => id.shape.check(named, &place, issues),
                }
                *value = object.remove("id").unwrap_or_default();
            }
            _ => issues.push(Issue::new("invalid_type", at, "Must be an id, or an object with an `id`.")),
        }
        *value = Value::Object(Map::from_iter([("id".to_owned(), value.take())]));
    }
}

/// Reports a field that the object does not have. The first error for each kind of object lists the known fields.
fn unknown_field(fields: &[Field], name: &str, at: &Path<'_>, issues: &mut Issues) -> Issue {
    let known = fields.iter().filter(|field| matches!(field.need, Need::Required | Need::Optional));
    let known: Vec<_> = known.map(|field| field.name).collect();
    let meant = meant(name, &known, issues);
    let message = match known.as_slice() {
        [] => "This field does not exist: no fields are expected here. Leave it out.".to_owned(),
        known if issues.is_first_of(fields) => {
            format!("This field does not exist.{meant} Known fields: {}.", known.join(", "))
        }
        _ => format!("This field does not exist.{meant}"),
    };
    Issue::new(Code::UnknownField.as_str(), at, message)
}

/// Returns a sentence with a suggestion, for the first errors of a body.
fn meant(word: &str, known: &[&str], issues: &Issues) -> String {
    if issues.count() < SUGGESTIONS_MAX { suggestion(word, known.iter().copied()) } else { String::new() }
}

/// Reports a word that is not allowed.
fn invalid_value(words: &[&str], about: &str, word: &str, at: &Path<'_>, issues: &Issues) -> Issue {
    let meant = meant(word, words, issues);
    let message = if words.len() > WORDS_SHOWN_MAX {
        let about = about.trim_end_matches('.');
        format!("Must be one of the {} allowed values ({about}).{meant}", words.len())
    } else {
        format!("Must be one of: {}.{meant}", words.join(", "))
    };
    Issue::new("invalid_value", at, message)
}

fn check_object(
    fields: &[Field],
    rule: Option<Rule>,
    object: &mut Map<String, Value>,
    at: &Path<'_>,
    issues: &mut Issues,
) {
    let before = issues.count();
    for key in object.keys() {
        if !fields.iter().any(|field| field.name == key) {
            issues.add(|issues| unknown_field(fields, key, &Path::Key(at, key), issues));
        }
    }
    for field in fields {
        let place = Path::Key(at, field.name);
        match (field.need, object.get_mut(field.name)) {
            (Need::Given | Need::GivenOrNull, _) | (Need::Optional, None | Some(Value::Null)) => {}
            (Need::Required, None) => issues.push(Issue::new("required", &place, "Is required.")),
            (Need::Required, Some(Value::Null)) => {
                issues.push(Issue::new("required", &place, "Is required and can't be null."));
            }
            (Need::Required | Need::Optional, Some(value)) => field.shape.check(value, &place, issues),
        }
    }
    // From here on, null and absent are the same.
    object.retain(|_, value| !value.is_null());
    // A rule may rely on valid fields, so it runs only if they are.
    if let Some(rule) = rule
        && issues.count() == before
    {
        rule(object, at, issues);
    }
}

fn check_map(
    key_pattern: &Pattern,
    of: &Shape,
    entries_max: usize,
    object: &mut Map<String, Value>,
    at: &Path<'_>,
    issues: &mut Issues,
) {
    if object.len() > entries_max {
        issues.push(Issue::new(
            "too_many",
            at,
            format!("Must have at most {}.", counted(entries_max, "entry")),
        ));
        return;
    }
    for (key, value) in object.iter_mut() {
        let place = Path::Key(at, key);
        if (key_pattern.matches)(key) {
            of.check(value, &place, issues);
        } else {
            issues.push(Issue::new(
                "invalid_key",
                &place,
                format!("The key must match the pattern `{}`.", key_pattern.regex),
            ));
        }
    }
}
