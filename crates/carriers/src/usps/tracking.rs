//! USPS's tracking of a parcel.

use model::Timestamp;
use model::shipping::shipment::TrackingStatus;
use serde_json::Value;

use super::answer::{Purpose, read, unreadable};
use crate::json::{items, text};
use crate::{Answer, Outcome, Tracked};

/// Reads the answer to a request for the events of a parcel.
pub fn tracked(answer: Answer) -> Outcome {
    let body = match read(answer, Purpose::Tracking) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let events = items(&body["trackingEvents"]);
    let Some(category) = text(&body["statusCategory"]) else { return unreadable(Purpose::Tracking) };
    let message = text(&body["status"]).or_else(|| text(&events.first()?["eventType"]));
    Outcome::Tracked(Tracked {
        status: tracking_status(&category, message.as_deref().unwrap_or_default()),
        message: plain(&message.unwrap_or_default()),
        // Events may be listed in any order. Times without a zone are those of the place, and don't compare.
        occurred_at: events.iter().filter_map(moment).max(),
    })
}

fn moment(event: &Value) -> Option<Timestamp> {
    Timestamp::parse(&text(&event["GMTTimestamp"])?)
}

/// Translates USPS's category of a status.
fn tracking_status(category: &str, message: &str) -> TrackingStatus {
    let category: String =
        category.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
    let has = |word: &str| message.to_ascii_lowercase().contains(word);
    match category.as_str() {
        "delivered" if has("sender") || has("returned") => TrackingStatus::ReturnToSender,
        "delivered" => TrackingStatus::Delivered,
        "outfordelivery" => TrackingStatus::OutForDelivery,
        "availableforpickup" => TrackingStatus::AvailableForPickup,
        "preshipment" => TrackingStatus::PreTransit,
        "alert" if has("return to sender") => TrackingStatus::ReturnToSender,
        "alert" if has("undeliverable") || has("dead mail") || has("seized") => TrackingStatus::Failure,
        "accepted" | "intransit" | "movingthroughnetwork" | "alert" | "deliveryattempt" => {
            TrackingStatus::InTransit
        }
        _ => TrackingStatus::Unknown,
    }
}

/// A text without the markup that USPS puts around its marks.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut is_markup = false;
    for char in text.chars() {
        match char {
            '<' => is_markup = true,
            '>' => is_markup = false,
            char if !is_markup => plain.push(char),
            _ => {}
        }
    }
    plain.replace("&reg;", "®").replace("&#174;", "®").replace("&#153;", "™")
}
