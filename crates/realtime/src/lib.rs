//! Realtime.

mod connection;
#[cfg(test)]
mod testing;

pub mod channel;
pub mod code;
pub mod frame;
pub mod hub;
pub mod limits;
pub mod session;
pub mod token;

pub use connection::{Connection, Step};
