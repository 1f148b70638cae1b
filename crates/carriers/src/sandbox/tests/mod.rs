//! Both sides of the sandbox's protocol against each other: the connector asks, the server answers, a ledger keeps
//! the entries.

mod faults;
mod modes;
mod words;

use std::collections::BTreeMap;
use std::time::Duration;

use model::platform::shape::parse;
use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{ShipmentError, ShipmentInput};
use model::{Id, Timestamp};
use serde_json::{Map, json};

use super::desk::{Asked, Desk, Entry, Event, Reply, serve};
use super::{IN_PROCESS, Mode, Sandbox};
use crate::conformance::{Conformance, REFERENCE, answer, day, ok};
use crate::{Account, Answer, Connector, Found, Outcome, Parcel, Receipt, Step, Task};

/// A carrier with its ledger and its clock, and an account with it.
pub struct World {
    pub desk: Desk,
    pub ledger: Vec<Entry>,
    pub now: Timestamp,
    /// The last answer.
    pub last: Option<Reply>,
}

pub fn parcel(word: &str) -> Parcel {
    Parcel::new(Id::from_bits(7), &details(word))
}

pub fn details(word: &str) -> ShipmentInput {
    let address = |code: &str| json!({"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": code, "country_code": "GB"}});
    let details = parse(json!({
        "addresses": {"destination": address(word), "origin": address("BS1 4DJ")},
        "packages": [{"geometry": {"mass": 1}}, {"geometry": {"mass": 0.2}}],
    }));
    details.unwrap()
}

/// What the sandbox answers when a task succeeds, and how it refuses.
pub(crate) fn conformance() -> Conformance {
    let purchase = |status: &str| {
        json!({"purchase": format!("{REFERENCE}.1"), "reference": REFERENCE, "service": "standard", "amount": 595,
            "currency": "GBP", "tracking_numbers": ["SB123456785GB", "SB473124829GB"], "status": status, "label": "ours"})
    };
    let rate = json!({"service": "standard", "amount": 595, "currency": "GBP", "delivery_days": 2});
    let refused = json!({"code": "weight_limit", "source": "carrier", "message": "Too heavy.", "package": 1});
    let manifest = json!({"manifest": "SBM1", "reference": "r", "status": "created", "purchases": []});
    Conformance {
        connector: &Sandbox,
        account: Account::new(Id::from_bits(1), Map::new(), Map::new()),
        parcel: parcel("BS1 4DJ"),
        service: "standard",
        prepared: None,
        receipt: Receipt {
            purchase: format!("{REFERENCE}.1"),
            tracking_numbers: vec!["SB123456785GB".to_owned()],
            charged: 595,
            currency: "GBP".to_owned(),
            labels: Vec::new(),
        },
        rate: vec![ok(json!({"rates": [rate], "errors": [refused]}))],
        prepare: Vec::new(),
        buy: vec![answer(201, purchase("charged"))],
        look_up: vec![ok(json!({"purchases": [purchase("charged"), purchase("voided")]}))],
        void: vec![ok(purchase("voided"))],
        track: vec![ok(json!({"status": "in_transit", "message": "On its way"}))],
        label: vec![ok(json!({"label": "ours"}))],
        manifest: vec![answer(201, manifest)],
        tokens: Vec::new(),
        failure: |_| json!({"error": {"code": "purchase_declined", "message": "No."}}).to_string(),
        proves_no_charge: &[400, 401, 402, 403, 404, 422],
    }
}

/// The same with an account that needs access tokens.
pub(crate) fn conformance_with_tokens() -> Conformance {
    let object = |value: serde_json::Value| value.as_object().cloned().unwrap_or_default();
    let (configuration, credentials) =
        (object(json!({"tokens": true})), object(json!({"client_secret": "hush-1"})));
    let mut account = Account::new(Id::from_bits(1), configuration, credentials);
    account.tokens.insert("access", "hush-2".to_owned());
    account.tokens.insert("payment", "hush-3".to_owned());
    let token = |value: &str| ok(json!({"access_token": value, "expires_in": 3600}));
    let tokens = vec![("access", token("hush-2")), ("payment", token("hush-3"))];
    Conformance { account, tokens, ..conformance() }
}

