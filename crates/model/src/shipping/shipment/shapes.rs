//! The shapes of shipments.

use super::{SHIPMENT_ID, ShipmentInput, addresses, customs, error, identifier, options, package};
use crate::orders::order::ORDER_ID;
use crate::places::location_configuration::COMPLETE_ON;
use crate::platform::id::{Kind as IdKind, ShippingRuleKind};
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::shipping::carrier::{CARRIER_ACCOUNT_REFERENCE, CARRIER_REFERENCE, CARRIER_SERVICE_REFERENCE};
use crate::shipping::document::DOCUMENT;
use crate::shipping::rate::{RATE, RATE_ID};

/// Maximum number of rates that a shipment shows.
pub const RATES_MAX: usize = 500;
/// Maximum number of documents: a label for each of 99 packages in each of three formats, and customs papers.
const DOCUMENTS_MAX: usize = 400;
/// Maximum number of accounts to which a shipment may be limited.
const ACCOUNTS_MAX: usize = 60;

/// The status of a shipment.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"]),
    "`draft` when made, `rated` with rates, `purchasing` while the carrier is asked, then `purchased` or `purchase_failed`, which can be repaired and bought again. `voided`: the carrier took the label back and refunds it.",
)
.example(r#""purchased""#);
/// The progress of a shipment's delivery.
pub static TRACKING_STATUS: Shape = Shape::new(
    Kind::OneOf(&[
        "unknown",
        "pre_transit",
        "in_transit",
        "out_for_delivery",
        "available_for_pickup",
        "delivered",
        "return_to_sender",
        "failure",
        "cancelled",
    ]),
    "What the carrier last reported: `pre_transit` once it is bought, then on to `delivered`, `return_to_sender`, `failure` or `cancelled`, which are final. `unknown` before it is bought.",
)
.example(r#""in_transit""#);
pub(crate) static NAME: Shape =
    Shape::text(1, 255, "A name or reference of your own, such as the order's number. Need not be unique.")
        .example(r#""Order 1042""#);
static CODE_TEXT: Shape =
    Shape::text(1, 150, "A handle, such as `sandbox` or `standard`.").example(r#""sandbox""#);
static ACCOUNT: Shape = Shape::text(1, 100, "The id or the handle of an account.");
static ACCOUNTS: Shape = Shape::list(
    &ACCOUNT,
    ACCOUNTS_MAX,
    "Only these accounts are asked for rates, by id or handle. Without it, all that are enabled.",
);
pub(crate) static CARRIER_CHOICE: Shape = Shape::object(
    "CarrierChoice",
    &[
        Field::optional("carrier_code", &CODE_TEXT)
            .about("Only this carrier is asked for rates: its handle or id."),
        Field::optional("service_code", &CODE_TEXT)
            .about("Only rates of this service are kept: its handle or id."),
        Field::optional("carrier_accounts", &ACCOUNTS),
    ],
    "Which carriers and services you want, before anything is rated.",
);
pub(crate) static CHOSEN: Shape = Shape::object(
    "ChosenService",
    &[
        Field::given_or_null("rate", &RATE_ID)
            .about("The rate that it is bought by, among `rates`. Null until it is bought if an account and a service were named instead."),
        Field::given("carrier", &CARRIER_REFERENCE)
            .about("The carrier that collects the parcel and is paid for it."),
        Field::given("carrier_service", &CARRIER_SERVICE_REFERENCE)
            .about("The carrier's service, which says how fast it travels."),
        Field::given("carrier_account", &CARRIER_ACCOUNT_REFERENCE)
            .about("The contract with the carrier that the purchase is charged to."),
    ],
    "What the shipment is, or will be, bought as. Null until a service is chosen.",
);
pub(crate) static RATES: Shape = Shape::list(
    &RATE,
    RATES_MAX,
    "What carriers asked for it when it was last rated, cheapest first. Emptied when the shipment changes.",
);
pub(crate) static DOCUMENTS: Shape = Shape::list(
    &DOCUMENT,
    DOCUMENTS_MAX,
    "Labels and customs papers, once it is bought. Each link lives an hour; read again for new ones.",
);
pub(crate) static COST: Shape = Shape::object(
    "ShipmentCost",
    &[Field::given("amount", &AMOUNT), Field::given("currency_code", &CURRENCY)],
    "What the carrier charged for it. If the carrier states no amount, the price of the rate that was bought. Null before it is purchased.",
);
pub(crate) static LABEL_PENDING: Shape = Shape::new(
    Kind::Boolean,
    "Whether it is purchased and the carrier delivers its label later. `shipment.updated` is sent when the label arrives.",
)
.example("false");

static SHIPPING_RULE_ID: Shape =
    Shape::new(Kind::Identifier(ShippingRuleKind::PREFIX), "A shipping rule, which may be deleted since.");

/// A shipment.
pub static SHIPMENT: Shape = Shape::object(
    "Shipment",
    &[
        Field::given("id", &SHIPMENT_ID),
        Field::optional("name", &NAME),
        Field::required("addresses", &addresses::ADDRESSES),
        Field::optional("tax_identifiers", &identifier::TAX_IDENTIFIERS),
        Field::required("packages", &package::PACKAGES),
        Field::optional("customs", &customs::CUSTOMS),
        Field::optional("options", &options::OPTIONS),
        Field::optional("carrier", &CARRIER_CHOICE),
        Field::given("documents", &DOCUMENTS),
        Field::given("rates", &RATES),
        Field::given_or_null("service", &CHOSEN),
        Field::given_or_null("cost", &COST),
        Field::given("status", &STATUS),
        Field::given("tracking_status", &TRACKING_STATUS),
        Field::given_or_null("tracking_number", &package::TRACKING_NUMBER).about("The carrier's number of the first package, once it is bought; each package has its own. Null before."),
        Field::given("label_pending", &LABEL_PENDING),
        Field::given("errors", &error::ERRORS),
        Field::given_or_null("order_id", &ORDER_ID)
            .about("The `ord_…` that it was made from. Null if it was made by itself, or its order's allocations were deleted after it was bought."),
        Field::given_or_null("complete_allocations_on", &COMPLETE_ON)
            .about("What completes the allocations in it and takes their stock: `purchase` or `hand_over`. Copied from the location configuration; null if it was not made from an order."),
        Field::given_or_null("handed_over_at", &MOMENT)
            .about("When the carrier got the parcels, as the first of these says: a manifest, tracking, or `POST /shipments/{shipment_id}/hand_over`. Null before, and for manifests of parcels that were not made from orders."),
        Field::given_or_null("rule_id", &SHIPPING_RULE_ID)
            .about("The `rule_…` that chose its service when it was made from an order. Null if no rule did."),
        Field::given_or_null("packed_at", &MOMENT)
            .about("When `POST /shipments/{shipment_id}/scans` had counted the last unit of its packages. Null while units are missing, and if nothing is scanned."),
        Field::created_at(),
        Field::updated_at(),
    ],
    "Something that is sent: from where to where, in which packages, by whom and for how much.",
);

impl Input for ShipmentInput {
    const SHAPE: &'static Shape = &SHIPMENT;
}
