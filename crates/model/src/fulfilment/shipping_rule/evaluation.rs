//! What an evaluation returns: what the rules decide, and why.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::action::{Choose, Hold, ServiceName};
use super::facts::Facts;
use super::rule::ShippingRule;
use crate::Id;
use crate::fulfilment::printer::Printer;
use crate::platform::id::PackageTypeKind;
use crate::shipping::shipment::LabelFormat;
use crate::shipping::shipment::options::Insurance;

/// The facts that were compared, what the rules decide, and an explanation for every rule.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Evaluation {
    pub facts: Facts,
    pub decision: Decision,
    pub rules: Vec<Explanation>,
}

/// What the rules decide. What no rule sets is absent.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Decision {
    pub service: Option<ServiceName>,
    pub choose: Option<Choose>,
    /// In the form of a shipment's options.
    pub options: DecidedOptions,
    /// In the form of a shipment's customs declaration.
    pub customs: DecidedCustoms,
    pub package_type_id: Option<Id<PackageTypeKind>>,
    /// Where labels are printed if a print job names no printer. Evaluations that were stored before there were such rules lack
    /// it.
    pub printer_id: Option<Id<Printer>>,
    pub hold: Option<Hold>,
    /// The rule that set each field.
    pub set_by: BTreeMap<String, Id<ShippingRule>>,
}

/// The options that rules set, in the form of a shipment's options.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct DecidedOptions {
    pub shipping: DecidedShipping,
    pub label: DecidedLabel,
    pub insurance: Option<Insurance>,
}

/// The options for transport that rules set.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct DecidedShipping {
    pub signature_type: Option<String>,
    pub saturday_delivery: Option<bool>,
}

/// The options for labels that rules set.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct DecidedLabel {
    pub format: Option<LabelFormat>,
}

/// The fields of a customs declaration that rules set.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct DecidedCustoms {
    pub incoterm: Option<String>,
    pub contents_type: Option<String>,
}

/// What became of one rule.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Explanation {
    pub rule_id: Id<ShippingRule>,
    pub name: String,
    pub position: i64,
    pub is_match: bool,
    /// The fields that it set.
    pub sets: Vec<String>,
    /// Why it did not match, or why it did not set a field of its action.
    pub reasons: Vec<Reason>,
}

/// A part of a rule, and what is to be said of it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Reason {
    /// A JSON pointer into the rule.
    pub field: String,
    pub message: String,
}
