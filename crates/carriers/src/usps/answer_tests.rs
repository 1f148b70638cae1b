//! What USPS's answers mean when a task succeeds.

use model::shipping::shipment::TrackingStatus;
use serde_json::{Value, json};

use super::tests::{
    PDF, ZPL, account, body, buying, conformance, done, events, export, header, made, parcel, parted, rates,
    sent,
};
use super::*;
use crate::conformance::{answer, day, ok};
use crate::{FileFormat, Label, Manifested, Parcel, TokenOutcome, Tracked};

#[test]
fn there_are_two_tokens_and_the_second_needs_the_first() {
    let first = Usps.request_token(&account(), http::TOKEN);
    assert_eq!(first.url, "https://apis.usps.com/oauth2/v3/token");
    assert_eq!(header(&first, "authorization"), None);
    assert_eq!(
        body(&first),
        json!({"grant_type": "client_credentials", "client_id": "the-client", "client_secret": "the-client-secret"})
    );
    let second = Usps.request_token(&account(), http::PAYMENT);
    assert_eq!(second.url, "https://apis.usps.com/payments/v3/payment-authorization");
    assert_eq!(header(&second, "authorization"), Some("Bearer the-access-token"));
    let role = &body(&second)["roles"][0];
    assert_eq!(
        role,
        &json!({"roleName": "PAYER", "CRID": "12345678", "MID": "123456789", "manifestMID": "123456789", "accountType": "EPS",
            "accountNumber": "1000000001"})
    );
    let refused = |name, body: Value| match Usps.read_token(&account(), name, answer(401, body)) {
        TokenOutcome::Refused(error) => error.message,
        other => panic!("{other:?}"),
    };
    let message = refused(
        http::TOKEN,
        json!({"error": "invalid_client", "error_description": "Client authentication failed."}),
    );
    assert!(
        message.contains("Client authentication failed.") && message.contains("`client_id`"),
        "{message}"
    );
    let message = refused(
        http::PAYMENT,
        json!({"error": {"code": "401", "message": "We are having trouble validating your credit card."}}),
    );
    assert!(message.contains("credit card") && message.contains("`eps_account_number`"), "{message}");
    let parcel = parcel(&[]);
    assert_eq!(Usps.tokens(&account(), &Task::Rate(&parcel)), [http::TOKEN]);
    assert_eq!(Usps.tokens(&account(), &buying(&parcel, "usps.priority_mail")), [http::TOKEN, http::PAYMENT]);
}

