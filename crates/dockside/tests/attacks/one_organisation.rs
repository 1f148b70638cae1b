//! One organisation sends requests that take long, or bodies that cost many times their size. Another goes on reading and
//! writing.

use std::time::{Duration, Instant};

use serde_json::json;
use testkit::client::Client;
use testkit::load::body;

use crate::neighbour::{attempts, p99};
use crate::target::Target;

/// Requests that may be in flight where purchases are to take them all.
const PERMITS: usize = 32;
/// Most permits that one organisation has: seven eighths.
const PERMITS_EACH: usize = PERMITS - PERMITS / 8;
const PURCHASES: usize = 2 * PERMITS;
/// The sandbox carrier takes three seconds to sell, and each request waits so long at most.
const SLOW: &str = "SBX-SLOW-3";
const WAIT: &str = "wait=3";

/// The other organisation's writes, which are timed.
const WRITES_TIMED: usize = 40;
/// Between two of them.
const PAUSE: Duration = Duration::from_millis(10);

/// Bodies that are small and cost much. They are sent until so many of the other organisation's requests were timed.
const REQUESTS_WATCHED: usize = 150;
const COSTLY_BODIES: usize = 40;
const COSTLY_BODIES_MAX: usize = 400;
const COSTLY_BYTES: usize = 512 * 1024;

/// Writes as another organisation, and returns how long each write took.
fn timed_writes(target: &Target, name: &str) -> Vec<Duration> {
    let mut client = target.server.client(&target.other);
    let write = |number| {
        let body = body(&format!("{name} {number}")).to_string();
        let began = Instant::now();
        let reply = client.post("/locations", &body);
        let time = began.elapsed();
        assert_eq!(reply.status, 201, "another organisation suffers: {reply:?}");
        std::thread::sleep(PAUSE);
        time
    };
    (0..WRITES_TIMED).map(write).collect()
}

/// Makes shipments that take the sandbox carrier long to sell; returns their paths.
fn slow_shipments(client: &mut Client) -> Vec<String> {
    let address = body("Depot")["address"].clone();
    let mut destination = address.clone();
    destination["contact"]["company"] = json!(SLOW);
    let shipment = json!({
        "addresses": {"origin": address, "destination": destination},
        "packages": [{"geometry": {"length": 30, "width": 20, "height": 10, "mass": 1.2}}],
    });
    let make = |_| {
        let reply = client.post("/shipments", &shipment.to_string());
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.header("location").expect("its path").to_owned()
    };
    (0..PURCHASES).map(make).collect()
}

#[test]
fn slow_requests_of_one_organisation_leave_permits_to_another() {
    attempts(|| {
        let permits = PERMITS.to_string();
        let target = Target::start(&["--requests-max", &permits]);
        let token = target.test_token();
        let shipments = slow_shipments(&mut target.server.client(&token));
        let quiet = target.quiet();
        let neighbour = target.neighbour();
        let purchase = json!({"carrier_account": "sandbox", "carrier_service": "standard"}).to_string();
        let began = Instant::now();
        let mut buyers: Vec<_> = shipments
            .iter()
            .map(|path| {
                let mut buyer = target.server.client(&token);
                let length = purchase.len().to_string();
                let headers = [("Content-Length", length.as_str()), ("Prefer", WAIT)];
                let head = buyer.head("POST", &format!("{path}/purchase"), &headers);
                buyer.send(format!("{head}\r\n{purchase}").as_bytes()).expect("a server that reads");
                buyer
            })
            .collect();
        let writes = timed_writes(&target, "beside purchases");
        let statuses: Vec<_> =
            buyers.iter_mut().map(|buyer| buyer.reply().expect("an answer").status).collect();
        let seconds = began.elapsed().as_secs_f64();
        let attack = neighbour.finish();
        let refused = statuses.iter().filter(|status| **status == 503).count();
        let served = statuses.iter().filter(|status| matches!(status, 200 | 202)).count();
        println!(
            "attacks on {}: {PURCHASES} slow purchases with {PERMITS} permits: {served} served, {refused} refused in {seconds:.1} s, \
         another organisation's POST p99 {:?}, {}",
            target.engine,
            p99(&writes),
            attack.beside(&quiet)
        );
        assert_eq!(served + refused, PURCHASES, "{statuses:?}");
        assert!(served >= PERMITS_EACH, "{statuses:?}");
        assert!(refused >= PURCHASES - 2 * PERMITS_EACH, "the permits were never short: {statuses:?}");
        target.server.stop();
        attack.judge(&quiet)
    });
}

#[test]
fn bodies_that_cost_many_times_their_size_take_no_memory() {
    attempts(|| {
        let target = Target::start(&[]);
        let quiet = target.quiet();
        let neighbour = target.neighbour();
        let mut client = target.server.client(&target.token);
        let mut sent = 0;
        while sent < COSTLY_BODIES || neighbour.requests() < REQUESTS_WATCHED && sent < COSTLY_BODIES_MAX {
            for entry in [r#"{"":0}"#, "[0]", "0", "[[[[]]]]"] {
                let entries = COSTLY_BYTES / (entry.len() + 1);
                let costly = format!(r#"{{"tags":[{}]}}"#, vec![entry; entries].join(","));
                let reply = client.post("/locations", &costly);
                let refusal = (reply.status, reply.code());
                assert_eq!(refusal, (413, "body_too_large".to_owned()), "{entry}: {reply:?}");
                sent += 1;
            }
        }
        let attack = neighbour.finish();
        println!(
            "attacks on {}: {sent} bodies of 512 KiB that would take 18 to 50 MiB: {}",
            target.engine,
            attack.beside(&quiet)
        );
        target.server.stop();
        attack.judge(&quiet)
    });
}
