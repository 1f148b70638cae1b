//! Manifests: the shipments of one account that a carrier collects together, from one place on one day.

use serde::{Deserialize, Serialize};

use crate::places::closing::{Day, SHIP_DATE};
use crate::places::location::{LOCATION, LOCATION_ID, Location};
use crate::places::location_configuration::{self, REFERENCE};
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::shipping::carrier::{CARRIER, CARRIER_ACCOUNT_REFERENCE, Carrier, CarrierAccount, Reference};
use crate::shipping::document::{DOCUMENT, Document};
use crate::shipping::shipment::{AddressRecord, SHIPMENT_ID, Shipment, addresses};
use crate::{Id, Timestamp};

/// Maximum number of a manifest's shipments that an event contains. `shipments_count` holds the full number.
pub const EVENT_SHIPMENTS_MAX: usize = 1000;
/// Maximum numbers of a manifest's shipments, files and messages.
const SHIPMENTS_MAX: usize = 1_000_000;
const DOCUMENTS_MAX: usize = 100;
pub const MESSAGES_MAX: usize = 20;

/// A manifest as the API shows it.
#[derive(Serialize, Clone, Debug)]
pub struct Manifest {
    pub id: Id<Manifest>,
    pub carrier: Carrier,
    pub carrier_account: Reference<CarrierAccount>,
    pub status: Status,
    pub messages: Vec<String>,
    pub documents: Vec<Document>,
    pub shipments: Vec<Id<Shipment>>,
    pub shipments_count: i64,
    pub packages_count: i64,
    /// The location of origin. `None` if the shipments' origin was given as an address.
    pub location: Option<Id<Location>>,
    pub origin: Option<AddressRecord>,
    pub ship_date: Day,
    /// The carrier's own reference of the manifest.
    pub carrier_reference: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Manifest {
    const PREFIX: &'static str = "mfst";
}

/// The data of a manifest from its creation, and the carrier's messages.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Details {
    pub carrier_account: Reference<CarrierAccount>,
    pub origin: Option<AddressRecord>,
    #[serde(default)]
    pub messages: Vec<String>,
    pub carrier_reference: Option<String>,
}

impl Details {
    /// Adds a message, unless it equals the last one. If there are too many, the oldest are removed.
    pub fn add_message(&mut self, message: String) {
        if self.messages.last() != Some(&message) {
            self.messages.push(message);
        }
        let excess = self.messages.len().saturating_sub(MESSAGES_MAX);
        self.messages.drain(..excess);
    }
}

/// The status of a manifest.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The request to the carrier is due or in progress.
    Creating,
    Created,
    /// The carrier rejected the manifest. Its shipments can be added to another one.
    Failed,
}

impl Status {
    pub const ALL: [Status; 3] = [Status::Creating, Status::Created, Status::Failed];

