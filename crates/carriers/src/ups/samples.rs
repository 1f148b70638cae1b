//! Samples of UPS's traffic that others published, and UPS's own specification, where they are at hand beside the repository: every
//! answer is read as what it is, and every field of our requests is one that UPS specifies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::tests::{account, buying, done, export, parcel, sent};
use super::*;
use crate::conformance::{REFERENCE, answer};
use crate::{Receipt, TokenOutcome};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/carriers/ups")
}

/// All samples, by their names; nothing where there are none.
fn files() -> BTreeMap<String, Value> {
    let Ok(entries) = std::fs::read_dir(folder()) else {
        eprintln!("skipped: there are no samples of UPS here");
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

fn receipt(number: &str) -> Receipt {
    Receipt {
        purchase: number.to_owned(),
        tracking_numbers: vec![number.to_owned()],
        charged: 0,
        currency: String::new(),
        labels: Vec::new(),
    }
}

/// Says what a sample's answer is read as.
fn read_as(path: &str, status: u16, body: &Value) -> Option<&'static str> {
    let (parcel, receipt) = (parcel(&[]), receipt("1Z"));
    let answered = || answer(status, body);
    let run = |task: &Task<'_>| done(Ups.resume(&account(), task, 1, answered()));
    Some(match path {
        path if path.contains("/oauth/token") => match Ups.read_token(&account(), http::TOKEN, answered()) {
            TokenOutcome::Token { .. } => "a token",
            TokenOutcome::Refused(_) => "a refused token",
            TokenOutcome::Unsent { .. } => "no token",
        },
        path if path.contains("/rating/") => match run(&Task::Rate(&parcel)) {
            Outcome::Quoted(quotes) if !quotes.quotes.is_empty() => "rates",
            Outcome::Quoted(_) => "no rates",
            other => panic!("{other:?}"),
        },
        path if path.ends_with("/ship") => match run(&buying(&parcel)) {
            Outcome::Bought(receipt) if receipt.charged > 0 => "a purchase",
            Outcome::Bought(_) => "a purchase without a price",
            other => panic!("{other:?}"),
        },
        path if path.contains("/void/") => match run(&Task::Void(&receipt)) {
            Outcome::Voided => "a void",
            Outcome::Rejected(_) => "a refused void",
            other => panic!("{other:?}"),
        },
        path if path.ends_with("/recovery") => {
            match run(&Task::LookUp { reference: REFERENCE, prepared: None }) {
                Outcome::Found(found) => {
                    assert_eq!(found.len(), 1);
                    "a purchase that is found"
                }
                other => panic!("{other:?}"),
            }
        }
        path if path.contains("/track/") => match run(&Task::Track(&receipt)) {
            Outcome::Tracked(tracked) => {
                assert!(!tracked.message.is_empty());
                "scans"
            }
            other => panic!("{other:?}"),
        },
        // Addresses and pickups have no task.
        _ => return None,
    })
}

#[test]
fn every_sample_of_an_answer_is_read_as_what_it_is() {
    let mut counts = BTreeMap::new();
    for (file, sample) in files() {
        for exchange in sample["exchanges"].as_array().into_iter().flatten() {
            let (path, response) = (exchange["request"]["path"].as_str().unwrap(), &exchange["response"]);
            let Some(status) = response["status"].as_u64() else {
                *counts.entry("a request alone").or_insert(0) += 1;
                continue;
            };
            let read = read_as(path, status as u16, &response["body"]);
            let expected: &[&str] = match file.as_str() {
                "karrio_auth" => &["a token"],
                "karrio_auth_error" => &["a refused token"],
                "karrio_rate_eu" | "karrio_rate_shop" => &["rates"],
                // UPS's own collection has words where amounts and codes should be.
                "postman_simple_rate" => &["no rates", "rates"],
                "karrio_ship" | "karrio_ship_international_with_invoice" => &["a purchase"],
                "postman_shipping" => &["a purchase without a price"],
                "karrio_void" => &["a void"],
                "errors_void_cie" => &["a refused void"],
                "postman_label_recovery" => &["a purchase that is found"],
                "karrio_track" | "postman_tracking" => &["scans"],
                _ => &[],
            };
            match read {
                Some(read) => assert!(expected.contains(&read), "{file}: {read}"),
                None => assert!(expected.is_empty(), "{file}"),
            }
            *counts.entry(read.unwrap_or("no task of ours")).or_insert(0) += 1;
        }
    }
    println!("samples of UPS: {counts:?}");
    let total: usize = counts.values().sum();
    assert!(counts.is_empty() || total >= 55, "{total} exchanges");
}

#[test]
fn recorded_prices_are_those_of_the_contract() {
    let Some(sample) = files().remove("karrio_rate_shop") else { return };
    let parcel = parcel(&[]);
    let body = &sample["exchanges"][0]["response"]["body"];
    let Outcome::Quoted(quotes) = done(Ups.resume(&account(), &Task::Rate(&parcel), 1, answer(200, body)))
    else {
        panic!("no rates")
    };
    let shown: Vec<_> = quotes
        .quotes
        .iter()
        .map(|quote| (quote.service.as_str(), quote.amount, quote.currency.as_str()))
        .collect();
    assert_eq!(shown[..2], [("ups.next_day_air_early", 32_103, "CAD"), ("ups.next_day_air", 28_245, "CAD")]);
}

fn names(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            found.insert(name.clone());
            names(value, found);
        }),
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

#[test]
fn every_field_of_our_requests_is_in_ups_s_specification() {
    let specified = |file: &str| {
        let text = std::fs::read_to_string(folder().join("openapi").join(file)).ok()?;
        Some(text.replace("\r\n", "\n"))
    };
    let (Some(rating), Some(shipping)) = (specified("Rating.yaml"), specified("Shipping.yaml")) else {
        eprintln!("skipped: UPS's specification is not here");
        return;
    };
    let options = json!({
        "shipping": {"signature_required": true, "saturday_delivery": true, "machinable": false, "dropoff_type": "drop_box",
                     "commercial_address": false, "dry_ice_mass": 0.1},
        "label": {"format": "zpl", "custom_data": {"text_lines": ["PO 7"]}},
        "insurance": {"value": 10_000},
    });
    let full = parcel(&[("/options", options)]);
    let returned = parcel(&[("/options", json!({"shipping": {"is_return": true}}))]);
    let exported = export();
    let abroad = Task::Buy {
        parcel: &exported,
        service: "ups.saver",
        reference: REFERENCE,
        prepared: None,
        format: LabelFormat::Zpl,
        ship_on: crate::conformance::day(),
    };
    let one = receipt("1Z");
    let tasks = [
        (&rating, Task::Rate(&full)),
        (&rating, Task::Rate(&exported)),
        (&rating, Task::Rate(&returned)),
        (&shipping, buying(&full)),
        (&shipping, buying(&returned)),
        (&shipping, abroad),
        (&shipping, Task::LookUp { reference: REFERENCE, prepared: None }),
        (&shipping, Task::Label { receipt: &one, format: LabelFormat::Zpl }),
    ];
    let mut all = BTreeSet::new();
    for (specification, task) in tasks {
        let request = sent(Ups.begin(&account(), &task));
        let mut found = BTreeSet::new();
        names(&serde_json::from_slice(&request.body).unwrap(), &mut found);
        for name in &found {
            assert!(specification.contains(&format!(" {name}:\n")), "{} has no field {name}", task.as_str());
        }
        all.extend(found);
    }
    println!("{} fields of requests to UPS are specified", all.len());
}
