//! What every connector must do, whatever its carrier is: each gives a [`Conformance`] in its tests, with what the carrier
//! answers when a task succeeds, and the suite makes bad answers of the good ones.

mod answers;
mod capabilities;
mod money;
mod play;
mod tokens;

use bytes::Bytes;
use model::Day;
use model::shipping::shipment::options::LabelFormat;
use serde_json::Value;

use crate::{Account, Answer, Connector, Parcel, Receipt, Task};

/// A reference of ours, under which a purchase is made.
pub(crate) const REFERENCE: &str = "shp_00000000000000000000000007";
/// The reference of a manifest.
const MANIFEST: &str = "mfst_00000000000000000000000009";

/// A carrier's answers to tasks that succeed, and what its refusals prove.
pub(crate) struct Conformance {
    pub connector: &'static dyn Connector,
    /// An account with all tokens that the carrier wants.
    pub account: Account,
    pub parcel: Parcel,
    /// The handle of the service that is bought.
    pub service: &'static str,
    /// What the carrier called the shipment when it was prepared.
    pub prepared: Option<&'static str>,
    /// What the purchase gave: it is voided, tracked and labelled.
    pub receipt: Receipt,
    /// What the carrier answers when the task succeeds, an answer for each exchange. Empty if nothing is sent for the task, or if
    /// the carrier can't do it. Every answer is cut at every byte, so it should have less than 8 kB.
    pub rate: Vec<Answer>,
    pub prepare: Vec<Answer>,
    pub buy: Vec<Answer>,
    pub look_up: Vec<Answer>,
    pub void: Vec<Answer>,
    pub track: Vec<Answer>,
    pub label: Vec<Answer>,
    pub manifest: Vec<Answer>,
    /// The answer to the request for each token.
    pub tokens: Vec<(&'static str, Answer)>,
    /// Returns the body of a failure with this status, in the carrier's own words.
    pub failure: fn(u16) -> String,
    /// Statuses that prove that a purchase charged nothing, if the carrier's own words come with them.
    pub proves_no_charge: &'static [u16],
}

/// The connectors that the suite tries. A connector may come several times, with accounts of different kinds.
pub(crate) fn samples() -> Vec<Conformance> {
    vec![
        crate::dhl_express::tests::conformance(),
        crate::dhl_parcel_de::tests::conformance(),
        crate::dhl_parcel_de::tests::conformance_of_several_packages(),
        crate::dhl_parcel_de::tests::conformance_of_returns(),
        crate::easypost::tests::conformance(),
        crate::own::tests::conformance(),
        crate::royal_mail::tests::conformance(),
        crate::sandbox::tests::conformance(),
        crate::ups::tests::conformance(),
        crate::usps::tests::conformance(),
        crate::sandbox::tests::conformance_with_tokens(),
    ]
}

/// The day of shipping of all tests.
pub(crate) fn day() -> Day {
    Day::parse("2026-11-19").unwrap()
}

/// A success.
pub(crate) fn ok(body: impl ToString) -> Answer {
    answer(200, body)
}

pub(crate) fn answer(status: u16, body: impl ToString) -> Answer {
    Answer::Response { status, retry_after: None, body: Bytes::from(body.to_string()) }
}

impl Conformance {
    /// Returns each task that the carrier can do, with its name and what the carrier answers when it succeeds.
    fn tasks<'a>(&'a self, purchases: &'a [String]) -> Vec<(&'static str, Task<'a>, &'a [Answer])> {
        let format = LabelFormat::Png;
        let (parcel, receipt, prepared) = (&self.parcel, &self.receipt, self.prepared);
        let (service, reference, ship_on) = (self.service, REFERENCE, day());
        let origin = parcel.details().addresses.origin.as_ref();
        let all = [
            (Task::Rate(parcel), &self.rate),
            (Task::Prepare(parcel), &self.prepare),
            (Task::Buy { parcel, service, reference, prepared, format, ship_on }, &self.buy),
            (Task::LookUp { reference, prepared }, &self.look_up),
            (Task::Void(receipt), &self.void),
            (Task::Track(receipt), &self.track),
            (Task::Label { receipt, format }, &self.label),
            (Task::Manifest { reference: MANIFEST, named: None, purchases, ship_on, origin }, &self.manifest),
        ];
        all.into_iter().map(|(task, answers)| (task.as_str(), task, answers.as_slice())).collect()
    }

    fn name(&self) -> &'static str {
        self.connector.handle()
    }

    /// Returns the values of credentials and tokens, which only the carrier may see.
    fn secrets(&self) -> Vec<&str> {
        let credentials = self.account.credentials.values().filter_map(Value::as_str);
        credentials.chain(self.account.tokens.values().map(String::as_str)).collect()
    }
}
