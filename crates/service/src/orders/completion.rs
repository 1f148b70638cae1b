//! When an order counts as fulfilled.

use model::{Id, Order, Owner, Result};
use store::Tx;
use store::orders::{allocations, orders};

/// Whether all of the order is allocated and completed.
pub async fn is_all_completed(tx: &mut Tx<'_>, owner: Owner, order: Id<Order>) -> Result<bool> {
    let lines = orders::lines(tx, owner, order).await?;
    if lines.iter().any(|line| line.allocated_quantity < line.quantity) {
        return Ok(false);
    }
    let held = allocations::of_order(tx, owner, order).await?;
    Ok(held.iter().all(|allocation| allocation.completed_at.is_some()))
}