#[test]
fn prices_are_those_of_the_package_with_what_is_asked_for() {
    let quoted = |parcel: &Parcel| match done(Usps.resume(&account(), &Task::Rate(parcel), 1, ok(rates()))) {
        Outcome::Quoted(quotes) => {
            let shown =
                quotes.quotes.into_iter().map(|quote| (quote.service, quote.amount, quote.delivery_days));
            shown.collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let row = |service: &str, amount| (service.to_owned(), amount, Some(3));
    assert_eq!(
        quoted(&parcel(&[])),
        [
            row("usps.ground_advantage", 710),
            row("usps.priority_mail", 995),
            row("usps.priority_mail_express", 3000)
        ]
    );
    let boxed = parcel(&[("/packages/0/predefined_package_code", json!("usps_medium_flat_rate_box"))]);
    assert_eq!(quoted(&boxed), [row("usps.priority_mail", 1650)]);
}

#[test]
fn a_label_abroad_has_its_customs_form() {
    let parcel = export();
    let request = sent(Usps.begin(&account(), &buying(&parcel, "usps.priority_mail_express_international")));
    assert_eq!(request.url, "https://apis.usps.com/international-labels/v3/international-label");
    let told = body(&request);
    assert_eq!(
        told["toAddress"],
        json!({"firstName": "Ada", "lastName": "Ada", "phone": "5551234567", "streetAddress": "1 Broad St", "city": "Bristol",
            "province": "Avon", "postalCode": "BS1 4DJ", "country": "GB", "countryISOAlpha2Code": "GB"})
    );
    assert_eq!(told["packageDescription"]["rateIndicator"], "PA");
    assert_eq!(told["packageDescription"]["packageOptions"], json!({"nonDeliveryOption": "RETURN"}));
    assert_eq!(
        told["customsForm"],
        json!({"AESITN": "NO EEI 30.37(a)", "customsContentType": "GIFT", "contents": [
            {"itemDescription": "Shirt", "itemQuantity": 2, "itemTotalValue": 50.0, "weightUOM": "lb", "itemTotalWeight": 0.67,
             "HSTariffNumber": "610910", "countryofOrigin": "PT"},
            {"itemDescription": "Cap", "itemQuantity": 1, "itemTotalValue": 19.99, "weightUOM": "lb", "itemTotalWeight": 0.56}]})
    );
    let abroad = json!({"internationalTrackingNumber": "CA005067273US", "postage": 41.3, "labelImage": ZPL});
    let task = buying(&parcel, "usps.priority_mail_express_international");
    let Outcome::Bought(receipt) = done(Usps.resume(&account(), &task, 1, answer(201, abroad))) else {
        panic!("not bought")
    };
    assert_eq!((receipt.purchase.as_str(), receipt.charged), ("CA005067273US", 4130));
    assert!(matches!(receipt.labels[..], [Label::File { format: FileFormat::Zpl, .. }]));
    let void = sent(Usps.begin(&account(), &Task::Void(&receipt)));
    assert!(void.url.ends_with("/international-labels/v3/international-label/CA005067273US"), "{}", void.url);
}

#[test]
fn a_purchase_is_read_from_json_and_from_parts() {
    let parcel = parcel(&[]);
    let bought =
        |answer| match done(Usps.resume(&account(), &buying(&parcel, "usps.ground_advantage"), 1, answer)) {
            Outcome::Bought(receipt) => receipt,
            other => panic!("{other:?}"),
        };
    for body in
        [made().to_string(), json!({"labelMetadata": made(), "labelImage": PDF}).to_string(), parted()]
    {
        let receipt = bought(ok(&body));
        assert_eq!(receipt.tracking_numbers, ["9200190414219000000011"]);
        // The postage, the signature and the fee.
        assert_eq!((receipt.charged, receipt.currency.as_str()), (1265, "USD"), "{body}");
        assert!(matches!(receipt.labels[..], [Label::File { format: FileFormat::Pdf, .. }]), "{body}");
    }
}

#[test]
fn the_latest_event_and_usps_s_own_category_say_where_a_parcel_is() {
    let receipt = conformance().receipt;
    let task = Task::Track(&receipt);
    let request = sent(Usps.begin(&account(), &task));
    assert_eq!(
        request.url,
        "https://apis.usps.com/tracking/v3/tracking/9200190414219000000011?expand=DETAIL"
    );
    let tracked = |body: Value| match done(Usps.resume(&account(), &task, 1, ok(body))) {
        Outcome::Tracked(tracked) => tracked,
        other => panic!("{other:?}"),
    };
    let expected = Tracked {
        status: TrackingStatus::Delivered,
        message: "Delivered, ®Locker".to_owned(),
        occurred_at: model::Timestamp::parse("2026-11-22T18:58:40Z"),
    };
    assert_eq!(tracked(events()), expected);
    for (category, words, status) in [
        ("Pre-Shipment", "Label created", TrackingStatus::PreTransit),
        ("Accepted", "", TrackingStatus::InTransit),
        ("In Transit", "", TrackingStatus::InTransit),
        ("Out for Delivery", "", TrackingStatus::OutForDelivery),
        ("Available for Pickup", "", TrackingStatus::AvailableForPickup),
        ("Alert", "Return to Sender Processed", TrackingStatus::ReturnToSender),
        ("Alert", "Undeliverable as Addressed", TrackingStatus::Failure),
        ("Alert", "Weather delay", TrackingStatus::InTransit),
        ("Delivered", "Delivered, To Original Sender", TrackingStatus::ReturnToSender),
        ("Other", "", TrackingStatus::Unknown),
    ] {
        let found = tracked(json!({"statusCategory": category, "status": words}));
        assert_eq!((found.status, found.occurred_at), (status, None), "{category} {words}");
    }
}

#[test]
fn a_label_is_cancelled_or_its_refund_is_requested() {
    let receipt = conformance().receipt;
    let task = Task::Void(&receipt);
    let request = sent(Usps.begin(&account(), &task));
    assert_eq!(
        (request.method, request.url.as_str()),
        ("DELETE", "https://apis.usps.com/labels/v3/label/9200190414219000000011")
    );
    let voided = |answer| done(Usps.resume(&account(), &task, 1, answer));
    assert_eq!(voided(ok(json!({"status": "CANCELED"}))), Outcome::Voided);
    assert_eq!(voided(ok(json!({"status": "DISPUTED", "disputeId": "103789"}))), Outcome::Voided);
    let refused =
        |words: &str| voided(answer(400, json!({"error": {"code": "400", "errors": [{"detail": words}]}})));
    assert_eq!(refused("The label was already canceled."), Outcome::Voided);
    assert_eq!(refused("A dispute was already submitted."), Outcome::Voided);
    assert!(matches!(refused("Order not found"), Outcome::Rejected(_)));
}

#[test]
fn a_scan_form_is_made_of_the_parcels_of_a_place() {
    let parcel = parcel(&[]);
    let origin = parcel.details().addresses.origin.as_ref();
    let purchases = ["9200190414219000000011".to_owned()];
    let task = Task::Manifest { reference: "m", named: None, purchases: &purchases, ship_on: day(), origin };
    let request = sent(Usps.begin(&account(), &task));
    assert_eq!(request.url, "https://apis.usps.com/scan-forms/v3/scan-form");
    let told = body(&request);
    assert_eq!(
        (&told["mailingDate"], &told["entryFacilityZIPCode"]),
        (&json!("2026-11-19"), &json!("20024"))
    );
    assert_eq!(told["shipment"], json!({"trackingNumbers": ["9200190414219000000011"]}));
    let parts = format!(
        "--b\nContent-Type: application/json\nContent-Disposition: form-data; name=\"Scan Form Response\"\n\n\
         {{\"manifestNumber\": \"94\"}}\n--b\nContent-Type: application/pdf\nContent-Disposition: form-data; \
         name=\"SCANFormImage\"\n\n{PDF}\n--b--"
    );
    for body in [json!({"manifestNumber": "94", "SCANFormImage": PDF}).to_string(), parts] {
        let Outcome::Manifested(Manifested { manifest, form }) =
            done(Usps.resume(&account(), &task, 1, ok(body)))
        else {
            panic!("no form")
        };
        assert_eq!(manifest, "94");
        assert!(matches!(form, Some(Label::File { format: FileFormat::Pdf, .. })));
    }
    let nowhere =
        Task::Manifest { reference: "m", named: None, purchases: &purchases, ship_on: day(), origin: None };
    assert!(matches!(done(Usps.begin(&account(), &nowhere)), Outcome::Rejected(_)));
}
