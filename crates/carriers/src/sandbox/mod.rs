//! The sandbox carrier: a carrier that costs nothing and does as it is told, so that everything that can go wrong with a
//! real one can be rehearsed.
//!
//! What it does is a function of the shipment: its price, its tracking number, its way. A word in the destination's post
//! code, or in its company, picks what goes wrong ([`Word`]), as test card numbers do at a payment provider.
//!
//! Two sides meet here in one protocol of JSON over HTTP: the [connector](Sandbox), and the carrier's own side, the
//! [desk], which is a function too. `dockside sandbox-carrier` puts a server and a ledger around the desk.

mod answer;
mod carrier;
pub mod desk;
mod number;
mod price;
mod settings;
#[cfg(test)]
mod tests;
mod way;
mod wire;
mod word;

pub use carrier::{HANDLE, Sandbox};
pub use number::{is_tracking_number, tracking_number};
pub use price::{Refusal, SERVICES, Service, picks, price, zone};
pub use settings::{IN_PROCESS, Mode, Settings};
pub use way::{Place, place};
pub use word::Word;
