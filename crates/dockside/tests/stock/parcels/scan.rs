//! What the reference model knows of a scan.

/// A scan as it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanRequest {
    pub shipment: usize,
    /// The number that its name has.
    pub name: usize,
    /// The item whose SKU is scanned; `None` for a code that no item has.
    pub item: Option<usize>,
    /// The number of a package, from 1 on.
    pub package: Option<usize>,
    pub quantity: i64,
    /// The shipment is to be bought once it is complete.
    pub is_buying: bool,
}

/// A scan that was made and not undone.
#[derive(Clone, Debug)]
pub struct Scan {
    pub request: ScanRequest,
    pub result: &'static str,
    /// Places of packages, and the units that are counted in each.
    pub parts: Vec<(usize, i64)>,
    pub purchase: Option<ScanPurchase>,
}

/// What became of the purchase that a scan asked for.
#[derive(Clone, Copy, Debug)]
pub enum ScanPurchase {
    /// It was over when the scan was answered: how it ended, and why it failed.
    Over(&'static str, Option<&'static str>),
    /// It was under way, and the shipment shows how it goes on.
    Begun,
}
