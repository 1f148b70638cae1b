//! Carriers: what is asked of each, in its own words, and what its answers mean.
//!
//! Nothing here opens a socket, reads a clock or makes randomness. A [`Connector`] is given a task and says what to send;
//! it is given the answer and says what to send next, or what came of it. Whoever has a client, a database and a clock
//! drives it, and decides when to try again.
//!
//! Money is at stake, so an outcome has four forms ([`Outcome`]): done, refused, never sent, and unknown. Only what was
//! provably not done may be tried again; what is unknown is looked up first.

mod connector;
pub mod easypost;
pub mod own;
pub mod sandbox;

pub use connector::{
    Account, Answer, Capabilities, Connector, Found, Label, Outcome, Parcel, Quote, Quotes, Receipt, Request,
    Step, Task, Tracked,
};
