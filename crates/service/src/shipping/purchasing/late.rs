//! Receipts that arrive late: the node that bought has lost its claim meanwhile, and another node may have bought the same
//! again. Each receipt either becomes the purchase or is voided as a duplicate of it.

use ::carriers::Receipt;
use model::shipping::purchase::State;
use model::{Error, Result, Timestamp};
use store::Tx;
use store::shipping::purchases::{self, Purchase};
use tracing::error;

use super::stored_receipt::StoredReceipt;
use crate::platform::resource::json;

/// Stores receipts. Returns for each whether the claim stands, so that its holder may go on.
pub async fn keep_receipts(tx: &mut Tx<'_>, sold: &[&Purchase], now: Timestamp) -> Result<Vec<bool>> {
    let mut is_kept = purchases::keep_receipts(tx, sold, now).await?;
    for (purchase, is_held) in sold.iter().zip(&mut is_kept) {
        if !*is_held {
            accept_late(tx, purchase, now).await?;
        } else if purchase.fence > 1 {
            // An earlier holder may have bought the same, too.
            *is_held = !add_observed(tx, purchase, now).await?;
        }
    }
    Ok(is_kept)
}

/// Decides what becomes of a receipt whose purchase is no longer held under its fence.
async fn accept_late(tx: &mut Tx<'_>, lost: &Purchase, now: Timestamp) -> Result<()> {
    let (Some(text), Some(late)) = (&lost.receipt, StoredReceipt::of(lost)?) else { return Ok(()) };
    let Some(purchase) = purchases::get_for_update(tx, lost.owner, lost.shipment).await? else {
        // The shipment was deleted meanwhile. The receipt stays, as the only proof of what the carrier charged.
        error!(
            purchase = %lost.id,
            shipment = %lost.shipment,
            carrier_account = %lost.account,
            carrier_purchase = late.receipt.purchase,
            "the carrier sold this for a shipment that was deleted meanwhile: void it at the carrier"
        );
        return purchases::observe(tx, lost, text, now).await;
    };
    let is_same_account = purchase.account == lost.account;
    let is_its_answer = purchase.sent_fence == lost.fence;
    match purchase.state {
        // No other attempt is under way, so this is the purchase.
        State::Review | State::Checking if is_its_answer => {
            purchases::accept(tx, lost.owner, purchase.id, text, now).await
        }
        State::Ready | State::Failed if is_same_account => {
            purchases::accept(tx, lost.owner, purchase.id, text, now).await
        }
        State::Bought | State::Voiding | State::Voided if is_same_account => {
            add(tx, &purchase, vec![late], now).await.map(drop)
        }
        // Another attempt is under way. Its result decides whether this receipt is the purchase or a duplicate.
        _ => purchases::observe(tx, lost, text, now).await,
    }
}

/// Adds the receipts of earlier holders to the duplicates of a purchase that has its own receipt. If there are any, it
/// releases the claim, makes the purchase due, and returns true.
pub async fn add_observed(tx: &mut Tx<'_>, purchase: &Purchase, now: Timestamp) -> Result<bool> {
    let observed = read_observed(tx, purchase).await?;
    if observed.is_empty() {
        return Ok(false);
    }
    purchases::forget(tx, purchase.owner, purchase.id).await?;
    add(tx, purchase, observed, now).await
}

/// Makes the receipt of an earlier holder the purchase. Returns false if there is no such receipt.
pub async fn accept_observed(tx: &mut Tx<'_>, purchase: &Purchase, now: Timestamp) -> Result<bool> {
    let mut observed = read_observed(tx, purchase).await?;
    if observed.is_empty() {
        return Ok(false);
    }
    let mut kept = observed.remove(0);
    observed.into_iter().for_each(|more| merge(&mut kept, more));
    purchases::forget(tx, purchase.owner, purchase.id).await?;
    purchases::accept(tx, purchase.owner, purchase.id, &json(&kept)?, now).await?;
    Ok(true)
}

async fn read_observed(tx: &mut Tx<'_>, purchase: &Purchase) -> Result<Vec<StoredReceipt>> {
    let docs = purchases::observed(tx, purchase.owner, purchase.id).await?;
    docs.iter().map(|doc| serde_json::from_str(doc).map_err(Error::fault)).collect()
}

/// Returns whether there is a new duplicate to void.
async fn add(tx: &mut Tx<'_>, purchase: &Purchase, late: Vec<StoredReceipt>, now: Timestamp) -> Result<bool> {
    let Some(before) = StoredReceipt::of(purchase)? else { return Ok(false) };
    let mut kept = before.clone();
    late.into_iter().for_each(|late| merge(&mut kept, late));
    if kept == before {
        return Ok(false);
    }
    purchases::amend(tx, purchase.owner, purchase.id, &json(&kept)?, now).await?;
    Ok(true)
}

/// Adds each receipt that is not known yet to the duplicates.
fn merge(kept: &mut StoredReceipt, late: StoredReceipt) {
    for receipt in std::iter::once(late.receipt).chain(late.duplicates) {
        let is_same = |known: &Receipt| known.purchase == receipt.purchase;
        if !is_same(&kept.receipt) && !kept.duplicates.iter().any(is_same) {
            kept.duplicates.push(receipt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(names: &[&str]) -> StoredReceipt {
        let receipt = |name: &&str| Receipt {
            purchase: (*name).to_owned(),
            tracking_numbers: Vec::new(),
            charged: 1,
            currency: "GBP".to_owned(),
            labels: Vec::new(),
        };
        let mut all: Vec<Receipt> = names.iter().map(receipt).collect();
        StoredReceipt { receipt: all.remove(0), duplicates: all, is_label_ours: true }
    }

    #[test]
    fn each_purchase_is_a_duplicate_once() {
        let mut all = kept(&["a", "b"]);
        for late in [kept(&["a"]), kept(&["b"]), kept(&["c", "a"]), kept(&["c"])] {
            merge(&mut all, late);
        }
        assert_eq!(all, kept(&["a", "b", "c"]));
    }
}
