//! What DHL Express's answers mean when a task succeeds.

use model::Timestamp;
use model::shipping::shipment::TrackingStatus;
use serde_json::{Value, json};

use super::tests::{
    PDF, ZPL, account, billed, buying, done, event, parcel, product, receipt, shipment, shipped,
};
use super::*;
use crate::conformance::{answer, ok};
use crate::{FileFormat, Label, Receipt, Tracked};

#[test]
fn rates_are_what_the_account_is_billed() {
    let parcel = parcel(&[]);
    let free = json!({"currencyType": "BILLC", "price": 0});
    let products = json!({"products": [product("P", billed(42.5)), product("C", billed(53.25)), product("Y", free), product("H", json!({}))]});
    let Outcome::Quoted(quotes) = done(DhlExpress.resume(&account(), &Task::Rate(&parcel), 1, ok(products)))
    else {
        panic!("no quotes")
    };
    let shown: Vec<_> = quotes
        .quotes
        .iter()
        .map(|quote| (quote.service.as_str(), quote.amount, quote.currency.as_str(), quote.delivery_days))
        .collect();
    assert_eq!(shown, [("dhl_express.worldwide", 4250, "EUR", Some(2))]);
    let none = done(DhlExpress.resume(&account(), &Task::Rate(&parcel), 1, ok(json!({"products": []}))));
    assert!(matches!(none, Outcome::Quoted(quotes) if quotes.errors.len() == 1));
}

fn bought(body: Value, format: LabelFormat) -> Receipt {
    let parcel = parcel(&[]);
    match done(DhlExpress.resume(&account(), &buying(&parcel, format), 1, answer(201, body))) {
        Outcome::Bought(receipt) => receipt,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_shipment_with_a_number_is_a_purchase() {
    let receipt = bought(shipped(), LabelFormat::Pdf);
    assert_eq!(
        (receipt.purchase.as_str(), receipt.charged, receipt.currency.as_str()),
        ("5374534616", 4250, "EUR")
    );
    assert_eq!(receipt.tracking_numbers, ["5374534616"]);
    assert!(
        matches!(receipt.labels.as_slice(), [Label::File { format: FileFormat::Pdf, .. }]),
        "the invoice is no label"
    );
    // A label in another format, none, or several: then it is fetched by hand.
    let mut zpl = shipped();
    zpl["documents"][0]["content"] = json!(ZPL);
    assert_eq!(bought(zpl.clone(), LabelFormat::Zpl).labels.len(), 1);
    assert_eq!(bought(zpl, LabelFormat::Pdf).labels.len(), 0);
    for documents in [
        json!([]),
        json!([{"typeCode": "label", "content": "…"}]),
        json!([{"typeCode": "label", "content": PDF}, {"typeCode": "label", "content": PDF}]),
    ] {
        let mut odd = shipped();
        odd["documents"] = documents;
        assert_eq!(bought(odd, LabelFormat::Pdf).labels.len(), 0);
    }
    let mut free = shipped();
    free["shipmentCharges"] = json!(null);
    let receipt = bought(free, LabelFormat::Pdf);
    assert_eq!((receipt.charged, receipt.currency.as_str()), (0, ""));
}

#[test]
fn the_newest_event_is_where_the_shipment_is() {
    let tracked = |events: Value| {
        let receipt = receipt();
        match done(DhlExpress.resume(
            &account(),
            &Task::Track(&receipt),
            1,
            ok(shipment("5374534616", events)),
        )) {
            Outcome::Tracked(tracked) => tracked,
            other => panic!("{other:?}"),
        }
    };
    let events =
        json!([event("18:00:00", "OK", "Delivered"), event("09:00:00", "WC", "With delivery courier")]);
    let expected = Tracked {
        status: TrackingStatus::Delivered,
        message: "Delivered".to_owned(),
        occurred_at: Timestamp::parse("2026-11-20T17:00:00Z"),
    };
    assert_eq!(tracked(events), expected);
    for (code, status) in [
        ("PU", TrackingStatus::InTransit),
        ("WC", TrackingStatus::OutForDelivery),
        ("RT", TrackingStatus::ReturnToSender),
        ("CC", TrackingStatus::AvailableForPickup),
        ("", TrackingStatus::Unknown),
    ] {
        assert_eq!(tracked(json!([event("09:00:00", code, "X")])).status, status, "{code}");
    }
    assert_eq!(tracked(json!([])).status, TrackingStatus::PreTransit);
    // Without an offset, the time is that of an unknown place.
    assert_eq!(
        tracked(json!([{"date": "2026-11-20", "time": "09:00:00", "typeCode": "PU"}])).occurred_at,
        None
    );
}
