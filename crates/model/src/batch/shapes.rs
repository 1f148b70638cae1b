//! The shapes of batches, of what is put into them and of what is shown of it.

use serde_json::{Map, Value};

use super::{Batch, ERRORS_MAX};
use crate::carrier::{CARRIER_ACCOUNT_ID, CARRIER_ID, CARRIER_SERVICE_ID, DESCRIPTION, HANDLE, NAME};
use crate::id::Kind as IdKind;
use crate::inventory_item::METADATA;
use crate::location_configuration::ID as LOCATION_CONFIGURATION_ID;
use crate::problem::Issue;
use crate::shape::{Field, Kind, MOMENT, Shape};
use crate::shipment::addresses::ADDRESS_RECORD;
use crate::shipment::options::LABEL_FORMAT;
use crate::shipment::{self, SHIPMENT_ID, customs, error, identifier, options, package};

/// Most shipments that one request names.
pub const NAMED_MAX: usize = 100_000;
/// How many of its shipments a batch shows.
pub const MEMBERS_SHOWN: usize = 20;

/// The id of a batch.
pub static BATCH_ID: Shape = Shape::new(Kind::Identifier(Batch::PREFIX), "A batch's id.");
/// Where a batch stands.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["open", "purchasing", "purchased", "partially_purchased", "purchase_failed"]),
    "Where it stands. `purchased` is finalised: nothing of it changes any more.",
)
.example(r#""open""#);
static BATCH_NAME: Shape = Shape::text(1, 255, "A name of your own.").example(r#""Monday's parcels""#);
static OPTIONS: Shape = Shape::object(
    "BatchOptions",
    &[Field::optional("label_format", &LABEL_FORMAT)],
    "How its labels are wanted: as `png` where nothing is said.",
)
.example(r#"{"label_format":"png"}"#);

/// Something must be named with its id or its handle.
fn check_part(part: &mut Map<String, Value>, at: &str, issues: &mut Vec<Issue>) {
    if !part.contains_key("id") && !part.contains_key("handle") {
        issues.push(Issue::new("required", at, "Must have an `id` or a `handle`."));
    }
}

static CARRIER: Shape = Shape {
    name: Some("BatchCarrier"),
    about: "The carrier, by its id or its handle. May be left out where the account is given.",
    kind: Kind::Object {
        fields: &[
            Field::optional("id", &CARRIER_ID),
            Field::given_or_null("name", &NAME),
            Field::optional("handle", &HANDLE),
            Field::given_or_null("description", &DESCRIPTION),
        ],
        rule: Some(check_part),
    },
    example: None,
};
static CARRIER_SERVICE: Shape = Shape {
    name: Some("BatchCarrierService"),
    about: "The carrier's service, by its id or its handle.",
    kind: Kind::Object {
        fields: &[
            Field::optional("id", &CARRIER_SERVICE_ID),
            Field::given_or_null("name", &NAME),
            Field::optional("handle", &HANDLE),
            Field::given_or_null("description", &DESCRIPTION),
        ],
        rule: Some(check_part),
    },
    example: None,
};
static CARRIER_ACCOUNT: Shape = Shape {
    name: Some("BatchCarrierAccount"),
    about: "The account, by its id or its handle. May be left out where the carrier has one usable account.",
    kind: Kind::Object {
        fields: &[
            Field::optional("id", &CARRIER_ACCOUNT_ID),
            Field::given_or_null("name", &NAME),
            Field::optional("handle", &HANDLE),
            Field::given_or_null("description", &DESCRIPTION),
        ],
        rule: Some(check_part),
    },
    example: None,
};
static SERVICE: Shape = Shape::object(
    "BatchService",
    &[
        Field::optional("carrier", &CARRIER),
        Field::required("carrier_service", &CARRIER_SERVICE),
        Field::optional("carrier_account", &CARRIER_ACCOUNT),
    ],
    "The service with which all its shipments are bought. Where there is none, each is bought with its own.",
);

static COUNT: Shape = Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "How many.").example("2");
static SHIPMENTS_COUNT: Shape =
    Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "How many shipments it has.").example("2");
static PURCHASED_COUNT: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "How many of them are purchased; what was taken back is not.",
)
.example("0");
static ERROR_COUNT: Shape =
    Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "Errors across all its shipments.").example("0");
