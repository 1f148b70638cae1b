//! Shapes: the form of request and response bodies, declared once.
//!
//! A shape validates input and reports all invalid fields at once. The same shape is the schema that OpenAPI and the
//! documentation publish, so validation and documentation cannot diverge.

mod check;
mod leaf;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::platform::json::merge;
pub use crate::platform::pointer::Path;
pub use crate::platform::problem::Issues;
use crate::platform::problem::{Error, Issue, Problem, Result};
pub use leaf::{is_visible, refuse_blank};

/// Maximum number of errors of a patch that are compared with those of the stored resource. A stored resource that
/// violates current rules may do so in each of its entries.
const PATCH_ISSUES_MAX: usize = 10_000;

/// The form of a JSON value.
pub struct Shape {
    /// The name of the schema in OpenAPI. A shape without a name is written inline.
    pub name: Option<&'static str>,
    pub about: &'static str,
    pub kind: Kind,
    /// A valid value for the documentation's examples, as JSON text.
    pub example: Option<&'static str>,
}

/// The kinds of values.
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
    /// Money: a whole number of the smallest unit, at least zero.
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
        /// Whether a request may contain a single entry without the array around it.
        takes_one: bool,
    },
    Object {
        fields: &'static [Field],
        rule: Option<Rule>,
    },
    /// An object of the shape `of`, which has an `id`. A request may contain the id alone, or the whole resource as
    /// it was read, of which only the id is used.
    Identified {
        of: &'static Shape,
        whole: &'static Shape,
    },
    /// Any object.
    Open,
    /// An object with free keys of one pattern and values of one shape.
    Map {
        key: Pattern,
        of: &'static Shape,
        entries_max: usize,
    },
}

/// A regular expression for the schema, and an equivalent function, which is faster.
pub struct Pattern {
    pub regex: &'static str,
    pub matches: fn(&str) -> bool,
}

/// A check across several fields of an object. It may also normalise them.
pub type Rule = fn(&mut Map<String, Value>, &Path<'_>, &mut Issues);

/// One field of an object.
pub struct Field {
    pub name: &'static str,
    pub shape: &'static Shape,
    pub need: Need,
    /// The meaning of the field in this object, if the shape's own description is not enough.
    pub about: Option<&'static str>,
}

/// Whether a field is required.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Required,
    /// May be absent or null.
    Optional,
    /// Set by the server. Ignored in requests, so that a client may send back what it read.
    Given,
    /// Like `Given`, but may be null or absent in responses.
    GivenOrNull,
}

/// A request body with a known shape.
pub trait Input: DeserializeOwned {
    const SHAPE: &'static Shape;
}

/// Parses a body. This is the only way to construct an [`Input`], so every one has been validated.
pub fn parse<T: Input>(mut body: Value) -> Result<T> {
    let mut issues = Issues::default();
    T::SHAPE.check(&mut body, &Path::Root(""), &mut issues);
    if !issues.is_empty() {
        return Err(Problem::body(issues).into());
    }
    serde_json::from_value(body).map_err(Error::fault)
}

/// Parses a patch: merges it into the current resource, and parses the result like a creation. One type and one
/// validator serve both, and patches of nested fields need no code.
///
/// A resource stored under older rules may violate the current ones. Such an error is ignored if the patch leaves the
/// field unchanged. Otherwise a client could not rename a location whose address lacks a field that has become
/// required.
pub fn parse_patch<T: Input>(mut current: Value, patch: Value) -> Result<T> {
    let mut issues = Issues::up_to(PATCH_ISSUES_MAX);
    if patch.is_object() {
        T::SHAPE.check_removals(&patch, &Path::Root(""), &mut issues);
    } else {
        issues.push(Issue::new("invalid_type", "", "Must be an object."));
    }
    if !issues.is_empty() {
        return Err(Problem::body(issues).into());
    }
    let stored = current.clone();
    merge(&mut current, patch);
    let mut merged = current.clone();
    T::SHAPE.check(&mut merged, &Path::Root(""), &mut issues);
    let mut old = Vec::new();
    if !issues.is_empty() && issues.omitted() == 0 {
        let mut known = Issues::up_to(PATCH_ISSUES_MAX);
        T::SHAPE.check(&mut stored.clone(), &Path::Root(""), &mut known);
        // The whole object must be unchanged, because its rule is skipped if one of its fields is invalid.
        let is_old = |issue: &mut Issue| {
            let object = issue.field.rsplit_once('/').map_or("", |(object, _)| object);
            known.iter().any(|known| known == issue) && stored.pointer(object) == current.pointer(object)
        };
        old = issues.extract(is_old);
    }
    if !issues.is_empty() {
        return Err(Problem::body(issues).into());
    }
    match serde_json::from_value(merged) {
        Err(_) if !old.is_empty() => Err(Problem::body(old).into()),
        read => read.map_err(Error::fault),
    }
}

