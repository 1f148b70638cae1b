//! What the reference model knows of a short pick.

/// A short pick as it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct ShortRequest {
    pub shipment: usize,
    pub item: usize,
    pub quantity: i64,
    /// The units are written off.
    pub is_adjusting: bool,
}

/// What a short pick changed.
#[derive(Clone, Debug, Default)]
pub struct Short {
    pub written_off: i64,
    /// The allocations that the missing units are in now.
    pub allocations: Vec<usize>,
    pub is_shipment_deleted: bool,
    pub is_reported: bool,
}
