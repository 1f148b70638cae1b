//! Addresses and coordinates: the rules of each country, and the normal form that is stored.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::places::country::{self, CountryCode};
use crate::places::{post_code, province};
use crate::platform::problem::{Issue, Result};
use crate::platform::shape::{Field, Issues, Kind, Path, Pattern, Shape, is_visible, refuse_blank};

/// A postal address and its contact.
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

/// The person or company at an address.
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

/// A position on earth.
#[derive(Serialize, Deserialize, Debug, Clone, Copy)]
pub struct Coordinates {
    pub latitude: f64,
    pub longitude: f64,
    /// Always 1: a client knows the position of its own warehouse, so the value in a request is ignored.
    #[serde(skip_deserializing, default = "certain")]
    pub confidence: f64,
}

fn certain() -> f64 {
    1.0
}

/// Longest text of an ordinary field, in characters.
pub(crate) const TEXT_CHARS_MAX: usize = 255;
/// Returns whether the text may be an email address. The check is loose: only sending an email would prove more.
/// Empty text passes, as in the other fields of a contact, because forms send their empty fields.
fn is_email(text: &str) -> bool {
    let word =
        |part: &str| !part.is_empty() && !part.contains(|char: char| char == '@' || char.is_whitespace());
    text.is_empty() || text.split_once('@').is_some_and(|(user, host)| word(user) && word(host))
}

/// Checks an address against the rules of its country, and normalises its post code and province.
pub(crate) fn check_postal(address: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let Some(country) = country_of(address) else { return };
    check_province(country, address, at, issues);
    let post_code = text_of(address, "post_code").to_owned();
    match check_post_code(country, &post_code, at) {
        Ok(Some(normal)) => _ = address.insert("post_code".to_owned(), normal.into()),
        Ok(None) => {}
        Err(issue) => issues.push(*issue),
    }
}

pub(crate) fn country_of(address: &Map<String, Value>) -> Option<CountryCode> {
    CountryCode::parse(text_of(address, "country_code"))
}

fn text_of<'a>(address: &'a Map<String, Value>, name: &str) -> &'a str {
    address.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the normalised post code, or `None` if it is missing and the country does not require one.
pub(crate) fn check_post_code(
    country: CountryCode,
    given: &str,
    at: &Path<'_>,
) -> Result<Option<String>, Box<Issue>> {
    let field = format!("{at}/post_code");
    // Forms send their empty fields. An empty post code counts as missing, not as wrong.
    if !given.chars().any(is_visible) {
        if !post_code::is_required(country) {
            return Ok(None);
        }
        let example = post_code::rule(country).map(|(_, example)| format!(" One looks like {example}."));
        let message = format!("Is required in {country}.{}", example.unwrap_or_default());
        return Err(Box::new(Issue::new("required", field, message)));
    }
    post_code::normalise(country, given).map(Some).map_err(|example| {
        let message = format!("Is not a post code of {country}. One looks like {example}.");
        Box::new(Issue::new("post_code_invalid", field, message))
    })
}

pub(crate) fn check_province(
    country: CountryCode,
    address: &mut Map<String, Value>,
    at: &Path<'_>,
    issues: &mut Issues,
) {
    let field = || format!("{at}/province");
    let given = text_of(address, "province");
    if !given.chars().any(is_visible) {
        if province::is_required(country) {
            let allowed = province::codes(country).join(", ");
            let message = format!("Is required in {country}. Use one of {allowed}.");
            issues.push(Issue::new("required", field(), message));
        }
        return;
    }
    match province::normalise(country, given) {
        Ok(code) => _ = address.insert("province".to_owned(), code.into()),
        Err(unknown) => issues.push(Issue::new("province_invalid", field(), unknown.message)),
    }
}

fn check_contact(contact: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    refuse_blank(contact, &["name", "company"], at, issues);
}

pub(crate) static LINE: Shape = Shape::text(0, TEXT_CHARS_MAX, "Free text on one line.");
static LINE_REQUIRED: Shape =
    Shape::text(1, TEXT_CHARS_MAX, "Free text on one line, with at least one visible character; required.");
