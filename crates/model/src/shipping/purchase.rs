//! Purchases: what is purchased for a shipment, the state of that purchase, and the resolution of an ambiguous one by
//! a person.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::platform::id::Kind as IdKind;
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, MOMENT, Path, Shape};
use crate::shipping::carrier::{CARRIER_ACCOUNT_REFERENCE, CarrierAccount, Reference};
use crate::shipping::rate::{RATE_ID, Rate};
use crate::shipping::shipment::error::{ERROR, ShipmentError};
use crate::shipping::shipment::package::{PACKAGES_MAX, TRACKING_NUMBER};
use crate::shipping::shipment::{SHIPMENT_ID, Shipment};
use crate::{Id, Timestamp};

macro_rules! states {
    ($($variant:ident $word:literal $about:literal;)*) => {
        /// The state of a purchase.
        #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
        pub enum State {
            $(#[doc = $about] #[serde(rename = $word)] $variant),*
        }

        impl State {
            pub const ALL: &'static [State] = &[$(State::$variant),*];
            const WORDS: &'static [&'static str] = &[$($word),*];
            const ABOUT: &'static str = concat!("How far it has come.\n", $("\n- `", $word, "`: ", $about),*);

            pub fn as_str(self) -> &'static str {
                match self { $(State::$variant => $word),* }
            }
        }
    };
}

states! {
    Ready "ready" "It is to be bought.";
    Calling "calling" "The carrier is being asked, or was when a server stopped.";
    Checking "checking" "It may have been bought: the carrier is asked whether it was.";
    Review "needs_review" "It is unknown whether it was bought: a person must check with the carrier, and report the result.";
    Bought "bought" "It is bought.";
    Failed "failed" "It was not bought.";
    Voiding "voiding" "The carrier is asked to take it back and to refund it.";
    Voided "voided" "The carrier has taken it back: what it charged is refunded.";
}

impl State {
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.as_str() == word)
    }
}

/// Returns since when it is unknown whether the shipment was already purchased. A shipment that is older than a
/// backup's restoration may have been purchased after the backup was taken, which the restored database does not
/// contain.
pub fn in_doubt_since(shipment_created_at: Timestamp, restored_at: Option<Timestamp>) -> Option<Timestamp> {
    restored_at.filter(|restored_at| shipment_created_at <= *restored_at)
}

/// A purchase, as the API shows it.
#[derive(Serialize, Clone, Debug)]
pub struct PurchaseAttempt {
    pub id: Id<PurchaseAttempt>,
    pub shipment_id: Id<Shipment>,
    pub carrier_account: Option<Reference<CarrierAccount>>,
    /// The service's handle.
    pub carrier_service: String,
    pub reference: String,
    pub state: State,
    /// The charged amount, in the smallest unit of the currency.
    pub amount: Option<i64>,
    pub currency_code: Option<String>,
    pub tracking_numbers: Vec<String>,
    pub error: Option<ShipmentError>,
    /// What the person said who resolved it.
    pub note: Option<String>,
    pub next_attempt_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for PurchaseAttempt {
    const PREFIX: &'static str = "pa";
}

/// The body of a purchase request: a rate, or a service of an account.
#[derive(Deserialize, Clone, Debug)]
pub struct PurchaseInput {
    pub rate: Option<Id<Rate>>,
    /// The account's id or handle.
    pub carrier_account: Option<String>,
    /// The service's id or handle.
    pub carrier_service: Option<String>,
}

impl Input for PurchaseInput {
    const SHAPE: &'static Shape = &PURCHASE_INPUT;
}

/// A person's resolution of an ambiguous purchase.
#[derive(Deserialize, Clone, Debug)]
pub struct Resolution {
    pub outcome: Finding,
    #[serde(default)]
    pub tracking_numbers: Vec<String>,
    pub carrier_purchase: Option<String>,
    pub amount: Option<i64>,
    pub currency_code: Option<String>,
    /// How the person knows.
    pub note: Option<String>,
}

/// Whether the shipment was purchased.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    Bought,
    NotBought,
}

