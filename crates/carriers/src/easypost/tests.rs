//! EasyPost's words against fixtures of our own.

use bytes::Bytes;
use model::platform::shape::parse;
use model::{CarrierAccount, Id};
use serde_json::Map;

use super::*;
use crate::conformance::{Conformance, day, ok};
use crate::{Quotes, Receipt};

pub fn account() -> Account {
    let credentials = json!({"api_key": "EZTKtest"}).as_object().cloned().unwrap_or_default();
    Account::new(Id::<CarrierAccount>::from_bits(1), Map::new(), credentials)
}

pub fn parcel() -> Parcel {
    Parcel::new(Id::from_bits(7), &details())
}

fn details() -> model::shipping::shipment::ShipmentInput {
    parse(json!({
        "addresses": {
            "destination": {"address": {"line_1": "179 N Harbor Dr", "line_2": "A", "line_3": "B", "city": "Redondo Beach", "province": "CA", "post_code": "90277", "country_code": "US"},
                "contact": {"name": "Jo", "phone_number": "5555555555"}},
            "origin": {"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"},
                "display_name": "SECRET depot", "contact": {"name": "Dispatch", "company": "Acme"}},
        },
        "packages": [{"geometry": {"length": 25.4, "width": 20.32, "height": 10.16, "mass": 0.4366}}],
        "customs": {"contents_type": "merchandise", "incoterm": "DDP", "declarant": {"name": "Jo", "certify": true},
            "items": [{"description": "Shirt", "quantity": 2, "value": 2325, "currency_code": "USD", "mass": 0.312, "hs_code": "654321", "origin_country_code": "GB"}]},
        "options": {"shipping": {"dropoff_type": "regular_pickup", "signature_type": "adult", "invalid_address_handling": "forward_or_return", "non_delivery": "return"},
            "label": {"format": "zpl", "custom_data": {"text_lines": ["Order 7"], "barcodes": ["123"]}}},
        "tax_identifiers": [{"taxable_entity_type": "sender", "identifier_type": "ioss", "value": "IM0123456789"}],
    }))
    .unwrap()
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

pub fn shipment(bought: bool) -> Value {
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

/// What EasyPost answers when a task succeeds, and how it refuses.
pub(crate) fn conformance() -> Conformance {
    let with = |name: &str, value: Value| {
        let mut body = shipment(true);
        body[name] = value;
        ok(body)
    };
    let tracker = json!({"status": "in_transit", "status_detail": "On its way",
        "tracking_details": [{"datetime": "2026-11-20T10:00:00Z"}]});
    let form = json!({"id": "sf_1", "status": "created", "message": null, "tracking_codes": ["1"],
        "form_url": "https://files.example.com/form.pdf"});
    Conformance {
        connector: &EasyPost,
        account: account(),
        parcel: parcel(),
        service: "usps.ground_advantage",
        prepared: Some("shp_1"),
        receipt: receipt(),
        rate: vec![ok(shipment(false))],
        prepare: vec![ok(shipment(false))],
        buy: vec![ok(shipment(false)), ok(shipment(true))],
        look_up: vec![ok(shipment(true))],
        void: vec![ok(shipment(true)), with("refund_status", json!("submitted"))],
        track: vec![with("tracker", tracker)],
        label: vec![ok(shipment(true))],
        manifest: vec![with("scan_form", Value::Null), ok(form)],
        tokens: Vec::new(),
        failure: |_| json!({"error": {"code": "X", "message": "No.", "errors": []}}).to_string(),
        proves_no_charge: &[400, 401, 402, 403, 404, 422],
    }
}

#[test]
fn a_shipment_is_told_in_easypost_s_words() {
    let parcel = parcel();
    let request = sent(EasyPost.begin(&account(), &Task::Prepare(&parcel)));
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
        (&json!("Order 7"), &Value::Null)
    );
    assert_eq!(
        (&options["print_custom_2"], &options["print_custom_2_barcode"]),
        (&json!("123"), &json!(true))
    );
    assert_eq!(options["incoterm"], "DDP");
    assert_eq!(
        shipment["tax_identifiers"][0],
        json!({"entity": "SENDER", "tax_id": "IM0123456789", "tax_id_type": "IOSS"})
    );
}

