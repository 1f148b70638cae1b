//! What DHL is told, and what it is not asked for.

use serde_json::{Value, json};

use super::tests::{
    PAKET, account, account_of_user, back, body, buying, details, done, export, header, parcel, place, sent,
    shirts, two_packages,
};
use super::*;
use crate::Parcel;
use crate::conformance::REFERENCE;

#[test]
fn an_account_says_what_is_needed_and_nothing_else() {
    assert_eq!(DhlParcelDe.check(&account()), Ok(()));
    assert_eq!(DhlParcelDe.check(&account_of_user()), Ok(()));
    for (part, name, value, word) in [
        ("credentials", "api_key", Value::Null, "`api_key`"),
        ("credentials", "api_key", json!("a\nb"), "`api_key`"),
        ("credentials", "api_key", json!("a b"), "without spaces"),
        ("credentials", "password", json!(""), "`password`"),
        ("credentials", "api_secret", json!(7), "`api_secret`"),
        ("credentials", "tracking_username", json!("x"), "`tracking_password`"),
        ("credentials", "token", json!("x"), "`token`"),
        ("configuration", "billing_numbers", json!({"V02PAK": "33333333330202"}), "V02PAK"),
        ("configuration", "billing_numbers", json!({"V01PAK": "33333333336201"}), "01"),
        ("configuration", "billing_numbers", json!({"V01PAK": "333"}), "14 digits"),
        ("configuration", "billing_numbers", json!([]), "`billing_numbers`"),
        ("configuration", "return_receiver_ids", json!({"XX": "x"}), "`return_receiver_ids`"),
        ("configuration", "profile", json!(""), "`profile`"),
        ("configuration", "must_encode", json!("yes"), "`must_encode`"),
        ("configuration", "print_format", json!("A3"), "910-300-400"),
        ("configuration", "postal_charges", json!({"EUR": -1}), "`postal_charges`"),
        (
            "configuration",
            "rate_card",
            json!({"currency_code": "EUR", "prices": [{"service": "ups.ground", "rate": 1}]}),
            "ups.ground",
        ),
        ("configuration", "permit", json!("7"), "`permit`"),
    ] {
        let mut account = account_of_user();
        let fields =
            if part == "credentials" { &mut account.credentials } else { &mut account.configuration };
        fields.insert(name.to_owned(), value);
        let message = DhlParcelDe.check(&account).unwrap_err();
        assert!(message.contains(word), "{message}");
    }
    let mut bare = account_of_user();
    bare.configuration.clear();
    assert!(DhlParcelDe.check(&bare).unwrap_err().contains("`billing_numbers`"));
}

#[test]
fn requests_have_a_token_or_a_key_and_a_user() {
    let receipt = super::tests::receipt(&["1"]);
    let task = Task::Void(&receipt);
    let with_token = sent(DhlParcelDe.begin(&account(), &task));
    assert_eq!(header(&with_token, "authorization"), Some("Bearer the-access-token"));
    assert_eq!(header(&with_token, "dhl-api-key"), None);
    assert_eq!(DhlParcelDe.tokens(&account(), &task), [http::TOKEN]);
    let with_user = sent(DhlParcelDe.begin(&account_of_user(), &task));
    // the-user:the-user-password
    assert_eq!(header(&with_user, "authorization"), Some("Basic dGhlLXVzZXI6dGhlLXVzZXItcGFzc3dvcmQ="));
    assert_eq!(header(&with_user, "dhl-api-key"), Some("the-api-key"));
    assert_eq!(DhlParcelDe.tokens(&account_of_user(), &task), [""; 0]);
    let token = DhlParcelDe.request_token(&account(), http::TOKEN);
    assert_eq!(token.url, "https://api-eu.dhl.com/parcel/de/account/auth/ropc/v1/token");
    assert_eq!(
        std::str::from_utf8(&token.body).unwrap(),
        "grant_type=password&username=the-user&password=the-user-password&client_id=the-api-key&client_secret=the-api-secret"
    );
    let test = account().in_world(model::World::Test);
    assert!(sent(DhlParcelDe.begin(&test, &task)).url.starts_with("https://api-sandbox.dhl.com/parcel/de/"));
}

