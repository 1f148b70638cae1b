//! Realtime.

pub mod channel;
pub mod code;
pub mod frame;
pub mod limits;
pub mod token;