#[test]
fn the_address_is_the_operators_and_never_the_accounts() {
    let url = |account: &Account| sent(EasyPost.begin(account, &Task::Rate(&parcel()))).url;
    let set = Account { url: Some("https://proxy.example.com/v2/".to_owned()), ..account() };
    assert_eq!(url(&set), "https://proxy.example.com/v2/shipments");
    // An account of an earlier version may still say something.
    let configuration = json!({"url": "https://elsewhere.example.com"}).as_object().cloned().unwrap();
    assert_eq!(url(&Account { configuration, ..account() }), "https://api.easypost.com/v2/shipments");
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
    assert_eq!(check(json!({"api_key": "k", "webhook_secret": "s"}), json!({})), Ok(()));
    for (credentials, configuration, word) in [
        (json!({}), json!({}), "`api_key`"),
        (json!({"api_key": " "}), json!({}), "`api_key`"),
        (json!({"api_key": 7}), json!({}), "`api_key`"),
        (json!({"api_key": "k", "webhook_secret": ""}), json!({}), "`webhook_secret`"),
        (json!({"api_key": "k", "webhook_secert": "s"}), json!({}), "`webhook_secert`"),
        (key(), json!({"url": "https://proxy.example.com"}), "without `url`"),
        (key(), json!({"api_key": "k"}), "without `api_key`"),
    ] {
        let message = check(credentials, configuration).unwrap_err();
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn several_packages_are_refused_before_anything_is_sent() {
    let mut details = details();
    details.packages.push(details.packages[0].clone());
    let parcel = Parcel::new(Id::from_bits(7), &details);
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
        Outcome::Labelled(labels) => match labels.as_slice() {
            [Label::At { format, url }] => (*format, url.rsplit('.').next().unwrap().to_owned()),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!(found(&task, 2, &both), (FileFormat::Zpl, "zpl".to_owned()));
    assert_eq!(found(&task, 1, &both), (FileFormat::Zpl, "zpl".to_owned()));
    assert_eq!(found(&wanted(LabelFormat::Png), 1, &both), (FileFormat::Png, "png".to_owned()));
    // What can't be converted is taken as it is.
    let refused = json!({"error": {"code": "LABEL.FORMAT", "message": "No."}});
    let again = sent(EasyPost.resume(&account(), &task, 2, response(422, &refused)));
    assert!(again.url.ends_with("/shipments/shp_1"));
    assert_eq!(found(&task, 3, &shipment(true)), (FileFormat::Png, "png".to_owned()));
    let none = done(EasyPost.resume(&account(), &task, 1, response(200, &shipment(false))));
    assert_eq!(none, Outcome::Labelled(vec![Label::Later]));
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
        ship_on: day(),
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
    assert!(matches!(receipt.labels[..], [Label::At { format: FileFormat::Png, .. }]));
    // What was bought already is not bought again.
    let outcome = done(EasyPost.resume(&account(), &task, 1, response(200, &shipment(true))));
    assert!(matches!(outcome, Outcome::Bought(_)));
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

fn request_for(parcel: &Parcel) -> Value {
    let request = sent(EasyPost.begin(&account(), &Task::Rate(parcel)));
    serde_json::from_slice::<Value>(&request.body).unwrap()["shipment"].clone()
}

#[test]
fn every_option_that_is_passed_on_is_in_the_request() {
    use crate::options::{Treatment, tests as all};
    for (option, treatment) in EasyPost.options() {
        let Treatment::Passed(how) = treatment else { continue };
        let field = how.split('`').nth(1).unwrap();
        let pointer = format!("/{}", field.replace('.', "/"));
        let (with, without) =
            (all::parcel(&all::options_with(option, &all::asking(option))), all::parcel(&json!({})));
        let [with, without] = [with, without].map(|parcel| request_for(&parcel).pointer(&pointer).cloned());
        assert!(with.is_some() && with != without, "{option} is not in the request as {field}: {with:?}");
    }
}

#[test]
fn a_return_is_told_as_the_shipment_that_it_answers() {
    let mut details = details();
    details.options.as_mut().unwrap().shipping.as_mut().unwrap().is_return = Some(true);
    let there = request_for(&parcel());
    let back = request_for(&Parcel::new(Id::from_bits(7), &details));
    assert_eq!((&there["is_return"], &back["is_return"]), (&Value::Null, &json!(true)));
    for party in ["to_address", "from_address"] {
        assert_eq!(there[party], back[party], "EasyPost exchanges them itself");
    }
}

#[test]
fn a_location_s_name_is_not_sent_and_a_sender_without_a_contact_is_refused() {
    let body = request_for(&parcel());
    assert!(!body.to_string().contains("SECRET"), "{body}");
    assert_eq!(
        (&body["from_address"]["name"], &body["from_address"]["company"]),
        (&json!("Dispatch"), &json!("Acme"))
    );
    let mut details = details();
    details.addresses.origin.as_mut().unwrap().contact = None;
    let nameless = Parcel::new(Id::from_bits(7), &details);
    for task in [Task::Rate(&nameless), Task::Prepare(&nameless), buying(&nameless)] {
        let Outcome::Rejected(error) = done(EasyPost.begin(&account(), &task)) else { panic!("not refused") };
        assert_eq!((error.code, error.source), (ErrorCode::AddressInvalid, Source::Carrier));
        assert!(error.message.contains("`addresses.origin.contact.name`"), "{}", error.message);
    }
}

#[test]
fn what_easypost_has_no_word_for_is_refused() {
    use crate::options::tests as all;
    let cases = [
        (json!({"shipping": {"restricted_substances": ["alcohol", "tobacco"]}}), "`tobacco`"),
        (
            json!({"shipping": {"leave_safe": true, "signature_type": "adult"}}),
            "`options.shipping.leave_safe`",
        ),
        (json!({"label": {"custom_data": {"text_lines": ["1", "2"], "barcodes": ["3", "4"]}}}), "3 lines"),
    ];
    for (options, word) in cases {
        let parcel = all::parcel(&options);
        let Outcome::Rejected(error) = done(EasyPost.begin(&account(), &Task::Rate(&parcel))) else {
            panic!("not refused")
        };
        assert_eq!(error.code, ErrorCode::OptionUnavailable);
        assert!(error.message.contains(word), "{}", error.message);
    }
    let mut details = details();
    details.customs = None;
    details.options.as_mut().unwrap().shipping.as_mut().unwrap().non_delivery = Some("abandon".to_owned());
    let parcel = Parcel::new(Id::from_bits(7), &details);
    let Outcome::Rejected(error) = done(EasyPost.begin(&account(), &Task::Rate(&parcel))) else {
        panic!("not refused")
    };
    assert!(error.message.contains("`customs`"), "{}", error.message);
}
