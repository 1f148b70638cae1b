//! Samples of USPS's traffic that USPS and others published, where they are at hand beside the repository: every answer is read as what
//! it is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::tests::{account, buying, done, parcel};
use super::*;
use crate::TokenOutcome;
use crate::conformance::{REFERENCE, answer, day};

/// All samples, by their names; nothing where there are none.
fn files() -> BTreeMap<String, Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/carriers/usps");
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("skipped: there are no samples of USPS here");
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

fn receipt() -> Receipt {
    Receipt {
        purchase: "9200190414219000000011".to_owned(),
        tracking_numbers: vec!["9200190414219000000011".to_owned()],
        charged: 0,
        currency: String::new(),
        labels: Vec::new(),
    }
}

/// The body of a sample: JSON, or a text as it is.
fn bytes(body: &Value) -> String {
    body.as_str().map_or_else(|| body.to_string(), str::to_owned)
}

/// Says what a sample's answer is read as.
fn read_as(method: &str, path: &str, status: u16, body: &Value) -> Option<&'static str> {
    let (parcel, receipt) = (parcel(&[]), receipt());
    let answered = || answer(status, bytes(body));
    let run = |task: &Task<'_>| done(Usps.resume(&account(), task, 1, answered()));
    let kind = path.trim_start_matches('/').split("/v3/").nth(1).unwrap_or_default();
    Some(match (method, kind.split(['/', '?']).next().unwrap_or_default()) {
        ("POST", "payment-authorization") => match Usps.read_token(&account(), http::PAYMENT, answered()) {
            TokenOutcome::Token { .. } => "a payment token",
            other => panic!("{other:?}"),
        },
        ("POST", "options") => match run(&Task::Rate(&parcel)) {
            Outcome::Quoted(quotes) if !quotes.quotes.is_empty() => "prices",
            Outcome::Quoted(_) => "no prices of ours",
            other => panic!("{other:?}"),
        },
        ("POST", "label" | "return-label" | "international-label") => {
            match run(&buying(&parcel, "usps.ground_advantage")) {
                Outcome::Bought(receipt) if receipt.charged > 0 => "a label",
                Outcome::Unknown(_) => "a purchase in doubt",
                other => panic!("{other:?}"),
            }
        }
        ("POST", "label-reprint" | "international-label-reprint") => {
            match run(&Task::LookUp { reference: REFERENCE, prepared: None }) {
                Outcome::Found(found) => {
                    assert_eq!(found.len(), 1);
                    "a label that is found"
                }
                other => panic!("{other:?}"),
            }
        }
        ("DELETE", "label" | "international-label") => match run(&Task::Void(&receipt)) {
            Outcome::Voided => "a void",
            Outcome::Rejected(_) => "a refused void",
            other => panic!("{other:?}"),
        },
        ("GET", "tracking") => match run(&Task::Track(&receipt)) {
            Outcome::Tracked(tracked) => {
                assert!(tracked.status != model::shipping::shipment::TrackingStatus::Unknown);
                "scans"
            }
            Outcome::TokenRefused(_) => "a refused token",
            Outcome::Rejected(_) => "a refusal",
            // XML, which is not what is asked for.
            Outcome::Unsent { .. } => "unreadable scans",
            other => panic!("{other:?}"),
        },
        ("POST", "scan-form") => {
            let task =
                Task::Manifest { reference: "m", named: None, purchases: &[], ship_on: day(), origin: None };
            match run(&task) {
                Outcome::Manifested(made) => {
                    assert!(!made.manifest.is_empty());
                    "a SCAN form"
                }
                Outcome::Unsent { .. } => "an unreadable SCAN form",
                other => panic!("{other:?}"),
            }
        }
        // Addresses, pickups, letters, containers and single prices have no task.
        _ => return None,
    })
}

/// What each sample with an answer of ours is read as. All others have no task.
const EXPECTED: &[(&str, &[&str])] = &[
    ("spec_payments_post_payment_authorization", &["a payment token"]),
    ("official_readme_set_the_payment_account_for_domestic_label", &["a payment token"]),
    // Parcels that are brought to a facility on the way, which are not offered, and prices of all kinds.
    ("official_readme_shipping_options_package_shipping_options", &["no prices of ours"]),
    ("spec_shipping_options_post_options_search", &["no prices of ours", "prices"]),
    ("karrio_rate_options", &["prices"]),
    // The sample is cut, and an answer that is cut is no purchase.
    ("karrio_label_multipart", &["a purchase in doubt"]),
    ("karrio_return", &["a label"]),
    ("official_readme_domestic_label_request", &["a purchase in doubt"]),
    ("spec_domestic_labels_post_label", &["a label"]),
    ("spec_domestic_labels_post_return_label", &["a label"]),
    ("spec_international_labels_post_international_label", &["a label"]),
    ("spec_domestic_labels_post_label_reprint", &["a label that is found"]),
    ("spec_domestic_labels_post_label_reprint_trackingnumber", &["a label that is found"]),
    ("spec_international_labels_post_international_label_reprint", &["a label that is found"]),
    ("spec_international_labels_post_international_label_reprint_trackingnumber", &["a label that is found"]),
    ("karrio_void", &["a void"]),
    ("spec_domestic_labels_delete_label", &["a void", "a refused void"]),
    ("spec_domestic_labels_delete_label_trackingnumber", &["a void", "a refused void"]),
    ("spec_international_labels_delete_international_label", &["a void"]),
    ("spec_international_labels_delete_international_label_trackingnumber", &["a void"]),
    ("karrio_track", &["scans"]),
    ("official_readme_tracking_single_request_detail", &["scans"]),
    ("official_readme_tracking_single_request_summary", &["unreadable scans"]),
    ("spec_tracking_summary", &["unreadable scans"]),
    ("karrio_errors", &["a refusal", "a refused token"]),
    ("spec_scan_forms_post_scan_form", &["a SCAN form"]),
    ("official_scan_form_labelshipment", &["a SCAN form"]),
    ("official_scan_form_manifestmidshipment", &["a SCAN form"]),
    // Commas are missing in its JSON.
    ("official_scan_form_midshipment", &["an unreadable SCAN form"]),
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
            let read = read_as(&text("method"), &text("path"), status as u16, &exchange["response"]["body"]);
            let expected =
                EXPECTED.iter().find(|(known, _)| *known == file).map_or(&[][..], |(_, read)| *read);
            match read {
                Some(read) => assert!(expected.contains(&read), "{file}: {read}"),
                None => assert!(expected.is_empty(), "{file}"),
            }
            *counts.entry(read.unwrap_or("no task of ours")).or_insert(0) += 1;
        }
    }
    println!("samples of USPS: {counts:?}");
    let total: usize = counts.values().sum();
    assert!(counts.is_empty() || total >= 80, "{total} exchanges");
}
