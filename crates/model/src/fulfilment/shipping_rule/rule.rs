//! Rules as they are stored, what clients send of them, and the set of rules that is evaluated.

use serde::{Deserialize, Serialize};

use super::action::{Action, Named};
use super::conditions::Conditions;
use crate::platform::id::{Id, Kind as IdKind};
use crate::platform::problem::{Code, Issue, Problem, Result};
use crate::shipping::shipment::ShipmentInput;
use crate::{CarrierAccount, Location, Order, Shipment, Timestamp};

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
        let message = "The rule sets nothing. Give it a `service`, `choose`, `options`, a `package_type_id`, a `printer_id` or a `hold`.";
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
    pub order_id: Option<Id<Order>>,
    pub shipment_id: Option<Id<Shipment>>,
    pub shipment: Option<Box<ShipmentInput>>,
    /// The moment for which days and times are judged. Without it, now.
    pub at: Option<Timestamp>,
}
