//! What Royal Mail is sent: the order, and what refuses a shipment before anything is sent.

use serde_json::{Value, json};

use super::tests::{account, buying, card, done, export, look_up, missing, object, parcel, receipt, sent};
use super::*;
use crate::conformance::{REFERENCE, day};
use crate::{Parcel, Quotes};

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// The request that buys, after the look-up before it.
fn order(parcel: &Parcel, service: &str) -> Request {
    let task = buying(parcel, service);
    let look = sent(RoyalMail.begin(&account(), &task));
    assert!(!look.is_purchase);
    assert_eq!(look.url, format!("https://api.parcel.royalmail.com/api/v1/orders/%22{REFERENCE}%22"));
    let order = sent(RoyalMail.resume(&account(), &task, 1, missing()));
    assert!(order.is_purchase);
    order
}

#[test]
fn an_order_is_made_under_our_reference_with_its_label() {
    let parcel = parcel(&[(
        "/options/shipping",
        json!({"signature_required": true, "saturday_delivery": true, "safe_place": "Shed", "commercial_address": true}),
    )]);
    let request = order(&parcel, "tracked_24");
    assert_eq!(
        (request.method, request.url.as_str()),
        ("POST", "https://api.parcel.royalmail.com/api/v1/orders")
    );
    assert_eq!(request.headers[0], ("authorization", "Bearer the-key-of-the-shop".to_owned()));
    let expected = json!({"items": [{
        "orderReference": REFERENCE, "isRecipientABusiness": true,
        "recipient": {
            "address": {"fullName": "Jo Bloggs", "addressLine1": "7 Milsom Street", "city": "Leeds", "postcode": "LS1 4DY", "countryCode": "GB"},
            "phoneNumber": "0117 496 0000", "emailAddress": "jo@example.com"},
        "sender": {"tradingName": "Quay Goods"},
        "packages": [{"weightInGrams": 500, "packageFormatIdentifier": "parcel",
            "dimensions": {"heightInMms": 50, "widthInMms": 150, "depthInMms": 220}}],
        "orderDate": format!("{}T00:00:00Z", day()), "plannedDespatchDate": format!("{}T00:00:00Z", day()),
        "subtotal": 0.0, "shippingCostCharged": 0, "total": 0.0, "currencyCode": "GBP",
        "postageDetails": {"serviceCode": "TPN24", "guaranteedSaturdayDelivery": true, "requestSignatureUponDelivery": true, "safePlace": "Shed"},
        "label": {"includeLabelInResponse": true, "includeCN": false, "includeReturnsLabel": false},
    }]});
    assert_eq!(body(&request), expected);
}

#[test]
fn pieces_of_a_declaration_add_up_to_the_penny() {
    let told = body(&order(&export(), "international"));
    let item = &told["items"][0];
    assert_eq!(
        (&item["label"]["includeCN"], &item["total"], &item["subtotal"]),
        (&json!(true), &json!(69.99), &json!(69.99))
    );
    let shirt = |quantity: i64, value: f64| {
        json!({"name": "Shirt", "SKU": "SH-1", "quantity": quantity, "unitValue": value, "unitWeightInGrams": 100,
            "customsDescription": "Shirt", "customsCode": "610910", "originCountryCode": "PT", "customsDeclarationCategory": "gift"})
    };
    let cap = json!({"name": "Cap", "quantity": 1, "unitValue": 19.99, "unitWeightInGrams": 250, "customsDescription": "Cap",
        "customsDeclarationCategory": "gift"});
    // 50.00 for three shirts.
    assert_eq!(item["packages"][0]["contents"], json!([shirt(2, 16.67), shirt(1, 16.66), cap]));
}