impl World {
    pub fn new(mode: Mode) -> Self {
        let desk = Desk { mode, ..Desk::default() };
        Self { desk, ledger: Vec::new(), now: Timestamp::from_micros(1_800_000_000_000_000), last: None }
    }

    fn account(&self) -> Account {
        let mut configuration = Map::new();
        configuration.insert("mode".to_owned(), json!(self.desk.mode));
        Account::new(Id::from_bits(1), configuration, Map::new())
    }

    pub fn wait(&mut self, seconds: i64) {
        self.now = self.now.plus_seconds(seconds);
    }

    /// Runs a task, and keeps the new entries. Each exchange takes a moment.
    pub fn run(&mut self, task: &Task<'_>) -> Outcome {
        let account = self.account();
        let request = match Sandbox.begin(&account, task) {
            Step::Send(request) => request,
            Step::Done(outcome) => return outcome,
        };
        assert_eq!(request.is_purchase, matches!(task, Task::Buy { .. }));
        let answer =
            self.exchange(request.method, request.url.strip_prefix(IN_PROCESS).unwrap(), &request.body);
        match Sandbox.resume(&account, task, 1, answer) {
            Step::Done(outcome) => outcome,
            Step::Send(request) => panic!("{request:?}"),
        }
    }

    pub fn exchange(&mut self, method: &str, path: &str, body: &[u8]) -> Answer {
        self.now = Timestamp::from_micros(self.now.as_micros() + 1000);
        let reply = match Asked::read(method, path, body) {
            Ok(asked) => {
                let key = asked.reference().unwrap_or_default();
                let earlier: Vec<Entry> =
                    self.ledger.iter().filter(|entry| entry.key() == key).cloned().collect();
                serve(&self.desk, &asked, &earlier, self.now)
            }
            Err(refusal) => refusal,
        };
        self.ledger.extend(reply.entries.iter().cloned());
        let answer = reply.answer();
        self.last = Some(reply);
        answer
    }

    pub fn rate(&mut self, word: &str) -> Outcome {
        self.run(&Task::Rate(&parcel(word)))
    }

    pub fn buy(&mut self, word: &str) -> Outcome {
        let parcel = parcel(word);
        let reference = parcel.id.to_string();
        self.run(&Task::Buy {
            parcel: &parcel,
            service: "standard",
            reference: &reference,
            prepared: None,
            format: LabelFormat::Pdf,
            ship_on: day(),
        })
    }

    pub fn look_up(&mut self) -> Outcome {
        self.run(&Task::LookUp { reference: &parcel("BS1 4DJ").id.to_string(), prepared: None })
    }

    pub fn found(&mut self) -> Vec<Receipt> {
        match self.look_up() {
            Outcome::Found(found) => found.into_iter().map(|Found { receipt }| receipt).collect(),
            other => panic!("{other:?}"),
        }
    }

    /// Returns the charges that were not refunded, by reference.
    pub fn net(&self) -> BTreeMap<String, i64> {
        let mut net = BTreeMap::new();
        for entry in &self.ledger {
            let change = match &entry.event {
                Event::Charged { .. } => 1,
                Event::Voided { .. } => -1,
                _ => continue,
            };
            *net.entry(entry.reference.clone()).or_default() += change;
        }
        net
    }

    pub fn charges(&self) -> usize {
        self.ledger.iter().filter(|entry| matches!(entry.event, Event::Charged { .. })).count()
    }

    pub fn delay(&self) -> Duration {
        self.last.as_ref().map(|reply| reply.delay).unwrap_or_default()
    }
}

pub fn bought(outcome: Outcome) -> Receipt {
    match outcome {
        Outcome::Bought(receipt) => receipt,
        other => panic!("{other:?}"),
    }
}

pub fn rejected(outcome: Outcome) -> ShipmentError {
    match outcome {
        Outcome::Rejected(error) => error,
        other => panic!("{other:?}"),
    }
}

/// Returns the name of an outcome's kind.
pub fn kind(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Bought(_) => "bought",
        Outcome::Rejected(_) => "rejected",
        Outcome::Unsent { .. } => "unsent",
        Outcome::Unknown(_) => "unknown",
        _ => "other",
    }
}
