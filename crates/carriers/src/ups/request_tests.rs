//! What UPS is told, and what it is not asked for.

use std::time::Duration;

use serde_json::{Value, json};

use super::tests::{account, body, buying, done, export, parcel, place, sent};
use super::*;
use crate::Parcel;
use crate::conformance::REFERENCE;

#[test]
fn an_account_says_what_is_needed_and_nothing_else() {
    assert_eq!(Ups.check(&account()), Ok(()));
    for (part, name, value, word) in [
        ("credentials", "client_id", Value::Null, "`client_id`"),
        ("credentials", "client_secret", json!(" "), "`client_secret`"),
        ("credentials", "api_key", json!("k"), "`api_key`"),
        ("configuration", "account_number", json!("12345"), "`account_number`"),
        ("configuration", "account_number", json!("12 456"), "`account_number`"),
        ("configuration", "url", json!("https://elsewhere.example.com"), "`url`"),
        ("configuration", "not_found_is_final_after_minutes", json!(5), "from 15"),
        ("configuration", "not_found_is_final_after_minutes", json!("60"), "from 15"),
    ] {
        let mut account = account();
        let fields =
            if part == "credentials" { &mut account.credentials } else { &mut account.configuration };
        fields.insert(name.to_owned(), value);
        let message = Ups.check(&account).unwrap_err();
        assert!(message.contains(word), "{message}");
    }
    let mut account = account();
    account.configuration.insert("not_found_is_final_after_minutes".to_owned(), json!(60));
    assert_eq!(Ups.check(&account), Ok(()));
    assert_eq!(Ups.capabilities(&account).visibility_delay, Duration::from_secs(3600));
}

#[test]
fn rates_are_asked_for_with_the_day_and_in_the_units_of_the_sender() {
    let request = sent(Ups.begin(&account(), &Task::Rate(&parcel(&[]))));
    assert_eq!(request.url, "https://onlinetools.ups.com/api/rating/v2409/Shoptimeintransit");
    assert_eq!(request.headers[0].1, "Bearer the-access-token");
    let shipment = &body(&request)["RateRequest"]["Shipment"];
    assert_eq!(shipment["Shipper"]["ShipperNumber"], "A1B2C3");
    assert_eq!(
        shipment["DeliveryTimeInformation"],
        json!({"PackageBillType": "03", "Pickup": {"Date": "20261119"}})
    );
    assert_eq!(
        shipment["Package"],
        json!([{"PackagingType": {"Code": "02"},
            "Dimensions": {"UnitOfMeasurement": {"Code": "IN"}, "Length": "10", "Width": "8", "Height": "4"},
            "PackageWeight": {"UnitOfMeasurement": {"Code": "LBS"}, "Weight": "0.9"}}])
    );
    assert_eq!(shipment["ShipmentRatingOptions"], json!({"NegotiatedRatesIndicator": ""}));
    // Transit times abroad need a value; without one, the rates are asked for alone.
    let abroad = place("1 Broad St", "Bristol", "", "BS1 4DJ", "GB", "Ada");
    let plain = sent(Ups.begin(&account(), &Task::Rate(&parcel(&[("/addresses/destination", abroad)]))));
    assert!(plain.url.ends_with("/Shop"), "{}", plain.url);
    let valued = sent(Ups.begin(&account(), &Task::Rate(&export())));
    assert!(valued.url.ends_with("/Shoptimeintransit"), "{}", valued.url);
    let total = &body(&valued)["RateRequest"]["Shipment"]["InvoiceLineTotal"];
    assert_eq!(total, &json!({"CurrencyCode": "USD", "MonetaryValue": "119.99"}));
}

