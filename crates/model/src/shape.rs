//! Shapes: what a body may look like, declared once.
//!
//! A shape checks what comes in, naming every field at fault at once; and it is the schema that OpenAPI and the
//! documentation publish. Since both read the same constants, they can't drift apart.

mod leaf;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::json::{escape, merge};
use crate::problem::{Code, Error, Issue, Problem, Result};
use crate::time::Timestamp;
use leaf::{Fraction, check_text, whole};

/// Largest object of free form, in bytes of JSON.
const OPEN_BYTES_MAX: usize = 16_384;

/// A form that a JSON value may have.
pub struct Shape {
    /// The name under which OpenAPI lists it; unnamed shapes are written where they stand.
    pub name: Option<&'static str>,
    pub about: &'static str,
    pub kind: Kind,
    /// A value that is valid, for the documentation's examples (JSON text).
    pub example: Option<&'static str>,
}

/// The forms.
pub enum Kind {
    Text {
        chars_min: usize,
        chars_max: usize,
        pattern: Option<Pattern>,
    },
    OneOf(&'static [&'static str]),
    Number {
        min: f64,
        max: f64,
    },
    Integer {
        min: i64,
        max: i64,
    },
    /// Money: a whole number of the smallest unit, from zero on.
    Amount {
        max: i64,
    },
    Boolean,
    Moment,
    /// An identifier with this prefix.
    Identifier(&'static str),
    List {
        of: &'static Shape,
        items_min: usize,
        items_max: usize,
    },
    Object {
        fields: &'static [Field],
        rule: Option<Rule>,
    },
    /// An object of this shape, which has an `id`; in requests that id alone will do.
    Identified(&'static Shape),
    /// Any object.
    Open,
    /// Free keys of one pattern, values of one shape.
    Map {
        key: Pattern,
        of: &'static Shape,
        entries_max: usize,
    },
}

/// A regular expression for the schema, and the function that decides the same faster.
pub struct Pattern {
    pub regex: &'static str,
    pub matches: fn(&str) -> bool,
}

/// What ties several fields of an object together. It may also bring them into their normal form.
pub type Rule = fn(&mut Map<String, Value>, &str, &mut Vec<Issue>);

/// One field of an object.
pub struct Field {
    pub name: &'static str,
    pub shape: &'static Shape,
    pub need: Need,
}

/// Whether a field must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Required,
    /// May be absent or null.
    Optional,
    /// Made by the server: ignored in requests, so that a client may send back what it read.
    Given,
    /// As `Given`, and may be null or absent in responses.
    GivenOrNull,
}

/// Something that arrives as a body of a known shape.
pub trait Input: DeserializeOwned {
    const SHAPE: &'static Shape;
}

/// Reads a body: the only way to make an [`Input`], so that no unchecked one exists.
pub fn parse<T: Input>(mut body: Value) -> Result<T> {
    let mut issues = Vec::new();
    T::SHAPE.check(&mut body, "", &mut issues);
    if !issues.is_empty() {
        return Err(Problem::body(issues).into());
    }
    serde_json::from_value(body).map_err(Error::fault)
}

/// Reads a patch: merges it into what the resource is, and reads that as if it were created now. One type and one
/// validator serve both, and a patch of a nested field needs no code.
pub fn parse_patch<T: Input>(mut current: Value, patch: Value) -> Result<T> {
    let mut issues = Vec::new();
    if patch.is_object() {
        T::SHAPE.check_removals(&patch, "", &mut issues);
    } else {
        issues.push(Issue::new("invalid_type", "", "Must be an object."));
    }
    if !issues.is_empty() {
        return Err(Problem::body(issues).into());
    }
    merge(&mut current, patch);
    parse(current)
}

impl Shape {
    pub const fn new(kind: Kind, about: &'static str) -> Self {
        Self { name: None, about, kind, example: None }
    }

