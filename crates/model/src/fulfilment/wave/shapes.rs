//! The shapes of waves and of their orders.

use serde_json::{Map, Value};

use super::input::{STEP_WORDS, Step, WaveInput};
use super::{BATCHES_SHOWN, ERRORS_MAX, ORDERS_MAX, RESULT_WORDS, STATUS_WORDS, Wave};
use crate::orders::fulfilment::{FULFILMENT_STATUS, SHIPMENT_ID};
use crate::orders::order::ORDER_ID;
use crate::orders::order_details::{CHANNEL, ORDER_TAG};
use crate::places::location::LOCATION_ID;
use crate::platform::id::Kind as IdKind;
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, MOMENT, Path, Shape};
use crate::shipping::batch::BATCH_ID;
use crate::shipping::shipment::options::LABEL_FORMAT;

/// Locations that a wave names.
const LOCATIONS_MAX: usize = 100;
/// Tags of a filter.
const TAGS_MAX: usize = 20;
/// Shipments of one order in a wave.
const SHIPMENTS_MAX: usize = 10_000;
/// Different exceptions of a wave.
const EXCEPTIONS_MAX: usize = 1000;

impl Input for WaveInput {
    const SHAPE: &'static Shape = &WAVE;
}

/// Refuses steps that are repeated, out of order, or lack the step that they need, and a wave whose orders are named twice
/// or not at all.
fn check_wave(wave: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let is_given = |name: &str| wave.get(name).is_some_and(|value| !value.is_null());
    match (is_given("order_ids"), is_given("filter")) {
        (true, true) => {
            let message = "Name the orders, or say by a filter which they are. Leave one of them out.";
            issues.push(Issue::new("invalid_value", format!("{at}/filter"), message));
        }
        (false, false) => {
            let message =
                "Name the orders, or send a `filter`: `{}` takes all that are committed and not held.";
            issues.push(Issue::new("required", format!("{at}/order_ids"), message));
        }
        _ => {}
    }
    let Some(words) = wave.get("steps").and_then(Value::as_array) else { return };
    let steps: Vec<Step> = words.iter().filter_map(|word| Step::parse(word.as_str()?)).collect();
    let field = format!("{at}/steps");
    if !steps.is_sorted_by(|a, b| a < b) {
        let message = format!("Must be in this order, each once: {}.", STEP_WORDS.join(", "));
        issues.push(Issue::new("invalid_value", field, message));
        return;
    }
    for (step, needed) in [(Step::Rate, Step::Ship), (Step::Batch, Step::Ship), (Step::Purchase, Step::Batch)]
    {
        if steps.contains(&step) && !steps.contains(&needed) {
            let message = format!("`{}` needs `{}`.", step.as_str(), needed.as_str());
            issues.push(Issue::new("invalid_value", field.clone(), message));
        }
    }
}

fn check_filter(filter: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let moment = |name: &str| filter.get(name).and_then(Value::as_str).and_then(crate::Timestamp::parse);
    if let (Some(after), Some(before)) = (moment("placed_after"), moment("placed_before"))
        && after >= before
    {
        let message = "Must be earlier than `placed_before`: no order is placed in between.";
        issues.push(Issue::new("invalid_value", format!("{at}/placed_after"), message));
    }
    let status = filter.get("fulfilment_status").and_then(Value::as_str).unwrap_or_default();
    if matches!(status, "shipped" | "partially_delivered" | "delivered") {
        let message = "Nothing of such an order is left to ship, so no wave takes it.";
        issues.push(Issue::new("invalid_value", format!("{at}/fulfilment_status"), message));
    }
}

