//! Tracking: where a shipment is, and where it was.

use serde::{Deserialize, Serialize};

use crate::shape::{Field, MOMENT, Shape};
use crate::shipment::package::TRACKING_NUMBER;
use crate::shipment::{SHIPMENT_ID, Shipment, TRACKING_STATUS, TrackingStatus};
use crate::{Id, Timestamp};

/// Most events that are shown: the newest.
pub const EVENTS_MAX: usize = 100;

/// Where a shipment is, and where it was.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Tracking {
    pub shipment_id: Id<Shipment>,
    pub tracking_number: Option<String>,
    pub tracking_status: TrackingStatus,
    pub events: Vec<TrackingEvent>,
}

/// Something that happened on the way.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct TrackingEvent {
    pub status: TrackingStatus,
    pub message: String,
    pub occurred_at: Timestamp,
}

static MESSAGE: Shape =
    Shape::text(0, 1000, "What the carrier says.").example(r#""The parcel was collected.""#);
static EVENT: Shape = Shape::object(
    "TrackingEvent",
    &[
        Field::given("status", &TRACKING_STATUS),
        Field::given("message", &MESSAGE),
        Field::given("occurred_at", &MOMENT),
    ],
    "Something that happened on the way.",
);
static EVENTS: Shape = Shape::list(&EVENT, EVENTS_MAX, "What happened on the way, the newest last.");
/// Where a shipment is.
pub static TRACKING: Shape = Shape::object(
    "Tracking",
    &[
        Field::given("shipment_id", &SHIPMENT_ID),
        Field::given_or_null("tracking_number", &TRACKING_NUMBER),
        Field::given("tracking_status", &TRACKING_STATUS),
        Field::given("events", &EVENTS),
    ],
    "Where a shipment is, and where it was.",
);
