//! Samples of DHL Express's traffic that DHL and others published, where they are at hand beside the repository: every answer is read as
//! what it is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use model::shipping::shipment::TrackingStatus;
use serde_json::Value;

use super::tests::{account, buying, done, look_up, parcel, receipt};
use super::*;
use crate::Receipt;
use crate::conformance::answer;

/// All samples, by their names; nothing where there are none.
fn files() -> BTreeMap<String, Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/carriers/mydhl");
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("skipped: there are no samples of DHL Express here");
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

/// Says what a sample's answer is read as. `None` for what is no task here: pickups, service points and reference data, and shipments that are
/// screened or changed.
fn read_as(method: &str, path: &str, status: u16, body: &Value) -> Option<&'static str> {
    let parcel = parcel(&[]);
    let run = |task: &Task<'_>| done(DhlExpress.resume(&account(), task, 1, answer(status, body)));
    let kind = path.trim_start_matches("/mydhlapi/");
    let is_of_shipment = kind.starts_with("shipments/");
    Some(match (method, kind) {
        (_, "rates") => match run(&Task::Rate(&parcel)) {
            Outcome::Quoted(quotes) if !quotes.quotes.is_empty() => "rates",
            Outcome::Quoted(_) => "no rates",
            Outcome::Rejected(_) => "a refusal",
            Outcome::Unsent { .. } => "a failure",
            other => panic!("{other:?}"),
        },
        ("POST", "shipments") => match run(&buying(&parcel, LabelFormat::Pdf)) {
            Outcome::Bought(receipt) => {
                assert!(!receipt.purchase.is_empty());
                "a shipment"
            }
            Outcome::Rejected(_) => "a refused shipment",
            Outcome::Unknown(_) => "a shipment in doubt",
            other => panic!("{other:?}"),
        },
        ("GET", "tracking") => match run(&look_up()) {
            Outcome::Unsent { .. } => "a look-up without result",
            other => panic!("{other:?}"),
        },
        ("GET", path) if is_of_shipment && path.ends_with("/tracking") => {
            let number = body["shipments"][0]["shipmentTrackingNumber"].as_str().unwrap_or("1").to_owned();
            let receipt = Receipt { purchase: number, ..receipt() };
            match run(&Task::Track(&receipt)) {
                Outcome::Tracked(tracked) => {
                    assert!(tracked.status != TrackingStatus::Unknown && !tracked.message.is_empty());
                    "events"
                }
                Outcome::Rejected(_) => "a refusal",
                other => panic!("{other:?}"),
            }
        }
        _ => return None,
    })
}

/// What each sample with an answer of ours is read as. All others have no task.
const EXPECTED: &[(&str, &[&str])] = &[
    ("karrio_rate", &["rates", "a refusal"]),
    // A product alone, as the tests of that client take it out of its answer.
    ("sonnenglas_rate_one", &["no rates"]),
    ("sonnenglas_rates", &["rates"]),
    ("spec_get_rates", &["a refusal", "a failure"]),
    ("spec_post_rates", &["rates", "a refusal", "a failure"]),
    ("karrio_ship", &["a shipment", "a refused shipment"]),
    ("sonnenglas_shipment", &["a shipment"]),
    // One of its successes is the refusal of a request that only validates. Who gets it for a purchase is in doubt.
    ("spec_post_shipments", &["a shipment", "a refused shipment", "a shipment in doubt"]),
    ("spec_get_tracking", &["a look-up without result"]),
    ("karrio_track", &["events", "a refusal"]),
    ("spec_get_shipments_shipmenttrackingnumber_tracking", &["events", "a refusal"]),
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
    println!("samples of DHL Express: {counts:?}");
    let total: usize = counts.values().sum();
    assert!(counts.is_empty() || total >= 80, "{total} exchanges");
}