#[test]
fn orders_are_looked_up_deleted_and_printed_by_their_names() {
    let url = |task: &Task<'_>| {
        let request = sent(RoyalMail.begin(&account(), task));
        (request.method, request.url.trim_start_matches("https://api.parcel.royalmail.com/api/v1").to_owned())
    };
    let receipt = receipt();
    assert_eq!(url(&look_up()), ("GET", format!("/orders/%22{REFERENCE}%22")));
    assert_eq!(url(&Task::Void(&receipt)), ("DELETE", "/orders/1001".to_owned()));
    let label = url(&Task::Label { receipt: &receipt, format: LabelFormat::Pdf });
    let path = "/orders/1001/label?documentType=postageLabel&includeReturnsLabel=false&includeCN=true";
    assert_eq!(label, ("GET", path.to_owned()));
    // What is no number of Royal Mail's would name other orders.
    for purchase in ["", "1001;1002", "../orders", "%22x%22"] {
        let receipt = crate::Receipt { purchase: purchase.to_owned(), ..receipt.clone() };
        for task in [Task::Void(&receipt), Task::Label { receipt: &receipt, format: LabelFormat::Pdf }] {
            assert!(matches!(done(RoyalMail.begin(&account(), &task)), Outcome::Rejected(_)), "{purchase}");
        }
    }
}

fn quotes(parcel: &Parcel) -> Quotes {
    match done(RoyalMail.begin(&account(), &Task::Rate(parcel))) {
        Outcome::Quoted(quotes) => quotes,
        other => panic!("{other:?}"),
    }
}

#[test]
fn prices_are_those_of_the_rate_card() {
    let shown = |changes: &[(&str, Value)]| {
        let quotes = quotes(&parcel(changes));
        assert_eq!(quotes.errors.is_empty(), !quotes.quotes.is_empty());
        let show = |quote: crate::Quote| format!("{} {} {}", quote.service, quote.amount, quote.currency);
        quotes.quotes.into_iter().map(show).collect::<Vec<_>>()
    };
    assert_eq!(shown(&[]), ["tracked_24 385 GBP"]);
    let bath = super::tests::place("1", "Bath", "BA1 1DN", "GB", "Jo");
    assert_eq!(shown(&[("/addresses/destination", bath)]), ["tracked_24 350 GBP"]);
    assert_eq!(
        shown(&[("/packages/0/predefined_package_code", json!("royal_mail_large_letter"))]),
        ["tracked_24 290 GBP"]
    );
    let signed = ("/options/shipping", json!({"signature_required": true, "tracked_service": true}));
    assert_eq!(shown(&[signed]), ["tracked_24 505 GBP"]);
    let heavy = shown(&[("/packages/0/geometry", json!({"mass": 20.001}))]);
    assert!(heavy.is_empty());
    let abroad = quotes(&export());
    assert_eq!((abroad.quotes.len(), abroad.quotes[0].amount), (1, 915));
    // What a service has no price for, it does not offer.
    let mut export = export().details().clone();
    export.options.as_mut().unwrap().shipping.get_or_insert_default().tracked_service = Some(true);
    assert!(quotes(&Parcel::new(model::Id::from_bits(7), &export)).quotes.is_empty());
}

