//! What DHL Express is sent, and what refuses a shipment before anything is sent.

use model::World;
use serde_json::{Value, json};

use super::tests::{account, body, buying, done, look_up, object, parcel, place, receipt, sent};
use super::*;
use crate::conformance::{REFERENCE, day};

const LIVE: &str = "https://express.api.dhl.com/mydhlapi";

#[test]
fn a_shipment_is_made_under_our_reference_with_its_label_and_declaration() {
    let parcel = parcel(&[
        ("/options/shipping", json!({"saturday_delivery": true, "signature_required": true})),
        ("/options/insurance", json!({"value": 10_000, "currency_code": "GBP"})),
        ("/options/label", json!({"custom_data": {"text_lines": ["PO 7"]}})),
        ("/customs/incoterm", json!("DDP")),
    ]);
    let request = sent(DhlExpress.begin(&account(), &buying(&parcel, LabelFormat::Zpl)));
    assert!(request.is_purchase);
    assert_eq!(
        (request.method, request.url.as_str()),
        ("POST", "https://express.api.dhl.com/mydhlapi/shipments")
    );
    assert_eq!(request.headers[0].1, "Basic dGhlLXVzZXI6dGhlLXBhc3N3b3Jk");
    assert_eq!((request.headers[2].0, request.headers[2].1.len()), ("message-reference", 32));
    let line = |number: usize, name: &str, pieces: i64, price: f64, kilograms: f64| {
        json!({"number": number, "description": name, "price": price, "quantity": {"value": pieces, "unitOfMeasurement": "PCS"},
            "exportReasonType": "gift", "weight": {"netValue": kilograms, "grossValue": kilograms}})
    };
    let shirt = |number, pieces, price, kilograms| {
        let mut line = line(number, "Shirt", pieces, price, kilograms);
        line["commodityCodes"] = json!([{"typeCode": "outbound", "value": "610910"}]);
        line["manufacturerCountry"] = json!("PT");
        line
    };
    let party = |line: &str, city: &str, code: &str, country: &str, name: &str| {
        json!({"postalAddress": {"addressLine1": line, "cityName": city, "postalCode": code, "countryCode": country},
            "contactInformation": {"companyName": name, "fullName": name, "phone": "+44 117 496 0000", "email": "jo@example.com"}})
    };
    let expected = json!({
        "plannedShippingDateAndTime": format!("{}T12:00:00 GMT+00:00", day()),
        "pickup": {"isRequested": false}, "productCode": "P", "getRateEstimates": true,
        "accounts": [{"typeCode": "shipper", "number": "123456789"}, {"typeCode": "duties-taxes", "number": "123456789"}],
        "valueAddedServices": [{"serviceCode": "AA"}, {"serviceCode": "SF"}, {"serviceCode": "DD"},
            {"serviceCode": "II", "value": 100.0, "currency": "GBP"}],
        "customerReferences": [{"value": REFERENCE, "typeCode": "CU"}, {"value": "PO 7", "typeCode": "CU"}],
        "outputImageProperties": {"printerDPI": 200, "encodingFormat": "zpl",
            "imageOptions": [{"typeCode": "label", "templateName": "ECOM26_84_001", "isRequested": true}],
            "splitTransportAndWaybillDocLabels": true, "allDocumentsInOneImage": false, "splitDocumentsByPages": false},
        "customerDetails": {
            "shipperDetails": party("Kaistr. 1", "Hamburg", "20457", "DE", "Dispatch"),
            "receiverDetails": party("7 Milsom Street", "Leeds", "LS1 4DY", "GB", "Jo Bloggs")},
        "content": {
            "packages": [{"weight": 0.5, "dimensions": {"length": 22.0, "width": 15.0, "height": 5.5}}],
            "isCustomsDeclarable": true, "declaredValue": 69.99, "declaredValueCurrency": "EUR",
            "exportDeclaration": {
                // 50.00 for three shirts.
                "lineItems": [shirt(1, 2, 16.67, 0.2), shirt(2, 1, 16.66, 0.1), line(3, "Cap", 1, 19.99, 0.25)],
                "invoice": {"number": REFERENCE, "date": day().to_string()}, "exportReasonType": "gift"},
            "description": "Shirt", "incoterm": "DDP", "unitOfMeasurement": "metric"},
    });
    assert_eq!(body(&request), expected);
}

#[test]
fn prices_of_all_products_are_asked_for() {
    let parcel = parcel(&[]);
    let request = sent(DhlExpress.begin(&account(), &Task::Rate(&parcel)));
    assert_eq!((request.url, request.is_purchase), (format!("{LIVE}/rates"), false));
    let told: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(told["plannedShippingDateAndTime"], json!(format!("{}T12:00:00GMT+00:00", day())));
    assert_eq!(
        told["monetaryAmount"],
        json!([{"typeCode": "declaredValue", "value": 69.99, "currency": "EUR"}])
    );
    assert_eq!(told["customerDetails"]["receiverDetails"]["postalCode"], json!("LS1 4DY"));
    assert_eq!(told["packages"][0]["dimensions"], json!({"length": 22.0, "width": 15.0, "height": 5.5}));
}

