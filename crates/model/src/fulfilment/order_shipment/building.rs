//! The details of the shipments that are made from an order.

use std::collections::BTreeMap;

use super::customs_items::customs_items;
use super::order_to_ship::OrderToShip;
use crate::fulfilment::shipping_rule::{Decision, ServiceName};
use crate::places::country::is_customs_border;
use crate::platform::problem::Issue;
use crate::shipping::shipment::options::{LabelOptions, ShippingOptions};
use crate::shipping::shipment::package::{PACKAGES_MAX, Package};
use crate::shipping::shipment::{AddressRecord, Addresses, CarrierChoice, Customs, Options, ShipmentInput};
use crate::stock::inventory_item::InventoryItemInput;
use crate::{Code, Id, InventoryItem, LocationConfiguration, Problem};

/// The declared contents where no rule says something else.
const CONTENTS_TYPE: &str = "merchandise";

/// What one location sends of an order.
pub struct LocationToShip {
    pub configuration: Id<LocationConfiguration>,
    pub origin: AddressRecord,
    pub r#return: AddressRecord,
    pub packages: Vec<Package>,
    /// What the shipping rules decide.
    pub decision: Decision,
    /// What the request says instead.
    pub carrier: Option<CarrierChoice>,
    /// The handle of the carrier whose account the rules name.
    pub decided_carrier: Option<String>,
    /// The most packages that the carrier takes in one shipment.
    pub packages_max: usize,
}

/// The details of a shipment, and the units of each item in it.
pub struct NewShipment {
    pub details: ShipmentInput,
    pub units: BTreeMap<Id<InventoryItem>, i64>,
}

/// Builds the shipments that send packages from one location: one, or one for each package if the carrier does not take all of
/// them together.
///
/// # Errors
///
/// Refuses an order without a destination, and items without what customs demand.
pub fn build(
    order: &OrderToShip,
    items: &BTreeMap<Id<InventoryItem>, InventoryItemInput>,
    location: LocationToShip,
) -> Result<Vec<NewShipment>, Problem> {
    let Some(destination) = &order.destination else {
        let code = Code::DestinationMissing;
        let issue = Issue::new(code.as_str(), "order_id", "The order has no `destination`.");
        return Err(Problem::field(code, issue));
    };
    let packages_max = location.packages_max.min(PACKAGES_MAX);
    let groups: Vec<Vec<Package>> = match location.packages.len() <= packages_max {
        true => vec![location.packages.clone()],
        false => location.packages.iter().map(|package| vec![package.clone()]).collect(),
    };
    let mut built = Vec::with_capacity(groups.len());
    for packages in groups {
        let mut details = ShipmentInput {
            name: order.reference.clone(),
            addresses: Addresses {
                destination: AddressRecord::of_destination(destination),
                origin: Some(location.origin.clone()),
                r#return: Some(location.r#return.clone()),
                location_configuration_id: Some(location.configuration),
            },
            tax_identifiers: Vec::new(),
            packages,
            customs: None,
            options: options(&location.decision),
            carrier: carrier(&location),
        };
        let units = details.units();
        let (from, to) = (location.origin.address.country_code, destination.address.country_code);
        if is_customs_border(from, to) {
            let decided = &location.decision.customs;
            details.customs = Some(Customs {
                contents_type: Some(
                    decided.contents_type.clone().unwrap_or_else(|| CONTENTS_TYPE.to_owned()),
                ),
                contents_description: None,
                declarant: None,
                incoterm: decided.incoterm.clone(),
                restriction_type: None,
                restriction_description: None,
                declaration_message: None,
                items: customs_items(order, items, &units)?,
                identifiers: Vec::new(),
            });
        }
        built.push(NewShipment { details, units });
    }
    Ok(built)
}

/// Returns what the rules set of a shipment's options, or `None` if they set nothing.
fn options(decision: &Decision) -> Option<Options> {
    let decided = &decision.options;
    let shipping = ShippingOptions {
        signature_type: decided.shipping.signature_type.clone(),
        saturday_delivery: decided.shipping.saturday_delivery,
        ..ShippingOptions::default()
    };
    let options = Options {
        shipping: Some(shipping).filter(|shipping| *shipping != ShippingOptions::default()),
        label: decided
            .label
            .format
            .map(|format| LabelOptions { format: Some(format), ..LabelOptions::default() }),
        insurance: decided.insurance.clone(),
    };
    Some(options).filter(|options| *options != Options::default())
}

/// Returns the carriers and services to ask: those of the request, else those of the rules.
fn carrier(location: &LocationToShip) -> Option<CarrierChoice> {
    if location.carrier.is_some() {
        return location.carrier.clone();
    }
    if let Some(ServiceName { carrier_account, carrier_service }) = &location.decision.service {
        return Some(CarrierChoice {
            carrier_code: location.decided_carrier.clone(),
            service_code: carrier_service.clone(),
            carrier_accounts: vec![carrier_account.clone()],
        });
    }
    let choose = location.decision.choose.as_ref()?;
    let mut carrier_accounts: Vec<String> =
        choose.among.iter().map(|service| service.carrier_account.clone()).collect();
    carrier_accounts.sort_unstable();
    carrier_accounts.dedup();
    Some(CarrierChoice { carrier_code: None, service_code: None, carrier_accounts })
}
