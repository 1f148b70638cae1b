//! The domain of Dockside: identifiers, resources, rules and the catalogue of problems.
//!
//! Architecture Invariant: this crate does no I/O, is never `async` and never reads the clock or a random source. The
//! caller passes in times and random bytes, so that everything here is a pure function that a test can repeat
//! exactly.

pub mod access;
pub mod events;
pub mod exchange;
pub mod fulfilment;
pub mod orders;
pub mod places;
pub mod platform;
pub mod shipping;
pub mod stock;
pub use access::access_token::{AccessToken, User};
pub use access::link_mail::Mail;
pub use access::passkey::Passkey;
pub use access::role::Role;
pub use access::scope::{Scope, Scopes};
pub use access::session::Session;
pub use events::event::Event;
pub use events::webhook_delivery::WebhookDelivery;
pub use events::webhook_endpoint::WebhookEndpoint;
pub use exchange::import::Import;
pub use fulfilment::print_job::PrintJob;
pub use fulfilment::printer::Printer;
pub use fulfilment::scan::Scan;
pub use fulfilment::shipping_rule::ShippingRule;
pub use fulfilment::wave::Wave;
pub use orders::allocation::Allocation;
pub use orders::order::Order;
pub use places::closing::Day;
pub use places::country::CountryCode;
pub use places::location::Location;
pub use places::location_configuration::LocationConfiguration;
pub use platform::id::Id;
pub use platform::owner::{Organisation, Owner, World};
pub use platform::problem::{Code, Error, Problem, Result, ensure};
pub use platform::time::Timestamp;
pub use shipping::batch::Batch;
pub use shipping::carrier::{Carrier, CarrierAccount, CarrierService};
pub use shipping::document::Document;
pub use shipping::manifest::Manifest;
pub use shipping::purchase::PurchaseAttempt;
pub use shipping::rate::Rate;
pub use shipping::shipment::Shipment;
pub use stock::inventory_item::InventoryItem;

#[cfg(test)]
mod tests {
    use super::*;
    use orders::order::Reservation;
    use orders::order_exception::OrderException;
    use orders::order_line::OrderLine;
    use orders::order_note::OrderNote;
    use platform::id::{AllocationKind, Kind, PackageTypeKind, noun};
    use stock::inventory_item::Change;

    #[test]
    fn every_kind_of_id_has_a_noun() {
        let prefixes = [
            AccessToken::PREFIX,
            AllocationKind::PREFIX,
            Batch::PREFIX,
            Carrier::PREFIX,
            CarrierAccount::PREFIX,
            CarrierService::PREFIX,
            Change::PREFIX,
            Document::PREFIX,
            Event::PREFIX,
            InventoryItem::PREFIX,
            Location::PREFIX,
            LocationConfiguration::PREFIX,
            Mail::PREFIX,
            Manifest::PREFIX,
            Order::PREFIX,
            OrderException::PREFIX,
            OrderLine::PREFIX,
            OrderNote::PREFIX,
            Organisation::PREFIX,
            PackageTypeKind::PREFIX,
            Passkey::PREFIX,
            PrintJob::PREFIX,
            Printer::PREFIX,
            PurchaseAttempt::PREFIX,
            Rate::PREFIX,
            Reservation::PREFIX,
            Role::PREFIX,
            Scan::PREFIX,
            Session::PREFIX,
            Shipment::PREFIX,
            ShippingRule::PREFIX,
            User::PREFIX,
            Wave::PREFIX,
            Import::PREFIX,
            WebhookDelivery::PREFIX,
            WebhookEndpoint::PREFIX,
        ];
        let without_noun: Vec<_> = prefixes.into_iter().filter(|prefix| noun(prefix).is_none()).collect();
        assert_eq!(without_noun, [""; 0]);
    }
}
