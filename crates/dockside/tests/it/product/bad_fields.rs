//! Bodies that are JSON and still wrong, field by field: the refusal points at the very field.

use serde_json::{Value, json};

use crate::product::bad_input::{Refusal, Target, full_location, refused};

/// A field of a body and what is wrong there, for each value that it might hold.
struct Field {
    at: &'static str,
    kind: Kind,
}

enum Kind {
    /// Text of so many characters at most; `like` is a valid one.
    Text {
        max: usize,
        like: &'static str,
    },
    /// One word out of a list.
    Word,
    /// An id with this prefix.
    Id(&'static str),
    Object {
        is_required: bool,
    },
    /// An object with free keys.
    Map,
    List,
    Number {
        max: f64,
    },
    Moment,
}

const fn text(at: &'static str, max: usize, like: &'static str) -> Field {
    Field { at, kind: Kind::Text { max, like } }
}

const LOCATION: &[Field] = &[
    text("/name", 255, "x"),
    text("/tags/1", 50, "x"),
    text("/address/address/line_1", 255, "x"),
    text("/address/address/line_2", 255, "x"),
    text("/address/address/line_3", 255, "x"),
    text("/address/address/city", 255, "x"),
    text("/address/address/province", 255, "x"),
    text("/address/address/post_code", 32, "BS1 4DJ"),
    text("/address/contact/name", 255, "x"),
    text("/address/contact/company", 255, "x"),
    text("/address/contact/email_address", 255, "a@b"),
    text("/address/contact/phone_number", 255, "x"),
    text("/marketplaces/shopify/0", 255, "x"),
    text("/time_zone", 60, "UTC"),
    Field { at: "/address/address/country_code", kind: Kind::Word },
    Field { at: "", kind: Kind::Object { is_required: true } },
    Field { at: "/address", kind: Kind::Object { is_required: true } },
    Field { at: "/address/address", kind: Kind::Object { is_required: true } },
    Field { at: "/address/contact", kind: Kind::Object { is_required: false } },
    Field { at: "/coordinates", kind: Kind::Object { is_required: false } },
    Field { at: "/marketplaces", kind: Kind::Map },
    Field { at: "/marketplaces/shopify", kind: Kind::List },
    Field { at: "/tags", kind: Kind::List },
    Field { at: "/coordinates/latitude", kind: Kind::Number { max: 90.0 } },
    Field { at: "/coordinates/longitude", kind: Kind::Number { max: 180.0 } },
];

const CONFIGURATION: &[Field] = &[
    text("/name", 255, "x"),
    Field { at: "", kind: Kind::Object { is_required: true } },
    Field { at: "/locations", kind: Kind::Object { is_required: true } },
    Field { at: "/locations/origin", kind: Kind::Object { is_required: true } },
    Field { at: "/locations/return", kind: Kind::Object { is_required: true } },
    Field { at: "/locations/origin/id", kind: Kind::Id("loc") },
    Field { at: "/locations/return/id", kind: Kind::Id("loc") },
];

const TOKEN: &[Field] = &[
    text("/name", 255, "x"),
    text("/scopes/0", 64, "orders:read"),
    Field { at: "", kind: Kind::Object { is_required: true } },
    Field { at: "/scopes", kind: Kind::List },
    Field { at: "/user", kind: Kind::Object { is_required: false } },
    Field { at: "/user/id", kind: Kind::Id("usr") },
    Field { at: "/expires_at", kind: Kind::Moment },
];

impl Field {
    /// Values that the field can't hold, each with what is wrong with it and where below the field.
    fn wrong(&self) -> Vec<(Value, &'static str, &'static str)> {
        let mut wrong = match &self.kind {
            Kind::Text { max, like } => wrong_texts(*max, like),
            Kind::Word => {
                ["", "gb", "ZZ", "GBR", "G\0", "GB "].map(|word| (json!(word), "invalid_value", "")).into()
            }
            Kind::Id(prefix) => wrong_ids(prefix),
            Kind::Number { max } => vec![
                (json!(max + 0.1), "out_of_range", ""),
                (json!(-max - 0.1), "out_of_range", ""),
                (json!(1e300), "out_of_range", ""),
                (json!(u64::MAX), "out_of_range", ""),
            ],
            Kind::Moment => {
                ["", "tomorrow", "2026-11-01", "2026-13-01T00:00:00Z", "2026-11-01T00:00:00", "\0"]
                    .map(|text| (json!(text), "invalid_format", ""))
                    .into()
            }
            Kind::Object { .. } => vec![(json!({"nope": 1}), "unknown_field", "/nope")],
            Kind::Map => vec![
                (json!({"a-b": []}), "invalid_key", "/a-b"),
                (json!({"a/b": []}), "invalid_key", "/a~1b"),
                (json!({"a\0": []}), "invalid_key", "/a\0"),
                (json!({"a": "text"}), "invalid_type", "/a"),
            ],
            Kind::List => vec![(json!(vec!["x"; 101]), "too_many", "")],
        };
        wrong.extend(self.kind.wrong_types().into_iter().map(|value| (value, "invalid_type", "")));
        wrong
    }
}

impl Kind {
    /// One value of each type that this is not.
    fn wrong_types(&self) -> Vec<Value> {
        let all = [json!(7), json!(true), json!("text"), json!([]), json!({}), json!(1e300), json!(u64::MAX)];
        let is_right = |value: &Value| match self {
            Kind::Text { .. } | Kind::Word | Kind::Id(_) | Kind::Moment => value.is_string(),
            Kind::Object { .. } | Kind::Map => value.is_object(),
            Kind::List => value.is_array(),
            Kind::Number { .. } => value.is_number(),
        };
        all.into_iter().filter(|value| !is_right(value)).collect()
    }
}

fn wrong_texts(max: usize, like: &str) -> Vec<(Value, &'static str, &'static str)> {
    let controls = ["\0", "\u{1}", "\u{7}", "\t", "\n", "\u{1b}", "\u{7f}", "\u{85}", "\u{9f}"];
    let mut wrong: Vec<_> =
        controls.map(|control| (json!(format!("{like}{control}")), "invalid_text", "")).into();
    // Characters are counted, not bytes.
    wrong.push((json!("x".repeat(max + 1)), "too_long", ""));
    wrong.push((json!("\u{1f69a}".repeat(max + 1)), "too_long", ""));
    wrong
}

fn wrong_ids(prefix: &str) -> Vec<(Value, &'static str, &'static str)> {
    let body = "0123456789abcdefghjkmnpqrs";
    let ids = [
        String::new(),
        body.to_owned(),
        format!("lc_{body}"),
        format!("tok_{body}"),
        format!("{prefix}_"),
        format!("{prefix}_{}", body.to_uppercase()),
        format!("{prefix}_8{}", &body[1..]),
        format!("{prefix}_{body}0"),
        format!("{prefix}_{}\0", &body[1..]),
        format!("{prefix}_{}u", &body[1..]),
        format!(" {prefix}_{body}"),
    ];
    ids.map(|id| (json!(id), "invalid_id", "")).into()
}

/// Sets what a pointer points at; an object is merged into the one that is there.
fn set(body: &mut Value, at: &str, value: Value) {
    let slot = body.pointer_mut(at).unwrap_or_else(|| panic!("the valid body has no {at}"));
    match (slot, value) {
        (Value::Object(old), Value::Object(new)) => old.extend(new),
        (slot, value) => *slot = value,
    }
}

/// The patch that would make the body so: its top-level field alone.
fn patch(body: &Value, at: &str) -> Value {
    match at.split('/').nth(1) {
        Some(top) => json!({top: body[top]}),
        None => body.clone(),
    }
}

fn refusal(code: &str, field: &str) -> Refusal {
    let whole = if code == "unknown_field" { "unknown_field" } else { "validation_failed" };
    refused(422, whole).at(code, field)
}

async fn refuses_all(target: &Target, create: &str, update: Option<&str>, valid: &Value, fields: &[Field]) {
    for field in fields {
        for (value, code, below) in field.wrong() {
            let mut body = valid.clone();
            set(&mut body, field.at, value);
            let place = format!("{}{below}", field.at);
            target.refuses_body("POST", create, body.to_string(), refusal(code, &place)).await;
            if let Some(update) = update {
                let patch = if body.is_object() { patch(&body, field.at) } else { body };
                target.refuses_body("PATCH", update, patch.to_string(), refusal(code, &place)).await;
            }
        }
        if matches!(field.kind, Kind::Object { is_required: true } | Kind::Word | Kind::Id(_))
            && !field.at.is_empty()
        {
            let mut body = valid.clone();
            set(&mut body, field.at, Value::Null);
            target.refuses_body("POST", create, body.to_string(), refusal("required", field.at)).await;
            if let Some(update) = update {
                let patch = patch(&body, field.at).to_string();
                target.refuses_body("PATCH", update, patch, refusal("required", field.at)).await;
            }
        }
    }
}

#[tokio::test]
async fn every_wrong_field_of_a_location_is_named() {
    let target = Target::new().await;
    let update = target.location.clone();
    refuses_all(&target, "/locations", Some(&update), &full_location(), LOCATION).await;
    target.is_unharmed().await;
}

#[tokio::test]
async fn every_wrong_field_of_a_configuration_is_named() {
    let target = Target::new().await;
    let id = target.location.strip_prefix("/locations/").unwrap();
    let valid = json!({"name": "x", "locations": {"origin": {"id": id}, "return": {"id": id}}});
    let update = target.configuration.clone();
    refuses_all(&target, "/location_configurations", Some(&update), &valid, CONFIGURATION).await;
    target.is_unharmed().await;
}

#[tokio::test]
async fn every_wrong_field_of_a_token_is_named() {
    let target = Target::new().await;
    let user = target.world.get("/access_tokens").await.json()["data"][0]["user"]["id"].clone();
    let valid = json!({
        "name": "x", "scopes": ["orders:read"], "user": {"id": user}, "expires_at": "2030-01-01T00:00:00Z",
    });
    refuses_all(&target, "/access_tokens", None, &valid, TOKEN).await;
    for scope in [
        "",
        "orders:fly",
        "orders",
        "*:read",
        "orders:read orders:write",
        "ORDERS:READ",
        "reservations:write",
    ] {
        let mut body = valid.clone();
        body["scopes"] = json!(["*", scope]);
        let code = if scope.is_empty() { "too_short" } else { "invalid_format" };
        let expected = refused(422, "validation_failed").at(code, "/scopes/1");
        target.refuses_body("POST", "/access_tokens", body.to_string(), expected).await;
    }
    target.is_unharmed().await;
}

#[tokio::test]
async fn every_fault_of_a_body_is_named_at_once() {
    let target = Target::new().await;
    let body = json!({"nope": 1, "name": "", "tags": ["ok", "Not ok"], "address": {"address": {"city": 7}}});
    let expected = refused(422, "unknown_field")
        .at("unknown_field", "/nope")
        .at("too_short", "/name")
        .at("invalid_format", "/tags/1")
        .at("required", "/address/address/line_1")
        .at("invalid_type", "/address/address/city")
        .at("required", "/address/address/country_code");
    target.refuses_body("POST", "/locations", body.to_string(), expected).await;
    target.is_unharmed().await;
}
