//! The sandbox carrier as a separate process: it writes a charge into its ledger before it answers, so a kill loses no
//! answered charge. Its faults are real, such as closed connections.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use carriers::sandbox::desk::Fault;
use serde_json::{Value, json};
use testkit::client::{Client, Reply};
use testkit::server::{Server, Starting, ended, program, run, wait_until};

pub const LEDGER: &str = "ledger.jsonl";

fn command(home: &Path, arguments: &[&str]) -> std::process::Command {
    let usual = ["sandbox-carrier", "--listen", "127.0.0.1:0", "--ledger", LEDGER];
    program(home, &[&usual, arguments].concat())
}

pub fn carrier(home: &Path, arguments: &[&str]) -> Server {
    Starting::command(home, command(home, arguments)).ready()
}

fn body(reference: &str, word: &str) -> String {
    let address = |code: &str| json!({"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": code, "country_code": "GB"}});
    json!({"reference": reference, "service": "standard", "shipment": {
        "addresses": {"destination": address(word), "origin": address("BS1 4DJ")},
        "packages": [{"geometry": {"mass": 1}}],
    }})
    .to_string()
}

/// Buys. An error means that the answer was lost.
fn try_buy(carrier: &Server, reference: &str, word: &str) -> std::io::Result<Reply> {
    carrier.client("").request("POST", "/v1/purchases", &[], &body(reference, word))
}

fn buy(carrier: &Server, reference: &str, word: &str) -> Reply {
    try_buy(carrier, reference, word).expect("an answer")
}

fn found(client: &mut Client, reference: &str) -> Vec<Value> {
    let reply = client.get(&format!("/v1/purchases?reference={reference}"));
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()["purchases"].as_array().expect("a list").clone()
}

/// The charges in the ledger, as it is on disk.
fn charges(home: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(home.join(LEDGER)).expect("a ledger");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.filter(|line| line["entry"] == "charged").collect()
}

#[test]
fn a_charge_is_found_after_a_kill() {
    let home = tempfile::tempdir().unwrap();
    let first = carrier(home.path(), &[]);
    assert_eq!(
        first.log().lines().next(),
        Some(&*format!("listening on http://{} (idempotent)", first.address))
    );
    let bought = buy(&first, "shp_1", "BS1 4DJ");
    assert_eq!((bought.status, charges(home.path()).len()), (201, 1), "{}", bought.body);
    let lost = try_buy(&first, "shp_2", "SBX-LOST-BOUGHT");
    assert!(lost.is_err() && charges(home.path()).len() == 2, "{lost:?}");
    // A client that closes its connection before the answer.
    let mut hasty = first.client("");
    let text = body("shp_3", "SBX-SLOW-20");
    let length = text.len().to_string();
    let head = hasty.head("POST", "/v1/purchases", &[("Content-Length", &length)]);
    hasty.send(format!("{head}\r\n{text}").as_bytes()).unwrap();
    wait_until("the third charge", Duration::from_secs(10), || charges_so_far(home.path()) == 3);
    drop(hasty);
    first.kill();

    let second = carrier(home.path(), &[]);
    wait_until("its second line", Duration::from_secs(10), || second.log().lines().count() == 2);
    assert_eq!(second.log().lines().nth(1), Some("ledger       ledger.jsonl (6 lines)"));
    let mut client = second.client("");
    for (reference, word) in [("shp_1", "BS1 4DJ"), ("shp_2", "SBX-LOST-BOUGHT")] {
        let found = found(&mut client, reference);
        assert_eq!(found.len(), 1, "{found:?}");
        let again = buy(&second, reference, word);
        assert_eq!((again.status, again.json()), (200, found[0].clone()), "the same purchase");
    }
    assert_eq!(found(&mut client, "shp_1")[0], bought.json());
    assert_eq!(found(&mut client, "shp_3").len(), 1);
    assert_eq!(charges(home.path()).len(), 3);
    second.stop();
}

