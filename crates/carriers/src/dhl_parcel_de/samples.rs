//! Samples of DHL's traffic that DHL and others published, where they are at hand beside the repository: every answer is read as what it is,
//! and every field of our requests is in a published request.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use super::tests::{
    PAKET, account, back, body, buying, done, export, parcel, receipt, sent, shirts, two_packages,
};
use super::*;
use crate::conformance::{REFERENCE, answer, day};
use crate::{Parcel, TokenOutcome};

/// All samples, by their names; nothing where there are none.
fn files() -> BTreeMap<String, Value> {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/carriers/dhl_parcel_de");
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("skipped: there are no samples of DHL Parcel DE here");
        return BTreeMap::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap())
        })
        .collect()
}

/// The body of a sample: JSON, or a text as it is.
fn bytes(body: &Value) -> String {
    body.as_str().map_or_else(|| body.to_string(), str::to_owned)
}

fn word_of_purchase(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Bought(receipt) => {
            assert!(!receipt.purchase.is_empty());
            "a purchase"
        }
        Outcome::Rejected(_) => "a refused purchase",
        Outcome::TokenRefused(_) => "a refused token",
        Outcome::Unknown(_) => "a purchase in doubt",
        Outcome::Untraceable(_) => "a part of a purchase",
        other => panic!("{other:?}"),
    }
}

/// Says what a sample's answer is read as.
fn read_as(name: &str, method: &str, path: &str, status: u16, body: &Value) -> Option<&'static str> {
    let is_multi = name.contains("multi_shipment");
    let (parcel, numbers): (Parcel, &[&str]) = match is_multi {
        true => (two_packages(), &["1", "2"]),
        false => {
            (parcel(&[("/packages/0/geometry/mass", serde_json::json!(1.5))]), &["00340434161094015902"])
        }
    };
    let receipt = receipt(numbers);
    let answered = || answer(status, bytes(body));
    let run = |task: &Task<'_>, exchange| done(DhlParcelDe.resume(&account(), task, exchange, answered()));
    let path =
        path.split('?').next().map_or((path, ""), |bare| (bare, path.get(bare.len()..).unwrap_or_default()));
    Some(match (method, path) {
        ("POST", (http::TOKENS, _)) => match DhlParcelDe.read_token(&account(), http::TOKEN, answered()) {
            TokenOutcome::Token { .. } => "a token",
            other => panic!("{other:?}"),
        },
        ("POST", (http::ORDERS, query)) if query.contains("validate=true") => {
            match run(&Task::Rate(&parcel), 1) {
                Outcome::Quoted(quotes) if quotes.errors.is_empty() => "a price",
                Outcome::Quoted(_) => "no price",
                Outcome::Rejected(_) => "a refused dry run",
                other => panic!("{other:?}"),
            }
        }
        ("POST", (http::ORDERS, _)) => {
            word_of_purchase(run(&buying(&parcel, PAKET), if is_multi { 2 } else { 1 }))
        }
        ("POST", (http::RETURNS, _)) => {
            let back = back();
            word_of_purchase(run(&buying(&back, "dhl_parcel_de.retoure"), 1))
        }
        ("DELETE", (http::ORDERS, _)) => match run(&Task::Void(&receipt), 1) {
            Outcome::Voided => "a void",
            Outcome::Rejected(_) => "a refused void",
            other => panic!("{other:?}"),
        },
        ("GET", ("/parcel/de/tracking/v0/shipments", _)) => match run(&Task::Track(&receipt), 1) {
            Outcome::Tracked(tracked)
                if tracked.status == model::shipping::shipment::TrackingStatus::Delivered =>
            {
                "scans"
            }
            Outcome::Tracked(_) => "no scans",
            other => panic!("{other:?}"),
        },
        // The version, places of return and pickups have no task.
        _ => return None,
    })
}

