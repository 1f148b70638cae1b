//! Locations: the places that shipments leave from and return to.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::country::{self, CountryCode};
use crate::id::Kind as IdKind;
use crate::post_code;
use crate::problem::{Issue, Result};
use crate::shape::{Field, Input, Kind, MOMENT, Pattern, Shape};
use crate::{Id, Timestamp};

/// A location as it is stored and shown.
#[derive(Serialize, Debug)]
pub struct Location {
    pub id: Id<Location>,
    #[serde(flatten)]
    pub details: LocationInput,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Location {
    const PREFIX: &'static str = "loc";
}

/// What a client says of a location.
#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct LocationInput {
    pub name: String,
    pub tags: Option<Vec<String>>,
    pub address: Address,
    #[serde(default)]
    pub marketplaces: Map<String, Value>,
    pub coordinates: Option<Coordinates>,
}

impl Input for LocationInput {
    const SHAPE: &'static Shape = &LOCATION;
}

/// A postal address and whom to ask for there.
#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct Address {
    pub address: PostalAddress,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
}

/// The postal part of an address.
#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct PostalAddress {
    pub line_1: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_2: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_3: Option<String>,
    pub city: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub province: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_code: Option<String>,
    pub country_code: CountryCode,
}

/// Whom to ask for at an address.
#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct Contact {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
}

/// Where on earth something is.
#[derive(Serialize, Deserialize, Debug, Clone, Copy)]
pub struct Coordinates {
    pub latitude: f64,
    pub longitude: f64,
    /// A client knows where its warehouse stands, so what it gives is certain, whatever it says here.
    #[serde(skip_deserializing, default = "certain")]
    pub confidence: f64,
}

fn certain() -> f64 {
    1.0
}

/// The stored document of a location without its address, as lists of configurations embed it.
pub fn without_address(doc: &str) -> Result<Value> {
    let mut location: Value = serde_json::from_str(doc).map_err(crate::Error::fault)?;
    if let Value::Object(fields) = &mut location {
        fields.shift_remove("address");
    }
    Ok(location)
}

/// Longest text of an ordinary field, in characters.
const TEXT_CHARS_MAX: usize = 255;
/// Most tags of a location.
const TAGS_MAX: usize = 50;
/// Most marketplaces of a location, and most counterparts on one of them.
const MARKETPLACES_MAX: usize = 50;
const COUNTERPARTS_MAX: usize = 100;

