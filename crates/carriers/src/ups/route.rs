//! The route of a shipment of UPS.

use model::shipping::shipment::{AddressRecord, ShipmentInput};

use super::units::Units;

/// Routes on which UPS takes references of packages, and on all others of shipments. It refuses the wrong kind.
const PACKAGE_REFERENCES: [&str; 2] = ["US", "PR"];

/// A shipment and the parties on its route.
pub struct Route<'a> {
    pub details: &'a ShipmentInput,
    pub from: &'a AddressRecord,
    pub to: &'a AddressRecord,
    pub units: Units,
}

impl<'a> Route<'a> {
    /// Returns the route, or `None` if the shipment has no sender.
    pub fn of(details: &'a ShipmentInput) -> Option<Self> {
        let from = details.addresses.origin.as_ref()?;
        let units = Units::of(from.address.country_code);
        Some(Self { details, from, to: &details.addresses.destination, units })
    }

    /// The party that pays: the merchant, who receives a return.
    pub fn shipper(&self) -> &'a AddressRecord {
        if self.details.is_return() { self.to } else { self.from }
    }

    pub fn is_international(&self) -> bool {
        self.from.address.country_code != self.to.address.country_code
    }

    /// Returns whether UPS takes references and signatures of packages on this route.
    pub fn has_package_options(&self) -> bool {
        !self.is_international() && PACKAGE_REFERENCES.contains(&self.from.address.country_code.as_str())
    }

    pub fn grams(&self) -> i64 {
        let packages = self.details.packages.iter();
        packages.filter_map(|package| package.geometry.and_then(|geometry| geometry.grams())).sum()
    }
}
