//! The action of a rule: the fields that it sets.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Id;
use crate::fulfilment::printer::{PRINTER_ID, Printer};
use crate::platform::id::PackageTypeKind;
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Issues, Kind, Path, Shape};
use crate::shipping::shipment::LabelFormat;
use crate::shipping::shipment::customs::{CONTENTS, INCOTERM};
use crate::shipping::shipment::options::{LABEL_FORMAT, SIGNATURE};
use crate::shipping::shipment::package::PACKAGE_TYPE_ID;

/// Maximum number of services or accounts among which a rule chooses.
const AMONG_MAX: usize = 60;
/// Maximum number of days of `cheapest_within_days`.
const DAYS_MAX: i64 = 365;

/// Something that a rule names by its id, and the JSON pointer to it in the rule.
pub struct Named<T> {
    pub id: T,
    pub field: String,
}

/// What a rule sets where it matches, as far as no earlier rule has set it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Action {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choose: Option<Choose>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<OptionsToSet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package_type_id: Option<Id<PackageTypeKind>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printer_id: Option<Id<Printer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
}

impl Action {
    /// Returns whether the action sets nothing.
    pub fn is_empty(&self) -> bool {
        let sets_options = self.options.as_ref().is_some_and(|options| *options != OptionsToSet::default());
        let sets_service = self.service.is_some() || self.choose.is_some();
        let names_something = self.package_type_id.is_some() || self.printer_id.is_some();
        !sets_service && !sets_options && !names_something && self.hold.is_none()
    }

    /// Returns the accounts that the action names, with the services, each with its JSON pointer in the rule.
    pub fn named_services(&mut self) -> Vec<Named<&mut ServiceName>> {
        let exact = self.service.iter_mut().map(|id| Named { id, field: "/action/service".to_owned() });
        let among = self.choose.iter_mut().flat_map(|choose| choose.among.iter_mut().enumerate());
        let among = among.map(|(place, id)| Named { id, field: format!("/action/choose/among/{place}") });
        exact.chain(among).collect()
    }
}

/// A carrier account, and one of its services. In a stored rule, the account is named by its id and the service by its
/// handle, however the client named them.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct ServiceName {
    pub carrier_account: String,
    /// Only among the services to choose from may it be absent: every service of the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier_service: Option<String>,
}

/// A choice among services by their rates.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Choose {
    pub by: Choice,
    /// With [`Choice::CheapestWithinDays`]: the most days until delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<i64>,
    /// The services and accounts to choose from. If it is empty, all accounts that are enabled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub among: Vec<ServiceName>,
}

/// How a service is chosen among those that have rates.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    Cheapest,
    Fastest,
    CheapestWithinDays,
}

/// The options that a rule sets, in the terms of shipments.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct OptionsToSet {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saturday_delivery: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_format: Option<LabelFormat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insure_from: Option<InsureFrom>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incoterm: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents_type: Option<String>,
}

/// The order value from which on the contents are insured, in the smallest unit of the currency.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct InsureFrom {
    pub value: i64,
    pub currency_code: String,
}

/// The decision that an order waits, and why.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Hold {
    pub reason: String,
}

fn check_choose(choose: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let is_within = choose.get("by").and_then(Value::as_str) == Some("cheapest_within_days");
    let issue = |code: &'static str, message: &str| Issue::new(code, format!("{at}/days"), message);
    match (is_within, choose.contains_key("days")) {
        (true, false) => issues.push(issue("required", "Is required with `cheapest_within_days`.")),
        (false, true) => {
            issues.push(issue("invalid_value", "Goes only with `cheapest_within_days`. Leave it out."));
        }
        _ => {}
    }
}

fn check_action(action: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    if action.contains_key("service") && action.contains_key("choose") {
        let message = "A rule has either a `service` or a `choose`. Leave one of them out.";
        issues.push(Issue::new("invalid_value", format!("{at}/choose"), message));
    }
}

