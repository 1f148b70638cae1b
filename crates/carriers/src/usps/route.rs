//! The route of a parcel of USPS.

use model::shipping::shipment::{AddressRecord, Package, ShipmentInput};

use super::party::is_domestic;

/// The route of a shipment of one package.
pub struct Route<'a> {
    pub details: &'a ShipmentInput,
    pub from: &'a AddressRecord,
    pub to: &'a AddressRecord,
    pub package: &'a Package,
}

impl<'a> Route<'a> {
    /// Returns the route, or `None` if there is no sender or not exactly one package.
    pub fn of(details: &'a ShipmentInput) -> Option<Self> {
        let from = details.addresses.origin.as_ref()?;
        let [package] = details.packages.as_slice() else { return None };
        Some(Self { details, from, to: &details.addresses.destination, package })
    }

    pub fn is_international(&self) -> bool {
        !is_domestic(self.to)
    }
}
