//! Location configurations: named pairs of an origin and a return location.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::places::address::{ADDRESS, COORDINATES};
use crate::places::closing::{CLOSING, Closing};
use crate::places::location::{self, LOCATION, LOCATION_ID, Location};
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::platform::time_zone::TIME_ZONE;
use crate::{Id, Timestamp};

/// A configuration as the API shows it, with the current data of its locations embedded.
#[derive(Serialize)]
pub struct LocationConfiguration {
    pub id: Id<LocationConfiguration>,
    pub name: String,
    pub locations: Embedded,
    pub closing: Option<Closing>,
    pub is_default: bool,
    pub complete_allocations_on: CompleteOn,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The moment at which the allocations of a shipment that was made from an order are completed.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum CompleteOn {
    #[default]
    Purchase,
    HandOver,
}

impl CompleteOn {
    const WORDS: [&'static str; 2] = ["purchase", "hand_over"];

    pub fn as_str(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    pub fn parse(word: &str) -> Option<Self> {
        [CompleteOn::Purchase, CompleteOn::HandOver].into_iter().find(|known| known.as_str() == word)
    }
}

impl IdKind for LocationConfiguration {
    const PREFIX: &'static str = "lc";
}

/// The embedded records of the two locations.
#[derive(Serialize)]
pub struct Embedded {
    pub origin: Value,
    pub r#return: Value,
}

/// The body of a request that creates a configuration.
#[derive(Deserialize, Debug)]
pub struct LocationConfigurationInput {
    pub name: String,
    pub locations: Pair,
    pub closing: Option<Closing>,
    #[serde(default)]
    pub is_default: bool,
    #[serde(default)]
    pub complete_allocations_on: CompleteOn,
}

/// The ids of the two locations.
#[derive(Deserialize, Debug)]
pub struct Pair {
    pub origin: Reference,
    pub r#return: Reference,
}

/// A location by its id.
#[derive(Deserialize, Clone, Debug)]
pub struct Reference {
    pub id: Id<Location>,
}

impl Input for LocationConfigurationInput {
    const SHAPE: &'static Shape = &INPUT;
}

static NAME: Shape =
    Shape::text(1, 255, "Shown where people choose where a shipment leaves from. Need not be unique.")
        .example(r#""Bristol, returns to Bristol""#);
static ANYTHING: Shape = Shape::new(Kind::Boolean, "Ignored in requests.");

static IS_DEFAULT: Shape = Shape::new(
    Kind::Boolean,
    "Whether shipments that are made from orders at the origin use this configuration. An origin has at most one: setting it here ends it elsewhere. With a single configuration, that one is used anyway.",
)
.example("false");
/// When the allocations of a shipment are completed.
pub static COMPLETE_ON: Shape = Shape::new(
    Kind::OneOf(&CompleteOn::WORDS),
    "When the allocations in a shipment that is made from an order are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel.",
)
.example(r#""purchase""#);

/// A reference to a location. A client may also send a whole location, as responses embed it; only its id is read.
pub static REFERENCE: Shape = Shape::object(
    "LocationReference",
    &[
        Field::required("id", &LOCATION_ID),
        Field::given("name", &ANYTHING),
        Field::given("tags", &ANYTHING),
        Field::given("address", &ANYTHING),
        Field::given("marketplaces", &ANYTHING),
        Field::given("coordinates", &ANYTHING),
        Field::given("time_zone", &ANYTHING),
        Field::given("created_at", &ANYTHING),
        Field::given("updated_at", &ANYTHING),
    ],
    "A location, named by its `id`. Its other fields may come along, and are ignored.",
);
static PAIR: Shape = Shape::object(
    "LocationReferences",
    &[
        Field::required("origin", &REFERENCE).about(
            "Where parcels leave from: printed as the sender, and what distances and closing times go by.",
        ),
        Field::required("return", &REFERENCE)
            .about("Where a parcel goes that can't be delivered. May be the same location as the origin."),
    ],
    "The two locations that a shipment copies its origin and its return address from.",
);
/// The body of a request that creates a configuration.
pub static INPUT: Shape = Shape::object(
    "LocationConfigurationInput",
    &[
        Field::given("id", &ANYTHING),
        Field::required("name", &NAME),
        Field::required("locations", &PAIR),
        Field::optional("closing", &CLOSING).about("Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it."),
        Field::optional("is_default", &IS_DEFAULT),
        Field::optional("complete_allocations_on", &COMPLETE_ON)
            .about("When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it."),
        Field::given("created_at", &ANYTHING),
        Field::given("updated_at", &ANYTHING),
    ],
    "A named pair of an origin and a return location.",
);

/// The id of a configuration.
pub static ID: Shape = Shape::new(
    Kind::Identifier(LocationConfiguration::PREFIX),
    "Made when the configuration is created. A new shipment names it to copy its origin and return address.",
);
static LOCATIONS: Shape = Shape::object(
    "EmbeddedLocations",
    &[
        Field::required("origin", &LOCATION).about(
            "Where parcels leave from: printed as the sender, and what distances and closing times go by.",
        ),
        Field::required("return", &LOCATION)
            .about("Where a parcel goes that can't be delivered. May be the same location as the origin."),
    ],
    "The two locations that a shipment copies its origin and its return address from.",
);
/// A configuration, as a request for one of them shows it.
pub static LOCATION_CONFIGURATION: Shape = Shape::object(
    "LocationConfiguration",
    &[
        Field::given("id", &ID),
        Field::required("name", &NAME),
        Field::required("locations", &LOCATIONS),
        Field::given_or_null("closing", &CLOSING).about("Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it."),
        Field::given("is_default", &IS_DEFAULT),
        Field::given("complete_allocations_on", &COMPLETE_ON)
            .about("When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it."),
        Field::created_at(),
        Field::updated_at(),
    ],
    "A named pair of an origin and a return location, which fills in a shipment's details.",
);

static LOCATION_SUMMARY: Shape = Shape::object(
    "LocationSummary",
    &[
        Field::given("id", &LOCATION_ID),
        Field::given("name", &location::NAME),
        Field::optional("tags", &location::TAGS),
        Field::given_or_null("address", &ADDRESS)
            .about("Street, town and contact. Shown only if the request says `include_fields=address`."),
        Field::given("marketplaces", &location::MARKETPLACES),
        Field::optional("coordinates", &COORDINATES)
            .about("Where it is on the globe, for distances in plans."),
        Field::optional("time_zone", &TIME_ZONE).about(location::TIME_ZONE_ABOUT),
        Field::created_at(),
        Field::updated_at(),
    ],
    "A location, without its address unless `include_fields=address` asks for it.",
);
static SUMMARIES: Shape = Shape::object(
    "LocationSummaries",
    &[
        Field::required("origin", &LOCATION_SUMMARY).about(
            "Where parcels leave from: printed as the sender, and what distances and closing times go by.",
        ),
        Field::required("return", &LOCATION_SUMMARY)
            .about("Where a parcel goes that can't be delivered. May be the same location as the origin."),
    ],
    "The two locations that a shipment copies its origin and its return address from.",
);
/// A configuration, as lists show it.
pub static LOCATION_CONFIGURATION_SUMMARY: Shape = Shape::object(
    "LocationConfigurationSummary",
    &[
        Field::given("id", &ID),
        Field::required("name", &NAME),
        Field::required("locations", &SUMMARIES),
        Field::given_or_null("closing", &CLOSING).about("Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it."),
        Field::given("is_default", &IS_DEFAULT),
        Field::given("complete_allocations_on", &COMPLETE_ON)
            .about("When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it."),
        Field::created_at(),
        Field::updated_at(),
    ],
    "A configuration in a list.",
);
