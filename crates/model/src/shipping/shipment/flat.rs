//! Reading a stored shipment.

use serde::{Deserialize, Deserializer};

use super::{
    Addresses, CarrierChoice, ChosenService, Cost, Customs, Options, Package, Shipment, ShipmentError,
    ShipmentInput, Status, TaxIdentifier, TrackingStatus,
};
use crate::places::location_configuration::CompleteOn;
use crate::platform::id::ShippingRuleKind;
use crate::shipping::rate::Rate;
use crate::{Id, Order, Timestamp};

/// A shipment with its details beside its other fields, as a document has them. Serde reads a flattened struct by way of a tree of
/// all fields, which takes several times as long.
#[derive(Deserialize)]
struct FlatShipment {
    id: Id<Shipment>,
    name: Option<String>,
    addresses: Addresses,
    #[serde(default)]
    tax_identifiers: Vec<TaxIdentifier>,
    packages: Vec<Package>,
    customs: Option<Customs>,
    options: Option<Options>,
    carrier: Option<CarrierChoice>,
    rates: Vec<Rate>,
    service: Option<ChosenService>,
    #[serde(default)]
    cost: Option<Cost>,
    status: Status,
    tracking_status: TrackingStatus,
    tracking_number: Option<String>,
    #[serde(default)]
    label_pending: bool,
    errors: Vec<ShipmentError>,
    #[serde(default)]
    order_id: Option<Id<Order>>,
    #[serde(default)]
    complete_allocations_on: Option<CompleteOn>,
    #[serde(default)]
    handed_over_at: Option<Timestamp>,
    #[serde(default)]
    rule_id: Option<Id<ShippingRuleKind>>,
    #[serde(default)]
    packed_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

// Here, and not derived with an attribute that names this module, so that modules depend on each other one way only.
impl<'de> Deserialize<'de> for Shipment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        FlatShipment::deserialize(deserializer).map(Self::from)
    }
}

impl From<FlatShipment> for Shipment {
    fn from(flat: FlatShipment) -> Self {
        let FlatShipment {
            id, name, addresses, tax_identifiers, packages, customs, options, carrier, ..
        } = flat;
        Self {
            id,
            details: ShipmentInput { name, addresses, tax_identifiers, packages, customs, options, carrier },
            rates: flat.rates,
            service: flat.service,
            cost: flat.cost,
            status: flat.status,
            tracking_status: flat.tracking_status,
            tracking_number: flat.tracking_number,
            label_pending: flat.label_pending,
            errors: flat.errors,
            order_id: flat.order_id,
            complete_allocations_on: flat.complete_allocations_on,
            handed_over_at: flat.handed_over_at,
            rule_id: flat.rule_id,
            packed_at: flat.packed_at,
            created_at: flat.created_at,
            updated_at: flat.updated_at,
        }
    }
}