impl Shape {
    pub const fn new(kind: Kind, about: &'static str) -> Self {
        Self { name: None, about, kind, example: None }
    }

    /// Returns the shape of a text with this many characters.
    pub const fn text(chars_min: usize, chars_max: usize, about: &'static str) -> Self {
        Self::new(Kind::Text { chars_min, chars_max, pattern: None }, about)
    }

    /// Returns the shape of an array with at most this many entries.
    pub const fn list(of: &'static Shape, items_max: usize, about: &'static str) -> Self {
        Self::new(Kind::List { of, items_min: 0, items_max, takes_one: false }, about)
    }

    /// Returns the shape of an array with at most this many entries. A request may contain a single entry without the
    /// array around it.
    pub const fn list_or_one(of: &'static Shape, items_max: usize, about: &'static str) -> Self {
        Self::new(Kind::List { of, items_min: 0, items_max, takes_one: true }, about)
    }

    /// Returns the shape of an array with at least one and at most this many entries.
    pub const fn some(of: &'static Shape, items_max: usize, about: &'static str) -> Self {
        Self::new(Kind::List { of, items_min: 1, items_max, takes_one: false }, about)
    }

    pub const fn object(name: &'static str, fields: &'static [Field], about: &'static str) -> Self {
        Self { name: Some(name), about, kind: Kind::Object { fields, rule: None }, example: None }
    }

    #[must_use]
    pub const fn example(mut self, json: &'static str) -> Self {
        self.example = Some(json);
        self
    }

    /// Returns the fields of an object, or none for other kinds.
    pub fn fields(&self) -> &'static [Field] {
        match &self.kind {
            Kind::Object { fields, .. } => fields,
            _ => &[],
        }
    }
}

impl Kind {
    /// Returns the kind as the rest of a sentence that begins with "Must be".
    fn noun(&self) -> &'static str {
        match self {
            Kind::Text { .. } | Kind::OneOf(_) => "a string",
            Kind::Number { .. } => "a number",
            Kind::Integer { .. } | Kind::Amount { .. } => "a whole number",
            Kind::Boolean => "true or false",
            Kind::Moment => "a date-time as a string",
            Kind::Identifier(_) => "an id as a string",
            Kind::List { .. } => "an array",
            Kind::Object { .. } | Kind::Map { .. } | Kind::Open | Kind::Identified { .. } => "an object",
        }
    }
}

impl Field {
    pub const fn required(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, need: Need::Required, about: None }
    }

    pub const fn optional(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, need: Need::Optional, about: None }
    }

    pub const fn given(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, need: Need::Given, about: None }
    }

    pub const fn given_or_null(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, need: Need::GivenOrNull, about: None }
    }

    /// Returns the field for the resource's creation time.
    pub const fn created_at() -> Self {
        Self::given("created_at", &MOMENT)
            .about("When it was created, by the server's clock: RFC 3339 in UTC. Never changes.")
    }

    /// Returns the field for the time of the resource's last change.
    pub const fn updated_at() -> Self {
        Self::given("updated_at", &MOMENT)
            .about("When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.")
    }

    /// Returns the field with a description for this object. A shape that many fields share cannot describe each of
    /// them.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = Some(about);
        self
    }

    /// Returns the field's description for the documentation.
    pub fn description(&self) -> &'static str {
        self.about.unwrap_or(self.shape.about)
    }
}

/// A moment in time.
pub static MOMENT: Shape =
    Shape::new(Kind::Moment, "RFC 3339 with any offset; answers are in UTC with microseconds.")
        .example(r#""2026-11-01T09:30:00.000000Z""#);
/// Arbitrary data of the client.
pub static METADATA: Shape =
    Shape::new(Kind::Open, "Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.")
        .example(r#"{"shelf":"A3"}"#);
