//! DHL Express's tracking of a shipment.

use model::Timestamp;
use model::shipping::shipment::TrackingStatus;
use serde_json::Value;

use super::answer::DHL_EXPRESS;
use crate::json::{items, text};
use crate::told::Purpose;
use crate::{Answer, Outcome, Tracked};

/// Reads the answer to a request for the events of a shipment.
pub fn tracked(answer: Answer, number: &str) -> Outcome {
    let body = match DHL_EXPRESS.read(answer, Purpose::Tracking) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let is_ours = |shipment: &&Value| text(&shipment["shipmentTrackingNumber"]).as_deref() == Some(number);
    let Some(shipment) = items(&body["shipments"]).iter().find(is_ours) else {
        return DHL_EXPRESS.unreadable(Purpose::Tracking);
    };
    // Events may be listed in any order. Those of one time are listed as they happened.
    let newest = items(&shipment["events"]).iter().max_by_key(|event| local(event));
    let Some(event) = newest else {
        let message = text(&shipment["description"]).unwrap_or_default();
        let status = TrackingStatus::PreTransit;
        return Outcome::Tracked(Tracked { status, message, occurred_at: None });
    };
    Outcome::Tracked(Tracked {
        status: tracking_status(&text(&event["typeCode"]).unwrap_or_default()),
        message: text(&event["description"]).unwrap_or_default(),
        occurred_at: moment(event),
    })
}

/// When an event happened where it happened, as text that can be compared.
fn local(event: &Value) -> (String, String) {
    (text(&event["date"]).unwrap_or_default(), text(&event["time"]).unwrap_or_default())
}

/// When an event happened, if DHL says the offset of its place.
fn moment(event: &Value) -> Option<Timestamp> {
    let (date, time) = local(event);
    let offset = text(&event["GMTOffset"])?;
    Timestamp::parse(&format!("{date}T{time}{offset}"))
}

/// Translates DHL's code of an event.
fn tracking_status(code: &str) -> TrackingStatus {
    match code {
        "OK" => TrackingStatus::Delivered,
        "WC" => TrackingStatus::OutForDelivery,
        "RT" => TrackingStatus::ReturnToSender,
        "CC" => TrackingStatus::AvailableForPickup,
        "SA" => TrackingStatus::PreTransit,
        "DS" => TrackingStatus::Failure,
        "" => TrackingStatus::Unknown,
        // All others say what happens on the way.
        _ => TrackingStatus::InTransit,
    }
}