impl Input for Resolution {
    const SHAPE: &'static Shape = &RESOLUTION;
}

fn check_wish(wish: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let has = |name: &str| wish.contains_key(name);
    let mut required = |field: &str, message: &str| {
        issues.push(Issue::new("required", format!("{at}/{field}"), message));
    };
    match (has("rate"), has("carrier_account"), has("carrier_service")) {
        (true, false, false) | (false, true, true) => {}
        (true, _, _) => {
            let message = "Name a rate, or an account and a service, but not both.";
            issues.push(Issue::new("excluded", format!("{at}/rate"), message));
        }
        (false, false, false) => {
            required("rate", "Is required, unless `carrier_account` and `carrier_service` are given.");
        }
        (false, false, true) => required("carrier_account", "Is required with `carrier_service`."),
        (false, true, false) => required("carrier_service", "Is required with `carrier_account`."),
    }
}

fn check_resolution(resolution: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let is_bought = resolution.get("outcome").and_then(Value::as_str) == Some("bought");
    let numbers = resolution.get("tracking_numbers").and_then(Value::as_array).map_or(0, Vec::len);
    if is_bought && numbers == 0 {
        let message = "What was bought has at least one tracking number.";
        issues.push(Issue::new("required", format!("{at}/tracking_numbers"), message));
    }
    if resolution.contains_key("amount") != resolution.contains_key("currency_code") {
        let message = "`amount` and `currency_code` go together.";
        issues.push(Issue::new("required", format!("{at}/currency_code"), message));
    }
}