/// What each sample with an answer of ours is read as. All others have no task.
const EXPECTED: &[(&str, &[&str])] = &[
    ("karrio_auth", &["a token"]),
    // The second has a number of a shipment with its errors; the third says that all is well, with the status of a refusal.
    ("karrio_errors", &["a refused token", "a purchase in doubt", "a purchase in doubt"]),
    ("karrio_return", &["a purchase", "a refused purchase"]),
    ("karrio_ship", &["a purchase"]),
    ("karrio_ship_with_customs_doc", &["a purchase"]),
    ("karrio_ship_with_return_label", &["a purchase"]),
    ("karrio_track_xml", &["scans", "no scans"]),
    ("karrio_void", &["a void"]),
    ("netresearch_cancelshipment_multi_shipment_error", &["a refused void"]),
    ("netresearch_cancelshipment_multi_shipment_partial_success", &["a refused void"]),
    ("netresearch_cancelshipment_multi_shipment_success", &["a void"]),
    ("netresearch_cancelshipment_single_shipment_success", &["a void"]),
    // One is made, and of the other there are a number and an error of DHL's own system.
    ("netresearch_createshipment_multi_shipment_partial_error", &["a part of a purchase"]),
    ("netresearch_createshipment_multi_shipment_schema_error", &["a refused purchase"]),
    ("netresearch_createshipment_multi_shipment_success", &["a purchase"]),
    ("netresearch_createshipment_multi_shipment_validation_error", &["a refused purchase"]),
    ("netresearch_createshipment_multi_shipment_validation_warning", &["a purchase"]),
    ("netresearch_createshipment_single_shipment_schema_error", &["a refused purchase"]),
    ("netresearch_createshipment_single_shipment_success", &["a purchase"]),
    ("netresearch_createshipment_single_shipment_validation_error", &["a refused purchase"]),
    // Warnings keep nothing from being sold, unless the account wants it.
    ("netresearch_validateshipment_multi_shipment_partial_success", &["a price"]),
    ("netresearch_validateshipment_multi_shipment_schema_error", &["a refused dry run"]),
    ("netresearch_validateshipment_multi_shipment_success", &["a price"]),
    ("netresearch_validateshipment_multi_shipment_validation_warning", &["a price"]),
    ("netresearch_validateshipment_single_shipment_schema_error", &["a refused dry run"]),
    ("netresearch_validateshipment_single_shipment_success", &["a price"]),
    ("netresearch_validateshipment_single_shipment_validation_warning", &["a price"]),
    ("spec_returns_errors_post_orders", &["a refused purchase", "a refused token", "a purchase in doubt"]),
];

#[test]
fn every_sample_of_an_answer_is_read_as_what_it_is() {
    let mut counts = BTreeMap::new();
    for (file, sample) in files() {
        for exchange in sample["exchanges"].as_array().into_iter().flatten() {
            let text = |name: &str| exchange["request"][name].as_str().unwrap_or_default().to_owned();
            let Some(status) = exchange["response"]["status"].as_u64() else {
                *counts.entry("a request alone").or_insert(0) += 1;
                continue;
            };
            let read =
                read_as(&file, &text("method"), &text("path"), status as u16, &exchange["response"]["body"]);
            let expected =
                EXPECTED.iter().find(|(known, _)| *known == file).map_or(&[][..], |(_, read)| *read);
            match read {
                Some(read) => assert!(expected.contains(&read), "{file}: {read}"),
                None => assert!(expected.is_empty(), "{file}"),
            }
            *counts.entry(read.unwrap_or("no task of ours")).or_insert(0) += 1;
        }
    }
    println!("samples of DHL Parcel DE: {counts:?}");
    let total: usize = counts.values().sum();
    assert!(counts.is_empty() || total >= 70, "{total} exchanges");
}

/// Collects the paths of all fields.
fn fields(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let path = format!("{at}/{name}");
                fields(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, at, found)),
        _ => {}
    }
}

/// Fields of ours that no sample has. DHL's specification (version 2.1.13 of the shipping, 1.0.9 of the returns) has them.
const SPECIFIED: [&str; 9] = [
    "/shipments/costCenter",
    "/shipments/services/bulkyGoods",
    "/shipments/services/preferredLocation",
    "/shipments/services/premium",
    "/shipments/services/visualCheckOfAge",
    "/shipments/services/namedPersonOnly",
    "/shipments/services/signedForByRecipient",
    "/shipments/services/postalDeliveryDutyPaid",
    "/shipments/customs/exportDescription",
];

#[test]
fn every_field_of_our_requests_is_in_a_published_request() {
    let mut published = BTreeSet::new();
    for (_, sample) in files() {
        for exchange in sample["exchanges"].as_array().into_iter().flatten() {
            fields(&exchange["request"]["body"], "", &mut published);
        }
    }
    if published.is_empty() {
        return;
    }
    published.extend(SPECIFIED.map(str::to_owned));
    let options = serde_json::json!({"shipping": {"signature_type": "adult", "safe_place": "X", "machinable": false},
        "insurance": {"value": 1}, "label": {"custom_data": {"text_lines": ["X"]}}});
    let locker = super::tests::place("Packstation 105", "Bonn", "53111", "DE", "Ada");
    let mut locker = locker;
    locker["address"]["line_2"] = serde_json::json!("12345678");
    let abroad = "dhl_parcel_de.paket_international";
    let cases = [
        (parcel(&[("/options", options)]), PAKET),
        (parcel(&[("/addresses/destination", locker)]), PAKET),
        (export(shirts()), abroad),
        (back(), "dhl_parcel_de.retoure"),
    ];
    let mut ours = BTreeSet::new();
    for (parcel, service) in &cases {
        fields(&body(&sent(DhlParcelDe.begin(&account(), &buying(parcel, service)))), "", &mut ours);
    }
    let purchases = ["1".to_owned()];
    let task = Task::Manifest {
        reference: REFERENCE,
        named: None,
        purchases: &purchases,
        ship_on: day(),
        origin: None,
    };
    fields(&body(&sent(DhlParcelDe.begin(&account(), &task))), "", &mut ours);
    let unknown: Vec<&String> = ours.difference(&published).collect();
    println!("{} fields of ours, {} published", ours.len(), published.len());
    assert!(unknown.is_empty(), "{unknown:?}");
}
