//! The filters of `GET /orders`.

use model::orders::fulfilment::{FULFILMENT_STATUS, FulfilmentStatus, STATUS_WORDS};
use model::orders::order::{STATUS, Status};
use model::orders::order_details::{CHANNEL, ORDER_TAG};
use model::places::location::LOCATION_ID;
use model::platform::shape::{MOMENT, Shape};
use model::{Result, Timestamp};
use service::OrderFilter;

use crate::access::call::Call;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;

static REFERENCE: Shape = Shape::text(1, 255, "The number that your shop gave the order.");
static CUSTOMER: Shape = Shape::text(1, 255, "The name or the company of the customer.");
static EMAIL_ADDRESS: Shape = Shape::text(1, 255, "The customer's email address.");
static SKU: Shape = Shape::text(1, 100, "The SKU of an inventory item, or of a line without one.");

/// The parameters of `GET /orders`.
pub const PARAMETERS: &[Parameter] = &[
    LIMIT,
    CURSOR,
    Parameter {
        name: "status",
        about: "Only orders that stand here: `draft`, `committed`, `fulfilled` or `cancelled`.",
        kind: ParameterKind::One(&STATUS),
    },
    Parameter {
        name: "reference",
        about: "Only orders with exactly this number of your shop.",
        kind: ParameterKind::One(&REFERENCE),
    },
    Parameter {
        name: "fulfilment_status",
        about: "Only orders that are this far: `unallocated`, `partially_allocated`, `allocated`, `partially_shipped`, `shipped`, `partially_delivered` or `delivered`.",
        kind: ParameterKind::One(&FULFILMENT_STATUS),
    },
    Parameter {
        name: "customer",
        about: "Only orders whose customer has this whole name or company. Upper and lower case are the same.",
        kind: ParameterKind::One(&CUSTOMER),
    },
    Parameter {
        name: "email_address",
        about: "Only orders whose customer has this email address. Upper and lower case are the same.",
        kind: ParameterKind::One(&EMAIL_ADDRESS),
    },
    Parameter {
        name: "channel",
        about: "Only orders that were sold through exactly this channel.",
        kind: ParameterKind::One(&CHANNEL),
    },
    Parameter {
        name: "tags",
        about: "Only orders that have all of these tags, repeated or separated by commas.",
        kind: ParameterKind::List(&ORDER_TAG),
    },
    Parameter {
        name: "placed_after",
        about: "Only orders that were placed later than this. Orders without `placed_at` are left out.",
        kind: ParameterKind::One(&MOMENT),
    },
    Parameter {
        name: "placed_before",
        about: "Only orders that were placed earlier than this. Orders without `placed_at` are left out.",
        kind: ParameterKind::One(&MOMENT),
    },
    Parameter {
        name: "ship_by_before",
        about: "Only orders that must have left earlier than this. Orders without `ship_by` are left out.",
        kind: ParameterKind::One(&MOMENT),
    },
    Parameter {
        name: "location_id",
        about: "Only orders with an allocation at this place, open or completed; its id.",
        kind: ParameterKind::One(&LOCATION_ID),
    },
    Parameter {
        name: "sku",
        about: "Only orders that contain the inventory item with this SKU. If no item has it: drafts with a line that waits for it.",
        kind: ParameterKind::One(&SKU),
    },
    Parameter {
        name: "on_hold",
        about: "`true`: only orders that wait and are not planned, with their reason in `hold`. `false`: only those that may be worked on.",
        kind: ParameterKind::Flag,
    },
    Parameter {
        name: "has_exception",
        about: "`true`: only orders with an unresolved exception. `false`: only those without.",
        kind: ParameterKind::Flag,
    },
];

/// The filters alone, for exports.
pub const FILTERS: &[Parameter] = PARAMETERS.split_at(2).1;

/// Reads the filters of a request. Refuses filters that no order can pass.
pub fn filter(call: &Call) -> Result<OrderFilter> {
    let text = |name: &str| call.query.one(name).map(str::to_owned);
    let moment = |name: &str| call.query.one(name).and_then(Timestamp::parse);
    let filter = OrderFilter {
        status: word(call, "status", &["draft", "committed", "fulfilled", "cancelled"], Status::parse)?,
        reference: text("reference"),
        fulfilment_status: word(call, "fulfilment_status", &STATUS_WORDS, FulfilmentStatus::parse)?,
        customer: text("customer"),
        email_address: text("email_address"),
        channel: text("channel"),
        tags: call.query.many("tags"),
        placed_after: moment("placed_after"),
        placed_before: moment("placed_before"),
        ship_by_before: moment("ship_by_before"),
        location: call.query_id("location_id")?,
        sku: text("sku"),
        is_held: flag(call, "on_hold")?,
        has_exception: flag(call, "has_exception")?,
    };
    if let (Some(after), Some(before)) = (filter.placed_after, filter.placed_before)
        && after >= before
    {
        let message = "Must be earlier than `placed_before`: no order is placed in between.";
        return Err(query::refuse("placed_after", message).into());
    }
    Ok(filter)
}

fn word<T>(
    call: &Call,
    name: &str,
    words: &[&'static str],
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    let Some(word) = call.query.one(name) else { return Ok(None) };
    parse(word).map(Some).ok_or_else(|| query::refuse_word(name, word, words.iter().copied()).into())
}

/// Returns a flag, or `None` if it is absent: that is neither true nor false.
fn flag(call: &Call, name: &str) -> Result<Option<bool>> {
    match call.query.one(name) {
        None => Ok(None),
        Some(_) => call.query.flag(name).map(Some),
    }
}
