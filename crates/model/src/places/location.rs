//! Locations: the places from which shipments are sent and to which they return.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::places::address::{ADDRESS, Address, COORDINATES, Coordinates, TEXT_CHARS_MAX};
use crate::platform::id::Kind as IdKind;
use crate::platform::problem::Result;
use crate::platform::shape::{Field, Input, Kind, Pattern, Shape};
use crate::platform::time_zone::{TIME_ZONE, check_time_zone};
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

/// The body of a request that creates a location.
#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct LocationInput {
    pub name: String,
    pub tags: Option<Vec<String>>,
    pub address: Address,
    #[serde(default)]
    pub marketplaces: Map<String, Value>,
    pub coordinates: Option<Coordinates>,
    /// A name of the IANA database. Without it, the organisation's time zone counts.
    pub time_zone: Option<String>,
}

impl Input for LocationInput {
    const SHAPE: &'static Shape = &LOCATION;
}

/// Returns the stored document of a location without its address, as lists of configurations embed it.
pub fn without_address(doc: &str) -> Result<Value> {
    let mut location: Value = serde_json::from_str(doc).map_err(crate::Error::fault)?;
    if let Value::Object(fields) = &mut location {
        fields.shift_remove("address");
    }
    Ok(location)
}

/// Maximum number of tags of a location, and of an inventory item.
pub(crate) const TAGS_MAX: usize = 50;
/// Maximum number of marketplaces of a location, and of counterparts on each.
const MARKETPLACES_MAX: usize = 50;
const COUNTERPARTS_MAX: usize = 100;

