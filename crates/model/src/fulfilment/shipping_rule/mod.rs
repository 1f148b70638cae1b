//! Shipping rules: which service a shipment takes, and with which options.
//!
//! The rules of an organisation are asked in the order of their positions. The first rule that matches and sets a
//! field wins that field; later rules may set other fields. The evaluation is pure: it gets the rules and the facts
//! about what is to be shipped, and returns what the rules decide, with a reason for every rule.

mod action;
mod conditions;
mod evaluate;
mod evaluation;
mod facts;
mod judge;
mod shapes;
mod sources;
mod words;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod source_tests;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::platform::id::{Id, Kind as IdKind};
use crate::platform::problem::{Code, Issue, Problem, Result};
use crate::{CarrierAccount, Location, Timestamp};

pub use action::{Action, Choice, Choose, Hold, InsureFrom, OptionsToSet, ServiceName};
pub use conditions::{Conditions, DimensionRanges, Range, TimeWindow, ValueRange};
pub use evaluate::evaluate;
pub use evaluation::{Decision, Evaluation, Explanation, Reason};
pub use facts::{Facts, Money, Sides};
pub use shapes::{EVALUATION_INPUT, EVALUATIONS, RULE_ORDER, SHIPPING_RULE, SHIPPING_RULE_ID};
pub use sources::{ItemDocument, OrderDocument, Shipped, facts_of_order, facts_of_shipment};

/// Maximum number of rules of an organisation in one of its worlds. All of them are read for each evaluation.
pub const RULES_MAX: usize = 1000;
/// Maximum size of the conditions and the action of a rule, in bytes of JSON.
pub const RULE_BYTES_MAX: usize = 16_384;

/// Maximum number of locations of an order for which one request evaluates the rules: each answer explains every rule.
pub const EVALUATIONS_MAX: usize = 20;

/// A rule as it is stored and shown.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct ShippingRule {
    pub id: Id<ShippingRule>,
    pub name: String,
    /// From 1. No two rules of an owner have the same.
    pub position: i64,
    pub is_active: bool,
    pub conditions: Conditions,
    pub action: Action,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for ShippingRule {
    const PREFIX: &'static str = "rule";
}

/// The body of a request that creates a rule.
#[derive(Deserialize, Clone, Debug)]
pub struct ShippingRuleInput {
    pub name: String,
    pub position: Option<i64>,
    #[serde(default = "active")]
    pub is_active: bool,
    #[serde(default)]
    pub conditions: Conditions,
    #[serde(default)]
    pub action: Action,
}

fn active() -> bool {
    true
}

impl ShippingRuleInput {
    /// Refuses a rule that would do nothing.
    pub fn ensure_not_empty(&self) -> Result<()> {
        if !self.action.is_empty() {
            return Ok(());
        }
        let code = Code::ShippingRuleEmpty;
        let message = "The rule sets nothing. Give it a `service`, `choose`, `options`, a `package_type_id` or a `hold`.";
        Err(Problem::field(code, Issue::new(code.as_str(), "/action", message)).into())
    }
}

/// The body of a request that orders all rules anew.
#[derive(Deserialize, Clone, Debug)]
pub struct RuleOrder {
    pub ids: Vec<Id<ShippingRule>>,
}

/// The rules of an owner as they are at one moment, and the accounts that can't be used then. It is all that an
/// evaluation needs beside the facts, so a job can store it and evaluate many orders by the same rules.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct RuleSet {
    pub rules: Vec<ShippingRule>,
    /// Accounts that are disabled. A rule does not set a service that could not be bought.
    #[serde(default)]
    pub disabled_accounts: Vec<Id<CarrierAccount>>,
}

/// Something that a rule names by its id, and the JSON pointer to it in the rule.
pub struct Named<T> {
    pub id: T,
    pub field: String,
}

/// Returns the locations that a rule names.
pub fn named_locations(conditions: &Conditions) -> Vec<Named<Id<Location>>> {
    let name = |(place, id): (usize, &Id<Location>)| Named {
        id: *id,
        field: format!("/conditions/origin_location_ids/{place}"),
    };
    conditions.origin_location_ids.iter().enumerate().map(name).collect()
}

/// The body of a request to evaluate the rules.
#[derive(Deserialize, Clone, Debug)]
pub struct EvaluationInput {
    pub order_id: Option<Id<crate::Order>>,
    pub shipment_id: Option<Id<crate::Shipment>>,
    pub shipment: Option<Box<crate::shipping::shipment::ShipmentInput>>,
    /// The moment for which days and times are judged. Without it, now.
    pub at: Option<Timestamp>,
}
