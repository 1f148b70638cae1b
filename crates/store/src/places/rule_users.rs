//! The shipping rules that name something, so that it is not deleted meanwhile. It reads tables of a later area, and
//! returns only texts.

use model::{Owner, Result};

use crate::platform::engine::{Sql, Tx, Value};

/// The name is the rule's document, of which the caller shows only a part.
const RULES: Sql = Sql::same(
    "SELECT u.rule_id, r.doc FROM shipping_rule_use u JOIN shipping_rule r ON r.owner = u.owner AND r.id = u.rule_id
     WHERE u.owner = $1 AND u.used_id = $2 ORDER BY u.rule_id LIMIT $3",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&RULES];

/// A rule that names something.
pub struct RuleUser {
    pub id: String,
    /// The rule's document.
    pub doc: String,
}

/// Returns up to `limit` shipping rules that name this location, carrier account or package type.
pub async fn rules_naming(tx: &mut Tx<'_>, owner: Owner, used: &str, limit: usize) -> Result<Vec<RuleUser>> {
    let rows = tx.all(&RULES, &[owner.into(), used.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|mut row| Ok(RuleUser { id: row.text(0)?, doc: row.text(1)? })).collect()
}
