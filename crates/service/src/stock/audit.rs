//! The audit of stock: shows that what is kept as a sum is the sum.

use model::Result;
use serde_json::json as object;
use store::stock::audit;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::platform::context::Context;

/// Differences of each kind that an audit names.
const DIFFERENCES_MAX: usize = 100;

/// Compares every stored sum of stock with the history.
#[derive(Clone)]
pub struct StockAudit {
    context: Context,
}

impl StockAudit {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Recomputes levels, allocated quantities and the fulfilment of orders from the rows and the history, and shows every difference.
    pub async fn run(&self, caller: &Caller) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            Ok((audit::count(tx, owner).await?, audit::differences(tx, owner, DIFFERENCES_MAX).await?))
        });
        let (checked, differences) = read.await?;
        let differences: Vec<_> = differences
            .iter()
            .map(|difference| {
                object!({
                    "what": difference.what,
                    "ids": [difference.first_id, difference.second_id],
                    "kept": difference.kept,
                    "recomputed": difference.recomputed,
                })
            })
            .collect();
        let report = object!({
            "is_clean": differences.is_empty(),
            "checked": {
                "levels": checked.levels,
                "order_lines": checked.lines,
                "allocations": checked.allocations,
                "orders": checked.orders,
            },
            "differences": differences,
        });
        Ok(Reply::done(report.to_string()))
    }
}
