//! The filters of `GET /shipments`.

use model::orders::order::ORDER_ID;
use model::places::location::LOCATION_ID;
use model::platform::shape::{MOMENT, Shape};
use model::shipping::batch::BATCH_ID;
use model::shipping::shipment::{STATUS, Status, TRACKING_STATUS, TrackingStatus};
use model::{Result, Timestamp};
use service::ShipmentFilter;

use crate::access::call::Call;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;

static TRACKING_NUMBER: Shape = Shape::text(1, 255, "The number by which a carrier follows a parcel.");
static REFERENCE: Shape = Shape::text(1, 255, "The name or reference that you gave the shipment.");
static CARRIER: Shape = Shape::text(1, 100, "The handle of a carrier, such as `sandbox`.");
static CARRIER_ACCOUNT: Shape = Shape::text(1, 100, "The id or the handle of a carrier account.");

/// The parameters of `GET /shipments`.
pub const PARAMETERS: &[Parameter] = &[
    LIMIT,
    CURSOR,
    Parameter {
        name: "status",
        about: "Only those that stand here with their carrier, such as `purchase_failed` to find what needs repair.",
        kind: ParameterKind::One(&STATUS),
    },
    Parameter {
        name: "tracking_status",
        about: "Only shipments of which the carrier last reported this, such as `failure`. `unknown` is also what was not bought.",
        kind: ParameterKind::One(&TRACKING_STATUS),
    },
    Parameter {
        name: "tracking_number",
        about: "Only the shipment with this number on one of its packages. Spaces, upper and lower case make no difference.",
        kind: ParameterKind::One(&TRACKING_NUMBER),
    },
    Parameter {
        name: "order_id",
        about: "Only what was sent for one customer: shipments that were made from this order, named by its `ord_…`.",
        kind: ParameterKind::One(&ORDER_ID),
    },
    Parameter {
        name: "reference",
        about: "Only shipments whose `name` is exactly this.",
        kind: ParameterKind::One(&REFERENCE),
    },
    Parameter {
        name: "carrier",
        about: "Only shipments with a service of this company, by its handle. Before a service is chosen: those that request it by `carrier.carrier_code`.",
        kind: ParameterKind::One(&CARRIER),
    },
    Parameter {
        name: "carrier_account",
        about: "Only shipments whose service was chosen from this account of yours; its id or its handle.",
        kind: ParameterKind::One(&CARRIER_ACCOUNT),
    },
    Parameter {
        name: "batch_id",
        about: "Only its current members: shipments that are bought and labelled together, named by its `batch_…`.",
        kind: ParameterKind::One(&BATCH_ID),
    },
    Parameter {
        name: "location_id",
        about: "Only shipments that leave from this place, copied from a location configuration; its id.",
        kind: ParameterKind::One(&LOCATION_ID),
    },
    Parameter {
        name: "created_after",
        about: "Only shipments that were made later than this moment.",
        kind: ParameterKind::One(&MOMENT),
    },
    Parameter {
        name: "created_before",
        about: "Only shipments that were made earlier than this moment.",
        kind: ParameterKind::One(&MOMENT),
    },
    Parameter {
        name: "purchased_after",
        about: "Only shipments that were bought later than this moment, also if they were voided since.",
        kind: ParameterKind::One(&MOMENT),
    },
    Parameter {
        name: "purchased_before",
        about: "Only shipments that were bought earlier than this moment, also if they were voided since.",
        kind: ParameterKind::One(&MOMENT),
    },
];

/// The filters alone, for exports.
pub const FILTERS: &[Parameter] = PARAMETERS.split_at(2).1;

/// Reads the filters of a request, and the name of a carrier account, which the service looks up. Refuses filters that no
/// shipment can pass.
pub fn filter(call: &Call) -> Result<(ShipmentFilter, Option<String>)> {
    let text = |name: &str| call.query.one(name).map(str::to_owned);
    let moment = |name: &str| call.query.one(name).and_then(Timestamp::parse);
    let statuses = Status::ALL.map(Status::as_str);
    let tracking_statuses = TrackingStatus::ALL.map(TrackingStatus::as_str);
    let filter = ShipmentFilter {
        status: word(call, "status", &statuses, Status::parse)?,
        tracking_status: word(call, "tracking_status", &tracking_statuses, TrackingStatus::parse)?,
        tracking_number: text("tracking_number"),
        order: call.query_id("order_id")?,
        reference: text("reference"),
        carrier: text("carrier"),
        carrier_account: None,
        batch: call.query_id("batch_id")?,
        location: call.query_id("location_id")?,
        created_after: moment("created_after"),
        created_before: moment("created_before"),
        purchased_after: moment("purchased_after"),
        purchased_before: moment("purchased_before"),
    };
    refuse_empty("created", filter.created_after, filter.created_before)?;
    refuse_empty("purchased", filter.purchased_after, filter.purchased_before)?;
    Ok((filter, text("carrier_account")))
}

/// Refuses a range of times that has no moment in it.
fn refuse_empty(what: &str, after: Option<Timestamp>, before: Option<Timestamp>) -> Result<()> {
    if let (Some(after), Some(before)) = (after, before)
        && after >= before
    {
        let message = format!("Must be earlier than `{what}_before`: no shipment is {what} in between.");
        return Err(query::refuse(&format!("{what}_after"), &message).into());
    }
    Ok(())
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
