//! The shapes of batches, of their inputs and of their responses.

use serde_json::{Map, Value};

use super::{Batch, BatchInput, BatchLabelsInput, ERRORS_MAX, MembersAdded, MembersRemoved};
use crate::places::location_configuration::ID as LOCATION_CONFIGURATION_ID;
use crate::platform::id::Kind as IdKind;
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, METADATA, Path, Pattern, Shape};
use crate::shipping::carrier::{
    CARRIER_ACCOUNT_ID, CARRIER_ID, CARRIER_SERVICE_ID, DESCRIPTION, HANDLE, NAME,
};
use crate::shipping::shipment::addresses::ADDRESS_RECORD;
use crate::shipping::shipment::options::LABEL_FORMAT;
use crate::shipping::shipment::{self, SHIPMENT, SHIPMENT_ID, customs, error, identifier, options, package};

/// Maximum number of shipments that one request may name.
pub const NAMED_MAX: usize = 100_000;
/// Number of shipments that a batch shows.
pub const MEMBERS_SHOWN: usize = 20;

/// The id of a batch.
pub static BATCH_ID: Shape = Shape::new(
    Kind::Identifier(Batch::PREFIX),
    "Made when the batch is created. Shipments, labels and manifests of the batch are found under it.",
);
/// The status of a batch.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["open", "purchasing", "purchased", "partially_purchased", "purchase_failed"]),
    "`open` until it is bought; `purchasing` meanwhile; then `purchased`, or `partially_purchased` or `purchase_failed`, which can be repaired and bought again. `purchased` is final: the batch can't change any more.",
)
.example(r#""open""#);
static BATCH_NAME: Shape =
    Shape::text(1, 255, "Shown in lists and exports; need not be unique. No carrier sees it.")
        .example(r#""Monday's parcels""#);
static OPTIONS: Shape = Shape::object(
    "BatchOptions",
    &[Field::optional("label_format", &LABEL_FORMAT).about("The format of every label and of the merged file: pages of a PDF, ZPL one after the other, or PNG files in a ZIP. Defaults to `png`.")],
    "How the labels of the whole batch are made. It counts for the merged file, whatever the shipments ask for themselves.",
)
.example(r#"{"label_format":"png"}"#);

/// Checks that a part has an id or a handle.
fn check_part(part: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
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
    about: "How fast it travels, and for how much: a service of the carrier, by its id or its handle, such as `standard`.",
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
    "The service with which all shipments of the batch are bought. Without it, each is bought with the service it chose itself.",
);

static COUNT: Shape = Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "How many.").example("2");
static SHIPMENTS_COUNT: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Everything in the batch, whether bought or not. At most what the operator allows: 100,000 by default.",
)
.example("2");
static PURCHASED_COUNT: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Shipments of the batch that are bought and not voided. With `shipments_count` it shows how far a purchase has come.",
)
.example("0");
static ERROR_COUNT: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Errors of all its shipments together; a shipment may have several. `errors` shows the first of them.",
)
.example("0");
static ERROR_COUNTS: Shape = Shape::new(
    Kind::Map {
        key: Pattern { regex: "^[a-z_]+$", matches: |word| !word.is_empty() },
        of: &COUNT,
        entries_max: error::CODES_COUNT,
    },
    "Errors of all its shipments by `code`, however many `errors` shows. Codes without errors are missing; the counts add up to `error_count`.",
)
.example(r#"{"address_invalid":2}"#);
static ERRORS: Shape = Shape::list(
    &ERROR,
    ERRORS_MAX,
    "What went wrong with its shipments, up to a limit; `error_count` is the whole number.",
);
static MEMBER_ERRORS: Shape = Shape::list(
    &error::ERROR,
    error::ERRORS_MAX,
    "What went wrong with this shipment; empty while nothing did.",
);
static LABELS_PENDING_COUNT: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Purchased shipments whose label the carrier delivers later. When it is 0 again, `batch.labels_ready` is sent.",
)
.example("0");
static ERROR: Shape = Shape::object(
    "BatchError",
    &[
        Field::given("shipment_id", &SHIPMENT_ID)
            .about("Tells which member of the batch to repair, or to remove before the next purchase."),
        Field::given("type", &error::TYPE),
        Field::given("code", &error::CODE),
        Field::given("source", &error::SOURCE),
        Field::given("message", &error::MESSAGE),
        Field::optional("package", &error::PACKAGE),
    ],
    "Something that went wrong with a shipment of a batch.",
);
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
static MEMBER_OR_ID: Shape = Shape::new(
    Kind::Identified { of: &MEMBER, whole: &SHIPMENT },
    "A shipment: its id, or an object with its `id`.",
);
static MEMBERS: Shape = Shape::list_or_one(
    &MEMBER_OR_ID,
    NAMED_MAX,
    "In requests, shipments that are to be in it: ids, objects with an `id`, or whole shipments as they were read, of which only the `id` counts; one may come without an array around it. In answers the oldest 20 of its shipments, in short; GET /batches/{batch_id}/shipments has them all.",
);
static NAMED: Shape = Shape::list_or_one(
    &MEMBER_OR_ID,
    NAMED_MAX,
    "Shipments: ids, objects with an `id`, or whole shipments as they were read. One may come without an array around it.",
);
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
        Field::given("error_counts", &ERROR_COUNTS),
        Field::given("packages_count", &COUNT)
            .about("The parcels of all its shipments: the number of labels to expect."),
        Field::given("labels_pending_count", &LABELS_PENDING_COUNT),
        Field::optional("metadata", &METADATA),
        Field::optional("override", &OVERRIDE),
        Field::created_at(),
        Field::updated_at(),
    ],
    "Shipments that are bought, labelled and handed over together.",
);