static PROVINCE: Shape = Shape::text(
    0,
    TEXT_CHARS_MAX,
    "The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, \
     and kept as the code; AU, CA and US require it.",
)
.example(r#""CA""#);
static POST_CODE: Shape = Shape::text(
    0,
    32,
    "Required where the country uses post codes, checked against its pattern, and normalised.",
)
.example(r#""SW1A 1AA""#);
pub(crate) static COUNTRY: Shape =
    Shape::new(Kind::OneOf(country::CODES), "ISO 3166-1 alpha-2, in capitals.").example(r#""GB""#);
pub(crate) static EMAIL: Shape = Shape::new(
    Kind::Text {
        chars_min: 0,
        chars_max: TEXT_CHARS_MAX,
        pattern: Some(Pattern {
            regex: r"^$|^[^@\s\u0000-\u001F\u007F-\u009F]+@[^@\s\u0000-\u001F\u007F-\u009F]+$",
            matches: is_email,
        }),
    },
    "An email address.",
)
.example(r#""depot@example.com""#);

pub(crate) static POSTAL_FIELDS: &[Field] = &[
    Field::required("line_1", &LINE_REQUIRED).about("House number and street, or what the country's post uses instead. Printed as the first line below the names."),
    Field::optional("line_2", &LINE).about("Flat, building or floor. Printed on a line of its own; left out where it is empty."),
    Field::optional("line_3", &LINE).about("For addresses that need one more line. Some carriers have two: there it joins the second."),
    Field::required("city", &LINE_REQUIRED).about("Town or city, as the post of the country writes it. Printed where the country's addresses have it."),
    Field::optional("province", &PROVINCE),
    Field::optional("post_code", &POST_CODE).about("Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it."),
    Field::required("country_code", &COUNTRY).about("ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border."),
];
pub(crate) static POSTAL: Shape = Shape {
    name: Some("PostalAddress"),
    about: "The postal part of an address.",
    kind: Kind::Object { fields: POSTAL_FIELDS, rule: Some(check_postal) },
    example: Some(r#"{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}"#),
};
pub(crate) static CONTACT: Shape = Shape {
    name: Some("Contact"),
    about: "The person or firm at the address, as it is printed on labels and told to carriers. Labels and carriers name the sender by it.",
    kind: Kind::Object {
        fields: &[
            Field::optional("name", &LINE).about("The person or desk. On a label it is the first line; without it, `company` is."),
            Field::optional("company", &LINE).about("Printed below the name, or in its place where there is none."),
            Field::optional("email_address", &EMAIL).about("Passed on to carriers that notify the recipient. Never printed."),
            Field::optional("phone_number", &LINE).about("Printed on customs papers and passed on to carriers, some of which demand it. Include the country's prefix."),
        ],
        rule: Some(check_contact),
    },
    example: Some(r#"{"name":"Goods in","email_address":"depot@example.com"}"#),
};

/// A postal address and a contact.
pub static ADDRESS: Shape = Shape::object(
    "Address",
    &[
        Field::required("address", &POSTAL).about("Street, town and country, as they are printed on labels."),
        Field::optional("contact", &CONTACT).about("The person or firm there. Labels name the sender by it."),
    ],
    "A postal address and whom to ask for there.",
);

static LATITUDE: Shape = Shape::new(
    Kind::Number { min: -90.0, max: 90.0 },
    "Degrees north of the equator (WGS 84); negative in the south.",
)
.example("51.4494");
static LONGITUDE: Shape = Shape::new(
    Kind::Number { min: -180.0, max: 180.0 },
    "Degrees east of Greenwich (WGS 84); negative in the west.",
)
.example("-2.5979");
static CONFIDENCE: Shape = Shape::new(
    Kind::Number { min: 0.0, max: 1.0 },
    "How well the coordinates represent the address, from 0 to 1. Set by the server: 1 where a client gave them. Plans show it with each distance.",
)
.example("1.0");
/// A position on earth.
pub static COORDINATES: Shape = Shape::object(
    "Coordinates",
    &[
        Field::required("latitude", &LATITUDE),
        Field::required("longitude", &LONGITUDE),
        Field::given_or_null("confidence", &CONFIDENCE),
    ],
    "Where the address is on the globe. Plans measure distances with it; where it is missing, the post code is looked up.",
);
