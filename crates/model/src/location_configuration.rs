//! Location configurations: named pairs of an origin and a return location.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::closing::{CLOSING, Closing};
use crate::id::Kind as IdKind;
use crate::location::{self, ADDRESS, COORDINATES, LOCATION, LOCATION_ID, Location};
use crate::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::{Id, Timestamp};

/// A configuration as it is shown: the locations are those of this moment, embedded.
#[derive(Serialize)]
pub struct LocationConfiguration {
    pub id: Id<LocationConfiguration>,
    pub name: String,
    pub locations: Embedded,
    pub closing: Option<Closing>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for LocationConfiguration {
    const PREFIX: &'static str = "lc";
}

/// The two locations' records.
#[derive(Serialize)]
pub struct Embedded {
    pub origin: Value,
    pub r#return: Value,
}

/// What a client says of a configuration.
#[derive(Deserialize, Debug)]
pub struct LocationConfigurationInput {
    pub name: String,
    pub locations: Pair,
    pub closing: Option<Closing>,
}

/// The locations by their ids.
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
    Shape::text(1, 255, "The name shown to people.").example(r#""Bristol, returns to Bristol""#);
static ANYTHING: Shape = Shape::new(Kind::Boolean, "Ignored in requests.");

/// A reference takes a whole location too, as responses embed it, and looks at nothing but its id.
pub static REFERENCE: Shape = Shape::object(
    "LocationReference",
    &[
        Field::required("id", &LOCATION_ID),
        Field::given("name", &ANYTHING),
        Field::given("tags", &ANYTHING),
        Field::given("address", &ANYTHING),
        Field::given("marketplaces", &ANYTHING),
        Field::given("coordinates", &ANYTHING),
        Field::given("created_at", &ANYTHING),
        Field::given("updated_at", &ANYTHING),
    ],
    "A location by its id.",
);
static PAIR: Shape = Shape::object(
    "LocationReferences",
    &[Field::required("origin", &REFERENCE), Field::required("return", &REFERENCE)],
    "Where shipments originate, and where undeliverable ones return.",
);
/// What a client says of a configuration.
pub static INPUT: Shape = Shape::object(
    "LocationConfigurationInput",
    &[
        Field::given("id", &ANYTHING),
        Field::required("name", &NAME),
        Field::required("locations", &PAIR),
        Field::optional("closing", &CLOSING),
        Field::given("created_at", &ANYTHING),
        Field::given("updated_at", &ANYTHING),
    ],
    "A named pair of an origin and a return location.",
);

/// The id of a configuration.
pub static ID: Shape =
    Shape::new(Kind::Identifier(LocationConfiguration::PREFIX), "A location configuration's id.");
static LOCATIONS: Shape = Shape::object(
    "EmbeddedLocations",
    &[Field::required("origin", &LOCATION), Field::required("return", &LOCATION)],
    "Where shipments originate, and where undeliverable ones return.",
);
/// A configuration as a single read shows it.
pub static LOCATION_CONFIGURATION: Shape = Shape::object(
    "LocationConfiguration",
    &[
        Field::given("id", &ID),
        Field::required("name", &NAME),
        Field::required("locations", &LOCATIONS),
        Field::given_or_null("closing", &CLOSING),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "A named pair of an origin and a return location, which fills in a shipment's details.",
);

static LOCATION_SUMMARY: Shape = Shape::object(
    "LocationSummary",
    &[
        Field::given("id", &LOCATION_ID),
        Field::given("name", &location::NAME),
        Field::optional("tags", &location::TAGS),
        Field::given_or_null("address", &ADDRESS),
        Field::given("marketplaces", &location::MARKETPLACES),
        Field::optional("coordinates", &COORDINATES),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "A location, without its address unless `include_fields=address` asks for it.",
);
static SUMMARIES: Shape = Shape::object(
    "LocationSummaries",
    &[Field::required("origin", &LOCATION_SUMMARY), Field::required("return", &LOCATION_SUMMARY)],
    "Where shipments originate, and where undeliverable ones return.",
);
/// A configuration as lists show it.
pub static LOCATION_CONFIGURATION_SUMMARY: Shape = Shape::object(
    "LocationConfigurationSummary",
    &[
        Field::given("id", &ID),
        Field::required("name", &NAME),
        Field::required("locations", &SUMMARIES),
        Field::given_or_null("closing", &CLOSING),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "A configuration in a list.",
);
