//! The positions of rules: 1 to n, without gaps.

use std::collections::{BTreeMap, BTreeSet};

use model::fulfilment::shipping_rule::ShippingRule;
use model::platform::problem::{Issue, Issues};
use model::{Code, Event, Id, Owner, Problem, Result, Timestamp};
use store::Tx;
use store::fulfilment::shipping_rules::{self, StoredShippingRule};

use super::stored::parse;
use crate::events::events::EventLog;
use crate::platform::resource::{json, previous};

/// Returns the place in a list of `others` at which a rule with this position is inserted: at the end, if it has none or a
/// larger one.
pub fn place(position: Option<i64>, others: usize) -> usize {
    position.and_then(|position| usize::try_from(position - 1).ok()).map_or(others, |place| place.min(others))
}

/// Returns the position of the rule at this place.
pub fn position(place: usize) -> i64 {
    place as i64 + 1
}

/// Gives the rules consecutive positions from `first` on. Those that move get a new version and an event.
pub async fn arrange(
    tx: &mut Tx<'_>,
    owner: Owner,
    rules: Vec<StoredShippingRule>,
    first: i64,
    log: &EventLog,
    now: Timestamp,
) -> Result<()> {
    let placed = rules.into_iter().zip(first..);
    let moved: Vec<_> = placed.filter(|(rule, position)| rule.position != *position).collect();
    for (rule, _) in &moved {
        shipping_rules::clear_position(tx, owner, rule.id).await?;
    }
    for (stored, position) in moved {
        let before = parse(&stored)?;
        let after = ShippingRule { position, updated_at: now, ..before.clone() };
        let doc = json(&after)?;
        shipping_rules::update(tx, owner, stored.id, position, &doc).await?;
        let event = Event::new("shipping_rule.updated", stored.id, &doc);
        log.append(tx, &event.changed_from(previous(&before, &after)?)).await?;
    }
    Ok(())
}

/// Returns the rules in this order, which must name each of them exactly once.
pub fn in_order(rules: Vec<StoredShippingRule>, ids: &[Id<ShippingRule>]) -> Result<Vec<StoredShippingRule>> {
    let mut by_id: BTreeMap<_, _> = rules.into_iter().map(|rule| (rule.id, rule)).collect();
    let (mut ordered, mut seen, mut issues) = (Vec::new(), BTreeSet::new(), Issues::default());
    for (place, id) in ids.iter().enumerate() {
        let field = format!("/ids/{place}");
        match by_id.remove(id) {
            Some(rule) => ordered.push(rule),
            None if seen.contains(id) => {
                issues.push(Issue::new("duplicate", field, "The list names this rule twice."));
            }
            None => issues.push(Issue::new("not_found", field, "There is no such shipping rule.")),
        }
        seen.insert(*id);
    }
    for id in by_id.keys() {
        issues.push(Issue::new("missing", "/ids", format!("The list lacks the rule {id}.")));
    }
    if issues.is_empty() {
        Ok(ordered)
    } else {
        Err(Problem::fields(Code::ShippingRuleOrderInvalid, issues).into())
    }
}
