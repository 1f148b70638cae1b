//! What a search finds a shipment by, and the other fields of its document that lists are filtered by.

use serde::Deserialize;

use crate::places::address::Contact;
use crate::platform::search_text::{Form, Searched};
use crate::shipping::shipment::{
    AddressRecord, ChosenService, Cost, ErrorCode, Package, ShipmentInput, TrackingStatus,
};
use crate::{CarrierAccount, Id, Order, Shipment, Timestamp};

/// Numbers of packages by which a shipment is found. A carrier takes fewer packages.
const NUMBERS_MAX: usize = 50;

/// The fields of a shipment's document that a search or a filter compares.
#[derive(Deserialize, Default, Debug)]
#[serde(default)]
pub struct SearchedShipment {
    pub(super) name: Option<String>,
    pub(super) tracking_number: Option<String>,
    pub(super) packages: Vec<NumberedPackage>,
    addresses: SearchedAddresses,
    pub(super) updated_at: Option<Timestamp>,
    pub(super) tracking_status: TrackingStatus,
    pub(super) service: Option<FilteredService>,
    pub(super) carrier: Option<RequestedCarrier>,
    pub(super) order_id: Option<Id<Order>>,
    pub(super) errors: Vec<CodedError>,
    pub(super) cost: Option<Cost>,
}

/// An error of which only the code counts.
#[derive(Deserialize, Debug)]
pub(super) struct CodedError {
    pub code: ErrorCode,
}

/// The service that was chosen.
#[derive(Deserialize, Debug)]
pub(super) struct FilteredService {
    pub carrier: FilteredCarrier,
    pub carrier_account: FilteredAccount,
}

#[derive(Deserialize, Debug)]
pub(super) struct FilteredCarrier {
    pub handle: Option<String>,
}

#[derive(Deserialize, Debug)]
pub(super) struct FilteredAccount {
    pub id: Id<CarrierAccount>,
}

/// The carrier that was requested before one was chosen.
#[derive(Deserialize, Debug)]
pub(super) struct RequestedCarrier {
    pub carrier_code: Option<String>,
}

/// The tracking number of a package.
#[derive(Deserialize, Default, Debug)]
#[serde(default)]
pub(super) struct NumberedPackage {
    pub tracking_number: Option<String>,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedAddresses {
    destination: SearchedRecipient,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedRecipient {
    display_name: Option<String>,
    contact: Option<SearchedContact>,
    address: SearchedPostCode,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedContact {
    name: Option<String>,
    company: Option<String>,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedPostCode {
    post_code: Option<String>,
}

/// Takes the fields that reading the shipment's document gives.
impl From<&Shipment> for SearchedShipment {
    fn from(shipment: &Shipment) -> Self {
        let ShipmentInput { name, addresses, packages, carrier, .. } = &shipment.details;
        let number = |package: &Package| NumberedPackage { tracking_number: package.tracking_number.clone() };
        Self {
            name: name.clone(),
            tracking_number: shipment.tracking_number.clone(),
            packages: packages.iter().map(number).collect(),
            addresses: SearchedAddresses { destination: SearchedRecipient::from(&addresses.destination) },
            updated_at: Some(shipment.updated_at),
            tracking_status: shipment.tracking_status,
            service: shipment.service.as_ref().map(FilteredService::from),
            carrier: carrier
                .as_ref()
                .map(|choice| RequestedCarrier { carrier_code: choice.carrier_code.clone() }),
            order_id: shipment.order_id,
            cost: shipment.cost.clone(),
            errors: shipment.errors.iter().map(|error| CodedError { code: error.code }).collect(),
        }
    }
}

impl From<&AddressRecord> for SearchedRecipient {
    fn from(record: &AddressRecord) -> Self {
        let contact = |of: &Contact| SearchedContact { name: of.name.clone(), company: of.company.clone() };
        Self {
            display_name: record.display_name.clone(),
            contact: record.contact.as_ref().map(contact),
            address: SearchedPostCode { post_code: record.address.post_code.clone() },
        }
    }
}

impl From<&ChosenService> for FilteredService {
    fn from(chosen: &ChosenService) -> Self {
        Self {
            carrier: FilteredCarrier { handle: chosen.carrier.handle.clone() },
            carrier_account: FilteredAccount { id: chosen.carrier_account.id },
        }
    }
}

impl SearchedShipment {
    /// Returns the tracking numbers of the shipment and of its packages.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &str> {
        let of_packages = self.packages.iter().filter_map(|package| package.tracking_number.as_deref());
        self.tracking_number.as_deref().into_iter().chain(of_packages).take(NUMBERS_MAX)
    }

    /// Returns what a search compares and shows of the shipment.
    pub fn searched(&self) -> Searched {
        let to = &self.addresses.destination;
        let unnamed = SearchedContact::default();
        let contact = to.contact.as_ref().unwrap_or(&unnamed);
        let recipient = contact.name.as_ref().or(contact.company.as_ref());
        let mut searched = Searched {
            title: self.name.clone().or_else(|| self.tracking_number.clone()),
            subtitle: recipient.or(to.display_name.as_ref()).cloned(),
            fields: Vec::new(),
        };
        searched.add("/name", Form::Code, self.name.as_deref());
        searched.add("/addresses/destination/contact/name", Form::Text, contact.name.as_deref());
        searched.add("/addresses/destination/contact/company", Form::Text, contact.company.as_deref());
        if recipient.is_none() {
            searched.add("/addresses/destination/display_name", Form::Text, to.display_name.as_deref());
        }
        let post_code = to.address.post_code.as_deref();
        searched.add("/addresses/destination/address/post_code", Form::Number, post_code);
        for number in self.numbers() {
            searched.add("/tracking_number", Form::Number, Some(number));
        }
        searched
    }
}