#[test]
fn shipments_are_looked_up_and_tracked_and_the_test_world_has_its_own_system() {
    let url = |account: &Account, task: &Task<'_>| sent(DhlExpress.begin(account, task)).url;
    let look = url(&account(), &look_up());
    assert_eq!(
        look,
        format!(
            "{LIVE}/tracking?shipmentReference={REFERENCE}&shipmentReferenceType=CU&shipperAccountNumber=123456789\
             &trackingView=shipment-details&levelOfDetail=shipment"
        )
    );
    let receipt = receipt();
    let test = account().in_world(World::Test);
    assert_eq!(
        url(&test, &Task::Track(&receipt)),
        format!(
            "{LIVE}/test/shipments/5374534616/tracking?trackingView=all-checkpoints&levelOfDetail=shipment"
        )
    );
}

#[test]
fn what_is_within_the_union_or_a_document_is_not_declared() {
    let declared = |changes: &[(&str, Value)]| {
        let parcel = parcel(changes);
        let told = body(&sent(DhlExpress.begin(&account(), &buying(&parcel, LabelFormat::Pdf))));
        assert_eq!(
            told["content"]["isCustomsDeclarable"].as_bool(),
            Some(told["content"]["exportDeclaration"].is_object())
        );
        told["content"]["isCustomsDeclarable"] == json!(true)
    };
    let paris = || ("/addresses/destination", place("1 Rue Simart", "Paris", "75001", "FR", "Jo"));
    assert!(declared(&[]));
    assert!(!declared(&[paris()]));
    assert!(!declared(&[paris(), ("/customs", json!(null))]));
    assert!(!declared(&[("/customs/contents_type", json!("documents"))]));
}

/// What is changed of a parcel, and the code and a word of the refusal.
type Refusal<'a> = (&'a [(&'a str, Value)], ErrorCode, &'a str);

#[test]
fn what_dhl_does_not_take_is_refused_before_anything_is_sent() {
    let two = json!([{"description": "Cap", "quantity": 1, "value": 1, "currency_code": "EUR"},
        {"description": "Cap", "quantity": 1, "value": 1, "currency_code": "GBP"}]);
    let heavy = json!([{"description": "Cap", "quantity": 1, "value": 1, "mass": 0.6}]);
    let long = "a very long line of an address that goes on and on ".repeat(4);
    let long = long.trim();
    let cases: [Refusal; 8] = [
        (&[("/packages", json!([{"geometry": {"mass": 1}}]))], ErrorCode::DimensionsLimit, "length"),
        (
            &[("/packages/0/predefined_package_code", json!("ups_tube"))],
            ErrorCode::DimensionsLimit,
            "packages of this name",
        ),
        (
            &[("/addresses/destination/contact", json!({"phone_number": "+44 117 496 0000"}))],
            ErrorCode::AddressInvalid,
            "a name",
        ),
        (
            &[("/addresses/origin/contact", json!({"name": "Dispatch"}))],
            ErrorCode::AddressInvalid,
            "addresses.origin.contact.phone_number",
        ),
        (
            &[("/addresses/destination/address/line_1", json!(long))],
            ErrorCode::AddressInvalid,
            "45 characters",
        ),
        (&[("/customs", json!(null))], ErrorCode::CustomsRequired, "`customs`"),
        (&[("/customs/items", two)], ErrorCode::CustomsRequired, "one currency"),
        (&[("/customs/items", heavy)], ErrorCode::CustomsRequired, "weigh more"),
    ];
    for (changes, code, words) in cases {
        let parcel = parcel(changes);
        for task in [Task::Rate(&parcel), buying(&parcel, LabelFormat::Pdf)] {
            let Outcome::Rejected(error) = done(DhlExpress.begin(&account(), &task)) else {
                panic!("{words}")
            };
            assert_eq!(error.code, code, "{}", error.message);
            assert!(error.message.contains(words), "{}", error.message);
        }
    }
    let receipt = receipt();
    for task in [Task::Void(&receipt), Task::Label { receipt: &receipt, format: LabelFormat::Pdf }] {
        assert!(matches!(done(DhlExpress.begin(&account(), &task)), Outcome::Rejected(_)));
    }
}

#[test]
fn an_account_needs_its_credentials_and_its_number() {
    let check = |credentials: Value, configuration: Value| {
        DhlExpress.check(&Account::new(model::Id::from_bits(1), object(configuration), object(credentials)))
    };
    let (right, number) =
        (|| json!({"username": "a", "password": "b"}), || json!({"account_number": "123456789"}));
    assert_eq!(check(right(), number()), Ok(()));
    assert!(check(json!({"username": "a"}), number()).unwrap_err().contains("`password`"));
    assert!(
        check(json!({"username": "a", "password": "b", "key": "c"}), number()).unwrap_err().contains("`key`")
    );
    assert!(check(right(), json!({})).unwrap_err().contains("account_number"));
    assert!(check(right(), json!({"account_number": 123})).is_err());
    assert!(check(right(), json!({"account_number": "12-3"})).is_err());
    assert!(check(right(), json!({"account_number": "1", "url": "x"})).unwrap_err().contains("`url`"));
}
