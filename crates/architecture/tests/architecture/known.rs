//! The cycles between modules that are still to be removed. There are none, and there should be none.
//!
//! `cargo run -p architecture --example graph -- --known` and `cargo fmt` write such a list.

pub const CYCLES: &[&[&str]] = &[];
