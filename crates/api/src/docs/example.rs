//! Example values, generated from the shapes, so that the shapes accept them.

use model::platform::shape::{Field, Kind, Need, Shape};
use serde_json::{Map, Value};

/// The body of every example identifier.
pub const ID_BODY: &str = "01jc8x2m4q7v9k3h5t6w1y0r2n";
/// The depth limit for shapes that contain themselves.
const DEPTH_MAX: usize = 12;

/// The use of an example.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Request,
    Answer,
}

/// Returns an example of the shape.
pub fn value(shape: &Shape, way: Way) -> Value {
    of(shape, "text", way, 0)
}

/// Returns a merge patch that changes one plain field.
pub fn patch(shape: &Shape) -> Value {
    let is_input = |field: &&Field| matches!(field.need, Need::Required | Need::Optional);
    let is_plain = |field: &&Field| !matches!(field.shape.kind, Kind::Object { .. } | Kind::Identifier(_));
    let inputs = || shape.fields().iter().filter(is_input);
    let field = inputs().find(is_plain).or_else(|| inputs().next());
    let entry = field.map(|field| (field.name.to_owned(), of(field.shape, field.name, Way::Request, 1)));
    Value::Object(entry.into_iter().collect())
}

/// Returns an identifier with this prefix.
pub fn identifier(prefix: &str) -> String {
    format!("{prefix}_{ID_BODY}")
}

fn of(shape: &Shape, name: &str, way: Way, depth: usize) -> Value {
    if let Some(example) = shape.example.and_then(|text| serde_json::from_str(text).ok()) {
        return example;
    }
    match &shape.kind {
        Kind::Text { chars_min, chars_max, .. } => text(name, *chars_min, *chars_max).into(),
        Kind::OneOf(words) => words.first().copied().unwrap_or_default().into(),
        Kind::Number { min, max } => 1.0_f64.clamp(*min, *max).into(),
        Kind::Integer { min, max } => 1.clamp(*min, *max).into(),
        Kind::Amount { .. } => 1299.into(),
        Kind::Boolean => true.into(),
        Kind::Moment => "2026-11-01T09:30:00.000000Z".into(),
        Kind::Identifier(prefix) => identifier(prefix).into(),
        Kind::Identified { of: object, .. } => of(object, name, way, depth),
        Kind::List { .. } if depth >= DEPTH_MAX => Value::Array(Vec::new()),
        Kind::List { of: item, .. } => vec![of(item, name, way, depth + 1)].into(),
        Kind::Object { fields, .. } => object(fields, way, depth),
        Kind::Open | Kind::Map { .. } => Value::Object(Map::new()),
    }
}

/// Returns a text for a field that has no example: its name in words, or the placeholder of a token.
fn text(name: &str, chars_min: usize, chars_max: usize) -> String {
    let words = if name.ends_with("token") { "dk_test_…".to_owned() } else { name.replace('_', " ") };
    let padding = std::iter::repeat_n('x', chars_min.saturating_sub(words.chars().count()));
    words.chars().chain(padding).take(chars_max).collect()
}

fn object(fields: &[Field], way: Way, depth: usize) -> Value {
    let mut object = Map::new();
    for field in fields.iter().filter(|_| depth < DEPTH_MAX) {
        let example = || of(field.shape, field.name, way, depth + 1);
        let shown = match (field.need, way) {
            (Need::Required, _) | (Need::Given, Way::Answer) => Some(example()),
            (Need::Optional, _) if is_worth_showing(field.shape, depth) => Some(example()),
            (Need::GivenOrNull, Way::Answer) if is_plain_example(field.shape) => Some(example()),
            // It may be absent, and it would be long.
            (Need::GivenOrNull, Way::Answer) if !field.shape.fields().is_empty() => None,
            (Need::Optional | Need::GivenOrNull, Way::Answer) => Some(Value::Null),
            (_, Way::Request) => None,
        };
        if let Some(shown) = shown {
            object.insert(field.name.to_owned(), shown);
        }
    }
    Value::Object(object)
}

fn is_plain_example(shape: &Shape) -> bool {
    shape.example.is_some() && !matches!(shape.kind, Kind::Moment)
}

/// Returns whether an optional field improves the example: it has an example that is valid in any store at any time.
/// An identifier may not exist there, and a time may be past.
fn is_worth_showing(shape: &Shape, depth: usize) -> bool {
    match &shape.kind {
        Kind::Moment | Kind::Identifier(_) => false,
        _ if shape.example.is_some() => true,
        Kind::List { of, .. } if depth < DEPTH_MAX => is_worth_showing(of, depth + 1),
        Kind::Object { fields, .. } if depth < DEPTH_MAX => {
            let needed = || fields.iter().filter(|field| field.need == Need::Required);
            needed().next().is_some() && needed().all(|field| is_worth_showing(field.shape, depth + 1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use model::platform::id::is_identifier;
    use model::platform::shape::{Issues, Path};
    use serde_json::json;

    use super::*;
    use crate::access::route::{Body, Success};
    use crate::routes;

    fn issues(shape: &Shape, mut value: Value) -> Vec<String> {
        let mut issues = Issues::default();
        shape.check(&mut value, &Path::Root(""), &mut issues);
        issues.into_list().into_iter().map(|issue| format!("{}: {}", issue.field, issue.message)).collect()
    }

    /// Checks an example answer. `check` skips fields that the server sets, because requests ignore them, but an
    /// answer must have them.
    fn answer_issues(shape: &Shape, value: &Value) -> Vec<String> {
        match (&shape.kind, value) {
            (Kind::Object { fields, .. }, Value::Object(object)) => fields
                .iter()
                .filter_map(|field| Some((field, object.get(field.name).filter(|value| !value.is_null())?)))
                .flat_map(|(field, value)| answer_issues(field.shape, value))
                .collect(),
            _ => issues(shape, value.clone()),
        }
    }

    #[test]
    fn the_example_of_every_body_passes_its_own_check() {
        let mut checked = 0;
        for route in routes::all() {
            let (shape, example) = match route.body {
                Some(
                    Body::Json(shape) | Body::Optional(shape) | Body::Form(shape) | Body::JsonOrFile(shape),
                ) => (shape, value(shape, Way::Request)),
                Some(Body::Patch(shape)) => {
                    let mut whole = value(shape, Way::Request);
                    let patch = patch(shape);
                    assert!(patch.as_object().is_some_and(|patch| patch.len() == 1), "{}", route.operation);
                    model::platform::json::merge(&mut whole, patch);
                    (shape, whole)
                }
                Some(Body::Raw { .. } | Body::File) | None => continue,
            };
            assert_eq!(issues(shape, example.clone()), [""; 0], "{}: {example}", route.operation);
            checked += 1;
        }
        assert!(checked >= 6, "only {checked} bodies");
    }

    #[test]
    fn the_example_of_every_answer_is_one() {
        for route in routes::all() {
            if let Success::Resource(shape) | Success::Created(shape) | Success::List(_, shape) =
                route.success
            {
                let example = value(shape, Way::Answer);
                assert_eq!(answer_issues(shape, &example), [""; 0], "{}: {example}", route.operation);
            }
        }
    }

    #[test]
    fn example_identifiers_are_well_formed() {
        assert!(is_identifier("loc", &identifier("loc")));
    }

    #[test]
    fn what_may_not_exist_stays_out_of_requests() {
        let example = value(&model::access::access_token::ACCESS_TOKEN_INPUT, Way::Request);
        assert_eq!(example, json!({"name": "Warehouse scanner", "scopes": ["locations:read"]}));
    }
}