impl Input for BatchInput {
    const SHAPE: &'static Shape = &BATCH;
}

/// The body of a request that creates the labels of a batch.
pub static LABELS_INPUT: Shape = Shape::object(
    "BatchLabelsInput",
    &[Field::optional("format", &LABEL_FORMAT)],
    "How its labels are wanted. Where no format is given, as the batch's `options.label_format` says.",
)
.example(r#"{"format":"pdf"}"#);

impl Input for BatchLabelsInput {
    const SHAPE: &'static Shape = &LABELS_INPUT;
}

/// The body of a request that adds shipments to a batch.
pub static MEMBERS_ADDED: Shape = Shape::object(
    "BatchShipmentsAdded",
    &[Field::required("shipments", &NAMED), Field::optional("override", &OVERRIDE)],
    "Shipments to put into a batch.",
);

impl Input for MembersAdded {
    const SHAPE: &'static Shape = &MEMBERS_ADDED;
}

/// The body of a request that removes shipments from a batch.
pub static MEMBERS_REMOVED: Shape = Shape::object(
    "BatchShipmentsRemoved",
    &[Field::required("shipments", &NAMED)],
    "Shipments to take out of a batch.",
);

impl Input for MembersRemoved {
    const SHAPE: &'static Shape = &MEMBERS_REMOVED;
}

static PARTIAL_ADDRESSES: Shape = Shape::object(
    "PartialAddresses",
    &[
        Field::given_or_null("destination", &ADDRESS_RECORD)
            .about("Recipient and street that the label shows largest."),
        Field::given_or_null("origin", &ADDRESS_RECORD)
            .about("Where it leaves from, as it was when the shipment was made."),
        Field::given_or_null("return", &ADDRESS_RECORD)
            .about("Where it goes back to if it can't be delivered."),
        Field::given_or_null("location_configuration_id", &LOCATION_CONFIGURATION_ID)
            .about("Whose locations were copied when the shipment was made."),
    ],
    "Where it goes, where it comes from, and where it goes back to.",
);
/// A shipment, without the parts that `include_fields` omits.
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
        Field::given_or_null("cost", &shipment::COST),
        Field::given("status", &shipment::STATUS),
        Field::given("tracking_status", &shipment::TRACKING_STATUS),
        Field::given_or_null("tracking_number", &package::TRACKING_NUMBER)
            .about("The carrier's number of the first package, once it is bought."),
        Field::given("label_pending", &shipment::LABEL_PENDING),
        Field::given_or_null("errors", &error::ERRORS),
        Field::created_at(),
        Field::updated_at(),
    ],
    "A shipment; where `include_fields` is given, without those of its seven parts that it does not name.",
);
