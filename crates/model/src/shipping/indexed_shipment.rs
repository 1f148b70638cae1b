//! What lists of shipments are filtered by and what a search finds them by, taken from a shipment's document.

use std::collections::BTreeSet;

use crate::platform::problem::{Error, Result};
use crate::shipping::searched_shipment::SearchedShipment;
use crate::shipping::shipment::{Cost, TrackingStatus};
use crate::{CarrierAccount, Id, Order, Shipment, Timestamp};

/// The facets and search terms of a shipment. All of them follow from its document, so they can't contradict it.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexedShipment {
    pub facets: BTreeSet<String>,
    pub terms: BTreeSet<String>,
    /// The code of each error, separated by spaces. `None` without errors.
    pub error_codes: Option<String>,
    /// What the carrier charged, as far as it is known. The cost report sums it.
    pub cost: Option<Cost>,
    /// When the document was written. If that write made the shipment `purchased`, this is when it was bought.
    pub updated_at: Timestamp,
}

/// A shipment before and after a change.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexedChange {
    pub old: IndexedShipment,
    pub new: IndexedShipment,
}

impl IndexedShipment {
    /// Reads the document of a shipment.
    pub fn of(doc: &str) -> Result<Self> {
        let searched: SearchedShipment = serde_json::from_str(doc).map_err(Error::fault)?;
        let fault = || Error::fault("a shipment's document lacks the time of its last change");
        let updated_at = searched.updated_at.ok_or_else(fault)?;
        Ok(Self::of_fields(&searched, updated_at))
    }

    fn of_fields(searched: &SearchedShipment, updated_at: Timestamp) -> Self {
        let mut facets: BTreeSet<String> = searched.numbers().map(tracking_number).collect();
        facets.extend(searched.name.as_deref().map(reference));
        facets.extend(searched.order_id.map(order));
        // What was chosen replaces what was requested.
        let chosen = searched.service.as_ref().map(|service| &service.carrier.handle);
        let requested = searched.carrier.as_ref().map(|request| &request.carrier_code);
        facets.extend(chosen.or(requested).and_then(Option::as_deref).map(carrier));
        facets.extend(searched.service.as_ref().map(|service| carrier_account(service.carrier_account.id)));
        if searched.tracking_status != TrackingStatus::Unknown {
            facets.insert(tracking_status(searched.tracking_status));
        }
        let codes: Vec<_> = searched.errors.iter().map(|error| error.code.as_str()).collect();
        let error_codes = (!codes.is_empty()).then(|| codes.join(" "));
        let cost = searched.cost.clone();
        Self { facets, terms: searched.searched().terms(), error_codes, cost, updated_at }
    }
}

/// Takes what [`IndexedShipment::of`] reads in the shipment's document, without reading it again.
impl From<&Shipment> for IndexedShipment {
    fn from(shipment: &Shipment) -> Self {
        Self::of_fields(&SearchedShipment::from(shipment), shipment.updated_at)
    }
}

/// Returns the facet of a tracking number. Spaces and case make no difference.
pub fn tracking_number(number: &str) -> String {
    format!("tracking_number={}", number.replace(' ', "").to_ascii_lowercase())
}

pub fn reference(name: &str) -> String {
    format!("reference={name}")
}

pub fn order(id: Id<Order>) -> String {
    format!("order={id}")
}

pub fn carrier(handle: &str) -> String {
    format!("carrier={handle}")
}

pub fn carrier_account(id: Id<CarrierAccount>) -> String {
    format!("carrier_account={id}")
}

/// Returns the facet of a tracking status. A shipment whose status is `unknown` has none of these facets.
pub fn tracking_status(status: TrackingStatus) -> String {
    format!("tracking_status={}", status.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facets_follow_from_the_document() {
        let mut doc = json!({
            "id": "shp_1", "name": "SO-7", "status": "draft", "tracking_status": "unknown", "tracking_number": null,
            "addresses": {"destination": {"address": {"post_code": "LS1 4AP"}, "contact": {"name": "Ann"}}},
            "packages": [{"tracking_number": null}], "service": null, "carrier": {"carrier_code": "sandbox"},
            "updated_at": "2026-11-01T09:00:00.000000Z",
        });
        let draft = IndexedShipment::of(&doc.to_string()).unwrap();
        let facets = |indexed: &IndexedShipment| indexed.facets.iter().cloned().collect::<Vec<_>>();
        assert_eq!(facets(&draft), ["carrier=sandbox", "reference=SO-7"]);
        assert_eq!(draft.terms.iter().cloned().collect::<Vec<_>>(), ["=ann", "=ls14ap", "=so7", "~7"]);
        let (account, order) = (Id::<CarrierAccount>::from_bits(1), Id::<Order>::from_bits(2));
        doc["service"] = json!({"carrier": {"handle": "easypost"}, "carrier_account": {"id": account}});
        doc["tracking_number"] = json!("1Z 9A");
        doc["packages"] = json!([{"tracking_number": "1Z 9A"}, {"tracking_number": "1z9b"}]);
        doc["tracking_status"] = json!("in_transit");
        doc["order_id"] = json!(order);
        doc["cost"] = json!({"amount": 515, "currency_code": "GBP"});
        let bought = IndexedShipment::of(&doc.to_string()).unwrap();
        let expected = [
            "carrier=easypost".to_owned(),
            carrier_account(account),
            format!("order={order}"),
            "reference=SO-7".to_owned(),
            "tracking_number=1z9a".to_owned(),
            "tracking_number=1z9b".to_owned(),
            "tracking_status=in_transit".to_owned(),
        ];
        assert_eq!(facets(&bought), expected);
        assert!(bought.terms.contains("=1z9b"));
        assert_eq!(
            (draft.cost, bought.cost),
            (None, Some(Cost { amount: 515, currency_code: "GBP".to_owned() }))
        );
    }
}
