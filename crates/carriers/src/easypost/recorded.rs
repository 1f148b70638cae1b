//! Traffic that others recorded with EasyPost, where it is at hand: every answer is understood as what it was.

use std::collections::BTreeMap;
use std::path::Path;

use model::Timestamp;
use model::shipping::shipment::TrackingStatus;

use super::tests::{account, done, parcel, response, sent};
use super::*;
use crate::conformance::day;
use crate::{Quotes, Receipt, Tracked};

struct Recorded {
    file: String,
    method: String,
    path: String,
    status: u16,
    body: Value,
}

/// All recorded files, by their names; nothing where there are none.
fn files() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/easypost");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no recorded traffic here");
        return BTreeMap::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    files
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap())
        })
        .collect()
}

fn exchanges() -> Vec<Recorded> {
    let mut all = Vec::new();
    for (file, recorded) in files() {
        for exchange in recorded["exchanges"].as_array().into_iter().flatten() {
            let text = |name: &str| exchange["request"][name].as_str().unwrap_or_default().to_owned();
            all.push(Recorded {
                file: file.clone(),
                method: text("method"),
                path: text("path").trim_start_matches("/v2").to_owned(),
                status: exchange["response"]["status"].as_u64().unwrap() as u16,
                body: exchange["response"]["body"].clone(),
            });
        }
    }
    all
}

fn receipt(name: &str) -> Receipt {
    Receipt {
        purchase: name.to_owned(),
        tracking_numbers: Vec::new(),
        charged: 0,
        currency: "USD".to_owned(),
        labels: Vec::new(),
    }
}

/// The latest scan of a tracker.
fn last_scan(tracker: &Value) -> Option<Timestamp> {
    let scans = tracker["tracking_details"].as_array().unwrap().iter();
    let times = scans.map(|scan| Timestamp::parse(scan["datetime"].as_str().unwrap()).unwrap());
    times.max()
}

fn buying(parcel: &Parcel) -> Task<'_> {
    Task::Buy {
        parcel,
        service: "usps.priority",
        reference: "r",
        prepared: Some("shp_1"),
        format: LabelFormat::Png,
        ship_on: day(),
    }
}

#[test]
fn shipments_and_their_rates() {
    let parcel = parcel();
    let mut count = 0;
    for Recorded { file, status, body, .. } in exchanges() {
        let is_shipment = body["id"].as_str().is_some_and(|id| id.starts_with("shp_"));
        if !is_shipment || status >= 300 {
            continue;
        }
        let outcome = done(EasyPost.resume(&account(), &Task::Rate(&parcel), 1, response(status, &body)));
        let Outcome::Quoted(Quotes { quotes, errors }) = outcome else { panic!("{file}: {outcome:?}") };
        assert_eq!(quotes.len(), body["rates"].as_array().map_or(0, Vec::len), "{file}");
        assert_eq!(errors.len(), body["messages"].as_array().map_or(0, Vec::len), "{file}");
        for (quote, rate) in quotes.iter().zip(body["rates"].as_array().unwrap()) {
            let text = rate["rate"].as_str().unwrap();
            assert_eq!(model::platform::money::show_amount(quote.amount, &quote.currency), text, "{file}");
        }
        count += 1;
    }
    assert!(count == 0 || count >= 35, "{count} shipments");
}

/// What is bought by the recorded requests is bought here, at the price that was charged, and is found again.
#[test]
fn purchases() {
    let parcel = parcel();
    let mut count = 0;
    for Recorded { file, method, path, status, body } in exchanges() {
        let is_purchase = method == "POST" && path.starts_with("/shipments/") && path.ends_with("/buy");
        if !is_purchase {
            continue;
        }
        let outcome = done(EasyPost.resume(&account(), &buying(&parcel), 2, response(status, &body)));
        let Outcome::Bought(receipt) = outcome else { panic!("{file}: {outcome:?}") };
        assert_eq!(receipt.tracking_numbers, [body["tracking_code"].as_str().unwrap()], "{file}");
        let fees = body["fees"].as_array().unwrap().iter().filter(|fee| fee["type"] == "PostageFee");
        let charged: f64 = fees.map(|fee| fee["amount"].as_str().unwrap().parse::<f64>().unwrap()).sum();
        assert_eq!(receipt.charged, (charged * 100.0).round() as i64, "{file}");
        assert!(
            matches!(&receipt.labels[..], [Label::At { format: FileFormat::Png, url }] if url.ends_with(".png"))
        );
        let look = Task::LookUp { reference: "r", prepared: body["id"].as_str() };
        let found = done(EasyPost.resume(&account(), &look, 1, response(200, &body)));
        let Outcome::Found(found) = found else { panic!("{file}: {found:?}") };
        assert_eq!(found.len(), 1, "{file}");
        // A repeated purchase finds that the shipment is bought.
        let again = done(EasyPost.resume(&account(), &buying(&parcel), 1, response(200, &body)));
        assert_eq!(again, Outcome::Bought(receipt), "{file}");
        count += 1;
    }
    assert!(count == 0 || count >= 3, "{count} purchases");
}