#[test]
fn no_answered_charge_is_lost_when_it_is_killed_under_load() {
    let home = tempfile::tempdir().unwrap();
    let mut answered = Vec::new();
    for round in 0..3 {
        let carrier = carrier(home.path(), &["--mode", "look_up"]);
        let address = carrier.address;
        let buyers: Vec<_> = (0..8)
            .map(|buyer| {
                std::thread::spawn(move || {
                    let mut client = Client::connect(address, "").expect("a carrier that listens");
                    let mut bought = Vec::new();
                    for place in 0..10_000 {
                        let reference = format!("shp_{round}_{buyer}_{place}");
                        let text = body(&reference, "BS1 4DJ");
                        match client.request("POST", "/v1/purchases", &[], &text) {
                            Ok(reply) => bought.push((reference, reply.json()["purchase"].clone())),
                            Err(_) => break,
                        }
                    }
                    bought
                })
            })
            .collect();
        wait_until("some charges", Duration::from_secs(30), || {
            charges_so_far(home.path()) > (round + 1) * 60
        });
        carrier.kill();
        for buyer in buyers {
            answered.extend(buyer.join().expect("a buyer"));
        }
    }
    let carrier = carrier(home.path(), &["--mode", "look_up"]);
    let mut client = carrier.client("");
    assert!(answered.len() > 100, "{}", answered.len());
    for (reference, purchase) in &answered {
        let found = found(&mut client, reference);
        assert_eq!((found.len(), &found[0]["purchase"]), (1, purchase), "{reference}");
    }
    let known = charges(home.path());
    println!("{} charges answered, {} in the ledger, 3 kills", answered.len(), known.len());
    assert!(known.len() >= answered.len() && known.len() <= answered.len() + 3 * 8, "{}", known.len());
}

