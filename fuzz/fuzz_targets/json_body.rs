//! Any bytes as a body: they are read or refused, and a refusal is short.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::Error;
use model::orders::order::OrderInput;
use model::places::location::LocationInput;
use model::platform::json;
use model::platform::shape::{Input, parse, parse_patch};
use model::shipping::shipment::ShipmentInput;
use serde_json::{Value, json};

/// A hundred errors with their pointers and messages.
const PROBLEM_BYTES_MAX: usize = 512 << 10;

fn check<T: Input>(read: Result<T, Error>) {
    match read {
        Ok(_) => {}
        Err(Error::Refused(problem)) => {
            assert!(problem.issues.len() <= 101);
            let bytes = serde_json::to_vec(&problem).expect("a problem is JSON").len();
            assert!(bytes <= PROBLEM_BYTES_MAX, "{bytes}");
        }
        Err(fault) => panic!("{fault}"),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let body: Value = match json::parse(bytes) {
        Ok(body) => body,
        Err(problem) => return assert!(problem.issues.len() <= 1),
    };
    check(parse::<LocationInput>(body.clone()));
    check(parse::<OrderInput>(body.clone()));
    check(parse::<ShipmentInput>(body.clone()));
    let stored = json!({"name": "A", "address": {"address":
        {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}}});
    check(parse_patch::<LocationInput>(stored, body));
});
