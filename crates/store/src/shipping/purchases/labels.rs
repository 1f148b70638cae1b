//! Requests for the labels of purchases.

use model::{Result, Timestamp};

use super::purchase::Purchase;
use crate::platform::engine::{Sql, Tx};

/// A node that holds the purchase is about to request the label anyway, and sets a new time.
pub(super) const HASTEN_LABEL: Sql = Sql::same(
    "UPDATE purchase SET due_at = $1 WHERE owner = $2 AND id = $3 AND is_labelled = 0 AND due_at > $1",
);
/// A node that holds the purchase assumes that it has its label. The raised fence keeps it from recording that.
pub(super) const RELABEL: Sql = Sql::same(
    "UPDATE purchase SET is_labelled = 0, is_tracking = 0, failures = 0, crashes = 0, due_at = $1, holder = '',
         fence = fence + 1, updated_at = $1
     WHERE owner = $2 AND id = $3",
);

/// Makes a pending label due now.
pub async fn hasten_label(tx: &mut Tx<'_>, purchase: &Purchase, now: Timestamp) -> Result<()> {
    tx.send(&HASTEN_LABEL, &[now.into(), purchase.owner.into(), purchase.id.into()]).await
}

/// Requests a label again that was given up.
pub async fn relabel(tx: &mut Tx<'_>, purchase: &Purchase, now: Timestamp) -> Result<()> {
    tx.send(&RELABEL, &[now.into(), purchase.owner.into(), purchase.id.into()]).await
}
