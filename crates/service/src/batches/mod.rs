//! Batches: shipments that are bought, labelled and handed over together.

mod member;
mod purchase;

pub use member::{ensure_member_changeable, member_changed, show};
