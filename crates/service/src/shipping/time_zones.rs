//! The time zones of the places that shipments leave from: of the location, else of the organisation.

use std::collections::HashMap;

use model::shipping::shipment::{ShipmentInput, mailing_date};
use model::{Day, Id, Owner, Result, Shipment, Timestamp};
use store::Tx;
use store::access::organisations;
use store::shipping::shipments;

/// The time zones of some shipments.
pub struct TimeZones {
    of: HashMap<Id<Shipment>, String>,
    of_organisation: String,
}

impl TimeZones {
    pub async fn read(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Shipment>]) -> Result<Self> {
        let of = shipments::time_zones(tx, owner, ids).await?.into_iter().collect();
        let settings = organisations::settings(tx, owner).await?.settings;
        Ok(Self { of, of_organisation: settings.time_zone })
    }

    /// Returns the time zone of a shipment.
    pub fn of(&self, shipment: Id<Shipment>) -> &str {
        self.of.get(&shipment).unwrap_or(&self.of_organisation)
    }

    /// Returns the mailing date of a shipment that is bought now.
    pub fn mailing_date(&self, shipment: Id<Shipment>, details: &ShipmentInput, now: Timestamp) -> Day {
        mailing_date(details.wanted_date(), now, self.of(shipment))
    }
}
