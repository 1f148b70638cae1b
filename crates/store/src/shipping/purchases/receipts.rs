//! Receipts of carriers, and the tracking numbers in them, by which carriers' messages name a parcel.

use model::{Id, Owner, PurchaseAttempt, Result, Timestamp};

use super::purchase::Purchase;
use crate::platform::engine::{Sql, Tx, Value};

/// The characters of a tracking number that its column holds, because PostgreSQL can't index texts of any length.
const NUMBER_CHARS_MAX: usize = 100;
/// U+0000 as JSON writes it. PostgreSQL can't parse JSON that contains this character.
const NUL: &str = "\\u0000";

pub(super) const KEEP_RECEIPT: Sql = Sql::same(
    "UPDATE purchase SET state = 'bought', receipt = $1, tracking_number = $2, numbers_count = $3, failures = 0,
         crashes = 0, unknown_at = NULL, error = NULL, updated_at = $4
     WHERE owner = $5 AND id = $6 AND fence = $7",
);
/// The holder does not know of this change. The fence is raised, so the holder can't overwrite it.
pub(super) const ACCEPT: Sql = Sql::same(
    "UPDATE purchase SET state = 'bought', receipt = $1, tracking_number = $2, numbers_count = $3, due_at = $4, holder = '',
         fence = fence + 1, failures = 0, crashes = 0, unknown_at = NULL, error = NULL, updated_at = $4
     WHERE owner = $5 AND id = $6",
);
/// The fence is raised, because the holder knows only the old receipt and would overwrite the new one.
pub(super) const AMEND: Sql = Sql::same(
    "UPDATE purchase SET receipt = $1, tracking_number = $2, numbers_count = $3, due_at = $4, holder = '', is_tracking = 0,
         fence = fence + 1, crashes = 0, updated_at = $4
     WHERE owner = $5 AND id = $6",
);

/// What is stored of a receipt.
pub(super) struct ReceiptValues {
    /// The columns `receipt`, `tracking_number` and `numbers_count`. Every statement that sets a receipt sets all three.
    pub columns: [Value; 3],
    /// Whether the receipt names purchases beside the one that is kept, which are to be voided.
    pub has_duplicates: bool,
}

/// Returns what is stored of a receipt. A receipt that PostgreSQL can't parse has no number.
pub(super) fn receipt_values(receipt: Option<&str>) -> ReceiptValues {
    let is_readable = |text: &&str| !text.contains(NUL);
    let read = |text| serde_json::from_str::<serde_json::Value>(text).ok();
    let kept = receipt.filter(is_readable).and_then(read).unwrap_or_default();
    let numbers = kept["tracking_numbers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let first = numbers.first().and_then(serde_json::Value::as_str).map(beginning);
    ReceiptValues {
        columns: [receipt.into(), first.into(), Value::Int(numbers.len() as i64)],
        has_duplicates: kept["duplicates"].as_array().is_some_and(|duplicates| !duplicates.is_empty()),
    }
}

/// Returns the part of a tracking number that its column holds.
pub(super) fn beginning(number: &str) -> String {
    number.chars().take(NUMBER_CHARS_MAX).collect()
}

/// Stores receipts, which are in [`Purchase::receipt`], without releasing the claims. Returns for each purchase whether
/// it was still held under its fence.
pub async fn keep_receipts(tx: &mut Tx<'_>, purchases: &[&Purchase], now: Timestamp) -> Result<Vec<bool>> {
    let values = |purchase: &&Purchase| {
        let mut values = Vec::from(receipt_values(purchase.receipt.as_deref()).columns);
        values.extend([now.into(), purchase.owner.into(), purchase.id.into(), purchase.fence.into()]);
        values
    };
    let of: Vec<_> = purchases.iter().map(values).collect();
    Ok(tx.execute_each(&KEEP_RECEIPT, &of).await?.into_iter().map(|changed| changed > 0).collect())
}

/// Marks a purchase as bought with a receipt that did not come from its holder: a person entered it, or it came late.
pub async fn accept(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PurchaseAttempt>,
    receipt: &str,
    now: Timestamp,
) -> Result<()> {
    tx.send(&ACCEPT, &amended_values(owner, id, receipt, now)).await
}

/// Replaces the receipt of a purchase, and makes it due now. Its holder loses it.
pub async fn amend(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PurchaseAttempt>,
    receipt: &str,
    now: Timestamp,
) -> Result<()> {
    tx.send(&AMEND, &amended_values(owner, id, receipt, now)).await
}

fn amended_values(owner: Owner, id: Id<PurchaseAttempt>, receipt: &str, now: Timestamp) -> [Value; 6] {
    let [receipt, number, count] = receipt_values(Some(receipt)).columns;
    [receipt, number, count, now.into(), owner.into(), id.into()]
}