fn is_tag(text: &str) -> bool {
    (1..=50).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_marketplace(text: &str) -> bool {
    text.len() <= 50 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// As loose as an address can be checked without sending a letter to it.
fn is_email(text: &str) -> bool {
    let word =
        |part: &str| !part.is_empty() && !part.contains(|char: char| char == '@' || char.is_whitespace());
    text.split_once('@').is_some_and(|(user, host)| word(user) && word(host))
}

pub(crate) fn normalise_post_code(address: &mut Map<String, Value>, at: &str, issues: &mut Vec<Issue>) {
    let country = address.get("country_code").and_then(Value::as_str).and_then(CountryCode::parse);
    let Some((country, Value::String(given))) = country.zip(address.get_mut("post_code")) else { return };
    // A form that sends every field sends this one empty; that is no post code, not a wrong one.
    if given.is_empty() {
        return;
    }
    match post_code::normalise(country, given) {
        Ok(normal) => *given = normal,
        Err(example) => {
            let message = format!("Is not a post code of {country}. One looks like {example}.");
            issues.push(Issue::new("post_code_invalid", format!("{at}/post_code"), message));
        }
    }
}

pub(crate) static LINE: Shape = Shape::text(0, TEXT_CHARS_MAX, "A line of text.");
static LINE_REQUIRED: Shape = Shape::text(1, TEXT_CHARS_MAX, "A line of text, not empty.");
static POST_CODE: Shape =
    Shape::text(0, 32, "Checked against the country's pattern where it has one, and normalised.")
        .example(r#""SW1A 1AA""#);
pub(crate) static COUNTRY: Shape =
    Shape::new(Kind::OneOf(country::CODES), "ISO 3166-1 alpha-2, in capitals.").example(r#""GB""#);
static EMAIL: Shape = Shape::new(
    Kind::Text {
        chars_min: 3,
        chars_max: TEXT_CHARS_MAX,
        pattern: Some(Pattern {
            regex: r"^[^@\s\u0000-\u001F\u007F-\u009F]+@[^@\s\u0000-\u001F\u007F-\u009F]+$",
            matches: is_email,
        }),
    },
    "An email address.",
)
.example(r#""depot@example.com""#);

pub(crate) static POSTAL_FIELDS: &[Field] = &[
    Field::required("line_1", &LINE_REQUIRED),
    Field::optional("line_2", &LINE),
    Field::optional("line_3", &LINE),
    Field::required("city", &LINE_REQUIRED),
    Field::optional("province", &LINE),
    Field::optional("post_code", &POST_CODE),
    Field::required("country_code", &COUNTRY),
];
pub(crate) static POSTAL: Shape = Shape {
    name: Some("PostalAddress"),
    about: "The postal part of an address.",
    kind: Kind::Object { fields: POSTAL_FIELDS, rule: Some(normalise_post_code) },
    example: Some(r#"{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}"#),
};
pub(crate) static CONTACT: Shape = Shape::object(
    "Contact",
    &[
        Field::optional("name", &LINE),
        Field::optional("company", &LINE),
        Field::optional("email_address", &EMAIL),
        Field::optional("phone_number", &LINE),
    ],
    "Whom to ask for at an address.",
)
.example(r#"{"name":"Goods in","email_address":"depot@example.com"}"#);

/// A postal address and a contact.
pub static ADDRESS: Shape = Shape::object(
    "Address",
    &[Field::required("address", &POSTAL), Field::optional("contact", &CONTACT)],
    "A postal address and whom to ask for there.",
);

static LATITUDE: Shape =
    Shape::new(Kind::Number { min: -90.0, max: 90.0 }, "Degrees north.").example("51.4494");
static LONGITUDE: Shape =
    Shape::new(Kind::Number { min: -180.0, max: 180.0 }, "Degrees east.").example("-2.5979");
static CONFIDENCE: Shape = Shape::new(
    Kind::Number { min: 0.0, max: 1.0 },
    "How well the coordinates represent the address; 1 where a client gave them.",
)
.example("1.0");
/// Where on earth something is.
pub static COORDINATES: Shape = Shape::object(
    "Coordinates",
    &[
        Field::required("latitude", &LATITUDE),
        Field::required("longitude", &LONGITUDE),
        Field::given_or_null("confidence", &CONFIDENCE),
    ],
    "Where on earth something is.",
);

/// A word to filter locations by.
pub static TAG: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: 50,
        pattern: Some(Pattern { regex: "^[a-z0-9_]{1,50}$", matches: is_tag }),
    },
    "A word to filter by.",
)
.example(r#""accepts_returns""#);
pub(crate) static TAGS: Shape = Shape::list(&TAG, TAGS_MAX, "Words to filter locations by.");
static COUNTERPART: Shape =
    Shape::text(0, TEXT_CHARS_MAX, "An external id. Always a string, so that none loses digits.");
static COUNTERPARTS: Shape =
    Shape::list(&COUNTERPART, COUNTERPARTS_MAX, "The location's ids on this marketplace.");
pub(crate) static MARKETPLACES: Shape = Shape::new(
    Kind::Map {
        key: Pattern { regex: "^[a-zA-Z0-9_]{0,50}$", matches: is_marketplace },
        of: &COUNTERPARTS,
        entries_max: MARKETPLACES_MAX,
    },
    "Maps the location to its counterparts on external marketplaces.",
)
.example(r#"{"shopify":["68241883417"]}"#);

/// The id of a location.
pub static LOCATION_ID: Shape = Shape::new(Kind::Identifier(Location::PREFIX), "A location's id.");
pub(crate) static NAME: Shape =
    Shape::text(1, TEXT_CHARS_MAX, "For internal identification only.").example(r#""Bristol depot""#);

/// A location.
pub static LOCATION: Shape = Shape::object(
    "Location",
    &[
        Field::given("id", &LOCATION_ID),
        Field::required("name", &NAME),
        Field::optional("tags", &TAGS),
        Field::required("address", &ADDRESS),
        Field::optional("marketplaces", &MARKETPLACES),
        Field::optional("coordinates", &COORDINATES),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "A physical place, such as a warehouse or a shop, from which shipments are sent.",
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shape::parse;
    use crate::{Code, Error};

    fn issues(body: Value) -> Vec<(String, String)> {
        match parse::<LocationInput>(body) {
            Err(Error::Refused(problem)) => {
                problem.issues.into_iter().map(|issue| (issue.code.into_owned(), issue.field)).collect()
            }
            other => panic!("expected a refusal, got {other:?}"),
        }
    }

    fn depot() -> Value {
        json!({"name": "Depot", "address": {"address": {
            "line_1": "1 Quay Street", "city": "Bristol", "post_code": "bs14dj", "country_code": "GB"}}})
    }

    #[test]
    fn the_least_location_is_accepted_and_normalised() {
        let input: LocationInput = parse(depot()).unwrap();
        assert_eq!(input.address.address.post_code.as_deref(), Some("BS1 4DJ"));
        assert_eq!(input.tags, None);
    }

    #[test]
    fn null_is_the_same_as_absent() {
        let mut body = depot();
        for field in ["tags", "marketplaces", "coordinates"] {
            body[field] = Value::Null;
        }
        body["address"]["contact"] = Value::Null;
        body["address"]["address"]["line_2"] = Value::Null;
        let (with, without): (LocationInput, LocationInput) = (parse(body).unwrap(), parse(depot()).unwrap());
        assert_eq!(serde_json::to_value(with).unwrap(), serde_json::to_value(without).unwrap());
    }

    #[test]
    fn all_faults_are_named_at_once() {
        let mut body = depot();
        body["name"] = json!("");
        body["tags"] = json!(["ok", "Not ok", 7]);
        body["address"]["address"]["country_code"] = json!("UK");
        body["address"]["contact"] = json!({"email_address": "nobody", "fax": "1"});
        body["marketplaces"] = json!({"a-b": [], "shopify": [1]});
        body["coordinates"] = json!({"latitude": 91});
        let expected = [
            ("too_short", "/name"),
            ("invalid_format", "/tags/1"),
            ("invalid_type", "/tags/2"),
            ("invalid_value", "/address/address/country_code"),
            ("unknown_field", "/address/contact/fax"),
            ("invalid_format", "/address/contact/email_address"),
            ("invalid_key", "/marketplaces/a-b"),
            ("invalid_type", "/marketplaces/shopify/0"),
            ("out_of_range", "/coordinates/latitude"),
            ("required", "/coordinates/longitude"),
        ];
        assert_eq!(issues(body), expected.map(|(code, field)| (code.to_owned(), field.to_owned())));
    }

    #[test]
    fn a_post_code_is_checked_against_its_country() {
        let mut body = depot();
        body["address"]["address"]["post_code"] = json!("12345");
        assert_eq!(issues(body), [("post_code_invalid".to_owned(), "/address/address/post_code".to_owned())]);
    }

    #[test]
    fn what_was_read_may_be_sent_back() {
        let mut body = depot();
        body["id"] = json!("loc_01");
        body["created_at"] = json!(null);
        body["coordinates"] = json!({"latitude": 1, "longitude": 2, "confidence": 0.2});
        let input: LocationInput = parse(body).unwrap();
        assert_eq!(input.coordinates.map(|at| at.confidence), Some(1.0));
    }

    #[test]
    fn a_body_that_is_no_object_is_refused_as_a_whole() {
        assert_eq!(issues(json!([])), [("invalid_type".to_owned(), String::new())]);
        let unknown = parse::<LocationInput>(json!({"nmae": "x"}));
        assert!(matches!(unknown, Err(Error::Refused(problem)) if problem.code == Code::UnknownField));
    }
}
