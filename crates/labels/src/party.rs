//! The parties of a shipment: sender, recipient, and the address for undeliverable parcels.

use crate::label::Party;
use model::shipping::shipment::{AddressRecord, ShipmentInput};

/// Returns the recipient.
pub(crate) fn recipient(shipment: &ShipmentInput) -> Party {
    let route = shipment.route();
    if route.is_return { party(route.to) } else { customer(route.to) }
}

/// Returns the sender. A purchased shipment has an origin; without one, only the country is assumed.
pub(crate) fn sender(shipment: &ShipmentInput) -> Party {
    let route = shipment.route();
    let unknown = || Party {
        name: String::new(),
        company: None,
        lines: Vec::new(),
        city: String::new(),
        province: None,
        post_code: None,
        country_code: route.to.address.country_code,
        phone: None,
    };
    route.from.map_or_else(unknown, if route.is_return { customer } else { party })
}

/// Returns the return address, if it differs from the sender's.
pub(crate) fn return_to(shipment: &ShipmentInput) -> Option<Party> {
    let to = shipment.route().undeliverable.map(party)?;
    let from = sender(shipment);
    let place = |party: &Party| (party.lines.clone(), party.city.clone(), party.post_code.clone());
    (place(&to) != place(&from)).then_some(to)
}

/// Returns the party at an address, with the contact's name, else the company's. The address's display name is not
/// printed: if the address was copied from a location, it is the location's internal name.
pub(crate) fn party(record: &AddressRecord) -> Party {
    let given = |text: Option<&String>| text.filter(|text| !text.trim().is_empty()).cloned();
    let contact = record.contact.as_ref();
    let name = given(contact.and_then(|contact| contact.name.as_ref()));
    let mut company = given(contact.and_then(|contact| contact.company.as_ref()));
    let name = name.or_else(|| company.take());
    let postal = &record.address;
    let lines = [Some(&postal.line_1), postal.line_2.as_ref(), postal.line_3.as_ref()];
    Party {
        name: name.unwrap_or_default(),
        company,
        lines: lines.into_iter().filter_map(given).collect(),
        city: postal.city.clone(),
        province: given(postal.province.as_ref()),
        post_code: given(postal.post_code.as_ref()),
        country_code: postal.country_code,
        phone: given(contact.and_then(|contact| contact.phone_number.as_ref())),
    }
}

/// Returns the customer, who may have only a display name. A location is never a customer.
fn customer(record: &AddressRecord) -> Party {
    let mut party = party(record);
    if party.name.is_empty() {
        party.name = record.display_name.as_deref().unwrap_or_default().trim().to_owned();
    }
    party
}
