//! UPS's tracking of a package.

use model::Timestamp;
use model::shipping::shipment::{ErrorCode, Source, TrackingStatus};
use serde_json::Value;

use super::answer::{Purpose, read, says, unsent};
use super::json::{items, text};
use crate::{Answer, Outcome, Tracked};

/// UPS has no scan of the package yet, or none any more.
const UNKNOWN: &[&str] = &["TW0001", "TV1002", "151044", "151018"];

/// Reads the answer to a request for the scans of a package.
pub fn tracked(answer: Answer, number: &str) -> Outcome {
    let unknown = || {
        let message = "UPS has no scan of the package.";
        unsent(Purpose::Tracking, ErrorCode::ProviderUnavailable, Source::Carrier, message.to_owned(), None)
    };
    if says(&answer, UNKNOWN) {
        return unknown();
    }
    let body = match read(answer, Purpose::Tracking) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let shipments = items(&body["trackResponse"]["shipment"]).iter();
    let packages: Vec<&Value> = shipments.flat_map(|shipment| items(&shipment["package"])).collect();
    let is_ours = |package: &&&Value| text(&package["trackingNumber"]).as_deref() == Some(number);
    let package = packages.iter().find(is_ours).or_else(|| packages.first());
    package.map_or_else(unknown, |package| Outcome::Tracked(last_scan(package)))
}

/// The newest scan by its time: scans may be listed in any order.
fn last_scan(package: &Value) -> Tracked {
    let scans = items(&package["activity"]).iter();
    // Where two scans have one time, UPS lists the newer one first.
    let newest = scans.rev().max_by_key(|scan| (moment(scan), local(scan)));
    let status = newest.map_or(&package["currentStatus"], |scan| &scan["status"]);
    Tracked {
        status: tracking_status(status),
        message: text(&status["description"]).unwrap_or_default(),
        occurred_at: newest.and_then(moment),
    }
}

/// When a scan happened, if UPS says it in a time that is the same everywhere.
fn moment(scan: &Value) -> Option<Timestamp> {
    let (date, time) = (digits(&scan["gmtDate"])?, digits(&scan["gmtTime"])?);
    let time = format!("{time:0>6}");
    let part = |text: &str, from: usize, to: usize| text.get(from..to).map(str::to_owned);
    let (year, month, day) = (part(&date, 0, 4)?, part(&date, 4, 6)?, part(&date, 6, 8)?);
    let (hour, minute, second) = (part(&time, 0, 2)?, part(&time, 2, 4)?, part(&time, 4, 6)?);
    Timestamp::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}

/// When a scan happened where it happened, as text that can be compared.
fn local(scan: &Value) -> Option<(String, String)> {
    Some((digits(&scan["date"])?, digits(&scan["time"]).unwrap_or_default()))
}

fn digits(value: &Value) -> Option<String> {
    let digits: String = text(value)?.chars().filter(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// Translates UPS's status of a package: its type, and for some types its code.
fn tracking_status(status: &Value) -> TrackingStatus {
    let (kind, code) = (text(&status["type"]).unwrap_or_default(), text(&status["code"]).unwrap_or_default());
    match (kind.as_str(), code.as_str()) {
        ("D", _) => TrackingStatus::Delivered,
        ("O", _) | ("I", "OT" | "OF") => TrackingStatus::OutForDelivery,
        ("RS", _) => TrackingStatus::ReturnToSender,
        ("MV", _) => TrackingStatus::Cancelled,
        ("M", _) => TrackingStatus::PreTransit,
        // An exception is a delay or a note, after which UPS goes on.
        ("P" | "I" | "X" | "W" | "DO" | "DD", _) => TrackingStatus::InTransit,
        _ => TrackingStatus::Unknown,
    }
}
