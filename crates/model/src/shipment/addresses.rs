//! Addresses of a shipment: copies, never links. Whatever becomes of a location later, the shipment keeps what was true
//! when it was made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::location::{
    self, CONTACT, COORDINATES, Contact, Coordinates, LINE, LocationInput, POSTAL_FIELDS, PostalAddress,
};
use crate::location_configuration::ID as LOCATION_CONFIGURATION_ID;
use crate::problem::Issue;
use crate::shape::{Field, Kind, Pattern, Shape};
use crate::{Id, LocationConfiguration, inventory_item};

/// Where a shipment goes, where it comes from, and where it goes back to.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Addresses {
    pub destination: AddressRecord,
    pub origin: Option<AddressRecord>,
    pub r#return: Option<AddressRecord>,
    pub location_configuration_id: Option<Id<LocationConfiguration>>,
}

/// An address with all that is known of it.
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
    /// A copy of what a location is now. A location may have several counterparts on a marketplace; a shipment has the
    /// first.
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

    /// The word that picks a behaviour of the sandbox carrier, where there is one.
    pub fn sandbox_word(&self) -> Option<&str> {
        let company = self.contact.as_ref().and_then(|contact| contact.company.as_deref());
        [self.address.post_code.as_deref(), company].into_iter().flatten().find(|text| is_sandbox_word(text))
    }
}

/// What begins a word of the sandbox carrier. It stands in the place of a post code, so no country's pattern applies.
pub fn is_sandbox_word(text: &str) -> bool {
    text.starts_with("SBX-")
}

fn check_postal(address: &mut Map<String, Value>, at: &str, issues: &mut Vec<Issue>) {
    let post_code = address.get("post_code").and_then(Value::as_str).unwrap_or_default();
    if !is_sandbox_word(post_code) {
        location::normalise_post_code(address, at, issues);
    }
}

fn check_addresses(addresses: &mut Map<String, Value>, at: &str, issues: &mut Vec<Issue>) {
    if !addresses.contains_key("origin") && !addresses.contains_key("location_configuration_id") {
        let message = "Is required, unless `location_configuration_id` tells where it comes from.";
        issues.push(Issue::new("required", format!("{at}/origin"), message));
    }
}

fn is_marketplace(text: &str) -> bool {
    text.len() <= 50 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

static POSTAL: Shape = Shape {
    name: Some("ShipmentPostalAddress"),
    about: "The postal part of an address. In the test world its post code may be a word of the sandbox carrier.",
    kind: Kind::Object { fields: POSTAL_FIELDS, rule: Some(check_postal) },
    example: Some(r#"{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}"#),
};
static MARKETPLACES: Shape = Shape::new(
    Kind::Map {
        key: Pattern { regex: "^[a-zA-Z0-9_]{0,50}$", matches: is_marketplace },
        of: &LINE,
        entries_max: 50,
    },
    "Ids on external marketplaces. Always strings, so that none loses digits.",
)
.example(r#"{"shopify":"68241883417"}"#);
/// An address with all that is known of it.
pub static ADDRESS_RECORD: Shape = Shape::object(
    "AddressRecord",
    &[
        Field::optional("display_name", &LINE),
        Field::required("address", &POSTAL),
        Field::optional("contact", &CONTACT),
        Field::optional("metadata", &inventory_item::METADATA),
        Field::optional("marketplaces", &MARKETPLACES),
        Field::optional("coordinates", &COORDINATES),
    ],
    "An address with all that is known of it.",
);
/// The addresses of a shipment.
pub static ADDRESSES: Shape = Shape {
    name: Some("ShipmentAddresses"),
    about: "Where it goes, where it comes from, and where it goes back to. Copies: nothing changes them later.",
    kind: Kind::Object {
        fields: &[
            Field::required("destination", &ADDRESS_RECORD),
            Field::optional("origin", &ADDRESS_RECORD),
            Field::optional("return", &ADDRESS_RECORD),
            Field::optional("location_configuration_id", &LOCATION_CONFIGURATION_ID),
        ],
        rule: Some(check_addresses),
    },
    example: None,
};
