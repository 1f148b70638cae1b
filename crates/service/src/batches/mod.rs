//! Batches: shipments that are bought, labelled and handed over together.

mod member;

pub use member::{ensure_member_changeable, member_changed};
