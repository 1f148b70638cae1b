//! Stored rules: reading all of them under their lock, and parsing one.

use model::fulfilment::shipping_rule::{RULES_MAX, ShippingRule};
use model::{Error, Owner, Result};
use store::Tx;
use store::fulfilment::shipping_rules::{self, StoredShippingRule};

/// Returns all rules in the order of their positions, and keeps others from changing them until this transaction ends.
pub async fn locked(tx: &mut Tx<'_>, owner: Owner) -> Result<Vec<StoredShippingRule>> {
    shipping_rules::lock(tx, owner).await?;
    shipping_rules::all(tx, owner, RULES_MAX).await
}

/// Returns the rule of a stored document.
pub fn parse(stored: &StoredShippingRule) -> Result<ShippingRule> {
    serde_json::from_str(&stored.doc).map_err(Error::fault)
}
