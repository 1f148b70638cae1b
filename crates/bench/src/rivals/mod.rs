//! What the product is compared with: the least that the same work costs.

pub mod allocation_rows;
pub mod bare;
pub mod batch_rows;
pub mod bought_batch;
pub mod broadcast;
#[cfg(feature = "krilla")]
pub mod krilla_pages;
