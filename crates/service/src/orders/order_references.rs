//! Unique references of orders: claimed and freed in the transaction that changes the order.

use model::platform::problem::Issue;
use model::{Code, Id, Order, Owner, Problem, Result};
use store::Tx;
use store::access::organisations;
use store::orders::order_references;

/// How many references a refusal names.
const NAMED_MAX: usize = 10;

/// Moves an order from one reference to another, if the organisation wants references to be unique; refuses one that another
/// order has.
///
/// The new one is claimed before the old one is freed: two orders that swap references at the same moment are refused, and
/// never wait for each other.
pub async fn change(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    old: Option<&str>,
    new: Option<&str>,
) -> Result<()> {
    if old == new {
        return Ok(());
    }
    // Call before reading the setting: if it were switched on in between, this order would have no claim.
    order_references::lock_shared(tx, owner).await?;
    if !organisations::settings(tx, owner).await?.settings.unique_order_references {
        return Ok(());
    }
    if let Some(reference) = new
        && let Err(holder) = order_references::claim(tx, owner, reference, order).await?
    {
        return Err(taken(holder));
    }
    match old {
        Some(reference) => order_references::release(tx, owner, reference, order).await,
        None => Ok(()),
    }
}

fn taken(holder: Option<Id<Order>>) -> model::Error {
    let code = Code::ReferenceTaken;
    let issue = match holder {
        Some(holder) => {
            Issue::new(code.as_str(), "/reference", format!("The order {holder} has this reference."))
                .with("order_id", holder.to_string())
        }
        None => Issue::new(code.as_str(), "/reference", "Another order has this reference."),
    };
    Problem::field(code, issue).into()
}

/// Makes the references of an owner unique from now on, or lets them be repeated. Refuses the first while some are repeated.
/// [`order_references::lock`] must be held.
pub async fn set_unique(tx: &mut Tx<'_>, owner: Owner, is_unique: bool) -> Result<()> {
    if !is_unique {
        return order_references::release_all(tx, owner).await;
    }
    let repeated = order_references::repeated(tx, owner, NAMED_MAX).await?;
    if !repeated.is_empty() {
        let code = Code::ReferenceTaken;
        let issue = |(reference, orders): (String, i64)| {
            let message = format!("{orders} orders have the reference {reference:?}.");
            Issue::new(code.as_str(), "/unique_order_references", message)
                .with("reference", reference)
                .with("orders_count", orders)
        };
        let problem = Problem::fields(code, repeated.into_iter().map(issue).collect::<Vec<_>>());
        let detail = "Several orders have the same reference. Change or delete those that `errors` names, then set it again.";
        return Err(problem.with_detail(detail).into());
    }
    order_references::claim_all(tx, owner).await
}
