//! The sandbox's ledger: an entry for each change that it made, and for each request that it counts.

use model::shipping::shipment::Shipment;
use model::{Id, Timestamp};
use serde::{Deserialize, Serialize};

/// An entry of the ledger.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Entry {
    pub at: Timestamp,
    /// The reference in the request: that of a purchase or a manifest, or the shipment of a rating.
    pub reference: String,
    #[serde(flatten)]
    pub event: Event,
}

/// What the entry records.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Event {
    /// A request arrived.
    Visited {
        request: Request,
        /// The status of the answer. `None` if the answer was lost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
    },
    /// A purchase was charged.
    Charged {
        purchase: String,
        service: String,
        /// In the smallest unit of the currency.
        amount: i64,
        currency: String,
        tracking_numbers: Vec<String>,
        /// The word that selected the behaviour of the shipment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        word: Option<String>,
    },
    /// A charge was refunded.
    Voided { purchase: String, amount: i64, currency: String },
    /// Purchases were closed out.
    Manifested {
        manifest: String,
        purchases: Vec<String>,
        /// Whether the manifest is delayed.
        is_slow: bool,
    },
}

/// The kind of a request.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    Rate,
    Buy,
    LookUp,
    Void,
    Track,
    Label,
    Manifest,
    FindManifest,
    Token,
}

impl Request {
    /// Returns whether every request of this kind is recorded. A request that only reads is recorded only if a fault
    /// was injected, so that the next one does not get the same fault.
    pub(super) fn is_counted(self) -> bool {
        matches!(self, Request::Rate | Request::Buy | Request::Void | Request::Manifest)
    }
}

impl Entry {
    /// Returns the key of the entry.
    pub fn key(&self) -> &str {
        key_of(&self.reference)
    }

    /// Returns whether the entry records a change, not only a request.
    pub fn is_deed(&self) -> bool {
        !matches!(self.event, Event::Visited { .. })
    }
}

/// Returns the key of a reference. If it begins with a shipment's id, that id is the key, so that a shipment's
/// ratings and purchases have the same key. Otherwise the reference itself is the key.
pub(super) fn key_of(reference: &str) -> &str {
    let end = Id::<Shipment>::from_bits(0).to_string().len();
    let is_whole = reference.as_bytes().get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    match reference.get(..end) {
        Some(head) if is_whole && Id::<Shipment>::parse(head).is_some() => head,
        _ => reference,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_a_shipment_is_kept_under_its_id() {
        let id = Id::<Shipment>::from_bits(7).to_string();
        assert_eq!(key_of(&id), id);
        assert_eq!(key_of(&format!("{id}.2")), id);
        assert_eq!(key_of(&format!("{id}-retry")), id);
        assert_eq!(key_of(&format!("{id}x")), format!("{id}x"));
        for other in ["", "pa_1", "shp_short", "mf_01", "ääääääääääääääääääääää"] {
            assert_eq!(key_of(other), other);
        }
    }
}
