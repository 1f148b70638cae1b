//! What EasyPost posts to us: news of parcels, under a signature.

use model::shipment::TrackingStatus;
use ring::hmac;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use super::answer::tracking_status;

const PREFIX: &str = "hmac-sha256-hex=";

/// Where a parcel is now.
#[derive(Debug, PartialEq)]
pub struct Update {
    pub tracking_number: String,
    pub status: TrackingStatus,
    pub message: String,
}

#[derive(Deserialize)]
struct Event {
    description: String,
    result: Tracker,
}

#[derive(Deserialize)]
struct Tracker {
    tracking_code: Option<String>,
    status: Option<String>,
    status_detail: Option<String>,
}

/// Whether the raw body carries this signature. The secret is normalised before it is used, as EasyPost does.
pub fn is_signed(secret: &str, header: &str, body: &[u8]) -> bool {
    let Some(given) = header.strip_prefix(PREFIX).and_then(decode_hex) else { return false };
    let secret: String = secret.nfkd().collect();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    hmac::verify(&key, body, &given).is_ok()
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

/// What a body tells of a parcel; `None` where it tells of something else.
pub fn update(body: &[u8]) -> Option<Update> {
    let event: Event = serde_json::from_slice(body).ok()?;
    if !event.description.starts_with("tracker.") {
        return None;
    }
    Some(Update {
        tracking_number: event.result.tracking_code?,
        status: tracking_status(event.result.status.as_deref()?),
        message: event.result.status_detail.unwrap_or_default(),
    })
}
