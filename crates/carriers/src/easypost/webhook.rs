//! What EasyPost posts to us: news of parcels, under a signature.

use model::shipment::TrackingStatus;
use ring::hmac;
use serde::Deserialize;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::answer::tracking_status;

const PREFIX: &str = "hmac-sha256-hex=";

/// What EasyPost tells.
#[derive(Debug, PartialEq)]
pub struct Message {
    /// The same each time it is told.
    pub id: String,
    pub news: News,
}

/// What it tells of.
#[derive(Debug, PartialEq)]
pub enum News {
    /// Where a parcel is now.
    Parcel { tracking_number: String, status: TrackingStatus, message: String },
    /// What becomes of a refund has changed: EasyPost's own name of the shipment.
    Refund(String),
    /// Something that nobody here waits for.
    Other,
}

#[derive(Deserialize)]
struct Event {
    id: String,
    description: String,
    #[serde(default)]
    result: Value,
}

#[derive(Deserialize)]
struct Tracker {
    tracking_code: String,
    status: String,
    status_detail: Option<String>,
}

#[derive(Deserialize)]
struct Refund {
    shipment_id: String,
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

/// What a body tells; `None` where it is no message of EasyPost's.
pub fn message(body: &[u8]) -> Option<Message> {
    let event: Event = serde_json::from_slice(body).ok()?;
    let news = match event.description.split('.').next() {
        Some("tracker") => Tracker::deserialize(event.result).ok().map(|tracker| News::Parcel {
            tracking_number: tracker.tracking_code,
            status: tracking_status(&tracker.status),
            message: tracker.status_detail.unwrap_or_default(),
        }),
        Some("refund") => {
            Refund::deserialize(event.result).ok().map(|refund| News::Refund(refund.shipment_id))
        }
        _ => None,
    };
    Some(Message { id: event.id, news: news.unwrap_or(News::Other) })
}