/// The id of a purchase.
pub static PURCHASE_ATTEMPT_ID: Shape = Shape::new(
    Kind::Identifier(PurchaseAttempt::PREFIX),
    "Made with the first attempt to buy a shipment, and kept for all later ones of that shipment.",
);
/// The state of a purchase.
pub static STATE: Shape = Shape::new(Kind::OneOf(State::WORDS), State::ABOUT).example(r#""needs_review""#);
static NAME: Shape = Shape::text(1, 150, "Its id, or its handle.").example(r#""sandbox""#);
static SERVICE: Shape = Shape::text(1, 150, "Its id, or its handle.").example(r#""standard""#);
static REFERENCE: Shape = Shape::text(
    1,
    100,
    "What the carrier was told to call it: search for it in the carrier's own pages. It never changes.",
)
.example(r#""shp_01jc0000000000000000000000""#);

/// The body of a purchase request.
pub static PURCHASE_INPUT: Shape = Shape {
    name: Some("PurchaseInput"),
    about: "A rate of this shipment, or a service of an account.",
    kind: Kind::Object {
        fields: &[
            Field::optional("rate", &RATE_ID)
                .about("Buys at this rate. It must be one of the shipment's `rates`, and not expired."),
            Field::optional("carrier_account", &NAME).about(
                "The account that pays, by id or handle. Goes with `carrier_service`, instead of a `rate`.",
            ),
            Field::optional("carrier_service", &SERVICE).about(
                "The service to buy, by id or handle. Goes with `carrier_account`, instead of a `rate`.",
            ),
        ],
        rule: Some(check_wish),
    },
    example: Some(r#"{"carrier_account":"sandbox","carrier_service":"standard"}"#),
};
/// A purchase.
pub static PURCHASE_ATTEMPT: Shape = Shape::object(
    "PurchaseAttempt",
    &[
        Field::given("id", &PURCHASE_ATTEMPT_ID),
        Field::given("shipment_id", &SHIPMENT_ID).about("The shipment that is bought. It has one attempt, however often it is tried."),
        Field::given_or_null("carrier_account", &CARRIER_ACCOUNT_REFERENCE).about("The account that pays. Null if it no longer exists."),
        Field::given("carrier_service", &SERVICE).about("What is bought there: the handle of a service, such as `standard`."),
        Field::given("reference", &REFERENCE),
        Field::given("state", &STATE),
        Field::given_or_null("amount", &AMOUNT).about("What the carrier charged, in the smallest unit of the currency. Null until it is known."),
        Field::given_or_null("currency_code", &CURRENCY).about("The currency of `amount` (ISO 4217)."),
        Field::given("tracking_numbers", &NUMBERS),
        Field::given_or_null("error", &ERROR).about("Why it was not bought, or why it needs review. Null while nothing went wrong."),
        Field::given_or_null("note", &NOTE).about("What the person wrote who resolved it. Null if no person did, or without a word."),
        Field::given_or_null("next_attempt_at", &MOMENT).about("When the carrier is asked next, for the purchase, its label or its tracking. Null if nothing is planned."),
        Field::created_at(),
        Field::updated_at(),
    ],
    "What is bought for a shipment, and how far that has come. A shipment has one.",
);
static OUTCOME: Shape = Shape::new(
    Kind::OneOf(&["bought", "not_bought"]),
    "What you found in the carrier's own pages, under the purchase's `reference`.",
)
.example(r#""bought""#);
static NUMBERS: Shape = Shape::list(
    &TRACKING_NUMBER,
    PACKAGES_MAX,
    "The carrier's numbers for following the parcels, one for each package in their order.",
);
static CARRIER_PURCHASE: Shape =
    Shape::text(1, 100, "The carrier's own number of the purchase, needed to void it or to ask where it is.");
static NOTE: Shape = Shape::text(
    1,
    2000,
    "How you know, in up to 2,000 characters without line breaks. It is kept with the purchase, and in the event `purchase_attempt.resolved`.",
)
.example(r#""Seen in the carrier's list of shipments""#);
/// A person's resolution of an ambiguous purchase.
pub static RESOLUTION: Shape = Shape {
    name: Some("Resolution"),
    about: "What a person found out about a purchase that needs review.",
    kind: Kind::Object {
        fields: &[
            Field::required("outcome", &OUTCOME),
            Field::optional("tracking_numbers", &NUMBERS).about("The carrier's numbers, one for each package in their order. Required with the outcome `bought`."),
            Field::optional("carrier_purchase", &CARRIER_PURCHASE),
            Field::optional("amount", &AMOUNT).about("What the carrier charged, in the smallest unit of the currency, if you know."),
            Field::optional("currency_code", &CURRENCY).about("The currency of `amount` (ISO 4217)."),
            Field::optional("note", &NOTE),
        ],
        rule: Some(check_resolution),
    },
    example: Some(r#"{"outcome":"bought","tracking_numbers":["SB123456785GB"]}"#),
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::platform::shape::parse;

    #[test]
    fn a_purchase_request_names_a_rate_or_a_service() {
        let rate = "rate_01jc0000000000000000000000";
        assert!(parse::<PurchaseInput>(json!({"rate": rate})).is_ok());
        assert!(parse::<PurchaseInput>(json!({"carrier_account": "a", "carrier_service": "b"})).is_ok());
        for bad in [
            json!({}),
            json!({"carrier_account": "a"}),
            json!({"carrier_service": "b"}),
            json!({"rate": rate, "carrier_service": "b"}),
            json!({"rate": null, "carrier_account": null}),
        ] {
            assert!(parse::<PurchaseInput>(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_was_bought_has_a_number() {
        assert!(parse::<Resolution>(json!({"outcome": "not_bought"})).is_ok());
        assert!(parse::<Resolution>(json!({"outcome": "bought", "tracking_numbers": ["1"]})).is_ok());
        assert!(parse::<Resolution>(json!({"outcome": "bought"})).is_err());
        assert!(parse::<Resolution>(json!({"outcome": "not_bought", "amount": 1})).is_err());
    }

    #[test]
    fn every_state_reads_back() {
        for state in State::ALL {
            assert_eq!(State::parse(state.as_str()), Some(*state));
        }
        assert_eq!(State::parse("gone"), None);
    }
}
