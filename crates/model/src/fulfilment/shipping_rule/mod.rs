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
mod rule;
mod shapes;
mod sources;
mod words;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod source_tests;
#[cfg(test)]
mod tests;

pub use action::{Action, Choice, Choose, Hold, InsureFrom, OptionsToSet, ServiceName};
pub use conditions::{Conditions, DimensionRanges, Range, TimeWindow, ValueRange};
pub use evaluate::evaluate;
pub use evaluation::{Decision, Evaluation, Explanation, Reason};
pub use facts::{Facts, Money, Sides};
pub use rule::{
    EVALUATIONS_MAX, EvaluationInput, RULE_BYTES_MAX, RULES_MAX, RuleOrder, RuleSet, ShippingRule,
    ShippingRuleInput, named_locations,
};
pub use shapes::{EVALUATION, EVALUATION_INPUT, EVALUATIONS, RULE_ORDER, SHIPPING_RULE, SHIPPING_RULE_ID};
pub use sources::{ItemDocument, Items, OrderDocument, Shipped, facts_of_order, facts_of_shipment};
