//! EasyPost's words against fixtures of our own.

use model::shape::parse;
use model::{CarrierAccount, Id};
use serde_json::Map;

use super::*;
use crate::{Quotes, Receipt};

pub fn account() -> Account {
    let credentials = json!({"api_key": "EZTKtest"}).as_object().cloned().unwrap_or_default();
    Account { id: Id::<CarrierAccount>::from_bits(1), configuration: Map::new(), credentials }
}

pub fn parcel() -> Parcel {
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

pub fn sent(step: Step) -> Request {
    match step {
        Step::Send(request) => request,
        Step::Done(outcome) => panic!("{outcome:?}"),
    }
}

pub fn done(step: Step) -> Outcome {
    match step {
        Step::Done(outcome) => outcome,
        Step::Send(request) => panic!("{request:?}"),
    }
}

pub fn response(status: u16, body: &Value) -> Answer {
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
fn an_account_says_what_is_needed_and_nothing_else() {
    assert_eq!(EasyPost.check(&account()), Ok(()));
    let check = |credentials: Value, configuration: Value| {
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        let account =
            Account { credentials: map(credentials), configuration: map(configuration), ..account() };
        EasyPost.check(&account)
    };
    let key = || json!({"api_key": "EZTKtest"});
    assert_eq!(check(json!({"api_key": "k", "webhook_secret": "s"}), json!({"url": "http://proxy"})), Ok(()));
    for (credentials, configuration, word) in [
        (json!({}), json!({}), "`api_key`"),
        (json!({"api_key": " "}), json!({}), "`api_key`"),
        (json!({"api_key": 7}), json!({}), "`api_key`"),
        (json!({"api_key": "k", "webhook_secret": ""}), json!({}), "`webhook_secret`"),
        (json!({"api_key": "k", "webhook_secert": "s"}), json!({}), "`webhook_secert`"),
        (key(), json!({"url": 7}), "`url`"),
        (key(), json!({"api_key": "k"}), "no `api_key`"),
    ] {
        let message = check(credentials, configuration).unwrap_err();
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn several_packages_are_refused_before_anything_is_sent() {
    let mut parcel = parcel();
    parcel.details.packages.push(parcel.details.packages[0].clone());
    let refused = |task: &Task<'_>| match done(EasyPost.begin(&account(), task)) {
        Outcome::Rejected(error) => error,
        other => panic!("{other:?}"),
    };
    for (task, r#type) in [
        (Task::Rate(&parcel), ErrorType::Rate),
        (Task::Prepare(&parcel), ErrorType::Rate),
        (buying(&parcel), ErrorType::Purchase),
    ] {
        let error = refused(&task);
        assert_eq!((error.r#type, error.source), (r#type, Source::Provider));
        assert_eq!(error.code, ErrorCode::ServiceUnavailable);
        assert!(error.message.contains("make a shipment of each package"), "{}", error.message);
    }
}

fn receipt() -> Receipt {
    let shipment: Shipment = serde_json::from_value(shipment(true)).unwrap();
    shipment.receipt(None).unwrap()
}

fn refund(status: Value) -> Answer {
    let mut body = shipment(true);
    body["refund_status"] = status;
    response(200, &body)
}

#[test]
fn a_refund_is_asked_for_once_and_then_looked_at() {
    let receipt = receipt();
    let task = Task::Void(&receipt);
    let first = sent(EasyPost.begin(&account(), &task));
    assert_eq!((first.method, first.url.ends_with("/shipments/shp_1")), ("GET", true));
    let second = sent(EasyPost.resume(&account(), &task, 1, refund(Value::Null)));
    assert_eq!((second.method, second.url.ends_with("/shipments/shp_1/refund")), ("POST", true));
    // Whether asked just now or weeks ago.
    for exchange in [1, 2] {
        let outcome =
            |status: &str| done(EasyPost.resume(&account(), &task, exchange, refund(json!(status))));
        assert_eq!(outcome("submitted"), Outcome::Voiding);
        assert_eq!(outcome("refunded"), Outcome::Voided);
        for (status, word) in
            [("rejected", "rejected"), ("not_applicable", "nothing to refund"), ("odd", "(odd)")]
        {
            match outcome(status) {
                Outcome::Rejected(error) => {
                    assert_eq!((error.r#type, error.source), (ErrorType::Void, Source::Carrier));
                    assert!(error.message.contains(word), "{}", error.message);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    let unsaid = done(EasyPost.resume(&account(), &task, 2, refund(Value::Null)));
    assert!(matches!(unsaid, Outcome::Unsent { .. }), "{unsaid:?}");
}

#[test]
fn a_label_is_taken_in_the_wanted_format_where_it_can_be_had() {
    let receipt = receipt();
    let wanted = |format| Task::Label { receipt: &receipt, format };
    let task = wanted(LabelFormat::Zpl);
    assert!(sent(EasyPost.begin(&account(), &task)).url.ends_with("/shipments/shp_1"));
    let convert = sent(EasyPost.resume(&account(), &task, 1, response(200, &shipment(true))));
    assert!(convert.url.ends_with("/shipments/shp_1/label?file_format=ZPL"), "{}", convert.url);
    let mut both = shipment(true);
    both["postage_label"]["label_zpl_url"] = json!("https://files.example.com/1.zpl");
    let found = |task: &Task<'_>, exchange, body: &Value| match done(EasyPost.resume(
        &account(),
        task,
        exchange,
        response(200, body),
    )) {
        Outcome::Labelled(Label::At { format, url }) => (format, url.rsplit('.').next().unwrap().to_owned()),
        other => panic!("{other:?}"),
    };
    assert_eq!(found(&task, 2, &both), (LabelFormat::Zpl, "zpl".to_owned()));
    assert_eq!(found(&task, 1, &both), (LabelFormat::Zpl, "zpl".to_owned()));
    assert_eq!(found(&wanted(LabelFormat::Png), 1, &both), (LabelFormat::Png, "png".to_owned()));
    // What can't be converted is taken as it is.
    let refused = json!({"error": {"code": "LABEL.FORMAT", "message": "No."}});
    let again = sent(EasyPost.resume(&account(), &task, 2, response(422, &refused)));
    assert!(again.url.ends_with("/shipments/shp_1"));
    assert_eq!(found(&task, 3, &shipment(true)), (LabelFormat::Png, "png".to_owned()));
    let none = done(EasyPost.resume(&account(), &task, 1, response(200, &shipment(false))));
    assert_eq!(none, Outcome::Labelled(Label::Later));
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
        status: model::shipment::TrackingStatus::Delivered,
        message: "arrived".to_owned(),
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
