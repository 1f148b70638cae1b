//! The route of a shipment at DHL.

use model::places::country::is_customs_border;
use model::shipping::shipment::options::ShippingOptions;
use model::shipping::shipment::{AddressRecord, Package, ShipmentInput};

use super::services::{Reach, Service};

/// The country from which DHL carries parcels.
pub const HOME: &str = "DE";
/// Parts of countries of the European Union that are outside of its customs territory, by the beginning of their post codes: the Canary
/// Islands, Ceuta and Melilla.
const OUTSIDE: [(&str, &[&str]); 1] = [("ES", &["35", "38", "51", "52"])];

/// The sender and the recipient of a shipment.
#[derive(Clone, Copy)]
pub struct Route<'a> {
    pub details: &'a ShipmentInput,
    pub from: &'a AddressRecord,
    pub to: &'a AddressRecord,
}

impl<'a> Route<'a> {
    /// Returns the route, or `None` if there is no sender.
    pub fn of(details: &'a ShipmentInput) -> Option<Self> {
        let from = details.addresses.origin.as_ref()?;
        Some(Self { details, from, to: &details.addresses.destination })
    }

    pub fn reach(&self) -> Reach {
        match (self.details.is_return(), is_home(self.to)) {
            (true, _) => Reach::Return,
            (false, true) => Reach::Domestic,
            (false, false) => Reach::Abroad,
        }
    }

    /// Whether the goods are declared to customs.
    pub fn is_declared(&self) -> bool {
        let is_outside = |record: &AddressRecord| {
            let (code, country) = (record.address.post_code.as_deref().unwrap_or_default(), &record.address);
            OUTSIDE.iter().any(|(known, starts)| {
                *known == country.country_code.as_str() && starts.iter().any(|start| code.starts_with(start))
            })
        };
        is_customs_border(self.from.address.country_code, self.to.address.country_code)
            || is_outside(self.from)
            || is_outside(self.to)
    }

    pub fn packages(&self) -> &'a [Package] {
        &self.details.packages
    }

    /// Returns the masses of the packages, or `None` if one of them has none.
    pub fn grams(&self) -> Option<Vec<i64>> {
        self.packages().iter().map(grams).collect()
    }

    /// Whether all packages are such as the service takes.
    pub fn is_taken_by(&self, service: &Service) -> bool {
        let is_bulky = is_bulky(self.details);
        service.reach == self.reach()
            && self.packages().iter().all(|package| {
                grams(package).is_some_and(|grams| service.takes(grams, sides(package), is_bulky))
            })
    }
}

pub fn is_home(record: &AddressRecord) -> bool {
    record.address.country_code.as_str() == HOME
}

/// The options for transport, if there are any.
pub fn shipping(details: &ShipmentInput) -> Option<&ShippingOptions> {
    details.options.as_ref()?.shipping.as_ref()
}

/// Whether sorting machines can't take the packages.
pub fn is_bulky(details: &ShipmentInput) -> bool {
    shipping(details).is_some_and(|shipping| shipping.machinable == Some(false))
}

/// Whether the packages must be tracked all the way.
pub fn is_tracked(details: &ShipmentInput) -> bool {
    shipping(details).is_some_and(|shipping| shipping.tracked_service == Some(true))
}

/// The mass of a package, if it has one.
pub fn grams(package: &Package) -> Option<i64> {
    package.geometry.and_then(|geometry| geometry.grams()).filter(|grams| *grams > 0)
}

/// The sides of a package in millimetres, the longest first, if it has them.
pub fn sides(package: &Package) -> Option<[i64; 3]> {
    let mut sides = package.geometry.and_then(|geometry| geometry.millimetres())?;
    sides.sort_unstable_by(|one, other| other.cmp(one));
    Some(sides)
}