/// What is changed of a parcel, and the code and a word of the refusal.
type Refusal<'a> = (&'a [(&'a str, Value)], ErrorCode, &'a str);

#[test]
fn what_royal_mail_does_not_take_is_refused_before_anything_is_sent() {
    let long = "x".repeat(101);
    let dollars = json!({"items": [{"description": "Cap", "quantity": 1, "value": 1, "currency_code": "USD"},
        {"description": "Cap", "quantity": 1, "value": 1, "currency_code": "EUR"}]});
    let abroad = || ("/addresses/destination", super::tests::place("1", "Berlin", "10115", "DE", "Ada"));
    let heavy = json!({"items": [{"description": "Cap", "quantity": 1, "value": 1, "mass": 0.6}]});
    let yen = json!({"items": [{"description": "Cap", "quantity": 1, "value": 1, "currency_code": "JPY"}]});
    let cases: [Refusal; 11] = [
        (
            &[("/packages", json!([{"geometry": {"mass": 1}}, {"geometry": {"mass": 1}}]))],
            ErrorCode::ServiceUnavailable,
            "one package",
        ),
        (&[("/packages/0/geometry", json!({"mass": 30.001}))], ErrorCode::WeightLimit, "30 kg"),
        (
            &[("/packages", json!([{"predefined_package_code": "royal_mail_parcel"}]))],
            ErrorCode::WeightLimit,
            "needs the mass",
        ),
        (
            &[("/packages/0/predefined_package_code", json!("ups_tube"))],
            ErrorCode::DimensionsLimit,
            "royal_mail_letter",
        ),
        (
            &[("/addresses/origin", super::tests::place("1", "Berlin", "10115", "DE", "Ada"))],
            ErrorCode::ServiceUnavailable,
            "United Kingdom",
        ),
        (&[("/addresses/destination/contact", json!(null))], ErrorCode::AddressInvalid, "contact.name"),
        (
            &[("/addresses/destination/address/line_2", json!(long))],
            ErrorCode::AddressInvalid,
            "address.line_2",
        ),
        (&[abroad()], ErrorCode::CustomsRequired, "`customs`"),
        (&[abroad(), ("/customs", dollars)], ErrorCode::CustomsRequired, "one currency"),
        (&[abroad(), ("/customs", heavy)], ErrorCode::CustomsRequired, "weigh more"),
        (&[abroad(), ("/customs", yen)], ErrorCode::CustomsRequired, "JPY"),
    ];
    for (changes, code, words) in cases {
        let parcel = parcel(changes);
        for task in [Task::Rate(&parcel), buying(&parcel, "tracked_24")] {
            let Outcome::Rejected(error) = done(RoyalMail.begin(&account(), &task)) else {
                panic!("{words}")
            };
            assert_eq!(error.code, code, "{}", error.message);
            assert!(error.message.contains(words), "{}", error.message);
        }
    }
    let parcel = parcel(&[("/options/shipping", json!({"safe_place": "x".repeat(91)}))]);
    let Outcome::Rejected(error) = done(RoyalMail.begin(&account(), &Task::Rate(&parcel))) else { panic!() };
    assert_eq!(error.code, ErrorCode::OptionUnavailable);
}

#[test]
fn a_service_without_a_price_is_not_bought() {
    let parcel = parcel(&[]);
    for (service, words) in [("international", "no price"), ("second_class", "no service")] {
        let Outcome::Rejected(error) = done(RoyalMail.begin(&account(), &buying(&parcel, service))) else {
            panic!("{service}")
        };
        assert!(error.message.contains(words), "{}", error.message);
    }
}

#[test]
fn an_account_needs_a_key_and_a_rate_card_that_can_be_read() {
    let check = |credentials: Value, configuration: Value| {
        RoyalMail.check(&Account::new(model::Id::from_bits(1), object(configuration), object(credentials)))
    };
    let key = || json!({"api_key": "Bearer the-key"});
    assert_eq!(check(key(), card()), Ok(()));
    let with = |pointer: &str, value: Value| {
        let mut card = card();
        *card.pointer_mut(pointer).unwrap() = value;
        check(key(), card).unwrap_err()
    };
    assert!(check(json!({}), card()).unwrap_err().contains("api_key"));
    assert!(check(json!({"api_key": "a b"}), card()).is_err());
    assert!(check(json!({"api_key": "a", "secret": "b"}), card()).unwrap_err().contains("`secret`"));
    assert!(check(key(), json!({})).unwrap_err().contains("services"));
    assert!(with("/services", json!([])).contains("no service"));
    assert!(with("/services/1/handle", json!("tracked_24")).contains("two services"));
    assert!(with("/services/0/service_code", json!("TPN-24")).contains("service_code"));
    assert!(with("/services/0/rates/0/rate", json!(-1)).contains("pence"));
    assert!(with("/services/0/extras/signature", json!(-1)).contains("pence"));
    assert!(with("/services/0/rates/0/formats", json!(["box"])).contains("box"));
    assert!(with("/services/0/name", json!(" ")).contains("name"));
    assert!(with("/trading_name", json!("")).contains("trading_name"));
    // The word before the key is not sent twice.
    let account = Account::new(model::Id::from_bits(1), object(card()), object(key()));
    let request = sent(RoyalMail.begin(&account, &look_up()));
    assert_eq!(request.headers[0].1, "Bearer the-key");
}
