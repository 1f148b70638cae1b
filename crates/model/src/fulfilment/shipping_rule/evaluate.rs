//! The evaluation: rule by rule, the first that sets a field wins.

use super::action::{Action, InsureFrom, OptionsToSet};
use super::evaluation::{Decision, Evaluation, Explanation, Reason};
use super::facts::Facts;
use super::judge::unmet;
use super::rule::{RuleSet, ShippingRule};
use crate::platform::money::show_amount;
use crate::shipping::shipment::options::Insurance;

/// Returns what the rules decide for these facts, with an explanation for every rule in the order of positions. The
/// result does not depend on the order in which the rules are given.
pub fn evaluate(set: &RuleSet, facts: &Facts) -> Evaluation {
    let mut rules: Vec<&ShippingRule> = set.rules.iter().collect();
    rules.sort_by_key(|rule| (rule.position, rule.id));
    let mut decision = Decision::default();
    let mut explanations = Vec::with_capacity(rules.len());
    for rule in rules {
        let mut reasons = match rule.is_active {
            true => unmet(&rule.conditions, facts),
            false => {
                vec![Reason { field: "/is_active".to_owned(), message: "The rule is not active.".to_owned() }]
            }
        };
        let is_match = reasons.is_empty();
        let mut turn =
            Turn { set, rule, facts, decision: &mut decision, sets: Vec::new(), reasons: Vec::new() };
        if is_match {
            turn.apply(&rule.action);
        }
        let sets = turn.sets;
        reasons.append(&mut turn.reasons);
        explanations.push(Explanation {
            rule_id: rule.id,
            name: rule.name.clone(),
            position: rule.position,
            is_match,
            sets,
            reasons,
        });
    }
    Evaluation { facts: facts.clone(), decision, rules: explanations }
}

/// The action of one matching rule.
struct Turn<'a> {
    set: &'a RuleSet,
    rule: &'a ShippingRule,
    facts: &'a Facts,
    decision: &'a mut Decision,
    sets: Vec<String>,
    reasons: Vec<Reason>,
}

impl Turn<'_> {
    fn apply(&mut self, action: &Action) {
        if let Some(service) = &action.service {
            match self.unusable(std::slice::from_ref(&service.carrier_account)) {
                Some(why) => self.refuse("/action/service", why),
                None if self.is_free("service", "/action/service") => {
                    self.decision.service = Some(service.clone());
                }
                None => {}
            }
        }
        if let Some(choose) = &action.choose {
            let accounts: Vec<String> =
                choose.among.iter().map(|name| name.carrier_account.clone()).collect();
            match self.unusable(&accounts) {
                Some(why) => self.refuse("/action/choose", why),
                None if self.is_free("service", "/action/choose") => {
                    self.decision.choose = Some(choose.clone());
                }
                None => {}
            }
        }
        if let Some(options) = &action.options {
            self.apply_options(options);
        }
        if let Some(id) = action.package_type_id
            && self.is_free("package_type_id", "/action/package_type_id")
        {
            self.decision.package_type_id = Some(id);
        }
        if let Some(id) = action.printer_id
            && self.is_free("printer_id", "/action/printer_id")
        {
            self.decision.printer_id = Some(id);
        }
        if let Some(hold) = &action.hold
            && self.is_free("hold", "/action/hold")
        {
            self.decision.hold = Some(hold.clone());
        }
    }

    fn apply_options(&mut self, options: &OptionsToSet) {
        let place = |name: &str| format!("/action/options/{name}");
        if let Some(signature) = &options.signature_type
            && self.is_free("signature_type", &place("signature_type"))
        {
            self.decision.options.shipping.signature_type = Some(signature.clone());
        }
        if let Some(saturday) = options.saturday_delivery
            && self.is_free("saturday_delivery", &place("saturday_delivery"))
        {
            self.decision.options.shipping.saturday_delivery = Some(saturday);
        }
        if let Some(format) = options.label_format
            && self.is_free("label_format", &place("label_format"))
        {
            self.decision.options.label.format = Some(format);
        }
        if let Some(insure) = &options.insure_from {
            match insurance(insure, self.facts) {
                Err(why) => self.refuse(&place("insure_from"), why),
                Ok(cover) if self.is_free("insurance", &place("insure_from")) => {
                    self.decision.options.insurance = Some(cover);
                }
                Ok(_) => {}
            }
        }
        if let Some(incoterm) = &options.incoterm
            && self.is_free("incoterm", &place("incoterm"))
        {
            self.decision.customs.incoterm = Some(incoterm.clone());
        }
        if let Some(contents) = &options.contents_type
            && self.is_free("contents_type", &place("contents_type"))
        {
            self.decision.customs.contents_type = Some(contents.clone());
        }
    }

    /// Takes a field for this rule. If an earlier rule has it, the reason is recorded and `false` is returned.
    fn is_free(&mut self, field: &str, place: &str) -> bool {
        if let Some(winner) = self.decision.set_by.get(field) {
            let message = format!("The earlier rule {winner} has set this already.");
            self.refuse(place, message);
            return false;
        }
        self.decision.set_by.insert(field.to_owned(), self.rule.id);
        self.sets.push(field.to_owned());
        true
    }

    fn refuse(&mut self, place: &str, message: String) {
        self.reasons.push(Reason { field: place.to_owned(), message });
    }

    /// Returns why none of the accounts can be used, or `None` if one can. An empty list stands for all accounts.
    fn unusable(&self, accounts: &[String]) -> Option<String> {
        let is_disabled = |account: &String| {
            self.set.disabled_accounts.iter().any(|disabled| disabled.to_string() == *account)
        };
        match accounts {
            [] => None,
            [only] if is_disabled(only) => Some(format!("The carrier account {only} is disabled.")),
            accounts if accounts.iter().all(is_disabled) => {
                Some("All carrier accounts that the rule names are disabled.".to_owned())
            }
            _ => None,
        }
    }
}

/// Returns the cover for what is shipped, or why there is none.
fn insurance(insure: &InsureFrom, facts: &Facts) -> Result<Insurance, String> {
    let show = |amount: i64, currency: &str| format!("{} {currency}", show_amount(amount, currency));
    let from = show(insure.value, &insure.currency_code);
    let Some(value) = &facts.order_value else {
        let why = facts.why_unknown("order_value");
        return Err(format!("The order value is unknown; the rule insures from {from}.{why}"));
    };
    let shown = show(value.amount, &value.currency_code);
    if value.currency_code != insure.currency_code {
        return Err(format!(
            "The order value is {shown}, in another currency; the rule insures from {from}."
        ));
    }
    if value.amount < insure.value {
        return Err(format!("The order value is {shown}; the rule insures from {from}."));
    }
    let contents =
        facts.contents_value.as_ref().filter(|contents| contents.currency_code == value.currency_code);
    match contents {
        Some(contents) => {
            let currency_code = Some(contents.currency_code.clone());
            Ok(Insurance { value: contents.amount, currency_code })
        }
        None => Err("The value of what is shipped is unknown.".to_owned()),
    }
}
