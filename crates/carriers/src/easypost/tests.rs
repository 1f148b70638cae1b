//! EasyPost's words against fixtures of our own, and against recorded traffic where that is at hand.

use std::path::Path;

use model::shape::parse;
use model::{CarrierAccount, Id};
use serde_json::Map;

use super::*;
use crate::{Label, Parcel, Quotes};

fn account() -> Account {
    let credentials = json!({"api_key": "EZTKtest"}).as_object().cloned().unwrap_or_default();
    Account { id: Id::<CarrierAccount>::from_bits(1), configuration: Map::new(), credentials }
}

fn parcel() -> Parcel {
    let details = parse(json!({
        "addresses": {
            "destination": {"address": {"line_1": "179 N Harbor Dr", "line_2": "A", "line_3": "B", "city": "Redondo Beach", "province": "CA", "post_code": "90277", "country_code": "US"},
                "contact": {"name": "Jo", "phone_number": "5555555555"}},
            "origin": {"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}},
        },
        "packages": [{"geometry": {"length": 25.4, "width": 20.32, "height": 10.16, "mass": 0.4366}}],
        "customs": {"contents_type": "merchandise", "incoterm": "DDP", "declarant": {"name": "Jo", "certify": true},
            "items": [{"description": "Shirt", "quantity": 2, "value": 2325, "currency_code": "USD", "mass": 0.312, "hs_code": "654321", "origin_country_code": "GB"}]},
        "options": {"shipping": {"dropoff_type": "regular_pickup", "signature_type": "adult", "invalid_address_handling": "forward_or_return", "non_delivery": "return"},
            "label": {"format": "zpl", "custom_data": {"text_lines": ["Order 7"], "barcodes": ["123"]}}},
        "tax_identifiers": [{"taxable_entity_type": "sender", "identifier_type": "ioss", "value": "IM0123456789"}],
    }))
    .unwrap();
    Parcel { id: Id::from_bits(7), details }
}

fn sent(step: Step) -> Request {
    match step {
        Step::Send(request) => request,
        Step::Done(outcome) => panic!("{outcome:?}"),
    }
}

fn done(step: Step) -> Outcome {
    match step {
        Step::Done(outcome) => outcome,
        Step::Send(request) => panic!("{request:?}"),
    }
}

fn response(status: u16, body: &Value) -> Answer {
    Answer::Response { status, retry_after: None, body: Bytes::from(body.to_string()) }
}

fn shipment(bought: bool) -> Value {
    let rate = json!({"id": "rate_1", "carrier": "USPS", "service": "GroundAdvantage", "rate": "6.07", "currency": "USD", "delivery_days": 3});
    let mut shipment = json!({
        "id": "shp_1", "rates": [rate], "selected_rate": null, "tracking_code": null, "postage_label": null, "refund_status": null,
        "messages": [{"carrier": "UPS", "type": "rate_error", "message": "Invalid Access License number"}],
    });
    if bought {
        shipment["selected_rate"] = rate;
        shipment["tracking_code"] = json!("9400100208303109505657");
        shipment["fees"] = json!([{"type": "PostageFee", "amount": "6.07000", "charged": true}]);
        shipment["postage_label"] =
            json!({"label_url": "https://files.example.com/1.png", "label_file_type": "image/png"});
    }
    shipment
}

#[test]
fn a_shipment_is_told_in_easypost_s_words() {
    let parcel = parcel();
    let request = sent(EasyPost.begin(&account(), &Task::Rate(&parcel)));
    assert_eq!((request.method, request.url.as_str()), ("POST", "https://api.easypost.com/v2/shipments"));
    assert_eq!(request.headers[0].1, "Basic RVpUS3Rlc3Q6");
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let shipment = &body["shipment"];
    assert_eq!(shipment["reference"], parcel.id.to_string());
    assert_eq!(shipment["to_address"]["street2"], "A, B");
    // 20.32 cm are kept as 204 mm, and those are a little more than 8 inches.
    assert_eq!(shipment["parcel"], json!({"length": 10.0, "width": 8.1, "height": 4.1, "weight": 15.5}));
    assert_eq!(shipment["customs_info"]["customs_items"][0]["value"], "23.25");
    assert_eq!(shipment["customs_info"]["non_delivery_option"], "return");
    let options = &shipment["options"];
    assert_eq!(options["label_format"], "ZPL");
    assert_eq!(options["dropoff_type"], "REGULAR_PICKUP");
    assert_eq!(options["delivery_confirmation"], "ADULT_SIGNATURE");
    assert_eq!(options["endorsement"], "FORWARDING_SERVICE_REQUESTED");
    assert_eq!(
        (&options["print_custom_1"], &options["print_custom_1_barcode"]),
        (&json!("Order 7"), &json!("123"))
    );
    assert_eq!(options["incoterm"], "DDP");
    assert_eq!(
        shipment["tax_identifiers"][0],
        json!({"entity": "SENDER", "tax_id": "IM0123456789", "tax_id_type": "IOSS"})
    );
}

#[test]
fn an_account_needs_its_key() {
    assert_eq!(EasyPost.check(&account()), Ok(()));
    for credentials in [json!({}), json!({"api_key": " "}), json!({"api_key": 7})] {
        let credentials = credentials.as_object().cloned().unwrap_or_default();
        let message = EasyPost.check(&Account { credentials, ..account() }).unwrap_err();
        assert!(message.contains("`api_key`"), "{message}");
    }
}

#[test]
fn rates_come_with_what_carriers_said() {
    let parcel = parcel();
    let outcome = done(EasyPost.resume(&account(), &Task::Rate(&parcel), 1, response(201, &shipment(false))));
    let Outcome::Quoted(Quotes { quotes, errors }) = outcome else { panic!("{outcome:?}") };
    assert_eq!((quotes[0].service.as_str(), quotes[0].amount), ("usps.ground_advantage", 607));
    assert_eq!(errors[0].message, "UPS: Invalid Access License number");
    assert_eq!(errors[0].source, Source::Carrier);
}

fn buying<'a>(parcel: &'a Parcel) -> Task<'a> {
    Task::Buy {
        parcel,
        service: "usps.ground_advantage",
        reference: "pa_1",
        prepared: Some("shp_1"),
        format: LabelFormat::Png,
    }
}