/// What was not bought yet is bought by the rate of the service that was chosen.
#[test]
fn rates_are_named_in_purchases() {
    let parcel = parcel();
    let Some(recorded) = files().remove("shipment_buy") else { return };
    let (known, bought) = (&recorded["exchanges"][0], &recorded["exchanges"][1]);
    let rates = known["response"]["body"]["rates"].as_array().unwrap();
    let wanted = bought["request"]["body"]["rate"]["id"].as_str().unwrap();
    let rate = rates.iter().find(|rate| rate["id"] == wanted).unwrap();
    let service = handle(rate["carrier"].as_str().unwrap(), rate["service"].as_str().unwrap());
    let task = Task::Buy {
        parcel: &parcel,
        service: &service,
        reference: "r",
        prepared: known["response"]["body"]["id"].as_str(),
        format: LabelFormat::Png,
        ship_on: day(),
    };
    let request = sent(EasyPost.resume(&account(), &task, 1, response(200, &known["response"]["body"])));
    assert!(request.is_purchase && request.url.ends_with(bought["request"]["path"].as_str().unwrap()));
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body["rate"]["id"], wanted);
}

#[test]
fn refunds() {
    let bought = receipt("shp_1");
    let mut count = 0;
    for Recorded { file, method, path, status, body } in exchanges() {
        let is_refund = method == "POST" && path.starts_with("/shipments/") && path.ends_with("/refund");
        if !is_refund {
            continue;
        }
        let outcome = done(EasyPost.resume(&account(), &Task::Void(&bought), 2, response(status, &body)));
        assert_eq!(outcome, Outcome::Voiding, "{file}");
        count += 1;
    }
    // The words of a refund are those of its shipment.
    for recorded in files().into_iter().filter(|(name, _)| name == "hist_refund_list_rejected") {
        for refund in recorded.1["exchanges"][0]["response"]["body"]["refunds"].as_array().unwrap() {
            let body = json!({"id": refund["shipment_id"], "refund_status": refund["status"]});
            let outcome = done(EasyPost.resume(&account(), &Task::Void(&bought), 1, response(200, &body)));
            match refund["status"].as_str().unwrap() {
                "submitted" => assert_eq!(outcome, Outcome::Voiding),
                _ => assert!(matches!(outcome, Outcome::Rejected(_)), "{outcome:?}"),
            }
            count += 1;
        }
    }
    assert!(count == 0 || count >= 5, "{count} refunds");
}

#[test]
fn labels() {
    let mut count = 0;
    for Recorded { file, method, path, status, body } in exchanges() {
        let Some(name) = path.strip_prefix("/shipments/").and_then(|path| path.strip_suffix("/label")) else {
            continue;
        };
        assert_eq!(method, "GET", "{file}");
        let receipt = receipt(name);
        let task = Task::Label { receipt: &receipt, format: LabelFormat::Zpl };
        let step = EasyPost.resume(&account(), &task, 2, response(status, &body));
        if status < 300 {
            let Outcome::Labelled(labels) = done(step) else { panic!("{file}") };
            let [Label::At { format, url }] = &labels[..] else { panic!("{file}") };
            assert!(*format == FileFormat::Zpl && url.ends_with(".zpl"), "{file}: {url}");
        } else {
            assert!(sent(step).url.ends_with(name), "{file}");
        }
        count += 1;
    }
    assert!(count == 0 || count >= 2, "{count} labels");
}

