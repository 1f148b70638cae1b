//! EasyPost's tracking of a parcel.

use model::Timestamp;
use model::shipping::shipment::TrackingStatus;
use serde::Deserialize;
use serde_json::Value;

use crate::Tracked;

/// The fields of a tracker that this connector uses.
#[derive(Deserialize)]
pub struct Tracker {
    status: String,
    status_detail: Option<String>,
    /// The carrier's scans, each with its `datetime`.
    #[serde(default)]
    tracking_details: Value,
}

impl Tracker {
    pub fn tracked(self) -> Tracked {
        let occurred_at = self.last_scanned_at();
        Tracked {
            status: tracking_status(&self.status),
            message: self.status_detail.unwrap_or_default(),
            occurred_at,
        }
    }

    /// When the carrier last scanned the parcel, by its own clock. Scans may be listed in any order.
    fn last_scanned_at(&self) -> Option<Timestamp> {
        let scans = self.tracking_details.as_array()?.iter();
        scans.filter_map(|scan| Timestamp::parse(scan["datetime"].as_str()?)).max()
    }
}

/// Translates EasyPost's status of a parcel.
fn tracking_status(word: &str) -> TrackingStatus {
    match word {
        "pre_transit" => TrackingStatus::PreTransit,
        "in_transit" => TrackingStatus::InTransit,
        "out_for_delivery" => TrackingStatus::OutForDelivery,
        "available_for_pickup" => TrackingStatus::AvailableForPickup,
        "delivered" => TrackingStatus::Delivered,
        "return_to_sender" => TrackingStatus::ReturnToSender,
        "failure" | "error" => TrackingStatus::Failure,
        "cancelled" => TrackingStatus::Cancelled,
        _ => TrackingStatus::Unknown,
    }
}
