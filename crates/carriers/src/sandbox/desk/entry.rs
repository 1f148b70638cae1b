//! What the carrier keeps: a line of its ledger for everything it did, and for every visit that it counts.

use model::shipment::Shipment;
use model::{Id, Timestamp};
use serde::{Deserialize, Serialize};

/// A line of the ledger.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Entry {
    pub at: Timestamp,
    /// What the caller named: the reference of a purchase or manifest, the shipment of a rating.
    pub reference: String,
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Event {
    /// Somebody asked.
    Visited {
        request: Request,
        /// The answer; none where it was lost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
    },
    /// Money was taken.
    Charged {
        purchase: String,
        service: String,
        /// In the smallest unit of the currency.
        amount: i64,
        currency: String,
        tracking_numbers: Vec<String>,
        /// The word that the shipment picked its behaviour with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        word: Option<String>,
    },
    /// Money was given back.
    Voided { purchase: String, amount: i64, currency: String },
    /// Purchases were closed out.
    Manifested {
        manifest: String,
        purchases: Vec<String>,
        /// Whether it takes its time.
        is_slow: bool,
    },
}

/// What was asked for.
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
}

impl Request {
    /// Whether every visit is counted. Of those that only look, a visit is counted where a fault befell it, so that the next
    /// one has another fate.
    pub(super) fn is_counted(self) -> bool {
        matches!(self, Request::Rate | Request::Buy | Request::Void | Request::Manifest)
    }
}

impl Entry {
    /// The key under which it is kept.
    pub fn key(&self) -> &str {
        key_of(&self.reference)
    }

    /// Whether more happened than that somebody asked.
    pub fn is_deed(&self) -> bool {
        !matches!(self.event, Event::Visited { .. })
    }
}

/// The key of a reference: the shipment's id where it begins with one, so that a shipment's ratings and all its purchases
/// are kept together; else the reference itself.
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
