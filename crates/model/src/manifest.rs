//! Manifests: what a carrier takes over together, of one account, from one place, on one day.

use serde::{Deserialize, Serialize};

use crate::carrier::{CARRIER, CARRIER_ACCOUNT_REFERENCE, Carrier, CarrierAccount, Reference};
use crate::closing::{Day, SHIP_DATE};
use crate::document::{DOCUMENT, Document};
use crate::id::Kind as IdKind;
use crate::location::{LOCATION_ID, Location};
use crate::location_configuration::{self, REFERENCE};
use crate::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::shipment::{AddressRecord, SHIPMENT_ID, Shipment, addresses};
use crate::{Id, Timestamp};

/// Most shipments of a manifest that an event shows; `shipments_count` tells how many there are.
pub const EVENT_SHIPMENTS_MAX: usize = 1000;
/// Most shipments of a manifest, files of it, and messages about it.
const SHIPMENTS_MAX: usize = 1_000_000;
const DOCUMENTS_MAX: usize = 100;
pub const MESSAGES_MAX: usize = 20;

/// A manifest as it is shown.
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
    /// The location that they leave from; none where their origin was given as an address.
    pub location: Option<Id<Location>>,
    pub origin: Option<AddressRecord>,
    pub ship_date: Day,
    /// The carrier's own name of it.
    pub carrier_reference: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Manifest {
    const PREFIX: &'static str = "mfst";
}

/// What is known of a manifest from the beginning, and what the carrier said.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Details {
    pub carrier_account: Reference<CarrierAccount>,
    pub origin: Option<AddressRecord>,
    #[serde(default)]
    pub messages: Vec<String>,
    pub carrier_reference: Option<String>,
}

impl Details {
    /// Adds a message; one that was the last already is not repeated, and the oldest go where there are too many.
    pub fn add_message(&mut self, message: String) {
        if self.messages.last() != Some(&message) {
            self.messages.push(message);
        }
        let excess = self.messages.len().saturating_sub(MESSAGES_MAX);
        self.messages.drain(..excess);
    }
}

/// Where a manifest stands.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The carrier is asked, or is at it.
    Creating,
    Created,
    /// The carrier did not take it. Its shipments are free again.
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

/// The wish to close out a location's day.
#[derive(Deserialize, Clone, Debug)]
pub struct ManifestInput {
    pub location: location_configuration::Reference,
    pub date: Option<Day>,
    /// By its id or handle.
    pub carrier_account: Option<String>,
}

impl Input for ManifestInput {
    const SHAPE: &'static Shape = &MANIFEST_INPUT;
}

/// The id of a manifest.
pub static MANIFEST_ID: Shape = Shape::new(Kind::Identifier(Manifest::PREFIX), "A manifest's id.");
/// The status of a manifest.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["creating", "created", "failed"]),
    "Where it stands with its carrier. A failed one keeps its list, and its shipments may be manifested again.",
)
.example(r#""created""#);
static MESSAGE: Shape = Shape::text(0, 2000, "A sentence.");
static MESSAGES: Shape = Shape::list(&MESSAGE, MESSAGES_MAX, "What the carrier said of it.").example("[]");
static DOCUMENTS: Shape = Shape::list(&DOCUMENT, DOCUMENTS_MAX, "The paper to print, and to have signed.");
static SHIPMENTS: Shape = Shape::list(&SHIPMENT_ID, SHIPMENTS_MAX, "The ids of its shipments.");
static COUNT: Shape = Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "How many there are.").example("1");
static CARRIER_REFERENCE_TEXT: Shape =
    Shape::text(1, 255, "The carrier's own name of it, once there is one.").example(r#""sf_8021""#);
static ACCOUNT_NAME: Shape =
    Shape::text(1, 100, "Only what was bought with this account, by its id or handle.")
        .example(r#""sandbox""#);

static LOCATION_NAME: Shape =
    Shape::new(Kind::Identified(&REFERENCE), "The location whose parcels are handed over, or its id alone.");

/// What a client says to close out a location's day.
pub static MANIFEST_INPUT: Shape = Shape::object(
    "ManifestInput",
    &[
        Field::required("location", &LOCATION_NAME),
        Field::optional("date", &SHIP_DATE),
        Field::optional("carrier_account", &ACCOUNT_NAME),
    ],
    "Which parcels are handed over.",
);
/// A manifest.
pub static MANIFEST: Shape = Shape::object(
    "Manifest",
    &[
        Field::given("id", &MANIFEST_ID),
        Field::given("carrier", &CARRIER),
        Field::given("carrier_account", &CARRIER_ACCOUNT_REFERENCE),
        Field::given("status", &STATUS),
        Field::given("messages", &MESSAGES),
        Field::given("documents", &DOCUMENTS),
        Field::given("shipments", &SHIPMENTS),
        Field::given("shipments_count", &COUNT),
        Field::given("packages_count", &COUNT),
        Field::given_or_null("location", &LOCATION_ID),
        Field::given_or_null("origin", &addresses::ADDRESS_RECORD),
        Field::given("ship_date", &SHIP_DATE),
        Field::given_or_null("carrier_reference", &CARRIER_REFERENCE_TEXT),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
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