static ERRORS: Shape =
    Shape::list(&error::ERROR, ERRORS_MAX, "Errors of its shipments; `error_count` has how many there are.");
static MEMBER_ERRORS: Shape = Shape::list(&error::ERROR, error::ERRORS_MAX, "What went wrong with it.");
static MEMBER: Shape = Shape::object(
    "BatchMember",
    &[
        Field::required("id", &SHIPMENT_ID),
        Field::given_or_null("name", &shipment::NAME),
        Field::given("status", &shipment::STATUS),
        Field::given("errors", &MEMBER_ERRORS),
    ],
    "A shipment of a batch, in short.",
);
static MEMBER_OR_ID: Shape =
    Shape::new(Kind::Identified(&MEMBER), "A shipment: its id, or an object with its `id`.");
static MEMBERS: Shape = Shape::list(
    &MEMBER_OR_ID,
    NAMED_MAX,
    "In requests, shipments that are to be in it: ids, or objects with an `id`. In answers the oldest 20 of its shipments, in short; GET /batches/{batch_id}/shipments has them all.",
);
static NAMED: Shape = Shape::list(&MEMBER_OR_ID, NAMED_MAX, "Shipments: ids, or objects with an `id`.");
static OVERRIDE: Shape = Shape::new(
    Kind::Boolean,
    "In requests: whether the batch's service counts more than another that a shipment chose already.",
);

/// A batch.
pub static BATCH: Shape = Shape::object(
    "Batch",
    &[
        Field::given("id", &BATCH_ID),
        Field::optional("name", &BATCH_NAME),
        Field::optional("service", &SERVICE),
        Field::optional("options", &OPTIONS),
        Field::given("status", &STATUS),
        Field::given("errors", &ERRORS),
        Field::optional("shipments", &MEMBERS),
        Field::given("shipments_count", &SHIPMENTS_COUNT),
        Field::given("purchased_count", &PURCHASED_COUNT),
        Field::given("error_count", &ERROR_COUNT),
        Field::given("packages_count", &COUNT),
        Field::optional("metadata", &METADATA),
        Field::optional("override", &OVERRIDE),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "Shipments that are bought, labelled and handed over together.",
);
/// Shipments to put into a batch.
pub static MEMBERS_ADDED: Shape = Shape::object(
    "BatchShipmentsAdded",
    &[Field::required("shipments", &NAMED), Field::optional("override", &OVERRIDE)],
    "Shipments to put into a batch.",
);
/// Shipments to take out of a batch.
pub static MEMBERS_REMOVED: Shape = Shape::object(
    "BatchShipmentsRemoved",
    &[Field::required("shipments", &NAMED)],
    "Shipments to take out of a batch.",
);

static PARTIAL_ADDRESSES: Shape = Shape::object(
    "PartialAddresses",
    &[
        Field::given_or_null("destination", &ADDRESS_RECORD),
        Field::given_or_null("origin", &ADDRESS_RECORD),
        Field::given_or_null("return", &ADDRESS_RECORD),
        Field::given_or_null("location_configuration_id", &LOCATION_CONFIGURATION_ID),
    ],
    "Where it goes, where it comes from, and where it goes back to.",
);
/// A shipment, perhaps without the parts that `include_fields` does not name.
pub static PARTIAL_SHIPMENT: Shape = Shape::object(
    "PartialShipment",
    &[
        Field::given("id", &SHIPMENT_ID),
        Field::given_or_null("name", &shipment::NAME),
        Field::given("addresses", &PARTIAL_ADDRESSES),
        Field::given_or_null("tax_identifiers", &identifier::TAX_IDENTIFIERS),
        Field::given("packages", &package::PACKAGES),
        Field::given_or_null("customs", &customs::CUSTOMS),
        Field::given_or_null("options", &options::OPTIONS),
        Field::given_or_null("carrier", &shipment::CARRIER_CHOICE),
        Field::given_or_null("documents", &shipment::DOCUMENTS),
        Field::given_or_null("rates", &shipment::RATES),
        Field::given_or_null("service", &shipment::CHOSEN),
        Field::given("status", &shipment::STATUS),
        Field::given("tracking_status", &shipment::TRACKING_STATUS),
        Field::given_or_null("tracking_number", &package::TRACKING_NUMBER),
        Field::given_or_null("errors", &error::ERRORS),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "A shipment; where `include_fields` is given, without those of its seven parts that it does not name.",
);
