//! The shipping rules that name something, as a refusal to delete it shows them.

use model::platform::id::Kind;
use model::platform::problem::Issue;
use model::{Error, Id, Owner, Result};
use serde::Deserialize;
use store::Tx;
use store::places::rule_users;

/// The part of a rule's document that a refusal shows.
#[derive(Deserialize)]
struct RuleName {
    name: String,
}

/// Returns up to `limit` shipping rules that name a location, a carrier account, a package type or a printer, each as
/// the reason why it can't be deleted.
pub async fn rules_naming<K: Kind>(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<K>,
    field: &'static str,
    limit: usize,
) -> Result<Vec<Issue>> {
    let mut issues = Vec::new();
    for rule in rule_users::rules_naming(tx, owner, &id.to_string(), limit).await? {
        let RuleName { name } = serde_json::from_str(&rule.doc).map_err(Error::fault)?;
        let message = format!("The shipping rule {} ({name}) names it.", rule.id);
        issues.push(Issue::new("used_by_shipping_rule", field, message));
    }
    Ok(issues)
}
