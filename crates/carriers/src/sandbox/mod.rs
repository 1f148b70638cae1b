//! The sandbox carrier: costs nothing, and fails on demand, so that every failure of a real carrier can be tested.
//!
//! Its behaviour is a function of the shipment: the price, the tracking number, the tracking events. A word in the
//! customer's post code or company selects a failure ([`Word`]), as test card numbers do at a payment
//! provider.
//!
//! Both sides of its protocol, JSON over HTTP, are here: the [connector](Sandbox), and the carrier's own side, the
//! [server](desk), which is a function too. `dockside sandbox-carrier` adds a socket and a ledger to it.

mod answer;
mod carrier;
pub mod desk;
mod gif;
mod number;
mod options;
mod price;
mod settings;
#[cfg(test)]
pub(crate) mod tests;
mod tokens;
mod way;
mod wire;
mod word;

pub use carrier::{HANDLE, Sandbox};
pub use number::{is_tracking_number, tracking_number};
pub use price::{Refusal, SERVICES, Service, picks, price, zone};
pub use settings::{IN_PROCESS, Mode, Settings};
pub use way::{Place, place};
pub use word::Word;