#[test]
fn scan_forms() {
    let purchases = ["shp_1".to_owned()];
    let task =
        Task::Manifest { reference: "r", named: None, purchases: &purchases, ship_on: day(), origin: None };
    let mut seen = BTreeMap::new();
    for Recorded { file, path, status, body, .. } in exchanges() {
        let forms = match (path.starts_with("/scan_forms"), path.ends_with("/scan_form")) {
            (true, _) if body["scan_forms"].is_array() => body["scan_forms"].as_array().unwrap().clone(),
            (true, _) => vec![body.clone()],
            (_, true) if status < 300 => vec![body["scan_form"].clone()],
            (_, true) => vec![body.clone()],
            _ => continue,
        };
        for form in forms {
            let outcome = done(EasyPost.resume(&account(), &task, 2, response(status, &form)));
            let kind = match (form["status"].as_str(), outcome) {
                (Some("created"), Outcome::Manifested(made)) => {
                    assert_eq!(json!(made.manifest), form["id"], "{file}");
                    assert!(matches!(made.form, Some(Label::At { format: FileFormat::Pdf, .. })), "{file}");
                    "created"
                }
                (Some("creating"), Outcome::Manifesting(_)) => "creating",
                (Some("failed"), Outcome::Rejected(error)) => {
                    assert_eq!(json!(error.message), form["message"], "{file}");
                    "failed"
                }
                (None, Outcome::Rejected(error)) => {
                    assert_eq!(json!(error.message), form["error"]["message"], "{file}");
                    "refused"
                }
                (status, outcome) => panic!("{file}: {status:?} {outcome:?}"),
            };
            *seen.entry(kind).or_insert(0) += 1;
        }
    }
    assert!(seen.is_empty() || seen.len() == 4, "{seen:?}");
}

#[test]
fn trackers() {
    let bought = receipt("shp_1");
    let mut count = 0;
    for Recorded { file, path, body, .. } in
        exchanges().into_iter().filter(|one| one.path.starts_with("/trackers"))
    {
        for tracker in body["trackers"].as_array().cloned().unwrap_or_else(|| vec![body.clone()]) {
            let shipment = json!({"id": "shp_1", "tracker": tracker});
            let outcome =
                done(EasyPost.resume(&account(), &Task::Track(&bought), 1, response(200, &shipment)));
            let Outcome::Tracked(tracked) = outcome else { panic!("{file} {path}: {outcome:?}") };
            assert_eq!(json!(tracked.status), tracker["status"], "{file}");
            assert_eq!(tracked.occurred_at, last_scan(&tracker), "{file}");
            count += 1;
        }
    }
    assert!(count == 0 || count >= 5, "{count} trackers");
}

#[test]
fn failures_are_told_in_words() {
    let parcel = parcel();
    let mut count = 0;
    for Recorded { file, status, body, .. } in exchanges().into_iter().filter(|one| one.status >= 400) {
        for exchange in [1, 2] {
            let outcome =
                done(EasyPost.resume(&account(), &buying(&parcel), exchange, response(status, &body)));
            let words = body["error"]["message"].as_str().unwrap();
            match outcome {
                Outcome::Unknown(error) => {
                    assert!(exchange == 2 && status == 423, "{file}");
                    assert!(error.message.contains(words), "{file}");
                }
                Outcome::Unsent { why, .. } => {
                    assert!(status == 423 && why.message.contains(words), "{file}")
                }
                Outcome::Rejected(error) => {
                    assert!(error.message.contains(words), "{file}: {}", error.message);
                    let is_key = error.code == ErrorCode::CredentialsInvalid;
                    assert_eq!(is_key, status == 403, "{file}");
                }
                other => panic!("{file}: {other:?}"),
            }
        }
        count += 1;
    }
    assert!(count == 0 || count >= 15, "{count} failures");
}

#[test]
fn webhooks() {
    let files = files();
    let mut count = 0;
    for (name, recorded) in files.iter().filter(|(name, _)| name.starts_with("webhook_body_")) {
        let text =
            recorded["raw_body"].as_str().map_or_else(|| recorded["webhook_body"].to_string(), str::to_owned);
        let told = message(text.as_bytes()).unwrap_or_else(|| panic!("{name}"));
        match &recorded["webhook_body"]["description"] {
            kind if kind == "tracker.updated" => {
                let secret = recorded["webhook_secret"].as_str().unwrap();
                let headers = recorded["headers"].as_object().unwrap();
                let signature =
                    headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("x-hmac-signature"));
                assert!(is_signed(secret, signature.unwrap().1.as_str().unwrap(), text.as_bytes()));
                let news = News::Parcel {
                    tracking_number: "1".to_owned(),
                    tracked: Tracked {
                        status: TrackingStatus::InTransit,
                        message: "arrived_at_facility".to_owned(),
                        occurred_at: last_scan(&recorded["webhook_body"]["result"]),
                    },
                };
                assert_eq!(told.news, news);
            }
            _ => assert_eq!(told.news, News::Other, "{name}"),
        }
        count += 1;
    }
    assert!(count == 0 || count >= 2, "{count} webhooks");
    // The log of events holds the same messages.
    for Recorded { file, body, .. } in exchanges().into_iter().filter(|one| one.path.starts_with("/events")) {
        for event in body["events"].as_array().cloned().unwrap_or_else(|| vec![body.clone()]) {
            if event["object"] == "Event" {
                assert!(message(event.to_string().as_bytes()).is_some(), "{file}: {event}");
            }
        }
    }
}