static ACCOUNT: Shape =
    Shape::text(1, 150, "The account, by its id or its handle. Kept as the id.").example(r#""sandbox""#);
static SERVICE: Shape =
    Shape::text(1, 150, "The service, by its id or its handle. Kept as the handle.").example(r#""standard""#);
/// An exact service.
pub static EXACT: Shape = Shape::object(
    "RuleService",
    &[
        Field::required("carrier_account", &ACCOUNT).about("The account that pays, by its id or its handle; kept as the id. It must be enabled when the rule is written. While a rule names it, it can't be deleted."),
        Field::required("carrier_service", &SERVICE).about("The service to buy there, by its id or its handle; kept as the handle."),
    ],
    "A service of a carrier account, as in a purchase.",
)
.example(r#"{"carrier_account":"sandbox","carrier_service":"standard"}"#);
static CANDIDATE: Shape = Shape::object(
    "RuleCandidate",
    &[
        Field::required("carrier_account", &ACCOUNT).about("The account that is asked for rates, by its id or its handle; kept as the id. It must be enabled when the rule is written."),
        Field::optional("carrier_service", &SERVICE).about("Only this service of the account, by its id or its handle; kept as the handle. Without it, all of the account's services."),
    ],
    "A carrier account, or one of its services.",
)
.example(r#"{"carrier_account":"sandbox"}"#);
static BY: Shape = Shape::new(
    Kind::OneOf(&["cheapest", "fastest", "cheapest_within_days"]),
    "`cheapest`: the lowest rate. `fastest`: the fewest days until delivery, then the lowest rate. `cheapest_within_days`: the lowest rate that arrives within `days`.",
)
.example(r#""cheapest""#);
static DAYS: Shape = Shape::new(
    Kind::Integer { min: 0, max: DAYS_MAX },
    "The most days from shipping to delivery. Required with `cheapest_within_days`, and refused otherwise.",
)
.example("2");
/// What naming a package type does.
pub(super) const PACKAGE_TYPE: &str =
    "A box or an envelope of yours: only this one is used, although others may hold the units too.";
/// What naming a printer does.
pub(super) const PRINTER: &str = "Where the shipment's labels are printed if a print job names no printer: it comes before the default printers. Packing slips and customs papers keep their defaults.";
static AMONG: Shape = Shape::list(
    &CANDIDATE,
    AMONG_MAX,
    "The accounts and services to choose from. Without it, all accounts that are enabled.",
);
/// A choice among services.
pub static CHOOSE: Shape = Shape {
    name: Some("RuleChoice"),
    about: "Chooses a service by the rates that carriers offer for the shipment.",
    kind: Kind::Object {
        fields: &[
            Field::required("by", &BY),
            Field::optional("days", &DAYS),
            Field::optional("among", &AMONG),
        ],
        rule: Some(check_choose),
    },
    example: Some(r#"{"by":"cheapest","among":[{"carrier_account":"sandbox"}]}"#),
};
pub(super) static SATURDAY: Shape = Shape::new(
    Kind::Boolean,
    "Sets `options.shipping.saturday_delivery`: `true` asks for delivery on a Saturday, which costs extra.",
)
.example("true");
static INSURE_FROM: Shape = Shape::object(
    "InsureFrom",
    &[
        Field::required("value", &AMOUNT).about("The least order value that is insured, in the smallest unit of the currency. `0` insures every order in this currency."),
        Field::required("currency_code", &CURRENCY).about("The currency of `value` (ISO 4217). Orders in another currency are not insured by this rule."),
    ],
    "Insures the contents for what they are worth, if the whole order is worth at least `value`: sets `options.insurance`.",
)
.example(r#"{"value":10000,"currency_code":"GBP"}"#);
static OPTIONS: Shape = Shape::object(
    "RuleOptions",
    &[
        Field::optional("signature_type", &SIGNATURE).about("Sets `options.shipping.signature_type`: who must sign at the door, such as an `adult`; `none` asks for no signature."),
        Field::optional("saturday_delivery", &SATURDAY),
        Field::optional("label_format", &LABEL_FORMAT).about("Sets `options.label.format`: `png`, `pdf`, or `zpl` for label printers."),
        Field::optional("insure_from", &INSURE_FROM),
        Field::optional("incoterm", &INCOTERM).about("Sets `customs.incoterm`: who pays carriage, duty and tax. `DDP`: the sender; `DAP`: the recipient pays on arrival."),
        Field::optional("contents_type", &CONTENTS).about("Sets `customs.contents_type`: what is declared on customs papers, such as `merchandise`."),
    ],
    "Options of the shipment, each of which the first matching rule that has it sets.",
)
.example(r#"{"signature_type":"adult","label_format":"zpl"}"#);
static REASON: Shape =
    Shape::text(1, 255, "Why the order must be checked before it is shipped. Part of the decision.")
        .example(r#""Ask for the customs number""#);
/// A hold of the order.
pub static HOLD: Shape = Shape::object(
    "RuleHold",
    &[Field::required("reason", &REASON)],
    "The decision that the order waits. The server does not hold it by itself: send the reason to `POST /orders/{order_id}/hold`. Other rules still set their fields.",
)
.example(r#"{"reason":"Ask for the customs number"}"#);
/// The action of a rule.
pub static ACTION: Shape = Shape {
    name: Some("ShippingRuleAction"),
    about: "What the rule sets where it matches. Each field is set by the first matching rule that has it; `service` and `choose` count as one field.",
    kind: Kind::Object {
        fields: &[
            Field::optional("service", &EXACT),
            Field::optional("choose", &CHOOSE),
            Field::optional("options", &OPTIONS),
            Field::optional("package_type_id", &PACKAGE_TYPE_ID).about(PACKAGE_TYPE),
            Field::optional("printer_id", &PRINTER_ID).about(PRINTER),
            Field::optional("hold", &HOLD),
        ],
        rule: Some(check_action),
    },
    example: Some(r#"{"service":{"carrier_account":"sandbox","carrier_service":"standard"}}"#),
};