    /// Text of so many characters.
    pub const fn text(chars_min: usize, chars_max: usize, about: &'static str) -> Self {
        Self::new(Kind::Text { chars_min, chars_max, pattern: None }, about)
    }

    /// At most so many entries of one shape.
    pub const fn list(of: &'static Shape, items_max: usize, about: &'static str) -> Self {
        Self::new(Kind::List { of, items_min: 0, items_max }, about)
    }

    /// At least one entry, and at most so many.
    pub const fn some(of: &'static Shape, items_max: usize, about: &'static str) -> Self {
        Self::new(Kind::List { of, items_min: 1, items_max }, about)
    }

    pub const fn object(name: &'static str, fields: &'static [Field], about: &'static str) -> Self {
        Self { name: Some(name), about, kind: Kind::Object { fields, rule: None }, example: None }
    }

    #[must_use]
    pub const fn example(mut self, json: &'static str) -> Self {
        self.example = Some(json);
        self
    }

    /// The fields of an object; none for all else.
    pub fn fields(&self) -> &'static [Field] {
        match &self.kind {
            Kind::Object { fields, .. } => fields,
            _ => &[],
        }
    }

    /// Notes the removal of fields that don't exist: merging would lose a misspelt name in silence.
    fn check_removals(&self, patch: &Value, at: &str, issues: &mut Vec<Issue>) {
        let (Kind::Object { fields, .. }, Value::Object(patch)) = (&self.kind, patch) else { return };
        for (key, value) in patch {
            let place = format!("{at}/{}", escape(key));
            match fields.iter().find(|field| field.name == key) {
                None if value.is_null() => issues.push(unknown_field(fields, place)),
                None => {}
                Some(field) => field.shape.check_removals(value, &place, issues),
            }
        }
    }

    /// Checks a value and notes all that is wrong with it.
    pub fn check(&self, value: &mut Value, at: &str, issues: &mut Vec<Issue>) {
        let mut refuse = |code, message: String| issues.push(Issue::new(code, at, message));
        match (&self.kind, value) {
            (Kind::Text { chars_min, chars_max, pattern }, Value::String(text)) => {
                if let Err((code, message)) = check_text(text, *chars_min, *chars_max, pattern.as_ref()) {
                    refuse(code, message);
                }
            }
            (Kind::OneOf(words), Value::String(word)) => {
                if !words.contains(&word.as_str()) {
                    let shown =
                        if words.len() > 40 { String::new() } else { format!(": {}", words.join(", ")) };
                    refuse("invalid_value", format!("Must be one of the allowed values{shown}."));
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
                    refuse("too_long", format!("Must have at most {OPEN_BYTES_MAX} bytes of JSON."));
                }
            }
            (Kind::Moment, Value::String(text)) => {
                if Timestamp::parse(text).is_none() {
                    refuse("invalid_format", "Must be a date-time of RFC 3339.".to_owned());
                }
            }
            (Kind::Identifier(prefix), Value::String(text)) => {
                if !is_identifier(prefix, text) {
                    refuse("invalid_id", format!("Must be an id that starts with `{prefix}_`."));
                }
            }
            (Kind::Identified(of), value) => of.check_identified(value, at, issues),
            (Kind::List { of, items_min, items_max }, Value::Array(items)) => {
                if items.len() > *items_max {
                    refuse("too_many", format!("At most {items_max} entries."));
                } else if items.len() < *items_min {
                    refuse("too_few", format!("At least {items_min} entries."));
                } else {
                    for (place, item) in items.iter_mut().enumerate() {
                        of.check(item, &format!("{at}/{place}"), issues);
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
    /// Checks an object that may come as its id alone; from here on it is an object.
    fn check_identified(&self, value: &mut Value, at: &str, issues: &mut Vec<Issue>) {
        let id = self.fields().iter().find(|field| field.name == "id");
        match (id, &value) {
            (Some(id), Value::String(_)) => {
                id.shape.check(value, at, issues);
                *value = Value::Object(Map::from_iter([("id".to_owned(), value.take())]));
            }
            _ => self.check(value, at, issues),
        }
    }
}

fn unknown_field(fields: &[Field], at: String) -> Issue {
    let known = fields.iter().filter(|field| matches!(field.need, Need::Required | Need::Optional));
    let known: Vec<_> = known.map(|field| field.name).collect();
    let message = format!("There is no such field. Known here: {}.", known.join(", "));
    Issue::new(Code::UnknownField.as_str(), at, message)
}

fn check_object(
    fields: &[Field],
    rule: Option<Rule>,
    object: &mut Map<String, Value>,
    at: &str,
    issues: &mut Vec<Issue>,
) {
    let before = issues.len();
    for key in object.keys() {
        if !fields.iter().any(|field| field.name == key) {
            issues.push(unknown_field(fields, format!("{at}/{}", escape(key))));
        }
    }
    for field in fields {
        let place = || format!("{at}/{}", field.name);
        match (field.need, object.get_mut(field.name)) {
            (Need::Given | Need::GivenOrNull, _) | (Need::Optional, None | Some(Value::Null)) => {}
            (Need::Required, None) => issues.push(Issue::new("required", place(), "Is required.")),
            (Need::Required, Some(Value::Null)) => {
                issues.push(Issue::new("required", place(), "Is required and can't be null."));
            }
            (Need::Required | Need::Optional, Some(value)) => field.shape.check(value, &place(), issues),
        }
    }
    // Null and absent are the same, from here on too.
    object.retain(|_, value| !value.is_null());
    // A rule may rely on the form of the fields that it ties together.
    if let Some(rule) = rule
        && issues.len() == before
    {
        rule(object, at, issues);
    }
}

fn check_map(
    key_pattern: &Pattern,
    of: &Shape,
    entries_max: usize,
    object: &mut Map<String, Value>,
    at: &str,
    issues: &mut Vec<Issue>,
) {
    if object.len() > entries_max {
        issues.push(Issue::new("too_many", at, format!("At most {entries_max} entries.")));
        return;
    }
    for (key, value) in object.iter_mut() {
        let place = format!("{at}/{}", escape(key));
        if (key_pattern.matches)(key) {
            of.check(value, &place, issues);
        } else {
            issues.push(Issue::new("invalid_key", place, format!("Keys must match {}.", key_pattern.regex)));
        }
    }
}

/// Whether the text is an identifier with this prefix, whatever kind that is.
pub fn is_identifier(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).is_some_and(|body| {
        body.len() == crate::id::BODY_CHARS
            && body.starts_with(|first: char| ('0'..='7').contains(&first))
            && body.bytes().all(|char| matches!(char, b'0'..=b'9' | b'a'..=b'h' | b'j' | b'k' | b'm' | b'n' | b'p'..=b't' | b'v'..=b'z'))
    })
}

impl Kind {
    /// What it is, for a sentence that begins "Must be".
    fn noun(&self) -> &'static str {
        match self {
            Kind::Text { .. } | Kind::OneOf(_) => "a string",
            Kind::Number { .. } => "a number",
            Kind::Integer { .. } | Kind::Amount { .. } => "a whole number",
            Kind::Boolean => "true or false",
            Kind::Moment => "a date-time as a string",
            Kind::Identifier(_) => "an id as a string",
            Kind::List { .. } => "an array",
            Kind::Object { .. } | Kind::Map { .. } | Kind::Open | Kind::Identified(_) => "an object",
        }
    }
}

impl Field {
    pub const fn required(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, need: Need::Required }
    }

    pub const fn optional(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, need: Need::Optional }
    }

    pub const fn given(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, need: Need::Given }
    }

    pub const fn given_or_null(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, need: Need::GivenOrNull }
    }
}

/// A moment in time.
pub static MOMENT: Shape =
    Shape::new(Kind::Moment, "A moment: RFC 3339 in UTC.").example(r#""2026-11-01T09:30:00.000000Z""#);
