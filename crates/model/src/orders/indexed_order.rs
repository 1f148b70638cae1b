//! What lists of orders are filtered by, taken from an order's document.

use std::collections::BTreeSet;

use serde::Deserialize as _;
use serde_json::Value;

use crate::orders::facet;
use crate::orders::fulfilment::FulfilmentStatus;
use crate::orders::order_status::Status;
use crate::orders::searched_order::SearchedOrder;
use crate::platform::problem::{Error, Result};
use crate::{Id, Order, Timestamp};

/// The columns and facets of an order. All of them follow from its document, so they can't contradict it.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexedOrder {
    pub id: Id<Order>,
    pub status: Status,
    pub reference: Option<String>,
    pub fulfilment_status: FulfilmentStatus,
    pub placed_at: Option<Timestamp>,
    pub ship_by: Option<Timestamp>,
    /// When its hold ends by itself.
    pub hold_until: Option<Timestamp>,
    pub facets: BTreeSet<String>,
    /// The terms by which a search finds it.
    pub terms: BTreeSet<String>,
}

impl IndexedOrder {
    /// Reads the document of an order.
    pub fn of(doc: &Value) -> Result<Self> {
        let text = |at: &str| doc.pointer(at).and_then(Value::as_str);
        let moment = |at: &str| text(at).and_then(Timestamp::parse);
        let fault = || Error::fault("an order's document lacks its id or its status");
        let status = text("/status").and_then(Status::parse).ok_or_else(fault)?;
        Ok(Self {
            id: text("/id").and_then(Id::parse).ok_or_else(fault)?,
            status,
            reference: text("/reference").map(str::to_owned),
            fulfilment_status: text("/fulfilment/status")
                .and_then(FulfilmentStatus::parse)
                .unwrap_or_default(),
            placed_at: moment("/placed_at"),
            ship_by: moment("/ship_by"),
            hold_until: moment("/hold/until"),
            facets: facets(doc, status),
            terms: SearchedOrder::deserialize(doc).map_err(Error::fault)?.searched().terms(),
        })
    }
}

fn facets(doc: &Value, status: Status) -> BTreeSet<String> {
    let text = |at: &str| doc.pointer(at).and_then(Value::as_str).filter(|text| !text.is_empty());
    let list = |name: &str| doc[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut facets = BTreeSet::new();
    facets.extend(text("/channel").map(facet::channel));
    facets.extend(text("/customer/name").map(facet::customer));
    facets.extend(text("/customer/company").map(facet::customer));
    facets.extend(text("/customer/email_address").map(facet::email_address));
    facets.extend(list("tags").iter().filter_map(Value::as_str).map(facet::tag));
    if doc["hold"].is_object() {
        facets.insert(facet::ON_HOLD.to_owned());
    }
    if list("exceptions").iter().any(|exception| exception["resolved_at"].is_null()) {
        facets.insert(facet::HAS_EXCEPTION.to_owned());
    }
    // Only a draft waits for its lines to be matched. A cancelled order does not.
    if status == Status::Draft {
        let is_unmatched = |line: &&Value| line["item_id"].is_null() && line["is_shippable"] == true;
        let unmatched = list("lines").iter().filter(is_unmatched);
        facets.extend(unmatched.filter_map(|line| line["sku"].as_str()).map(facet::unmatched_sku));
    }
    facets
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_order_without_new_fields_has_no_facets() {
        let id = Id::<Order>::from_bits(7);
        let old = json!({"id": id.to_string(), "status": "committed", "reference": "1", "items": []});
        let indexed = IndexedOrder::of(&old).unwrap();
        assert_eq!((indexed.id, indexed.reference.as_deref()), (id, Some("1")));
        assert_eq!(indexed.facets, BTreeSet::new());
        assert_eq!(indexed.terms, BTreeSet::from(["=1".to_owned()]));
        assert_eq!(indexed.fulfilment_status, FulfilmentStatus::Unallocated);
        assert!(IndexedOrder::of(&json!({})).is_err());
    }

    #[test]
    fn facets_follow_from_the_document() {
        let id = Id::<Order>::from_bits(7).to_string();
        let mut doc = json!({
            "id": id, "status": "draft", "channel": "web", "tags": ["a", "b", "a"],
            "customer": {"name": "Ann", "company": "", "email_address": "A@b"},
            "hold": {"reason": "x", "until": "2026-11-01T09:00:00Z"},
            "exceptions": [{"resolved_at": null}],
            "lines": [
                {"item_id": null, "sku": "X", "is_shippable": true},
                {"item_id": null, "sku": "Y", "is_shippable": false},
                {"item_id": "inv_1", "sku": "Z", "is_shippable": true},
            ],
        });
        let indexed = IndexedOrder::of(&doc).unwrap();
        let expected = [
            "channel=web",
            "customer=ann",
            "email_address=a@b",
            "has_exception",
            "on_hold",
            "tag=a",
            "tag=b",
            "unmatched_sku=X",
        ];
        assert_eq!(indexed.facets.iter().map(String::as_str).collect::<Vec<_>>(), expected);
        assert_eq!(indexed.hold_until, Timestamp::parse("2026-11-01T09:00:00Z"));
        doc["status"] = json!("cancelled");
        doc["exceptions"][0]["resolved_at"] = json!("2026-11-01T09:00:00Z");
        let indexed = IndexedOrder::of(&doc).unwrap();
        assert!(!indexed.facets.contains("unmatched_sku=X") && !indexed.facets.contains("has_exception"));
    }
}
