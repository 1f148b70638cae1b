//! Bad answers, made of good ones.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Conformance, answer, ok};
use crate::Answer;

/// Statuses of failures that the suite tries.
pub const STATUSES: [u16; 14] = [302, 400, 401, 402, 403, 404, 408, 409, 422, 423, 429, 500, 502, 503];
/// The size of an answer that is too large for what it should be.
const LARGE_BYTES: usize = 10 << 20;

/// A bad answer: what it is, and whether it alone proves that a request that buys charged nothing.
pub struct Bad {
    pub what: String,
    pub answer: Answer,
    pub proves_no_charge: bool,
    /// Whether it may be the refusal of a token.
    pub may_refuse_token: bool,
}

impl Bad {
    fn new(what: impl Into<String>, answer: Answer) -> Self {
        Self { what: what.into(), answer, proves_no_charge: false, may_refuse_token: false }
    }

    /// An answer that came before, and comes again.
    pub fn again(answer: &Answer) -> Self {
        Self::new("the answer before", answer.clone())
    }
}

/// Failures that don't depend on what was asked for.
pub fn failures(of: &Conformance) -> Vec<Bad> {
    let unsent = Bad::new("unsent", Answer::Unsent("refused".to_owned()));
    let mut all = vec![
        Bad { proves_no_charge: true, ..unsent },
        Bad::new("lost", Answer::Lost("cut".to_owned())),
        Bad::new("a success of nothing", ok("")),
        Bad::new("a success of null", ok("null")),
        Bad::new("a success of an empty object", ok("{}")),
        Bad::new("a success of an empty list", ok("[]")),
        Bad::new("a success of a text", ok("\"yes\"")),
        Bad::new("a page", ok("<html><body>Please sign in</body></html>")),
        Bad::new("nested", ok("[".repeat(100_000))),
        Bad::new(
            "no UTF-8",
            Answer::Response {
                status: 200,
                retry_after: None,
                body: Bytes::from_static(b"{\"a\":\"\xff\xfe\"}"),
            },
        ),
        Bad::new("no content", answer(204, "")),
    ];
    for status in STATUSES {
        let is_proof = of.proves_no_charge.contains(&status);
        let may_refuse_token = status == 401;
        for (what, body) in
            [("nothing", ""), ("a page", "<html>"), ("{}", "{}"), ("null", "null"), ("[]", "[]")]
        {
            all.push(Bad {
                may_refuse_token,
                ..Bad::new(format!("{status} with {what}"), answer(status, body))
            });
        }
        let said = Answer::Response {
            status,
            retry_after: (status == 429).then_some(Duration::from_secs(7)),
            body: Bytes::from((of.failure)(status)),
        };
        let what = format!("{status} in the carrier's words");
        all.push(Bad { proves_no_charge: is_proof, may_refuse_token, ..Bad::new(what, said) });
    }
    all
}

/// What becomes of a good answer on its way, or if the carrier changes its format.
pub fn spoilt(good: &Answer) -> Vec<Bad> {
    let Answer::Response { status, body, .. } = good else { return Vec::new() };
    let with = |body: Bytes| Answer::Response { status: *status, retry_after: None, body };
    let mut all: Vec<Bad> = (0..body.len())
        .map(|end| Bad::new(format!("cut after {end} bytes"), with(body.slice(..end))))
        .collect();
    let twice = [body.as_ref(), body.as_ref()].concat();
    all.push(Bad::new("twice in one body", with(twice.into())));
    for status in [302, 500, 503] {
        let odd = Answer::Response { status, retry_after: None, body: body.clone() };
        all.push(Bad::new(format!("a success with the status {status}"), odd));
    }
    if let Ok(json) = serde_json::from_slice::<Value>(body) {
        for (pointer, changed) in changes(&json) {
            all.push(Bad::new(format!("with another {pointer}"), with(changed.to_string().into())));
        }
    }
    all
}

/// Answers of ten megabytes: the good one with more than it should have, and nonsense.
pub fn large(good: &Answer) -> Vec<Bad> {
    let Answer::Response { status, body, .. } = good else { return Vec::new() };
    let with = |body: Vec<u8>| Answer::Response { status: *status, retry_after: None, body: body.into() };
    let mut padded = body.to_vec();
    padded.resize(LARGE_BYTES, b' ');
    let mut all = vec![
        Bad::new("with spaces", with(padded)),
        Bad::new("of one letter", with(vec![b'a'; LARGE_BYTES])),
        Bad::new("a list of lists", with("[],".repeat(LARGE_BYTES / 3).into_bytes())),
    ];
    if let Ok(Value::Object(mut fields)) = serde_json::from_slice::<Value>(body) {
        fields.insert("more".to_owned(), json!("x".repeat(LARGE_BYTES)));
        all.push(Bad::new("with a large field", with(Value::Object(fields).to_string().into_bytes())));
    }
    all
}

/// Returns the JSON with one value left out, or of another type, for each of its values.
fn changes(json: &Value) -> Vec<(String, Value)> {
    let mut pointers = Vec::new();
    collect(json, String::new(), &mut pointers);
    let others =
        [json!(null), json!(true), json!(-1.5), json!(1e300), json!(""), json!("x"), json!([]), json!({})];
    let mut all = Vec::new();
    for pointer in pointers {
        for other in &others {
            let mut changed = json.clone();
            if let Some(place) = changed.pointer_mut(&pointer)
                && place != other
            {
                *place = other.clone();
                all.push((format!("{pointer}: {other}"), changed));
            }
        }
        if let Some((parent, name)) = pointer.rsplit_once('/') {
            let mut changed = json.clone();
            let name = name.replace("~1", "/").replace("~0", "~");
            if let Some(Value::Object(fields)) = changed.pointer_mut(parent) {
                fields.remove(&name);
                all.push((format!("{pointer} left out"), changed));
            }
        }
    }
    all
}

fn collect(json: &Value, at: String, pointers: &mut Vec<String>) {
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), pointers);
            }
        }
        Value::Array(items) => {
            for (place, value) in items.iter().enumerate() {
                collect(value, format!("{at}/{place}"), pointers);
            }
        }
        _ => {}
    }
    if !at.is_empty() {
        pointers.push(at);
    }
}
