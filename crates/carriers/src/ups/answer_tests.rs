//! What UPS's answers mean when a task succeeds.

use std::time::Duration;

use bytes::Bytes;
use model::shipping::shipment::TrackingStatus;
use serde_json::{Value, json};

use super::tests::{
    ZPL, account, body, buying, conformance, done, failure, parcel, rates, recovered, scans, sent, shipped,
};
use super::*;
use crate::conformance::{answer, day, ok};
use crate::{FileFormat, Receipt, TokenOutcome, Tracked};

#[test]
fn a_token_is_asked_for_with_the_credentials_and_lasts_as_long_as_ups_says() {
    let request = Ups.request_token(&account(), http::TOKEN);
    assert_eq!(request.url, "https://onlinetools.ups.com/security/v1/oauth/token");
    assert_eq!(request.headers[0].1, "Basic dGhlLWNsaWVudDp0aGUtY2xpZW50LXNlY3JldA==");
    assert_eq!(request.headers[3], ("x-merchant-id", "A1B2C3".to_owned()));
    assert_eq!(request.body, Bytes::from_static(b"grant_type=client_credentials"));
    let read = |answer| Ups.read_token(&account(), http::TOKEN, answer);
    let token =
        |seconds| TokenOutcome::Token { value: "abc".to_owned(), expires_in: Duration::from_secs(seconds) };
    // UPS writes the seconds as a text.
    assert!(read(ok(json!({"access_token": "abc", "expires_in": "14399"}))) == token(14_399));
    assert!(read(ok(json!({"access_token": "abc"}))) == token(3600));
    let refused = read(answer(401, failure(401)));
    let TokenOutcome::Refused(error) = refused else { panic!("{refused:?}") };
    assert_eq!(error.code, ErrorCode::CredentialsInvalid);
    assert!(error.message.contains("Not that way."), "{}", error.message);
    for passing in [answer(429, failure(429)), answer(500, ""), ok("{}"), Answer::Lost("cut".to_owned())] {
        assert!(matches!(read(passing), TokenOutcome::Unsent { .. }));
    }
    // A list for the driver is made without UPS.
    let manifest =
        Task::Manifest { reference: "m", named: None, purchases: &[], ship_on: day(), origin: None };
    assert!(Ups.tokens(&account(), &manifest).is_empty());
}

#[test]
fn rates_are_those_of_the_contract_and_of_services_that_can_be_bought() {
    let parcel = parcel(&[]);
    let quoted = |rates: Value| match done(Ups.resume(&account(), &Task::Rate(&parcel), 1, ok(rates))) {
        Outcome::Quoted(quotes) => quotes,
        other => panic!("{other:?}"),
    };
    let quotes = quoted(rates()).quotes;
    let shown: Vec<_> =
        quotes.iter().map(|quote| (quote.service.as_str(), quote.amount, quote.delivery_days)).collect();
    assert_eq!(shown, [("ups.ground", 905, Some(6)), ("ups.next_day_air", 8000, Some(1))]);
    // A list of one rate is the rate itself.
    let one = json!({"RateResponse": {"RatedShipment": rates()["RateResponse"]["RatedShipment"][0]}});
    assert_eq!(quoted(one).quotes.len(), 1);
    assert_eq!(quoted(json!({"RateResponse": {"RatedShipment": []}})).errors.len(), 1);
}

#[test]
fn every_package_has_its_number_and_its_label() {
    let parcel = parcel(&[("/packages", json!([{"geometry": {"mass": 1}}, {"geometry": {"mass": 2}}]))]);
    let told = body(&sent(Ups.begin(&account(), &buying(&parcel))));
    let packages = told["ShipmentRequest"]["Shipment"]["Package"].as_array().unwrap();
    assert_eq!(
        (packages.len(), &packages[1]["ReferenceNumber"]),
        (2, &Value::Null),
        "a look-up finds the first"
    );
    let numbers = ["1ZA1B2C30390000001", "1ZA1B2C30390000012"];
    let bought = |answer| match done(Ups.resume(&account(), &buying(&parcel), 1, ok(answer))) {
        Outcome::Bought(receipt) => receipt,
        other => panic!("{other:?}"),
    };
    let receipt = bought(shipped(&numbers));
    assert_eq!(
        (receipt.purchase.as_str(), receipt.charged, receipt.currency.as_str()),
        (numbers[0], 1822, "USD")
    );
    assert_eq!(receipt.tracking_numbers, numbers);
    assert!(receipt.labels.iter().all(|label| matches!(label, Label::File { format: FileFormat::Gif, .. })));
    assert_eq!(receipt.labels.len(), 2);
    let mut zpl = shipped(&numbers);
    zpl["ShipmentResponse"]["ShipmentResults"]["PackageResults"][1]["ShippingLabel"]["GraphicImage"] =
        json!(ZPL);
    assert!(matches!(bought(zpl.clone()).labels[1], Label::File { format: FileFormat::Zpl, .. }));
    // If one is missing, all are fetched later.
    zpl["ShipmentResponse"]["ShipmentResults"]["PackageResults"][1]["ShippingLabel"] = json!({});
    assert_eq!(bought(zpl).labels, []);
    // A list of one package is the package itself.
    let mut one = shipped(&numbers[..1]);
    let package = one["ShipmentResponse"]["ShipmentResults"]["PackageResults"][0].take();
    one["ShipmentResponse"]["ShipmentResults"]["PackageResults"] = package;
    assert_eq!((bought(one.clone()).labels.len(), bought(one).tracking_numbers.len()), (1, 1));
}