#[test]
fn a_shipment_within_the_united_states_is_told_in_ups_s_words() {
    let parcel = parcel(&[(
        "/options",
        json!({"shipping": {"signature_type": "adult", "saturday_delivery": true, "commercial_address": false},
               "label": {"custom_data": {"text_lines": ["PO 7"]}}}),
    )]);
    let request = sent(Ups.begin(&account(), &buying(&parcel)));
    assert!(request.is_purchase);
    assert_eq!(request.url, "https://onlinetools.ups.com/api/shipments/v2409/ship");
    let told = &body(&request)["ShipmentRequest"];
    assert_eq!(
        told["LabelSpecification"],
        json!({"LabelImageFormat": {"Code": "GIF"}, "HTTPUserAgent": "Mozilla/4.5"})
    );
    let shipment = &told["Shipment"];
    assert_eq!(shipment["Service"], json!({"Code": "03"}));
    assert_eq!(
        shipment["ReferenceNumber"],
        Value::Null,
        "UPS refuses references of a shipment on this route"
    );
    let package = &shipment["Package"][0];
    assert_eq!(
        package["ReferenceNumber"],
        json!([{"Code": "TN", "Value": REFERENCE}, {"Code": "TN", "Value": "PO 7"}])
    );
    assert_eq!(package["PackageServiceOptions"], json!({"DeliveryConfirmation": {"DCISType": "3"}}));
    assert_eq!(shipment["ShipmentServiceOptions"], json!({"SaturdayDeliveryIndicator": ""}));
    assert_eq!(
        shipment["ShipTo"],
        json!({"Name": "Jo Bloggs", "AttentionName": "Jo Bloggs", "Phone": {"Number": "15551234567"}, "EMailAddress": "jo@example.com",
            "Address": {"AddressLine": ["179 N Harbor Dr"], "City": "Redondo Beach", "StateProvinceCode": "CA",
                "PostalCode": "90277", "CountryCode": "US", "ResidentialAddressIndicator": ""}})
    );
    assert_eq!(
        shipment["PaymentInformation"],
        json!({"ShipmentCharge": [{"Type": "01", "BillShipper": {"AccountNumber": "A1B2C3"}}]})
    );
}

#[test]
fn an_export_has_the_data_of_a_paperless_invoice() {
    let parcel = export();
    let mut task = buying(&parcel);
    if let Task::Buy { service, format, .. } = &mut task {
        (*service, *format) = ("ups.saver", LabelFormat::Zpl);
    }
    let told = body(&sent(Ups.begin(&account(), &task)));
    let shipment = &told["ShipmentRequest"]["Shipment"];
    let forms = &shipment["ShipmentServiceOptions"]["InternationalForms"];
    assert_eq!(forms["FormType"], json!(["01"]));
    assert_eq!((&forms["InvoiceNumber"], &forms["InvoiceDate"]), (&json!(REFERENCE), &json!("20261119")));
    assert_eq!((&forms["TermsOfShipment"], &forms["ReasonForExport"]), (&json!("DDP"), &json!("SALE")));
    assert_eq!(
        forms["Product"][0],
        json!({"Description": ["Shirt"], "Unit": {"Number": "3", "UnitOfMeasurement": {"Code": "PCS"}, "Value": "33.333333"},
            "CommodityCode": "610910", "PartNumber": "SH-1", "OriginCountryCode": "PT",
            "ProductIdentifier": [{"ProductID": "SH-1", "ProductIDTypeCode": "0100"}]})
    );
    assert_eq!(forms["Product"][1]["Unit"]["Value"], "19.99");
    // All packages carry the reference, so it says that there are several.
    assert_eq!(shipment["ReferenceNumber"], json!([{"Code": "TN", "Value": format!("{REFERENCE}-M")}]));
    assert!(format!("{REFERENCE}-M").len() <= 35);
    assert_eq!(shipment["Package"][0]["ReferenceNumber"], Value::Null);
    assert_eq!(shipment["PaymentInformation"]["ShipmentCharge"][1]["Type"], "02", "the sender pays duties");
    assert_eq!(
        shipment["ShipFrom"]["VendorInfo"],
        json!({"VendorCollectIDTypeCode": "0356", "VendorCollectIDNumber": "IM0123456789"})
    );
    assert_eq!(
        told["ShipmentRequest"]["LabelSpecification"],
        json!({"LabelImageFormat": {"Code": "ZPL"}, "LabelStockSize": {"Height": "6", "Width": "4"}})
    );
}

