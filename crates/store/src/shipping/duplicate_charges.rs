//! What carriers charged for labels that they sold a second time for a shipment, and whether they took them back. The cost
//! report adds it to what the shipments cost.

use model::{Id, Owner, Result, Shipment};

use crate::platform::engine::{Sql, Tx, Value};

/// A purchase whose change is recorded twice has one row.
const INSERT: Sql = Sql::same(
    "INSERT INTO duplicate_charge (owner, shipment_id, carrier_purchase, purchased_at, chosen, origin_id, cost_amount,
         cost_currency, is_voided)
     SELECT owner, id, $1, purchased_at, chosen, origin_id, CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS BIGINT)
     FROM shipment WHERE owner = $5 AND id = $6 AND purchased_at IS NOT NULL
     ON CONFLICT DO NOTHING",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT];

/// A second purchase for a shipment, once its carrier has decided whether it takes it back.
#[derive(Clone, Debug, PartialEq)]
pub struct DuplicateCharge {
    /// The carrier's id of it.
    pub carrier_purchase: String,
    /// The amount in the smallest unit of the currency, and the currency. `None` if the carrier stated no amount.
    pub cost: Option<(i64, String)>,
    /// Whether the carrier took it back.
    pub is_voided: bool,
}

/// Adds the charge of a second purchase to a shipment that is bought.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: Id<Shipment>,
    charge: &DuplicateCharge,
) -> Result<()> {
    let (amount, currency) = charge.cost.clone().unzip();
    let values = [
        charge.carrier_purchase.as_str().into(),
        amount.into(),
        currency.into(),
        Value::Int(charge.is_voided.into()),
        owner.into(),
        shipment.into(),
    ];
    tx.send(&INSERT, &values).await
}
