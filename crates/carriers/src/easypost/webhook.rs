//! What EasyPost posts to us: news of parcels, under a signature.

use ring::hmac;
use serde::Deserialize;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::tracker::Tracker;
use crate::Tracked;

const PREFIX: &str = "hmac-sha256-hex=";

/// What EasyPost tells.
#[derive(Debug, PartialEq)]
pub struct Message {
    /// The same each time it is told.
    pub id: String,
    pub news: News,
}

/// The content of a message.
#[derive(Debug, PartialEq)]
pub enum News {
    /// Where a parcel is now.
    Parcel { tracking_number: String, tracked: Tracked },
    /// What becomes of a refund has changed: EasyPost's own name of the shipment.
    Refund(String),
    /// A message that Dockside does not use.
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
struct TrackedParcel {
    tracking_code: String,
    #[serde(flatten)]
    tracker: Tracker,
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
        Some("tracker") => TrackedParcel::deserialize(event.result).ok().map(|parcel| News::Parcel {
            tracking_number: parcel.tracking_code,
            tracked: parcel.tracker.tracked(),
        }),
        Some("refund") => {
            Refund::deserialize(event.result).ok().map(|refund| News::Refund(refund.shipment_id))
        }
        _ => None,
    };
    Some(Message { id: event.id, news: news.unwrap_or(News::Other) })
}

#[cfg(test)]
mod tests {
    use model::shipping::shipment::TrackingStatus;
    use serde_json::json;

    use super::*;

    #[test]
    fn webhooks_are_believed_by_their_signature() {
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, "se\u{301}cret".as_bytes());
        let body = br#"{"description":"tracker.updated","result":{"tracking_code":"EZ4","status":"delivered","status_detail":"arrived"}}"#;
        let hex: String =
            ring::hmac::sign(&key, body).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        // The secret is the same letter, written as one or as two.
        assert!(is_signed("s\u{e9}cret", &format!("hmac-sha256-hex={hex}"), body));
        for (secret, header) in [
            ("other", format!("hmac-sha256-hex={hex}")),
            ("s\u{e9}cret", hex),
            ("s\u{e9}cret", "hmac-sha256-hex=zz".into()),
        ] {
            assert!(!is_signed(secret, &header, body));
        }
    }

    #[test]
    fn messages_tell_of_parcels_of_refunds_or_of_nothing_here() {
        let news = |body: Value| message(body.to_string().as_bytes()).unwrap().news;
        let tracker = json!({"tracking_code": "EZ4", "status": "delivered", "status_detail": "arrived"});
        let moved = News::Parcel {
            tracking_number: "EZ4".to_owned(),
            tracked: Tracked {
                status: TrackingStatus::Delivered,
                message: "arrived".to_owned(),
                occurred_at: None,
            },
        };
        for kind in ["tracker.created", "tracker.updated"] {
            assert_eq!(news(json!({"id": "evt_1", "description": kind, "result": tracker})), moved);
        }
        let refund =
            json!({"id": "evt_1", "description": "refund.successful", "result": {"shipment_id": "shp_1"}});
        assert_eq!(news(refund), News::Refund("shp_1".to_owned()));
        for other in [
            json!({"id": "evt_1", "description": "batch.updated", "result": {}}),
            json!({"id": "evt_1", "description": "scan_form.updated"}),
            json!({"id": "evt_1", "description": "tracker.updated", "result": {"tracking_code": null}}),
            json!({"id": "evt_1", "description": "refund.successful", "result": "shp_1"}),
            json!({"id": "evt_1", "description": ""}),
        ] {
            assert_eq!(news(other), News::Other);
        }
        for garbage in [&b""[..], b"{}", b"[]", b"\xff", br#"{"id":7,"description":"tracker.updated"}"#] {
            assert_eq!(message(garbage), None);
        }
    }
}