#[test]
fn a_return_is_paid_by_the_merchant_who_receives_it() {
    let parcel = parcel(&[("/options", json!({"shipping": {"is_return": true}}))]);
    let told = body(&sent(Ups.begin(&account(), &buying(&parcel))));
    let shipment = &told["ShipmentRequest"]["Shipment"];
    assert_eq!(shipment["ReturnService"], json!({"Code": "9"}));
    assert_eq!(shipment["ShipFrom"]["Name"], "Jo Bloggs");
    assert_eq!(
        (&shipment["ShipTo"]["Name"], &shipment["Shipper"]["Name"]),
        (&json!("Dispatch"), &json!("Dispatch"))
    );
    assert_eq!(shipment["Package"][0]["Description"], "Merchandise", "UPS wants it of returns");
}

#[test]
fn what_ups_does_not_take_is_refused_before_anything_is_sent() {
    let refused = |parcel: &Parcel, service: &str| {
        let mut task = buying(parcel);
        if let Task::Buy { service: chosen, .. } = &mut task {
            *chosen = service;
        }
        match done(Ups.begin(&account(), &task)) {
            Outcome::Rejected(error) => (error.code, error.message),
            other => panic!("{other:?}"),
        }
    };
    let long = "1 The Very Long Name Of A Street That Never Ends And Goes On For Ever And Ever And Ever, And Then Some More";
    let cases = [
        (
            vec![("/packages", json!([{"geometry": {"mass": 69}}]))],
            "ups.ground",
            ErrorCode::WeightLimit,
            "150 lb",
        ),
        (
            vec![("/packages", json!([{"predefined_package_code": "ups_pak"}]))],
            "ups.ground",
            ErrorCode::WeightLimit,
            "mass",
        ),
        (
            vec![("/packages", json!([{"geometry": {"mass": 1, "length": 280, "width": 1, "height": 1}}]))],
            "ups.ground",
            ErrorCode::DimensionsLimit,
            "108 inches",
        ),
        (
            vec![("/packages", json!([{"geometry": {"mass": 1}, "predefined_package_code": "crate"}]))],
            "ups.ground",
            ErrorCode::DimensionsLimit,
            "ups_pak",
        ),
        (
            vec![("/addresses/origin/contact", Value::Null)],
            "ups.ground",
            ErrorCode::AddressInvalid,
            "addresses.origin",
        ),
        (
            vec![("/addresses/destination/address/line_1", json!(long))],
            "ups.ground",
            ErrorCode::AddressInvalid,
            "35 characters",
        ),
        (vec![], "ups.freight", ErrorCode::ServiceUnavailable, "ups.freight"),
        (
            vec![("/addresses/origin", place("1 Broad St", "Bristol", "", "BS1 4DJ", "GB", "Ada"))],
            "ups.ground",
            ErrorCode::ServiceUnavailable,
            "starts in US",
        ),
    ];
    for (changes, service, code, word) in cases {
        let (found, message) = refused(&parcel(&changes), service);
        assert_eq!(found, code, "{message}");
        assert!(message.contains(word), "{message}");
    }
    // What is long is wrapped, not cut, if it fits.
    let wrapped = parcel(&[(
        "/addresses/destination/address/line_1",
        json!("179 North Harbor Drive Building 7, Second Floor"),
    )]);
    let told = body(&sent(Ups.begin(&account(), &buying(&wrapped))));
    let lines = &told["ShipmentRequest"]["Shipment"]["ShipTo"]["Address"]["AddressLine"];
    assert_eq!(lines, &json!(["179 North Harbor Drive Building 7,", "Second Floor"]));
}

#[test]
fn every_option_that_is_passed_on_is_in_the_request() {
    use crate::options::{Treatment, tests as all};
    let told = |options: &Value| {
        let parcel = parcel(&[("/options", options.clone())]);
        body(&sent(Ups.begin(&account(), &buying(&parcel)))).to_string()
    };
    for (option, treatment) in Ups.options() {
        let Treatment::Passed(how) = treatment else { continue };
        let field = how.split('`').nth(1).unwrap().rsplit('.').next().unwrap();
        let (with, without) = (told(&all::options_with(option, &all::asking(option))), told(&json!({})));
        let count = |text: &str| text.matches(&format!("\"{field}\"")).count();
        assert!(count(&with) > 0 && with != without, "{option} is not in the request as {field}");
    }
}