#[test]
fn labels_are_fetched_in_the_order_of_the_packages() {
    let numbers = ["1ZA1B2C30390000001", "1ZA1B2C30390000012"];
    let receipt = Receipt {
        purchase: numbers[0].to_owned(),
        tracking_numbers: numbers.map(str::to_owned).to_vec(),
        charged: 0,
        currency: String::new(),
        labels: Vec::new(),
    };
    let task = Task::Label { receipt: &receipt, format: LabelFormat::Zpl };
    let request = sent(Ups.begin(&account(), &task));
    let told = &body(&request)["LabelRecoveryRequest"];
    assert_eq!(
        (&told["TrackingNumber"], &told["LabelSpecification"]["LabelImageFormat"]["Code"]),
        (&json!(numbers[0]), &json!("ZPL"))
    );
    let labelled = |body: Value| done(Ups.resume(&account(), &task, 1, ok(body)));
    let mut both = recovered(&[numbers[1], numbers[0]]);
    both["LabelRecoveryResponse"]["LabelResults"][0]["LabelImage"]["GraphicImage"] = json!(ZPL);
    let Outcome::Labelled(labels) = labelled(both) else { panic!("no labels") };
    let formats: Vec<_> =
        labels.iter().map(|label| matches!(label, Label::File { format: FileFormat::Zpl, .. })).collect();
    assert_eq!(formats, [false, true]);
    let part = labelled(recovered(&numbers[..1]));
    assert!(matches!(&part, Outcome::Rejected(error) if error.message.contains("1 of 2 labels")), "{part:?}");
}

#[test]
fn the_newest_scan_counts_by_its_time() {
    let receipt = conformance().receipt;
    let task = Task::Track(&receipt);
    let request = sent(Ups.begin(&account(), &task));
    assert!(
        request.url.ends_with("/api/track/v1/details/1ZA1B2C30390000001?locale=en_US&returnSignature=false")
    );
    let tracked = |body: Value| done(Ups.resume(&account(), &task, 1, ok(body)));
    let expected = |status, message: &str, at: Option<&str>| {
        let occurred_at = at.and_then(model::Timestamp::parse);
        Outcome::Tracked(Tracked { status, message: message.to_owned(), occurred_at })
    };
    assert_eq!(
        tracked(scans()),
        expected(TrackingStatus::Delivered, "DELIVERED", Some("2026-11-20T16:30:00Z"))
    );
    let mut local = scans();
    let list = local["trackResponse"]["shipment"][0]["package"][0]["activity"].as_array_mut().unwrap();
    list.iter_mut().for_each(|scan| scan["gmtDate"] = Value::Null);
    assert_eq!(
        tracked(local),
        expected(TrackingStatus::Delivered, "DELIVERED", None),
        "times of one place compare"
    );
    for (kind, code, status) in [
        ("M", "MP", TrackingStatus::PreTransit),
        ("P", "OR", TrackingStatus::InTransit),
        ("I", "DP", TrackingStatus::InTransit),
        ("I", "OT", TrackingStatus::OutForDelivery),
        ("O", "OT", TrackingStatus::OutForDelivery),
        ("X", "EP", TrackingStatus::InTransit),
        ("RS", "RR", TrackingStatus::ReturnToSender),
        ("MV", "VP", TrackingStatus::Cancelled),
        ("??", "", TrackingStatus::Unknown),
    ] {
        let status_of = json!({"type": kind, "code": code, "description": "x"});
        let body = json!({"trackResponse": {"shipment": [{"package": [{"currentStatus": status_of}]}]}});
        assert_eq!(tracked(body), expected(status, "x", None), "{kind} {code}");
    }
    let unknown = answer(
        404,
        json!({"response": {"errors": [{"code": "TW0001", "message": "Tracking Information Not Found"}]}}),
    );
    assert!(matches!(done(Ups.resume(&account(), &task, 1, unknown)), Outcome::Unsent { .. }));
}

#[test]
fn a_void_says_what_became_of_it() {
    let receipt = conformance().receipt;
    let task = Task::Void(&receipt);
    let request = sent(Ups.begin(&account(), &task));
    assert_eq!(
        (request.method, request.url.as_str(), request.is_purchase),
        ("DELETE", "https://onlinetools.ups.com/api/shipments/v2409/void/cancel/1ZA1B2C30390000001", false)
    );
    let voided = |answer| done(Ups.resume(&account(), &task, 1, answer));
    let said = |summary: &str, package: &str| {
        ok(json!({"VoidShipmentResponse": {"SummaryResult": {"Status": {"Code": summary}},
            "PackageLevelResult": [{"TrackingNumber": "1", "Status": {"Code": package}}]}}))
    };
    assert_eq!(voided(said("1", "1")), Outcome::Voided);
    assert!(matches!(voided(said("1", "0")), Outcome::Rejected(_)), "a part of it");
    assert!(matches!(voided(said("0", "0")), Outcome::Rejected(_)));
    let refused =
        |code: &str| voided(answer(400, json!({"response": {"errors": [{"code": code, "message": "No."}]}})));
    // UPS's test system writes control characters before its codes.
    for code in ["190117", "&#xD;190117", " 190117\n"] {
        assert_eq!(refused(code), Outcome::Voided, "it was done before");
    }
    let outcome = refused("&#xD;190102");
    assert!(matches!(&outcome, Outcome::Rejected(error) if error.message.contains("90 days")), "{outcome:?}");
    assert!(matches!(refused("190001"), Outcome::Unsent { .. }), "a system of UPS's did not answer");
}
