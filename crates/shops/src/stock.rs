//! Stock levels that a shop is told.

/// Maximum number of items of one task.
pub const STOCK_LEVELS_MAX: usize = 20;

/// How many pieces of an item a shop may sell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StockLevel {
    pub sku: String,
    /// Never negative.
    pub sellable: i64,
}

/// What became of stock levels that a shop was told. What is not listed is set.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StockReport {
    /// SKUs that the shop does not have.
    pub unknown: Vec<String>,
    pub refused: Vec<StockRefusal>,
}

/// A level that the shop did not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StockRefusal {
    pub sku: String,
    /// In a sentence, with what to do.
    pub why: String,
}

impl StockReport {
    pub(crate) fn refuse(&mut self, sku: &str, why: impl Into<String>) {
        self.refused.push(StockRefusal { sku: sku.to_owned(), why: why.into() });
    }
}

/// Returns the SKUs, each once.
pub(crate) fn skus(levels: &[StockLevel]) -> Vec<&str> {
    let mut skus: Vec<&str> = Vec::new();
    for level in levels.iter().take(STOCK_LEVELS_MAX) {
        if !skus.contains(&level.sku.as_str()) {
            skus.push(&level.sku);
        }
    }
    skus
}

/// Returns the pieces that may be sold of a SKU: what its last entry says.
pub(crate) fn sellable(levels: &[StockLevel], sku: &str) -> Option<i64> {
    let entry = levels.iter().take(STOCK_LEVELS_MAX).rfind(|level| level.sku == sku)?;
    Some(entry.sellable.max(0))
}