#[test]
fn a_purchase_looks_first_and_names_the_rate() {
    let parcel = parcel();
    let task = buying(&parcel);
    assert_eq!(sent(EasyPost.begin(&account(), &task)).method, "GET");
    let request = sent(EasyPost.resume(&account(), &task, 1, response(200, &shipment(false))));
    assert!(request.is_purchase && request.url.ends_with("/shipments/shp_1/buy"));
    let outcome = done(EasyPost.resume(&account(), &task, 2, response(200, &shipment(true))));
    let Outcome::Bought(receipt) = outcome else { panic!("{outcome:?}") };
    assert_eq!((receipt.charged, receipt.tracking_numbers[0].as_str()), (607, "9400100208303109505657"));
    assert!(matches!(receipt.label, Some(Label::At { format: LabelFormat::Png, .. })));
    // What was bought already is not bought again.
    let outcome = done(EasyPost.resume(&account(), &task, 1, response(200, &shipment(true))));
    assert!(matches!(outcome, Outcome::Bought(_)));
}

#[test]
fn what_may_have_been_bought_is_unknown_and_what_was_not_is_not() {
    let parcel = parcel();
    let task = buying(&parcel);
    let failed = |status: u16, code: &str| {
        let body = json!({"error": {"code": code, "message": "No.", "errors": []}});
        done(EasyPost.resume(&account(), &task, 2, response(status, &body)))
    };
    for (status, code) in [
        (500, ""),
        (503, ""),
        (408, ""),
        (423, ""),
        (422, "SHIPMENT.POSTAGE.EXISTS"),
        (422, "SHIPMENT.PURCHASE.IN_PROGRESS"),
    ] {
        assert!(matches!(failed(status, code), Outcome::Unknown(_)), "{status} {code}");
    }
    assert!(matches!(
        done(EasyPost.resume(&account(), &task, 2, Answer::Lost("cut".into()))),
        Outcome::Unknown(_)
    ));
    let garbled = Answer::Response { status: 200, retry_after: None, body: Bytes::from_static(b"<html>") };
    assert!(matches!(done(EasyPost.resume(&account(), &task, 2, garbled)), Outcome::Unknown(_)));
    assert!(matches!(failed(429, ""), Outcome::Unsent { .. }));
    assert!(matches!(
        done(EasyPost.resume(&account(), &task, 2, Answer::Unsent("refused".into()))),
        Outcome::Unsent { .. }
    ));
    let code = |outcome| match outcome {
        Outcome::Rejected(error) => error.code,
        other => panic!("{other:?}"),
    };
    assert_eq!(code(failed(402, "PAYMENT.REQUIRED")), ErrorCode::InsufficientFunds);
    assert_eq!(code(failed(403, "APIKEY.INACTIVE")), ErrorCode::CredentialsInvalid);
    assert_eq!(code(failed(422, "ADDRESS.VERIFY.FAILURE")), ErrorCode::AddressInvalid);
    // Before the purchase nothing was at stake.
    let looked = done(EasyPost.resume(&account(), &task, 1, Answer::Lost("cut".into())));
    assert!(matches!(looked, Outcome::Unsent { .. }));
}