    pub fn as_str(self) -> &'static str {
        match self {
            Status::Creating => "creating",
            Status::Created => "created",
            Status::Failed => "failed",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// The body of a request that creates the manifests of a location's day.
#[derive(Deserialize, Clone, Debug)]
pub struct ManifestInput {
    pub location: location_configuration::Reference,
    pub date: Option<Day>,
    /// The account's id or handle.
    pub carrier_account: Option<String>,
}

impl Input for ManifestInput {
    const SHAPE: &'static Shape = &MANIFEST_INPUT;
}

/// The id of a manifest.
pub static MANIFEST_ID: Shape = Shape::new(
    Kind::Identifier(Manifest::PREFIX),
    "Made when the parcels are closed out. Its barcode is on the driver's paper, and a carrier that is asked again is given the same one.",
);
/// The status of a manifest.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["creating", "created", "failed"]),
    "`creating` while the carrier is told, then `created` or `failed`. A failed one keeps its list, and its shipments may be manifested again.",
)
.example(r#""created""#);
static MESSAGE: Shape = Shape::text(0, 2000, "One thing that the carrier said.");
static MESSAGES: Shape = Shape::list(
    &MESSAGE,
    MESSAGES_MAX,
    "What the carrier said about it, such as why it refused. Empty while there is nothing to tell.",
)
.example("[]");
static DOCUMENTS: Shape = Shape::list(
    &DOCUMENT,
    DOCUMENTS_MAX,
    "The paper that the driver signs, as PDF; there once the status is `created`.",
);
static SHIPMENTS: Shape = Shape::list(
    &SHIPMENT_ID,
    SHIPMENTS_MAX,
    "The shipments that are handed over, by id. An event shows the first 1,000.",
);
static COUNT: Shape = Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "How many there are.").example("1");
static CARRIER_REFERENCE_TEXT: Shape =
    Shape::text(1, 255, "The carrier's own number of the manifest, for asking the carrier about it. Null until the carrier gave one.").example(r#""sf_8021""#);
static ACCOUNT_NAME: Shape =
    Shape::text(1, 100, "Closes out only parcels that were bought with this contract, named by id or handle. Without it, those of every account.")
        .example(r#""sandbox""#);

static LOCATION_NAME: Shape = Shape::new(
    Kind::Identified { of: &REFERENCE, whole: &LOCATION },
    "The location whose parcels are handed over, or its id alone.",
);

/// The body of a request that creates the manifests of a location's day.
pub static MANIFEST_INPUT: Shape = Shape::object(
    "ManifestInput",
    &[
        Field::required("location", &LOCATION_NAME),
        Field::optional("date", &SHIP_DATE).about("Only parcels of this day of shipping (UTC). Without it, all days up to today, each in a manifest of its own."),
        Field::optional("carrier_account", &ACCOUNT_NAME),
    ],
    "Which parcels are handed over.",
);
/// A manifest.
pub static MANIFEST: Shape = Shape::object(
    "Manifest",
    &[
        Field::given("id", &MANIFEST_ID),
        Field::given("carrier", &CARRIER).about("The carrier whose driver signs for the parcels."),
        Field::given("carrier_account", &CARRIER_ACCOUNT_REFERENCE)
            .about("The contract that the parcels were bought with: each has manifests of its own."),
        Field::given("status", &STATUS),
        Field::given("messages", &MESSAGES),
        Field::given("documents", &DOCUMENTS),
        Field::given("shipments", &SHIPMENTS),
        Field::given("shipments_count", &COUNT)
            .about("All shipments that are handed over, also where `shipments` shows fewer."),
        Field::given("packages_count", &COUNT)
            .about("Parcels that the driver counts: a shipment may have several."),
        Field::given_or_null("location", &LOCATION_ID)
            .about("Where the parcels leave from. Null if shipments were given their origin as an address."),
        Field::given_or_null("origin", &addresses::ADDRESS_RECORD)
            .about("The address that the parcels leave from, as it was when the shipments were made."),
        Field::given("ship_date", &SHIP_DATE),
        Field::given_or_null("carrier_reference", &CARRIER_REFERENCE_TEXT),
        Field::created_at(),
        Field::updated_at(),
    ],
    "What a carrier takes over together: of one account, from one place, on one day.",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_status_are_those_of_the_shape_and_of_json() {
        let Kind::OneOf(words) = STATUS.kind else { panic!("not a list of words") };
        assert_eq!(Status::ALL.map(Status::as_str), words);
        for known in Status::ALL {
            assert_eq!(serde_json::to_value(known).unwrap(), known.as_str());
            assert_eq!(Status::parse(known.as_str()), Some(known));
        }
    }

    #[test]
    fn messages_are_not_repeated_and_have_an_end() {
        let account = Reference { id: Id::from_bits(1), name: "A".to_owned(), handle: None };
        let mut details =
            Details { carrier_account: account, origin: None, messages: Vec::new(), carrier_reference: None };
        for number in 0..50 {
            details.add_message(format!("{}", number / 2));
        }
        assert_eq!((details.messages.len(), details.messages[0].as_str()), (MESSAGES_MAX, "5"));
    }
}