#[test]
fn a_dry_run_has_every_service_of_the_contract_that_takes_the_parcel() {
    let products = |parcel: &Parcel, account: &Account| {
        let request = sent(DhlParcelDe.begin(account, &Task::Rate(parcel)));
        assert_eq!(
            request.url,
            "https://api-eu.dhl.com/parcel/de/shipping/v2/orders?validate=true&mustEncode=false"
        );
        assert!(!request.is_purchase);
        let shipments = body(&request)["shipments"].as_array().cloned().unwrap();
        assert!(
            shipments
                .iter()
                .all(|shipment| shipment["refNo"].is_null() && shipment["shipDate"] == "2026-11-19")
        );
        shipments.iter().map(|shipment| shipment["product"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(products(&parcel(&[]), &account()), ["V01PAK", "V62KP"]);
    let heavy = parcel(&[("/packages/0/geometry/mass", json!(1.001))]);
    assert_eq!(products(&heavy, &account()), ["V01PAK"]);
    assert_eq!(products(&two_packages(), &account()), ["V01PAK", "V01PAK"]);
    let abroad = export(shirts());
    assert_eq!(products(&abroad, &account()), ["V53WPAK", "V53WPAK", "V54EPAK", "V66WPI"]);
    let tracked = Parcel::new(model::Id::from_bits(7), &{
        let mut details = abroad.details().clone();
        details.options = serde_json::from_value(json!({"shipping": {"tracked_service": true}})).unwrap();
        details
    })
    .shipped_on(crate::conformance::day());
    assert_eq!(products(&tracked, &account()), ["V53WPAK", "V53WPAK", "V54EPAK"]);
    let mut small = account();
    small.configuration.insert("billing_numbers".to_owned(), json!({"V62KP": "33333333336201"}));
    assert_eq!(products(&parcel(&[]), &small), ["V62KP"]);
}

#[test]
fn a_label_is_bought_under_our_reference_and_on_the_stored_day() {
    let options = json!({"shipping": {"signature_type": "adult", "safe_place": "Garage", "machinable": false},
        "insurance": {"value": 60_050}, "label": {"size": "4x6", "custom_data": {"text_lines": ["PO 7"]}}});
    let parcel = parcel(&[("/options", options)]);
    let request = sent(DhlParcelDe.begin(&account(), &buying(&parcel, PAKET)));
    assert!(request.is_purchase);
    assert_eq!(
        request.url,
        "https://api-eu.dhl.com/parcel/de/shipping/v2/orders?mustEncode=false&includeDocs=include&combine=false&docFormat=PDF\
         &printFormat=910-300-400"
    );
    assert_eq!(header(&request, "accept-language"), Some("en-US"));
    assert_eq!(
        body(&request),
        json!({"profile": "STANDARD_GRUPPENPROFIL", "shipments": [{
            "product": "V01PAK", "billingNumber": "33333333330102", "refNo": REFERENCE, "costCenter": "PO 7",
            "shipDate": "2026-11-19",
            "shipper": {"name1": "Dispatch", "addressStreet": "Sträßchensweg 10", "postalCode": "53113", "city": "Bonn",
                "country": "DEU"},
            "consignee": {"name1": "Maria Musterfrau", "addressStreet": "Kurt-Schumacher-Str. 20", "postalCode": "10115",
                "city": "Berlin", "country": "DEU"},
            "details": {"dim": {"uom": "cm", "length": 22, "width": 15, "height": 6}, "weight": {"uom": "g", "value": 500}},
            "services": {"preferredLocation": "Garage", "visualCheckOfAge": "A18", "bulkyGoods": true,
                "additionalInsurance": {"currency": "EUR", "value": 600.5}},
        }]})
    );
    let zpl = Task::Buy {
        parcel: &parcel,
        service: PAKET,
        reference: REFERENCE,
        prepared: None,
        format: LabelFormat::Zpl,
        ship_on: crate::conformance::day(),
    };
    let mut account = account();
    account.configuration.insert("must_encode".to_owned(), json!(true));
    let request = sent(DhlParcelDe.begin(&account, &zpl));
    assert!(
        request.url.contains("docFormat=ZPL2") && request.url.contains("mustEncode=true"),
        "{}",
        request.url
    );
}

#[test]
fn packages_are_tried_first_and_bought_under_a_reference_that_counts_them() {
    let parcel = two_packages();
    let task = buying(&parcel, PAKET);
    let trial = sent(DhlParcelDe.begin(&account(), &task));
    assert!(!trial.is_purchase && trial.url.contains("validate=true"), "{}", trial.url);
    let valid = crate::conformance::answer(207, super::tests::valid(2));
    let purchase = sent(DhlParcelDe.resume(&account(), &task, 1, valid));
    assert!(purchase.is_purchase && !purchase.url.contains("validate"), "{}", purchase.url);
    assert_eq!(body(&purchase), body(&trial), "what is tried is what is bought");
    let told = body(&purchase);
    let shipments = told["shipments"].as_array().unwrap();
    let reference = format!("{REFERENCE}-2");
    assert!(shipments.iter().all(|shipment| shipment["refNo"] == reference.as_str()));
    assert_eq!(
        (&shipments[0]["details"]["weight"]["value"], &shipments[1]["details"]["weight"]["value"]),
        (&json!(2000), &json!(5000))
    );
}

#[test]
fn packstations_and_post_offices_are_told_as_such() {
    let consignee = |line_1: &str, line_2: &str, email: Option<&str>| {
        let mut to = place(line_1, "Bonn", "53111", "DE", "Maria Musterfrau");
        to["address"]["line_2"] = json!(line_2);
        if let Some(email) = email {
            to["contact"]["email_address"] = json!(email);
        }
        let parcel = parcel(&[("/addresses/destination", to)]);
        body(&sent(DhlParcelDe.begin(&account(), &buying(&parcel, PAKET))))["shipments"][0]["consignee"]
            .clone()
    };
    assert_eq!(
        consignee("Packstation 105", "12345678", None),
        json!({"name": "Maria Musterfrau", "lockerID": 105, "postNumber": "12345678", "city": "Bonn", "postalCode": "53111",
            "country": "DEU"})
    );
    assert_eq!(
        consignee("Postfiliale 518", "", Some("maria@example.com")),
        json!({"name": "Maria Musterfrau", "retailID": 518, "email": "maria@example.com", "city": "Bonn", "postalCode": "53111",
            "country": "DEU"})
    );
    assert_eq!(
        consignee("Postfach 1234", "", None),
        json!({"name1": "Maria Musterfrau", "poBoxID": 1234, "city": "Bonn", "postalCode": "53111", "country": "DEU"})
    );
}

#[test]
fn a_parcel_abroad_has_its_declaration_and_no_cent_is_lost() {
    let mut parcel = export(shirts());
    let request = sent(DhlParcelDe.begin(&account(), &buying(&parcel, "dhl_parcel_de.paket_international")));
    let shipment = &body(&request)["shipments"][0];
    assert_eq!(shipment["services"], json!({"endorsement": "RETURN", "premium": false}));
    assert_eq!(shipment["consignee"]["phone"], "+49 228 1234567");
    let line = |quantity: i64, value: f64| {
        json!({"itemDescription": "Shirt", "countryOfOrigin": "PRT", "hsCode": "610910", "packagedQuantity": quantity,
            "itemValue": {"currency": "EUR", "value": value}, "itemWeight": {"uom": "g", "value": 100.0}})
    };
    assert_eq!(
        shipment["customs"],
        json!({"exportType": "PRESENT", "postalCharges": {"currency": "EUR", "value": 4.9},
            "items": [line(2, 3.33), line(1, 3.34)]})
    );
    let customs = json!({"incoterm": "DDP", "contents_type": "other", "items": [{"description": "X", "quantity": 1, "value": 5, "currency_code": "CHF"}],
        "identifiers": [{"entity_type": "sender", "identifier_type": "eori", "value": "DE123"}]});
    parcel = super::tests::parcel(&[
        ("/addresses/destination", place("Bundesgasse 3", "Bern", "3003", "CH", "Ada")),
        ("/customs", customs),
    ]);
    let of = |service| {
        body(&sent(DhlParcelDe.begin(&account(), &buying(&parcel, service))))["shipments"][0].clone()
    };
    let parcel_abroad = of("dhl_parcel_de.paket_international_premium");
    assert_eq!(
        parcel_abroad["services"],
        json!({"endorsement": "RETURN", "premium": true, "postalDeliveryDutyPaid": true})
    );
    let declared = &parcel_abroad["customs"];
    assert_eq!(
        (
            &declared["exportType"],
            &declared["exportDescription"],
            &declared["shipperCustomsRef"],
            &declared["postalCharges"]
        ),
        (&json!("OTHER"), &json!("Goods"), &json!("DE123"), &json!({"currency": "CHF", "value": 0.0}))
    );
    assert_eq!(declared["items"][0]["itemWeight"]["value"], 500.0, "the share of the parcel");
    assert_eq!(of("dhl_parcel_de.europaket")["customs"]["shippingConditions"], "DDP");
}

#[test]
fn within_the_union_nothing_is_declared_but_for_its_islands() {
    let declared = |code: &str, country: &str| {
        let parcel = parcel(&[
            ("/addresses/destination", place("Calle Mayor 1", "X", code, country, "Ada")),
            ("/customs", json!({"items": shirts()})),
        ]);
        let request =
            sent(DhlParcelDe.begin(&account(), &buying(&parcel, "dhl_parcel_de.paket_international")));
        body(&request)["shipments"][0]["customs"].is_object()
    };
    assert!(!declared("28013", "ES") && !declared("1010", "AT"));
    assert!(declared("35001", "ES") && declared("38001", "ES") && declared("51001", "ES"));
}

#[test]
fn a_return_goes_to_the_receiver_that_dhl_has() {
    let parcel = back();
    let request = sent(DhlParcelDe.begin(&account(), &buying(&parcel, "dhl_parcel_de.retoure")));
    assert!(request.is_purchase);
    assert_eq!(
        request.url,
        "https://api-eu.dhl.com/parcel/de/shipping/returns/v1/orders?labelType=SHIPMENT_LABEL"
    );
    assert_eq!(
        body(&request),
        json!({"receiverId": "deu", "customerReference": REFERENCE, "shipmentReference": REFERENCE,
            "shipper": {"name1": "Maria Musterfrau", "addressStreet": "Kurt-Schumacher-Str.", "addressHouse": "20",
                "postalCode": "10115", "city": "Berlin", "phone": "+49 228 1234567"},
            "itemWeight": {"uom": "g", "value": 500}})
    );
}

#[test]
fn what_dhl_does_not_take_is_refused_before_anything_is_sent() {
    let refused = |parcel: &Parcel, service: &str| match done(
        DhlParcelDe.begin(&account(), &buying(parcel, service)),
    ) {
        Outcome::Rejected(error) => (error.code, error.message),
        other => panic!("{other:?}"),
    };
    let package = |geometry: Value| ("/packages", json!([{ "geometry": geometry }]));
    let bern = || ("/addresses/destination", place("Bundesgasse 3", "Bern", "3003", "CH", "Ada"));
    let to = |line: &str, line_2: &str| {
        let mut to = place(line, "Bonn", "53111", "DE", "Ada");
        to["address"]["line_2"] = json!(line_2);
        ("/addresses/destination", to)
    };
    let abroad = "dhl_parcel_de.paket_international";
    let cases = [
        (vec![package(json!({"mass": 32}))], PAKET, ErrorCode::WeightLimit, "31.5 kg"),
        (
            vec![package(json!({"mass": 2, "length": 121, "width": 1, "height": 1}))],
            PAKET,
            ErrorCode::DimensionsLimit,
            "machinable",
        ),
        (
            vec![package(json!({"mass": 1.5}))],
            "dhl_parcel_de.kleinpaket",
            ErrorCode::WeightLimit,
            "Kleinpaket",
        ),
        (
            vec![("/packages", json!(vec![json!({"geometry": {"mass": 1}}); 7]))],
            PAKET,
            ErrorCode::ServiceUnavailable,
            "6 packages",
        ),
        (
            vec![("/packages/0/predefined_package_code", json!("box"))],
            PAKET,
            ErrorCode::DimensionsLimit,
            "`predefined_package_code`",
        ),
        (
            vec![("/addresses/origin", place("1", "Wien", "1010", "AT", "X"))],
            PAKET,
            ErrorCode::ServiceUnavailable,
            "from Germany",
        ),
        (vec![bern()], abroad, ErrorCode::CustomsRequired, "`customs`"),
        (vec![bern()], PAKET, ErrorCode::CustomsRequired, "`customs`"),
        (vec![], abroad, ErrorCode::ServiceUnavailable, "route"),
        (vec![], "dhl_parcel_de.pigeon", ErrorCode::ServiceUnavailable, "pigeon"),
        (vec![to("Packstation 105", "2. Etage")], PAKET, ErrorCode::AddressInvalid, "post number"),
        (vec![to("Postfiliale 518", "")], PAKET, ErrorCode::AddressInvalid, "post number"),
        (vec![to(&"x".repeat(51), "")], PAKET, ErrorCode::AddressInvalid, "50 characters"),
        (
            vec![
                ("/addresses/destination", place("Am Markt", "Bonn", "53111", "DE", "Ada")),
                ("/options", json!({"shipping": {"is_return": true}})),
            ],
            "dhl_parcel_de.retoure",
            ErrorCode::AddressInvalid,
            "number of the house",
        ),
        (
            vec![
                ("/addresses/destination", place("Rue 7", "Paris", "75001", "FR", "Ada")),
                ("/options", json!({"shipping": {"is_return": true}})),
            ],
            "dhl_parcel_de.retoure",
            ErrorCode::ServiceUnavailable,
            "from FR",
        ),
    ];
    for (changes, service, code, word) in cases {
        let (found, message) = refused(&parcel(&changes), service);
        assert_eq!(found, code, "{message}");
        assert!(message.contains(word), "{message}");
    }
    let two = json!([{"geometry": {"mass": 1}}, {"geometry": {"mass": 1}}]);
    let parcel = parcel(&[bern(), ("/packages", two), ("/customs", json!({"items": shirts()}))]);
    assert!(refused(&parcel, abroad).1.contains("each package"));
}

#[test]
fn a_service_without_a_number_in_the_contract_is_not_bought() {
    let mut account = account();
    account.configuration.insert("billing_numbers".to_owned(), json!({"V62KP": "33333333336201"}));
    let parcel = parcel(&[]);
    let Outcome::Rejected(error) = done(DhlParcelDe.begin(&account, &buying(&parcel, PAKET))) else {
        panic!("not refused")
    };
    assert!(
        error.message.contains("`billing_numbers`") && error.message.contains("V01PAK"),
        "{}",
        error.message
    );
}

#[test]
fn every_option_that_is_passed_on_is_in_the_request() {
    use crate::options::{Treatment, tests as all};
    let told = |option: &str, options: &Value| {
        let is_abroad = option == "shipping.non_delivery";
        let (to, service) = match is_abroad {
            true => (place("Rue 7", "Paris", "75001", "FR", "Ada"), "dhl_parcel_de.paket_international"),
            false => (place("Am Markt 1", "Bonn", "53111", "DE", "Ada"), PAKET),
        };
        let parcel = parcel(&[("/addresses/destination", to), ("/options", options.clone())]);
        body(&sent(DhlParcelDe.begin(&account(), &buying(&parcel, service)))).to_string()
    };
    for (option, treatment) in DhlParcelDe.options() {
        let Treatment::Passed(how) = treatment else { continue };
        // The mailing date is a part of the task, which the service takes from the option.
        if *option == "shipping.date" {
            continue;
        }
        let field = how.split('`').nth(1).unwrap().rsplit('.').next().unwrap();
        let (with, without) =
            (told(option, &all::options_with(option, &all::asking(option))), told(option, &json!({})));
        assert!(
            with.contains(&format!("\"{field}\"")) && with != without,
            "{option} is not in the request as {field}"
        );
    }
}

#[test]
fn the_same_shipment_is_told_in_the_same_bytes() {
    let details = details(&[]);
    let one = Parcel::new(model::Id::from_bits(7), &details);
    // The day of the parcel does not count: that of the intent to buy does.
    let other =
        Parcel::new(model::Id::from_bits(7), &details).shipped_on(model::Day::parse("2026-12-01").unwrap());
    let told = |parcel: &Parcel| sent(DhlParcelDe.begin(&account(), &buying(parcel, PAKET)));
    assert_eq!(told(&one), told(&other));
}
