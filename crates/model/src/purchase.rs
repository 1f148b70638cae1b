//! Purchases: what is bought for a shipment, how far that has come, and what a person says where nobody else can.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::carrier::{CARRIER_ACCOUNT_REFERENCE, CarrierAccount, Reference};
use crate::id::Kind as IdKind;
use crate::money::{AMOUNT, CURRENCY};
use crate::problem::Issue;
use crate::rate::{RATE_ID, Rate};
use crate::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::shipment::error::{ERROR, ShipmentError};
use crate::shipment::package::{PACKAGES_MAX, TRACKING_NUMBER};
use crate::shipment::{SHIPMENT_ID, Shipment};
use crate::{Id, Timestamp};

macro_rules! states {
    ($($variant:ident $word:literal $about:literal;)*) => {
        /// How far a purchase has come.
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
    Review "needs_review" "Nobody can tell whether it was bought: a person must find out, and say so.";
    Bought "bought" "It is bought.";
    Failed "failed" "It was not bought.";
    Voiding "voiding" "The carrier is asked to take it back.";
    Voided "voided" "The carrier has taken it back.";
}

impl State {
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.as_str() == word)
    }
}

/// Since when it is in doubt whether something was bought that is to be bought now: a shipment that is older than a backup's
/// restoration may have been bought by the database that is gone.
pub fn in_doubt_since(shipment_created_at: Timestamp, restored_at: Option<Timestamp>) -> Option<Timestamp> {
    restored_at.filter(|restored_at| shipment_created_at <= *restored_at)
}

/// A purchase, as it is shown.
#[derive(Serialize, Clone, Debug)]
pub struct PurchaseAttempt {
    pub id: Id<PurchaseAttempt>,
    pub shipment_id: Id<Shipment>,
    pub carrier_account: Option<Reference<CarrierAccount>>,
    /// The service's handle.
    pub carrier_service: String,
    pub reference: String,
    pub state: State,
    /// What was charged, in the smallest unit of the currency.
    pub amount: Option<i64>,
    pub currency_code: Option<String>,
    pub tracking_numbers: Vec<String>,
    pub error: Option<ShipmentError>,
    pub next_attempt_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for PurchaseAttempt {
    const PREFIX: &'static str = "pa";
}

/// What a client wants to buy: a rate, or a service of an account.
#[derive(Deserialize, Clone, Debug)]
pub struct PurchaseInput {
    pub rate: Option<Id<Rate>>,
    /// Id or handle.
    pub carrier_account: Option<String>,
    /// Id or handle.
    pub carrier_service: Option<String>,
}

impl Input for PurchaseInput {
    const SHAPE: &'static Shape = &PURCHASE_INPUT;
}

/// What a person found out about a purchase.
#[derive(Deserialize, Clone, Debug)]
pub struct Resolution {
    pub outcome: Finding,
    #[serde(default)]
    pub tracking_numbers: Vec<String>,
    pub carrier_purchase: Option<String>,
    pub amount: Option<i64>,
    pub currency_code: Option<String>,
}

/// Whether it was bought.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    Bought,
    NotBought,
}

impl Input for Resolution {
    const SHAPE: &'static Shape = &RESOLUTION;
}

fn check_wish(wish: &mut Map<String, Value>, at: &str, issues: &mut Vec<Issue>) {
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

fn check_resolution(resolution: &mut Map<String, Value>, at: &str, issues: &mut Vec<Issue>) {
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
pub static PURCHASE_ATTEMPT_ID: Shape =
    Shape::new(Kind::Identifier(PurchaseAttempt::PREFIX), "A purchase attempt's id.");
/// How far a purchase has come.
pub static STATE: Shape = Shape::new(Kind::OneOf(State::WORDS), State::ABOUT).example(r#""needs_review""#);
static NAME: Shape = Shape::text(1, 150, "An id, or a handle.").example(r#""sandbox""#);
static SERVICE: Shape = Shape::text(1, 150, "An id, or a handle.").example(r#""standard""#);
static REFERENCE: Shape = Shape::text(
    1,
    100,
    "What the carrier was told to call it: search for it in the carrier's own pages. It never changes.",
)
.example(r#""shp_01jc0000000000000000000000""#);

/// What a client wants to buy.
pub static PURCHASE_INPUT: Shape = Shape {
    name: Some("PurchaseInput"),
    about: "A rate of this shipment, or a service of an account.",
    kind: Kind::Object {
        fields: &[
            Field::optional("rate", &RATE_ID),
            Field::optional("carrier_account", &NAME),
            Field::optional("carrier_service", &SERVICE),
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
        Field::given("shipment_id", &SHIPMENT_ID),
        Field::given_or_null("carrier_account", &CARRIER_ACCOUNT_REFERENCE),
        Field::given("carrier_service", &SERVICE),
        Field::given("reference", &REFERENCE),
        Field::given("state", &STATE),
        Field::given_or_null("amount", &AMOUNT),
        Field::given_or_null("currency_code", &CURRENCY),
        Field::given("tracking_numbers", &NUMBERS),
        Field::given_or_null("error", &ERROR),
        Field::given_or_null("next_attempt_at", &MOMENT),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "What is bought for a shipment, and how far that has come. A shipment has one.",
);
static OUTCOME: Shape = Shape::new(
    Kind::OneOf(&["bought", "not_bought"]),
    "What you found in the carrier's own pages, under the purchase's `reference`.",
)
.example(r#""bought""#);
static NUMBERS: Shape =
    Shape::list(&TRACKING_NUMBER, PACKAGES_MAX, "The tracking numbers, one for each package.");
static CARRIER_PURCHASE: Shape = Shape::text(1, 100, "The carrier's own name of the purchase.");
/// What a person found out.
pub static RESOLUTION: Shape = Shape {
    name: Some("Resolution"),
    about: "What a person found out about a purchase that needs review.",
    kind: Kind::Object {
        fields: &[
            Field::required("outcome", &OUTCOME),
            Field::optional("tracking_numbers", &NUMBERS),
            Field::optional("carrier_purchase", &CARRIER_PURCHASE),
            Field::optional("amount", &AMOUNT),
            Field::optional("currency_code", &CURRENCY),
        ],
        rule: Some(check_resolution),
    },
    example: Some(r#"{"outcome":"bought","tracking_numbers":["SB123456785GB"]}"#),
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shape::parse;

    #[test]
    fn a_wish_names_a_rate_or_a_service() {
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