/// Counts without reading JSON: a line may be half written.
fn charges_so_far(home: &Path) -> usize {
    std::fs::read_to_string(home.join(LEDGER)).unwrap_or_default().matches(r#""entry":"charged""#).count()
}

#[test]
fn each_fault_is_a_real_one() {
    for (name, fault, _) in Fault::ALL {
        let home = tempfile::tempdir().unwrap();
        let ill = carrier(home.path(), &["--mode", "look_up", "--fault", &format!("{name}=1")]);
        let began = Instant::now();
        let outcome = try_buy(&ill, "shp_1", "BS1 4DJ");
        let status = outcome.ok().map(|reply| reply.status);
        let (expected, count) = match fault {
            Fault::Slow | Fault::RatesUnavailable => (Some(201), 1),
            Fault::Rejected => (Some(422), 0),
            Fault::LostBefore => (None, 0),
            Fault::LostAfter => (None, 1),
            Fault::ErrorBefore => (Some(500), 0),
            Fault::ErrorAfter => (Some(500), 1),
            Fault::Doubled => (None, 2),
        };
        assert_eq!((status, charges(home.path()).len()), (expected, count), "{name}");
        assert!(*fault != Fault::Slow || began.elapsed() >= Duration::from_secs(3));
        if *fault == Fault::RatesUnavailable {
            let rates = ill.client("").post("/v1/rates", &body("shp_1", "BS1 4DJ")).json();
            assert_eq!(
                (&rates["rates"], &rates["errors"][0]["code"]),
                (&json!([]), &json!("rates_unavailable"))
            );
        }
        ill.kill();
        let well = carrier(home.path(), &["--mode", "look_up"]);
        assert_eq!(found(&mut well.client(""), "shp_1").len(), count, "{name}");
    }
}

#[test]
fn requests_of_one_reference_are_served_one_after_another() {
    let home = tempfile::tempdir().unwrap();
    let carrier = carrier(home.path(), &["--latency-ms", "20"]);
    let address = carrier.address;
    let buyers: Vec<_> = (0..16)
        .map(|_| {
            std::thread::spawn(move || {
                let mut client = Client::connect(address, "").expect("a carrier that listens");
                let reply = client.post("/v1/purchases", &body("shp_1", "BS1 4DJ"));
                (reply.status, reply.json()["purchase"].clone())
            })
        })
        .collect();
    let mut answers: Vec<_> = buyers.into_iter().map(|buyer| buyer.join().expect("a buyer")).collect();
    answers.sort_by_key(|(status, _)| std::cmp::Reverse(*status));
    let statuses: Vec<_> = answers.iter().map(|(status, _)| *status).collect();
    assert_eq!((statuses[0], &statuses[1..]), (201, &[200; 15][..]));
    assert!(answers.iter().all(|(_, purchase)| *purchase == json!("shp_1.1")), "{answers:?}");
    assert_eq!(charges(home.path()).len(), 1);
}

#[test]
fn words_work_over_the_wire() {
    let home = tempfile::tempdir().unwrap();
    let carrier = carrier(home.path(), &["--mode", "neither"]);
    let often = buy(&carrier, "shp_1", "SBX-429");
    assert_eq!((often.status, often.header("retry-after")), (429, Some("1")));
    assert_eq!(often.json()["error"]["charged"], false);
    assert_eq!(buy(&carrier, "shp_1", "SBX-429").status, 201);
    let mut client = carrier.client("");
    assert_eq!(client.get("/v1/purchases?reference=shp_1").status, 405);
    assert_eq!(client.get("/v1/purchases/shp_1.1.SBX-429/label").json(), json!({"label": "ours"}));
    assert_eq!(client.get("/v1/purchases/shp_1.1.SBX-429/tracking").json()["status"], "pre_transit");
    let voided = client.post("/v1/purchases/shp_1.1.SBX-429/void", "{}");
    assert_eq!((voided.status, voided.json()["status"].clone()), (200, json!("voided")));
    assert_eq!(client.get("/v1/purchases/shp_1.1.SBX-429/tracking").json()["status"], "cancelled");
    assert_eq!(client.get("/nowhere").status, 404);
    let large = "x".repeat(17 * 1024 * 1024);
    let refused = carrier.client("").request("POST", "/v1/rates", &[], &large);
    assert!(refused.map_or(true, |reply| reply.status == 413), "too much is refused or cut off");
    assert_eq!(client.get("/v1/purchases/shp_1.1.SBX-429/label").status, 200);
}

#[test]
fn a_torn_last_line_is_dropped_and_a_broken_one_is_named() {
    let home = tempfile::tempdir().unwrap();
    let first = carrier(home.path(), &[]);
    assert_eq!(buy(&first, "shp_1", "BS1 4DJ").status, 201);
    first.kill();
    let path = home.path().join(LEDGER);
    let whole = std::fs::read_to_string(&path).unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(br#"{"at":"2026-11-01T09:00:00.000000Z","reference":"shp_2","entr"#).unwrap();

    let second = carrier(home.path(), &[]);
    assert!(second.log().contains("dropped: {\"at\":\"2026-11-01T09:00"), "{}", second.log());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    assert_eq!(buy(&second, "shp_2", "BS1 4DJ").status, 201);
    assert_eq!(charges(home.path()).len(), 2, "what follows begins a line of its own");

    let refused = ended(command(home.path(), &[]));
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("ledger.jsonl: another carrier writes it"), "{}", refused.stderr);
    second.kill();

    std::fs::write(&path, whole.replacen("charged", "changed", 1)).unwrap();
    let refused = ended(command(home.path(), &[]));
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("ledger.jsonl: line 2 is no line of a ledger"), "{}", refused.stderr);
}

#[test]
fn a_wrong_argument_is_named() {
    let home = tempfile::tempdir().unwrap();
    for (flag, value, says) in [
        ("--mode", "both", "there are idempotent, look_up, neither"),
        ("--fault", "slwo=1", "there are slow, rejected"),
        ("--fault", "slow=2", "from 0 to 1"),
        ("--listen", "nonsense", "--listen"),
        ("--ledger", "nowhere/ledger.jsonl", "--ledger nowhere/ledger.jsonl"),
    ] {
        let refused = run(home.path(), &["sandbox-carrier", flag, value]);
        assert_ne!(refused.code, 0);
        assert!(refused.stderr.contains(says), "{}", refused.stderr);
    }
}
