//! Purchases of a carrier account: whether any is in progress, and which one has a tracking number.

use model::{CarrierAccount, Id, Owner, Result, Shipment};

use super::receipts::beginning;
use crate::platform::engine::{Sql, Tx};

pub(super) const USES_ACCOUNT: Sql = Sql::same(
    "SELECT id FROM purchase WHERE owner = $1 AND account_id = $2 AND (due_at IS NOT NULL OR state = 'needs_review') LIMIT 1",
);
/// Finds it by the beginning of the first number (`$3`). If that finds nothing, searches the other numbers of
/// shipments with several packages.
pub(super) const BY_NUMBER: Sql = Sql::each(
    "SELECT shipment_id FROM purchase WHERE owner = $1 AND account_id = $2 AND state = 'bought' AND tracking_number = $3
     AND EXISTS (SELECT 1 FROM json_each(receipt, '$.tracking_numbers') WHERE value = $4)
     UNION ALL
     SELECT shipment_id FROM purchase WHERE owner = $1 AND account_id = $2 AND state = 'bought' AND numbers_count > 1
     AND EXISTS (SELECT 1 FROM json_each(receipt, '$.tracking_numbers') WHERE value = $4) LIMIT 1",
    "SELECT shipment_id FROM purchase WHERE owner = $1 AND account_id = $2 AND state = 'bought' AND tracking_number = $3
     AND (receipt::json -> 'tracking_numbers')::jsonb ? $4::text
     UNION ALL
     SELECT shipment_id FROM purchase WHERE owner = $1 AND account_id = $2 AND state = 'bought' AND numbers_count > 1
     AND (receipt::json -> 'tracking_numbers')::jsonb ? $4::text LIMIT 1",
);

/// Returns whether a purchase with the account is in progress.
pub async fn uses_account(tx: &mut Tx<'_>, owner: Owner, account: Id<CarrierAccount>) -> Result<bool> {
    Ok(tx.one(&USES_ACCOUNT, &[owner.into(), account.into()]).await?.is_some())
}

/// Returns the shipment that was bought with an account and has this tracking number.
pub async fn by_number(
    tx: &mut Tx<'_>,
    owner: Owner,
    account: Id<CarrierAccount>,
    number: &str,
) -> Result<Option<Id<Shipment>>> {
    let values = [owner.into(), account.into(), beginning(number).into(), number.into()];
    let row = tx.one(&BY_NUMBER, &values).await?;
    row.map(|mut row| row.id(0)).transpose()
}