fn is_tag(text: &str) -> bool {
    (1..=50).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_marketplace(text: &str) -> bool {
    text.len() <= 50 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A word by which locations can be filtered.
pub static TAG: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: 50,
        pattern: Some(Pattern { regex: "^[a-z0-9_]{1,50}$", matches: is_tag }),
    },
    "Lower-case letters, digits and `_`.",
)
.example(r#""accepts_returns""#);
pub(crate) static TAGS: Shape = Shape::list(
    &TAG,
    TAGS_MAX,
    "Your own labels for `GET /locations?tags=`. They have no meaning to Dockside.",
);
static COUNTERPART: Shape =
    Shape::text(0, TEXT_CHARS_MAX, "An external id. Always a string, so that none loses digits.");
static COUNTERPARTS: Shape = Shape::list(
    &COUNTERPART,
    COUNTERPARTS_MAX,
    "What this marketplace calls the location; several, where it has several there.",
);
pub(crate) static MARKETPLACES: Shape = Shape::new(
    Kind::Map {
        key: Pattern { regex: "^[a-zA-Z0-9_]{0,50}$", matches: is_marketplace },
        of: &COUNTERPARTS,
        entries_max: MARKETPLACES_MAX,
    },
    "The location's ids elsewhere, such as in a shop system: a map from the marketplace's name to its ids. Kept and returned, never looked at.",
)
.example(r#"{"shopify":["68241883417"]}"#);

/// The id of a location.
pub static LOCATION_ID: Shape = Shape::new(
    Kind::Identifier(Location::PREFIX),
    "Made when the location is created. It stays when the name or the address changes.",
);
pub(crate) static NAME: Shape =
    Shape::text(1, TEXT_CHARS_MAX, "How your team tells locations apart. It is internal: never printed on a label, never sent to a carrier. Senders are named by `address.contact`.").example(r#""Bristol depot""#);

/// A location.
pub static LOCATION: Shape = Shape {
    name: Some("Location"),
    about: "A physical place, such as a warehouse or a shop, from which shipments are sent.",
    kind: Kind::Object { fields: FIELDS, rule: Some(check_time_zone) },
    example: None,
};
static FIELDS: &[Field] = &[
        Field::given("id", &LOCATION_ID),
        Field::required("name", &NAME),
        Field::optional("tags", &TAGS),
        Field::required("address", &ADDRESS).about("Where the location is, and who is there. New shipments copy it; changing it leaves those that exist as they are."),
        Field::optional("marketplaces", &MARKETPLACES),
        Field::optional("coordinates", &COORDINATES).about("Where it is on the globe, for distances in plans. Without it, plans look up the post code."),
        Field::optional("time_zone", &TIME_ZONE).about(TIME_ZONE_ABOUT),
        Field::created_at(),
        Field::updated_at(),
];
/// What a location's time zone is for.
pub(crate) const TIME_ZONE_ABOUT: &str = "The IANA name of the place's time zone, such as `Europe/London`. Days and times in shipping rules are meant in it. Without it, the organisation's `time_zone` counts. The `closing` of a configuration names its own.";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::platform::shape::parse;
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
        for field in ["tags", "marketplaces", "coordinates", "time_zone"] {
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
        body["address"]["contact"] = json!({"email_address": "no-at-sign", "fax": "1"});
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
    fn a_post_code_is_required_where_the_country_uses_them() {
        let address = |country: &str, post_code: Value| {
            let mut body = depot();
            body["address"]["address"]["country_code"] = json!(country);
            body["address"]["address"]["post_code"] = post_code;
            body
        };
        let required = [("required".to_owned(), "/address/address/post_code".to_owned())];
        for missing in [Value::Null, json!(""), json!("  "), json!("\u{200b}")] {
            assert_eq!(issues(address("GB", missing.clone())), required, "{missing}");
            assert!(parse::<LocationInput>(address("IE", missing.clone())).is_ok());
            assert!(parse::<LocationInput>(address("HK", missing)).is_ok());
        }
    }

    #[test]
    fn a_province_is_checked_where_the_country_has_a_list() {
        let address = |country: &str, post_code: &str, province: Value| {
            let mut body = depot();
            let given = json!({"country_code": country, "post_code": post_code, "province": province});
            for (name, value) in given.as_object().unwrap() {
                body["address"]["address"][name] = value.clone();
            }
            body
        };
        let found = |body| parse::<LocationInput>(body).unwrap().address.address.province;
        assert_eq!(found(address("US", "94105", json!("california"))).as_deref(), Some("CA"));
        assert_eq!(found(address("GB", "BS1 4DJ", json!("Avon"))).as_deref(), Some("Avon"));
        assert_eq!(found(address("IT", "00144", Value::Null)), None);
        let one = |code: &str| [(code.to_owned(), "/address/address/province".to_owned())];
        assert_eq!(issues(address("US", "94105", json!("Bavaria"))), one("province_invalid"));
        for missing in [Value::Null, json!(""), json!(" ")] {
            assert_eq!(issues(address("US", "94105", missing)), one("required"));
        }
    }

    #[test]
    fn blank_names_and_lines_are_refused() {
        let mut body = depot();
        body["name"] = json!("\u{200b}");
        body["address"]["address"]["line_1"] = json!("  ");
        body["address"]["address"]["city"] = json!("\u{a0}");
        body["address"]["contact"] = json!({"name": "\u{2060}", "company": " ", "phone_number": ""});
        let expected = [
            "/name",
            "/address/address/line_1",
            "/address/address/city",
            "/address/contact/name",
            "/address/contact/company",
        ];
        assert_eq!(issues(body), expected.map(|field| ("blank".to_owned(), field.to_owned())));
    }

    #[test]
    fn what_was_stored_under_older_rules_may_still_be_renamed() {
        let mut stored = depot();
        stored["address"]["address"]["post_code"] = json!("");
        let patched =
            |patch: Value| crate::platform::shape::parse_patch::<LocationInput>(stored.clone(), patch);
        assert_eq!(patched(json!({"name": "New"})).unwrap().name, "New");
        assert!(patched(stored.clone()).is_ok(), "what was read may be sent back");
        assert!(patched(json!({"address": {"address": {"line_1": "2 Quay Street"}}})).is_err());
        let repair = json!({"address": {"address": {"post_code": "bs14dj"}}});
        assert_eq!(patched(repair).unwrap().address.address.post_code.as_deref(), Some("BS1 4DJ"));
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
