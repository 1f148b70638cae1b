//! Who bought an order, where, and what the shop says of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::places::address::{EMAIL, LINE};
use crate::platform::shape::{Field, Issues, Kind, Path, Pattern, Shape, refuse_blank};

/// The person or firm that bought.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Customer {
    pub name: Option<String>,
    pub company: Option<String>,
    pub email_address: Option<String>,
    pub phone_number: Option<String>,
}

/// The order in the shop that it comes from.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Source {
    pub external_id: Option<String>,
    pub external_number: Option<String>,
    pub url: Option<String>,
}

/// Maximum number of tags of an order.
const TAGS_MAX: usize = 50;

fn is_tag(text: &str) -> bool {
    (1..=50).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Returns whether people may be shown the text as a link. Other schemes, such as `javascript:`, must not become one.
fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
}

fn check_customer(customer: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    refuse_blank(customer, &["name", "company"], at, issues);
}

pub(crate) static CUSTOMER: Shape = Shape {
    name: Some("Customer"),
    about: "The person or firm that bought. May differ from the recipient, who is in `destination.contact`.",
    kind: Kind::Object {
        fields: &[
            Field::optional("name", &LINE)
                .about("The person. `GET /orders?customer=` finds the order by it, whatever its case."),
            Field::optional("company", &LINE)
                .about("The firm. `GET /orders?customer=` finds the order by it as well."),
            Field::optional("email_address", &EMAIL)
                .about("Where the customer is reached. `GET /orders?email_address=` finds the order by it. Dockside sends nothing to it."),
            Field::optional("phone_number", &LINE)
                .about("Include the country's prefix. Kept and shown; carriers get the number of the destination's contact."),
        ],
        rule: Some(check_customer),
    },
    example: Some(r#"{"name":"Ann Miller","email_address":"ann@example.com"}"#),
};
static EXTERNAL_ID: Shape =
    Shape::text(1, 255, "The order's id in the shop, as a string, so that it loses no digits.")
        .example(r#""5123456789012""#);
static EXTERNAL_NUMBER: Shape =
    Shape::text(1, 255, "The number that the shop shows to people.").example(r##""#1042""##);
static URL: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: 2000,
        pattern: Some(Pattern {
            regex: r"^https?://[^\s\u0000-\u001F\u007F-\u009F]+$",
            matches: is_web_address,
        }),
    },
    "The page of the order in the shop: an http or https URL. Kept and shown; the server never opens it.",
)
.example(r#""https://shop.example/orders/1042""#);
pub(crate) static SOURCE: Shape = Shape::object(
    "OrderSourceReference",
    &[
        Field::optional("external_id", &EXTERNAL_ID),
        Field::optional("external_number", &EXTERNAL_NUMBER),
        Field::optional("url", &URL),
    ],
    "The order in the shop that it comes from. Kept and shown, never looked at.",
);
/// The channel of an order.
pub static CHANNEL: Shape = Shape::text(
    1,
    100,
    "Where it was sold, in your own words, such as `webshop` or `marketplace`. `GET /orders?channel=` finds it by exactly this text.",
)
.example(r#""webshop""#);
pub(crate) static REQUESTED_SERVICE: Shape = Shape::text(
    1,
    255,
    "The delivery that the customer chose, in the shop's own words. Kept and shown; shipping rules can choose by it.",
)
.example(r#""Express""#);
/// A word by which orders can be filtered.
pub static ORDER_TAG: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: 50,
        pattern: Some(Pattern { regex: "^[a-z0-9_]{1,50}$", matches: is_tag }),
    },
    "Lower-case letters, digits and `_`.",
)
.example(r#""gift""#);
pub(crate) static TAGS: Shape = Shape::list(
    &ORDER_TAG,
    TAGS_MAX,
    "Your own labels for `GET /orders?tags=`. They have no meaning to Dockside.",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_an_http_url() {
        for good in ["https://shop.example/1", "http://localhost:3000/orders/1?x=y"] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in ["javascript:alert(1)", "https://", "ftp://shop.example", "shop.example", "https://a b"] {
            assert!(!is_web_address(bad), "{bad}");
        }
    }
}
