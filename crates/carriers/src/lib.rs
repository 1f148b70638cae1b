//! Carriers: what is asked of each, in its own words, and what its answers mean.
//!
//! Nothing here opens a socket, reads a clock or makes randomness. A [`Connector`] is given a task and returns what to send;
//! it is given the answer and returns what to send next, or the outcome. The caller has the client, the database and the
//! clock: it drives the connector, and decides when to try again.
//!
//! Money is at stake, so an outcome has five forms ([`Outcome`]): done, refused, never sent, unknown, and untraceable. Only
//! what was provably not done may be tried again; what is unknown is looked up first, and what is untraceable is left to a
//! person.

mod account;
mod address_lines;
#[cfg(test)]
mod charge_tests;
#[cfg(test)]
mod conformance;
mod connector;
pub mod dhl_express;
pub mod dhl_parcel_de;
pub mod easypost;
mod file_format;
mod json;
mod label_file;
mod option_refusal;
pub mod options;
pub mod own;
mod price_row;
pub mod rate_card;
pub mod royal_mail;
pub mod sandbox;
mod told;
pub mod ups;
pub mod usps;

pub use account::Account;
pub use connector::{
    AccessTokens, Address, Answer, Capabilities, Connector, Found, Label, Manifested, Outcome, Parcel, Quote,
    Quotes, Receipt, Request, Step, Task, TokenOutcome, Tracked,
};
pub use file_format::FileFormat;

/// Every carrier that can be asked: the sandbox, then the others by handle. Seeds of the fuzz target `carrier_answers` name a
/// carrier by its place.
pub const ALL: &[&dyn Connector] = &[
    &sandbox::Sandbox,
    &dhl_express::DhlExpress,
    &dhl_parcel_de::DhlParcelDe,
    &easypost::EasyPost,
    &own::Own,
    &royal_mail::RoyalMail,
    &ups::Ups,
    &usps::Usps,
];

/// The carrier with this handle.
pub fn connector(handle: &str) -> Option<&'static dyn Connector> {
    ALL.iter().copied().find(|connector| connector.handle() == handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_carrier_is_found_by_its_handle() {
        for known in ALL {
            assert_eq!(connector(known.handle()).map(|found| found.handle()), Some(known.handle()));
        }
        let handles: std::collections::BTreeSet<_> = ALL.iter().map(|connector| connector.handle()).collect();
        assert_eq!(handles.len(), ALL.len());
        assert!(connector("nobody").is_none());
    }
}