#[test]
fn errors_are_read_in_all_their_shapes() {
    let parcel = parcel();
    for (errors, message) in [
        (
            json!([{"field": "shipment", "message": "cannot be blank"}]),
            "Missing. (shipment: cannot be blank)",
        ),
        (json!([{"to_address": "Required and missing."}]), "Missing. (to_address: Required and missing.)"),
        (json!(["Nothing found."]), "Missing. (Nothing found.)"),
        (json!([]), "Missing."),
    ] {
        let body = json!({"error": {"code": "PARAMETER.REQUIRED", "message": "Missing.", "errors": errors}});
        match done(EasyPost.resume(&account(), &Task::Rate(&parcel), 1, response(422, &body))) {
            Outcome::Rejected(error) => assert_eq!(error.message, message),
            other => panic!("{other:?}"),
        }
    }
}

/// Every recorded exchange of a shipment is understood.
#[test]
fn recorded_traffic_is_understood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/easypost");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no recorded traffic here");
        return;
    };
    let parcel = parcel();
    let (mut shipments, mut failures) = (0, 0);
    for entry in entries {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let recorded: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for exchange in recorded["exchanges"].as_array().into_iter().flatten() {
            let (status, body) =
                (exchange["response"]["status"].as_u64().unwrap() as u16, &exchange["response"]["body"]);
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_shipment = body["id"].as_str().is_some_and(|id| id.starts_with("shp_"));
            let outcome = done(EasyPost.resume(&account(), &Task::Rate(&parcel), 1, response(status, body)));
            if is_shipment && status < 300 {
                let Outcome::Quoted(quotes) = outcome else { panic!("{name}: {outcome:?}") };
                let given = body["rates"].as_array().map_or(0, Vec::len);
                assert_eq!(quotes.quotes.len(), given, "{name}");
                assert_eq!(quotes.errors.len(), body["messages"].as_array().map_or(0, Vec::len), "{name}");
                shipments += 1;
            } else if body["error"].is_object() {
                let (Outcome::Rejected(error) | Outcome::Unsent { why: error, .. }) = outcome else {
                    panic!("{name}: {outcome:?}")
                };
                assert!(error.message.len() > 3, "{name}");
                failures += 1;
            }
        }
    }
    assert!(shipments > 10 && failures > 5, "{shipments} shipments, {failures} failures");
}

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
    let update = update(body).unwrap();
    assert_eq!(
        (update.tracking_number.as_str(), update.status),
        ("EZ4", model::shipment::TrackingStatus::Delivered)
    );
    assert_eq!(super::update(br#"{"description":"batch.updated","result":{}}"#), None);
}
