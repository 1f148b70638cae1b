//! What USPS is told, and what it is not asked for.

use serde_json::{Value, json};

use super::tests::{account, body, buying, details, done, export, header, parcel, place, sent};
use super::*;
use crate::Parcel;
use crate::conformance::REFERENCE;

#[test]
fn an_account_says_what_is_needed_and_nothing_else() {
    assert_eq!(Usps.check(&account()), Ok(()));
    for (part, name, value, word) in [
        ("credentials", "client_id", Value::Null, "`client_id`"),
        ("credentials", "password", json!("x"), "`password`"),
        ("configuration", "crid", json!(12_345_678), "`crid`"),
        ("configuration", "mid", json!(""), "`mid`"),
        ("configuration", "eps_account_number", json!("X"), "`eps_account_number`"),
        ("configuration", "manifest_mid", json!(7), "`manifest_mid`"),
        ("configuration", "permit", json!("7"), "`permit`"),
    ] {
        let mut account = account();
        let fields =
            if part == "credentials" { &mut account.credentials } else { &mut account.configuration };
        fields.insert(name.to_owned(), value);
        let message = Usps.check(&account).unwrap_err();
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn prices_of_all_services_are_asked_for_at_once() {
    let request = sent(Usps.begin(&account(), &Task::Rate(&parcel(&[]))));
    assert_eq!(request.url, "https://apis.usps.com/shipments/v3/options/search");
    assert_eq!(
        body(&request),
        json!({"pricingOptions": [{"priceType": "COMMERCIAL", "paymentAccount": {"accountType": "EPS", "accountNumber": "1000000001"}}],
            "originZIPCode": "20024", "destinationZIPCode": "63104", "destinationEntryFacilityType": "NONE",
            "packageDescription": {"weight": 1.11, "length": 8.7, "width": 6.0, "height": 2.0, "mailClass": "ALL_OUTBOUND",
                "mailingDate": "2026-11-19", "extraServices": []}})
    );
    let abroad = body(&sent(Usps.begin(&account(), &Task::Rate(&export()))));
    assert_eq!(
        (&abroad["destinationCountryCode"], &abroad["foreignPostalCode"]),
        (&json!("GB"), &json!("BS1 4DJ"))
    );
    assert_eq!(
        (&abroad["destinationZIPCode"], &abroad["packageDescription"]["mailClass"]),
        (&Value::Null, &json!("ALL"))
    );
    let back = parcel(&[("/options", json!({"shipping": {"is_return": true}}))]);
    let back = body(&sent(Usps.begin(&account(), &Task::Rate(&back))));
    assert_eq!(back["packageDescription"]["mailClass"], "ALL_RETURNS");
    assert_eq!(
        (&back["originZIPCode"], &back["pricingOptions"][0]["paymentAccount"]),
        (&json!("63104"), &Value::Null)
    );
}

#[test]
fn a_label_is_bought_under_the_key_of_our_reference() {
    let options = json!({"shipping": {"signature_required": true}, "insurance": {"value": 60_000},
        "label": {"custom_data": {"text_lines": ["PO 7"]}}});
    let parcel = parcel(&[("/options", options)]);
    let request = sent(Usps.begin(&account(), &buying(&parcel, "usps.ground_advantage")));
    assert!(request.is_purchase);
    assert_eq!(request.url, "https://apis.usps.com/labels/v3/label");
    assert_eq!(header(&request, "x-idempotency-key"), Some(http::key(REFERENCE).as_str()));
    assert_eq!(header(&request, "x-payment-authorization-token"), Some("the-payment-token"));
    assert_eq!(header(&request, "accept"), Some("application/vnd.usps.labels+json"));
    assert_eq!(
        body(&request),
        json!({
            "imageInfo": {"imageType": "PDF", "labelType": "4X6LABEL", "receiptOption": "NONE", "suppressPostage": false},
            "fromAddress": {"firstName": "Dispatch", "lastName": "Dispatch", "phone": "5551234567", "streetAddress": "45 L St SW",
                "city": "Washington", "state": "DC", "ZIPCode": "20024"},
            "toAddress": {"firstName": "Jo van", "lastName": "Bloggs", "phone": "5551234567",
                "streetAddress": "2700 S Jefferson Ave", "city": "St. Louis", "state": "MO", "ZIPCode": "63104", "ZIPPlus4": "2351"},
            "packageDescription": {"mailClass": "USPS_GROUND_ADVANTAGE", "rateIndicator": "SP", "weightUOM": "lb", "weight": 1.11,
                "dimensionsUOM": "in", "length": 8.7, "width": 6.0, "height": 2.0, "processingCategory": "MACHINABLE",
                "mailingDate": "2026-11-19", "extraServices": [920, 921, 931], "destinationEntryFacilityType": "NONE",
                "customerReference": [{"referenceNumber": "PO 7", "printReferenceNumber": true}],
                "packageOptions": {"packageValue": 600.0}},
        })
    );
}

#[test]
fn a_return_has_a_label_of_its_own_kind() {
    let parcel = parcel(&[("/options", json!({"shipping": {"is_return": true}}))]);
    let request = sent(Usps.begin(&account(), &buying(&parcel, "usps.priority_mail")));
    assert_eq!(request.url, "https://apis.usps.com/labels/v3/return-label");
    assert_eq!(header(&request, "x-payment-authorization-token"), Some("the-returns-token"));
    assert_eq!(Usps.tokens(&account(), &buying(&parcel, "usps.priority_mail")), [http::TOKEN, http::RETURNS]);
    let roles = body(&Usps.request_token(&account(), http::RETURNS))["roles"].clone();
    assert_eq!(roles.as_array().map(Vec::len), Some(4));
    let told = body(&request);
    assert_eq!(told["fromAddress"]["lastName"], "Bloggs");
    assert_eq!(told["packageDescription"]["mailClass"], "PRIORITY_MAIL_RETURN_SERVICE");
    assert_eq!(told["packageDescription"]["mailingDate"], Value::Null, "the customer mails it some day");
}

#[test]
fn what_usps_does_not_take_is_refused_before_anything_is_sent() {
    let refused =
        |parcel: &Parcel, service: &str| match done(Usps.begin(&account(), &buying(parcel, service))) {
            Outcome::Rejected(error) => (error.code, error.message),
            other => panic!("{other:?}"),
        };
    let ground = "usps.ground_advantage";
    let britain = || place("1 Broad St", "Bristol", "", "BS1 4DJ", "GB", "Ada");
    let package = |geometry: Value| ("/packages", json!([{ "geometry": geometry }]));
    let cases = [
        (
            vec![package(json!({"length": 10, "width": 10, "height": 10, "mass": 32}))],
            ground,
            ErrorCode::WeightLimit,
            "70 lb",
        ),
        (vec![package(json!({"mass": 1}))], ground, ErrorCode::DimensionsLimit, "length"),
        (
            vec![package(json!({"length": 200, "width": 50, "height": 50, "mass": 1}))],
            ground,
            ErrorCode::DimensionsLimit,
            "130",
        ),
        (
            vec![("/packages", json!([{"geometry": {"mass": 1}}, {"geometry": {"mass": 1}}]))],
            ground,
            ErrorCode::ServiceUnavailable,
            "each package",
        ),
        (
            vec![("/addresses/origin", britain())],
            ground,
            ErrorCode::ServiceUnavailable,
            "from the United States",
        ),
        (
            vec![("/addresses/destination", britain())],
            "usps.priority_mail_international",
            ErrorCode::CustomsRequired,
            "`customs`",
        ),
        (vec![], "usps.priority_mail_international", ErrorCode::ServiceUnavailable, "route"),
        (vec![], "usps.pigeon", ErrorCode::ServiceUnavailable, "usps.pigeon"),
        (
            vec![("/packages/0/predefined_package_code", json!("crate"))],
            ground,
            ErrorCode::DimensionsLimit,
            "usps_medium_flat_rate_box",
        ),
    ];
    for (changes, service, code, word) in cases {
        let (found, message) = refused(&parcel(&changes), service);
        assert_eq!(found, code, "{message}");
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn addresses_that_usps_can_t_read_are_refused() {
    let refused = |change: fn(&mut model::shipping::shipment::AddressRecord), word: &str| {
        let mut details = details(&[]);
        change(&mut details.addresses.destination);
        let parcel = Parcel::new(model::Id::from_bits(7), &details);
        let Outcome::Rejected(error) = done(Usps.begin(&account(), &Task::Rate(&parcel))) else {
            panic!("not refused")
        };
        assert_eq!(error.code, ErrorCode::AddressInvalid);
        assert!(error.message.contains(word), "{}", error.message);
    };
    refused(|to| to.address.post_code = None, "ZIP code");
    refused(|to| to.address.province = None, "two letters of the state");
    refused(|to| to.address.line_1 = "x".repeat(51), "50 characters");
    refused(|to| to.address.city = "x".repeat(29), "28 characters");
    refused(|to| to.contact = None, "addresses.destination.contact.name");
}

#[test]
fn every_option_that_is_passed_on_is_in_the_request() {
    use crate::options::{Treatment, tests as all};
    let told = |options: &Value| {
        let parcel = parcel(&[("/options", options.clone())]);
        body(&sent(Usps.begin(&account(), &buying(&parcel, "usps.ground_advantage")))).to_string()
    };
    for (option, treatment) in Usps.options() {
        let Treatment::Passed(how) = treatment else { continue };
        // The mailing date is a part of the task, which the service takes from the option.
        if *option == "shipping.date" {
            continue;
        }
        let field = how.split('`').nth(1).unwrap().rsplit('.').next().unwrap();
        let (with, without) = (told(&all::options_with(option, &all::asking(option))), told(&json!({})));
        assert!(
            with.contains(&format!("\"{field}\"")) && with != without,
            "{option} is not in the request as {field}"
        );
    }
}
