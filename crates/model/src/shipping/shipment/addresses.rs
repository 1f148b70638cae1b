//! Addresses of a shipment. They are copies: a later change of a location does not affect existing shipments.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::orders::order::Destination;
use crate::places::address::{CONTACT, COORDINATES, Contact, Coordinates, LINE, PostalAddress};
use crate::places::location::LocationInput;
use crate::places::location_configuration::ID as LOCATION_CONFIGURATION_ID;
use crate::places::sandbox_address::{POSTAL, is_sandbox_word};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Issues, Kind, METADATA, Path, Pattern, Shape};
use crate::{Id, LocationConfiguration};

/// The destination, the origin and the return address of a shipment.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Addresses {
    pub destination: AddressRecord,
    pub origin: Option<AddressRecord>,
    pub r#return: Option<AddressRecord>,
    pub location_configuration_id: Option<Id<LocationConfiguration>>,
}

/// An address with its additional data.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct AddressRecord {
    pub display_name: Option<String>,
    pub address: PostalAddress,
    pub contact: Option<Contact>,
    #[serde(default)]
    pub metadata: Map<String, Value>,
    #[serde(default)]
    pub marketplaces: Map<String, Value>,
    pub coordinates: Option<Coordinates>,
}

impl AddressRecord {
    /// Copies the current data of a location. A location may have several counterparts on a marketplace; a shipment
    /// has the first. The location's name becomes the display name, which only the merchant sees: see
    /// [`super::Route`].
    pub fn of_location(location: &LocationInput) -> Self {
        let first = |(name, ids): (&String, &Value)| Some((name.clone(), ids.as_array()?.first()?.clone()));
        Self {
            display_name: Some(location.name.clone()),
            address: location.address.address.clone(),
            contact: location.address.contact.clone(),
            metadata: Map::new(),
            marketplaces: location.marketplaces.iter().filter_map(first).collect(),
            coordinates: location.coordinates,
        }
    }

    /// Copies the destination of an order.
    pub fn of_destination(destination: &Destination) -> Self {
        Self {
            display_name: destination.display_name.clone(),
            address: destination.address.clone(),
            contact: destination.contact.clone(),
            metadata: Map::new(),
            marketplaces: Map::new(),
            coordinates: destination.coordinates,
        }
    }

    /// Returns the word that selects a behaviour of the sandbox carrier, if there is one.
    pub fn sandbox_word(&self) -> Option<&str> {
        let company = self.contact.as_ref().and_then(|contact| contact.company.as_deref());
        [self.address.post_code.as_deref(), company].into_iter().flatten().find(|text| is_sandbox_word(text))
    }
}

impl Addresses {
    /// Returns the postal addresses, each with its JSON pointer in a shipment.
    pub fn postal(&self) -> impl Iterator<Item = (&'static str, &PostalAddress)> {
        let all = [
            ("/addresses/destination/address", Some(&self.destination)),
            ("/addresses/origin/address", self.origin.as_ref()),
            ("/addresses/return/address", self.r#return.as_ref()),
        ];
        all.into_iter().filter_map(|(at, record)| Some((at, &record?.address)))
    }
}

fn check_addresses(addresses: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    if !addresses.contains_key("origin") && !addresses.contains_key("location_configuration_id") {
        let message = "Is required, unless `location_configuration_id` tells where it comes from.";
        issues.push(Issue::new("required", format!("{at}/origin"), message));
    }
}

fn is_marketplace(text: &str) -> bool {
    text.len() <= 50 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

static MARKETPLACES: Shape = Shape::new(
    Kind::Map {
        key: Pattern { regex: "^[a-zA-Z0-9_]{0,50}$", matches: is_marketplace },
        of: &LINE,
        entries_max: 50,
    },
    "What other systems call this address: a map from a marketplace's name to its id, as strings. Kept and returned.",
)
.example(r#"{"shopify":"68241883417"}"#);
static DISPLAY_NAME: Shape = Shape::text(
    0,
    255,
    "What the address is called in lists: a location's name where it was copied from one. Never printed or sent to a \
     carrier, except for a destination whose contact has neither name nor company.",
)
.example(r#""Bristol depot""#);
/// An address with its additional data.
pub static ADDRESS_RECORD: Shape = Shape::object(
    "AddressRecord",
    &[
        Field::optional("display_name", &DISPLAY_NAME),
        Field::required("address", &POSTAL).about("Street, town and country, as they are printed."),
        Field::optional("contact", &CONTACT)
            .about("Who sends or receives: printed above the address and told to the carrier."),
        Field::optional("metadata", &METADATA),
        Field::optional("marketplaces", &MARKETPLACES),
        Field::optional("coordinates", &COORDINATES)
            .about("Where it is on the globe, if you know. Some carriers' zones go by it."),
    ],
    "A postal address, who is there, and your own notes on it.",
);
/// The addresses of a shipment.
pub static ADDRESSES: Shape = Shape {
    name: Some("ShipmentAddresses"),
    about: "Where it goes, where it comes from, and where it goes back to. Copies: nothing changes them later.",
    kind: Kind::Object {
        fields: &[
            Field::required("destination", &ADDRESS_RECORD).about("Where the parcel goes: printed large on the label."),
            Field::optional("origin", &ADDRESS_RECORD).about("Where it leaves from, printed as the sender. Without it, that of `location_configuration_id` is copied."),
            Field::optional("return", &ADDRESS_RECORD).about("Where it goes back to if it can't be delivered. Without it, that of `location_configuration_id` is copied."),
            Field::optional("location_configuration_id", &LOCATION_CONFIGURATION_ID).about("Whose locations are copied as origin and return address, as they are now. Later changes of the locations leave the shipment alone."),
        ],
        rule: Some(check_addresses),
    },
    example: None,
};
