//! The route of a shipment: its sender, its recipient, and the data that a carrier may see.
//!
//! A shipment is written from the merchant's view: `destination` is the customer, `origin` and `return` are the
//! merchant's addresses. A return shipment travels the other way. Labels, papers and connectors read the route, so
//! that none of them has to handle returns.

use super::{AddressRecord, Addresses, Package, ShipmentInput};
use crate::places::address::Contact;

/// The sender and the recipient of a parcel, and the recipient if it cannot be delivered.
#[derive(Clone, Copy, Debug)]
pub struct Route<'a> {
    pub from: Option<&'a AddressRecord>,
    pub to: &'a AddressRecord,
    /// The address for undeliverable parcels. `None` means back to `from`.
    pub undeliverable: Option<&'a AddressRecord>,
    pub is_return: bool,
}

impl ShipmentInput {
    /// Returns whether this is a return, from the customer to the merchant.
    pub fn is_return(&self) -> bool {
        let shipping = self.options.as_ref().and_then(|options| options.shipping.as_ref());
        shipping.is_some_and(|shipping| shipping.is_return == Some(true))
    }

    /// Returns the route of the parcel. A return goes from the destination to the return address, or to the origin if
    /// there is no return address.
    pub fn route(&self) -> Route<'_> {
        let Addresses { destination, origin, r#return, .. } = &self.addresses;
        match r#return.as_ref().or(origin.as_ref()) {
            Some(merchant) if self.is_return() => {
                Route { from: Some(destination), to: merchant, undeliverable: None, is_return: true }
            }
            _ => Route {
                from: origin.as_ref().or(r#return.as_ref()),
                to: destination,
                undeliverable: r#return.as_ref(),
                is_return: false,
            },
        }
    }

    /// Returns the shipment as a carrier may see it: with the addresses in the direction of travel, without internal
    /// data.
    ///
    /// Names of locations, metadata, marketplace ids, and what is in the packages are internal to the merchant. A customer without a contact
    /// name is named by the `display_name` of the destination, because a label needs a recipient.
    #[must_use]
    pub fn as_carried(&self) -> Self {
        let route = self.route();
        let outward = AddressRecord::outward;
        let customer =
            |record: &AddressRecord| AddressRecord { contact: named_contact(record), ..outward(record) };
        let addresses = match (route.is_return, route.from) {
            (true, Some(from)) => Addresses {
                destination: outward(route.to),
                origin: Some(customer(from)),
                r#return: None,
                location_configuration_id: None,
            },
            _ => Addresses {
                destination: customer(route.to),
                origin: self.addresses.origin.as_ref().map(outward),
                r#return: self.addresses.r#return.as_ref().map(outward),
                location_configuration_id: None,
            },
        };
        let packages = self.packages.iter().map(Package::as_carried).collect();
        let Self { name, tax_identifiers, customs, options, carrier, .. } = self;
        Self {
            name: name.clone(),
            addresses,
            tax_identifiers: tax_identifiers.clone(),
            packages,
            customs: customs.clone(),
            options: options.clone(),
            carrier: carrier.clone(),
        }
    }

    /// Returns the customer's address in a shipment that [`Self::as_carried`] returned: the destination, or the
    /// origin of a return.
    pub fn carried_customer(&self) -> &AddressRecord {
        match &self.addresses.origin {
            Some(origin) if self.is_return() => origin,
            _ => &self.addresses.destination,
        }
    }
}

impl AddressRecord {
    /// Returns the address without what is internal to the merchant.
    #[must_use]
    pub fn outward(&self) -> Self {
        Self {
            display_name: None,
            metadata: Default::default(),
            marketplaces: Default::default(),
            ..self.clone()
        }
    }
}

/// Returns the contact of a customer. If it has no name, the address's display name is used.
fn named_contact(record: &AddressRecord) -> Option<Contact> {
    let is_given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let contact = record.contact.clone();
    let is_named =
        contact.as_ref().is_some_and(|contact| is_given(&contact.name) || is_given(&contact.company));
    if is_named || !is_given(&record.display_name) {
        return contact;
    }
    let name = record.display_name.clone();
    Some(match contact {
        Some(contact) => Contact { name, ..contact },
        None => Contact { name, company: None, email_address: None, phone_number: None },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::platform::shape::parse;

    fn shipment(is_return: bool) -> ShipmentInput {
        let address = |name: &str, line: &str| {
            json!({"display_name": name, "metadata": {"shelf": name}, "marketplaces": {"shopify": name},
                   "address": {"line_1": line, "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}})
        };
        let body: Value = json!({
            "addresses": {"destination": address("Ada", "customer"), "origin": address("SECRET depot", "depot"),
                          "return": address("SECRET returns", "returns")},
            "packages": [{"geometry": {"mass": 1}}],
            "options": {"shipping": {"is_return": is_return}},
        });
        parse(body).unwrap()
    }

    #[test]
    fn a_return_travels_from_the_destination_to_the_return_address() {
        let line = |record: &AddressRecord| record.address.line_1.clone();
        let there = shipment(false);
        let route = there.route();
        assert_eq!((route.from.map(line).as_deref(), line(route.to).as_str()), (Some("depot"), "customer"));
        assert_eq!(route.undeliverable.map(line).as_deref(), Some("returns"));
        let mut back = shipment(true);
        let route = back.route();
        assert_eq!((route.from.map(line).as_deref(), line(route.to).as_str()), (Some("customer"), "returns"));
        assert!(route.undeliverable.is_none());
        back.addresses.r#return = None;
        assert_eq!(line(back.route().to), "depot");
    }

    #[test]
    fn a_carrier_knows_no_name_of_a_location() {
        for is_return in [false, true] {
            let carried = shipment(is_return).as_carried();
            let text = serde_json::to_string(&carried.addresses).unwrap();
            assert!(
                !text.contains("SECRET") && !text.contains("shelf") && !text.contains("shopify"),
                "{text}"
            );
            let customer = carried.carried_customer();
            assert_eq!(customer.address.line_1, "customer");
            let name = customer.contact.as_ref().and_then(|contact| contact.name.as_deref());
            assert_eq!(name, Some("Ada"), "a customer who is only known by a display name is named by it");
        }
    }
}
