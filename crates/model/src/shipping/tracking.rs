//! Tracking: the current status and the history of a shipment's delivery.

use serde::{Deserialize, Serialize};

use crate::platform::shape::{Field, MOMENT, Shape};
use crate::shipping::shipment::package::TRACKING_NUMBER;
use crate::shipping::shipment::{SHIPMENT_ID, Shipment, TRACKING_STATUS, TrackingStatus};
use crate::{Id, Timestamp};

/// Maximum number of events that are shown: the newest.
pub const EVENTS_MAX: usize = 100;

/// The current status and the history of a shipment's delivery.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Tracking {
    pub shipment_id: Id<Shipment>,
    pub tracking_number: Option<String>,
    pub tracking_status: TrackingStatus,
    pub events: Vec<TrackingEvent>,
}

/// An event during delivery.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct TrackingEvent {
    pub status: TrackingStatus,
    pub message: String,
    pub occurred_at: Timestamp,
}

/// A status that a carrier reported, with its time on the carrier's clock, if the carrier sent one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub status: TrackingStatus,
    pub occurred_at: Option<Timestamp>,
}

impl Report {
    /// Creates a report that arrives now. A time in the future is ignored, because later reports would look older
    /// than this one.
    pub fn new(status: TrackingStatus, occurred_at: Option<Timestamp>, now: Timestamp) -> Self {
        Self { status, occurred_at: occurred_at.filter(|moment| *moment <= now) }
    }

    /// Returns whether this report replaces the known one. Reports arrive in any order, and may be repeated. If both
    /// have a time, the later time wins; otherwise a status replaces only one that is not further along. `Unknown`
    /// replaces nothing, and nothing replaces `Delivered`.
    pub fn replaces(self, known: Report) -> bool {
        let is_delivered = self.status == TrackingStatus::Delivered;
        if self.status == TrackingStatus::Unknown || known.status == TrackingStatus::Delivered {
            return false;
        }
        if known.status.is_final() && !is_delivered {
            return false;
        }
        match (known.occurred_at, self.occurred_at) {
            (Some(before), Some(now)) if now != before => now > before,
            _ => progress(self.status) >= progress(known.status),
        }
    }
}

/// Returns how far along a parcel with this status is.
fn progress(status: TrackingStatus) -> u8 {
    match status {
        TrackingStatus::Unknown => 0,
        TrackingStatus::PreTransit => 1,
        TrackingStatus::InTransit => 2,
        TrackingStatus::OutForDelivery => 3,
        TrackingStatus::AvailableForPickup => 4,
        TrackingStatus::Failure => 5,
        TrackingStatus::ReturnToSender | TrackingStatus::Cancelled => 6,
        TrackingStatus::Delivered => 7,
    }
}

/// Longest message of a tracking event, in characters.
pub const MESSAGE_CHARS_MAX: usize = 1000;

static MESSAGE: Shape = Shape::text(0, MESSAGE_CHARS_MAX, "The carrier's own words, often with the place.")
    .example(r#""The parcel was collected.""#);
static EVENT: Shape = Shape::object(
    "TrackingEvent",
    &[
        Field::given("status", &TRACKING_STATUS).about("What this step made of the parcel's status."),
        Field::given("message", &MESSAGE),
        Field::given("occurred_at", &MOMENT)
            .about("When it happened, by the carrier's own clock if the carrier says so, else when it was told. It may be told of hours later."),
    ],
    "Something that happened on the way.",
);
static EVENTS: Shape =
    Shape::list(&EVENT, EVENTS_MAX, "Every step that the carrier reported, the newest last.");
/// The current status and the history of a shipment's delivery.
pub static TRACKING: Shape = Shape::object(
    "Tracking",
    &[
        Field::given("shipment_id", &SHIPMENT_ID).about(
            "The shipment that travels under this tracking number; `GET /shipments/{id}` has the rest of it.",
        ),
        Field::given_or_null("tracking_number", &TRACKING_NUMBER)
            .about("The carrier's number of the first package. Null until the shipment is bought."),
        Field::given("tracking_status", &TRACKING_STATUS),
        Field::given("events", &EVENTS),
    ],
    "Where a shipment is, and where it was.",
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [TrackingStatus; 9] = [
        TrackingStatus::Unknown,
        TrackingStatus::PreTransit,
        TrackingStatus::InTransit,
        TrackingStatus::OutForDelivery,
        TrackingStatus::AvailableForPickup,
        TrackingStatus::Delivered,
        TrackingStatus::ReturnToSender,
        TrackingStatus::Failure,
        TrackingStatus::Cancelled,
    ];
    const NOW: i64 = 1_000;

    fn report(status: TrackingStatus, second: Option<i64>) -> Report {
        let moment = |second: i64| Timestamp::from_micros(second * 1_000_000);
        Report::new(status, second.map(moment), moment(NOW))
    }

    #[test]
    fn a_failed_delivery_is_followed_by_what_happens_later() {
        let failed = report(TrackingStatus::Failure, Some(10));
        assert!(report(TrackingStatus::Delivered, Some(11)).replaces(failed));
        assert!(report(TrackingStatus::InTransit, Some(11)).replaces(failed));
        assert!(!report(TrackingStatus::Delivered, Some(9)).replaces(failed));
        assert!(report(TrackingStatus::Delivered, None).replaces(failed));
        assert!(!report(TrackingStatus::InTransit, None).replaces(failed));
        assert!(!TrackingStatus::Failure.is_final(), "the parcel is still asked about");
        let back = report(TrackingStatus::ReturnToSender, Some(10));
        assert!(report(TrackingStatus::Delivered, Some(11)).replaces(back));
        assert!(!report(TrackingStatus::InTransit, Some(11)).replaces(back));
    }

    #[test]
    fn a_time_that_is_yet_to_come_is_none() {
        assert_eq!(report(TrackingStatus::InTransit, Some(NOW + 1)).occurred_at, None);
        assert!(report(TrackingStatus::InTransit, Some(NOW)).occurred_at.is_some());
    }

    fn reports() -> impl Strategy<Value = Report> {
        (0..ALL.len(), proptest::option::of(0..NOW)).prop_map(|(status, second)| report(ALL[status], second))
    }

    proptest! {
        #[test]
        fn in_whichever_order_timed_reports_arrive_the_latest_stands(
            mut seconds in proptest::collection::vec((1..5usize, 0..NOW), 1..8), turn in 0..8usize,
        ) {
            // Four statuses of a parcel in transit, at different times.
            seconds.sort_by_key(|(_, second)| *second);
            seconds.dedup_by_key(|(_, second)| *second);
            let latest = *seconds.last().unwrap();
            let length = seconds.len();
            seconds.rotate_left(turn % length);
            let mut known = report(ALL[0], None);
            for (status, second) in seconds {
                let told = report(ALL[status], Some(second));
                if told.replaces(known) {
                    known = told;
                }
            }
            prop_assert_eq!(known, report(ALL[latest.0], Some(latest.1)));
        }

        #[test]
        fn nothing_goes_back(known in reports(), told in reports()) {
            if told.replaces(known) {
                prop_assert!(told.status != TrackingStatus::Unknown);
                prop_assert!(known.status != TrackingStatus::Delivered);
                match (known.occurred_at, told.occurred_at) {
                    (Some(before), Some(now)) => prop_assert!(now >= before),
                    _ => prop_assert!(progress(told.status) >= progress(known.status)),
                }
                // A replaced report does not win if it arrives again.
                prop_assert!(known == told || !known.replaces(told) || known.status == told.status);
            }
        }
    }
}