/// The id of a wave.
pub static WAVE_ID: Shape = Shape::new(
    Kind::Identifier(Wave::PREFIX),
    "Made when the wave is started. Its orders and papers are found under it.",
);
static NAME: Shape =
    Shape::text(1, 200, "Your own word for it, shown in lists; need not be unique.").example(r#""Morning""#);
static ORDER_IDS: Shape = Shape::some(
    &ORDER_ID,
    ORDERS_MAX,
    "The orders to process, in any order. Only in requests: read them from `GET /waves/{wave_id}/orders`.",
);
static CUSTOMER: Shape = Shape::text(1, 255, "The whole name or company of the customer, whatever its case.")
    .example(r#""Ann Miller""#);
static EMAIL_ADDRESS: Shape =
    Shape::text(1, 255, "The address of the customer, whatever its case.").example(r#""ann@example.com""#);
static SKU: Shape =
    Shape::text(1, 100, "The SKU of an inventory item of the order.").example(r#""TEE-BLUE-M""#);
static TAGS: Shape = Shape::list(&ORDER_TAG, TAGS_MAX, "Words all of which the order has.");
static HAS_EXCEPTION: Shape =
    Shape::new(Kind::Boolean, "Whether something is open that went wrong with the order.").example("false");
static FILTER: Shape = Shape {
    name: Some("WaveFilter"),
    about: "Takes the orders that pass all of these and are committed, not held, and not shipped entirely, as they are when the wave is started. `{}` takes all of those.",
    kind: Kind::Object {
        fields: &[
            Field::optional("fulfilment_status", &FULFILMENT_STATUS),
            Field::optional("customer", &CUSTOMER),
            Field::optional("email_address", &EMAIL_ADDRESS),
            Field::optional("channel", &CHANNEL).about("Where it was sold, exactly as the order says it."),
            Field::optional("tags", &TAGS),
            Field::optional("placed_after", &MOMENT)
                .about("Takes what was placed later than this. Orders without `placed_at` are left out."),
            Field::optional("placed_before", &MOMENT)
                .about("Takes what was placed earlier than this. Orders without `placed_at` are left out."),
            Field::optional("ship_by_before", &MOMENT)
                .about("Takes what must have left earlier than this. Orders without `ship_by` are left out."),
            Field::optional("location_id", &LOCATION_ID)
                .about("Takes orders with an allocation at this place."),
            Field::optional("sku", &SKU),
            Field::optional("has_exception", &HAS_EXCEPTION),
        ],
        rule: Some(check_filter),
    },
    example: Some(r#"{"channel":"webshop"}"#),
};
static STEP: Shape = Shape::new(
    Kind::OneOf(&STEP_WORDS),
    "`plan`: allocate what is not allocated, where it is best sent from. `ship`: pack it and make shipments by the shipping rules. `rate`: where a rule chooses by rates, ask carriers and choose. `batch`: put the shipments into batches. `purchase`: buy these batches once all orders are processed.",
)
.example(r#""plan""#);
static STEPS: Shape = Shape::some(
    &STEP,
    STEP_WORDS.len(),
    "What to do for each order, in this order. `rate` and `batch` need `ship`, `purchase` needs `batch`. Without it: `plan`, `ship`, `batch`.",
);
static LOCATION_IDS: Shape = Shape::list(
    &LOCATION_ID,
    LOCATIONS_MAX,
    "Where to plan and ship from. What is allocated elsewhere is left to other waves. Empty: everywhere.",
);
static BATCH_NAME: Shape = Shape::text(
    1,
    200,
    "Begins the names of the batches, before what their shipments have in common. Without it, the name of the wave.",
)
.example(r#""Morning""#);
static BATCH: Shape = Shape::object(
    "WaveBatchOptions",
    &[
        Field::optional("name", &BATCH_NAME),
        Field::optional("label_format", &LABEL_FORMAT)
            .about("What the merged file of each batch holds: `zpl` for label printers, `pdf`, or `png` if you leave it out."),
    ],
    "What the wave calls the batches that it opens, and in which format their labels are drawn.",
)
.example(r#"{"name":"Morning","label_format":"zpl"}"#);
static GROUP: Shape = Shape::new(
    Kind::OneOf(&["location", "carrier_account", "service"]),
    "Shipments with another one of these come into another batch.",
)
.example(r#""location""#);
static GROUP_BY: Shape = Shape::list(
    &GROUP,
    3,
    "What the shipments of one batch have in common. Without it, `location` and `carrier_account`: what one person packs and one van takes. Empty: all shipments come into one batch.",
);
static ALLOW_PARTIAL: Shape = Shape::new(
    Kind::Boolean,
    "Whether an order is processed of which a part is not in stock: that part waits. Without it, such an order is an exception, and nothing of it is allocated or shipped.",
)
.example("false");
/// The status of a wave.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&STATUS_WORDS),
    "`queued` until work on it begins, `running` meanwhile, then `completed`. `cancelling` after a request to cancel it, until it is `cancelled`. A retry makes a completed wave `running` again.",
)
.example(r#""running""#);
static COUNT: Shape = Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "How many there are.").example("0");
static EXCEPTION_CODE: Shape = Shape::text(
    1,
    100,
    "Why, for programs. `no_stock`: not all of it is in stock where it may be sent from. `no_rule`: no shipping rule sets a service. `rate_step_missing`: a rule chooses by rates, and the wave has no step `rate`. `no_rate`: no carrier offers a rate that the rule allows. `address_invalid`, `on_hold`, `order_not_found`, `in_other_wave`, `shipment_changed`: what they say. All others are codes of problems, such as `customs_data_missing`.",
)
.example(r#""no_stock""#);
static EXCEPTION_COUNT: Shape = Shape::object(
    "WaveExceptionCount",
    &[
        Field::given("code", &EXCEPTION_CODE),
        Field::given("orders_count", &COUNT)
            .about("How many were not processed to their end for this reason."),
    ],
    "A reason, and how many orders were not processed for it.",
);
static EXCEPTIONS: Shape = Shape::list(
    &EXCEPTION_COUNT,
    EXCEPTIONS_MAX,
    "Why orders were not processed, the most frequent reason first. `GET /waves/{wave_id}/orders?result=exception` names the orders.",
);
static BATCH_IDS: Shape =
    Shape::list(&BATCH_ID, BATCHES_SHOWN, "The first 100 batches that the wave has made.");
static MESSAGE: Shape = Shape::text(1, 1000, "Why, in a sentence for a person.")
    .example(r#""TEE-BLUE-M: 2 wanted, 1 can be allocated.""#);
static BATCH_REFUSAL: Shape = Shape::object(
    "WaveBatchRefusal",
    &[
        Field::given("batch_id", &BATCH_ID).about("The one whose purchase did not begin. It is open still."),
        Field::given("code", &EXCEPTION_CODE)
            .about("The code of the problem that `POST /batches/{batch_id}/purchase` would answer with."),
        Field::given("message", &MESSAGE),
    ],
    "A batch of the wave that could not be bought.",
);
static ERRORS: Shape = Shape::list(
    &BATCH_REFUSAL,
    ERRORS_MAX,
    "Batches whose purchase was refused as a whole. What came of those that were bought is in the batches.",
);
/// A wave.
pub static WAVE: Shape = Shape {
    name: Some("Wave"),
    about: "A job that turns many orders into shipments and batches.",
    kind: Kind::Object {
        fields: &[
            Field::given("id", &WAVE_ID),
            Field::optional("name", &NAME),
            Field::optional("order_ids", &ORDER_IDS),
            Field::optional("filter", &FILTER),
            Field::optional("steps", &STEPS),
            Field::optional("location_ids", &LOCATION_IDS),
            Field::optional("batch", &BATCH),
            Field::optional("group_by", &GROUP_BY),
            Field::optional("allow_partial", &ALLOW_PARTIAL),
            Field::given("status", &STATUS),
            Field::given("orders_count", &COUNT)
                .about("How many were taken at the start, whatever has come of them since."),
            Field::given("pending_count", &COUNT).about("Orders that wait for their turn."),
            Field::given("done_count", &COUNT).about("Orders for which all steps were done."),
            Field::given("exceptions_count", &COUNT)
                .about("Orders that were not processed to the end; `exceptions` says why."),
            Field::given("cancelled_count", &COUNT)
                .about("How many still waited for their turn when a request ended the wave."),
            Field::given("shipments_count", &COUNT).about(
                "How many were made, and put into batches if that is a step, for the orders that are done.",
            ),
            Field::given("exceptions", &EXCEPTIONS),
            Field::given("batch_ids", &BATCH_IDS),
            Field::given("errors", &ERRORS),
            Field::given_or_null("started_at", &MOMENT)
                .about("When work on it began. Null while it is queued."),
            Field::given_or_null("ended_at", &MOMENT)
                .about("When it was completed or cancelled. Null until then, and after a retry."),
            Field::created_at(),
            Field::updated_at(),
        ],
        rule: Some(check_wave),
    },
    example: None,
};
/// The result of an order in a wave.
pub static RESULT: Shape = Shape::new(
    Kind::OneOf(&RESULT_WORDS),
    "`pending` until its turn, then `done` or `exception`; `cancelled` if the wave was cancelled before its turn.",
)
.example(r#""done""#);
static POSITION: Shape = Shape::new(
    Kind::Integer { min: 1, max: ORDERS_MAX as i64 },
    "Its turn in the wave: by `ship_by`, then by `placed_at`, then by age.",
)
.example("1");
static REFERENCE: Shape =
    Shape::text(1, 255, "The number that your shop gave the order. Null if it has none, or is deleted.")
        .example(r#""1042""#);
static SHIPMENT_IDS: Shape = Shape::list(
    &SHIPMENT_ID,
    SHIPMENTS_MAX,
    "The shipments that the wave made from it, one for each location or more.",
);
/// An order of a wave.
pub static WAVE_ORDER: Shape = Shape::object(
    "WaveOrder",
    &[
        Field::given("position", &POSITION),
        Field::given("order_id", &ORDER_ID).about("The order that was taken, by its id. It may be deleted by now."),
        Field::given_or_null("reference", &REFERENCE),
        Field::given("result", &RESULT),
        Field::given_or_null("step", &STEP).about("The last step that was done for it: `plan`, `ship` or `rate`. Null before that. A retry goes on from there."),
        Field::given_or_null("code", &EXCEPTION_CODE),
        Field::given_or_null("message", &MESSAGE),
        Field::given("shipment_ids", &SHIPMENT_IDS),
    ],
    "An order that a wave took, and what came of it.",
);
