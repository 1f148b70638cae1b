//! The sandbox carrier: a carrier that costs nothing and does as it is told, so that everything that can go wrong with a
//! real one can be rehearsed.
//!
//! What it does is a function of the shipment: its price, its tracking number, its way. A word in the destination's post
//! code, or in its company, picks what goes wrong ([`Word`]), as test card numbers do at a payment provider.

mod number;
mod price;
mod way;
mod word;

pub use number::{is_tracking_number, tracking_number};
pub use price::{Refusal, SERVICES, Service, picks, price, zone};
pub use way::{Place, place};
pub use word::Word;
