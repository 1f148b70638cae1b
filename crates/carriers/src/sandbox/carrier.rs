//! The connector: calls the sandbox by its own protocol, in this process or in another.
//!
//! If the account's configuration has no URL, requests go to `sandbox:/v1/…`, which is not a network address. The
//! caller of the connector then passes them to the [server](super::desk) side, in the same process.

use bytes::Bytes;
use model::shipping::shipment::{ErrorCode, ShipmentError, Source};
use serde_json::{Value, json};

use super::answer::{Purpose, labels, lost, quotes, read, receipt};
use super::options;
use super::settings::Settings;
use super::tokens;
use super::wire::{Manifest, ManifestStatus, Purchase, PurchaseStatus, Purchases, Rates, Tracking};
use crate::option_refusal::option_refusal;
use crate::{
    AccessTokens, Account, Address, Answer, Capabilities, Connector, Found, Label, Manifested, Outcome,
    Request, Step, Task, TokenOutcome, Tracked,
};

/// The carrier's handle.
pub const HANDLE: &str = "sandbox";

/// The connector.
pub struct Sandbox;

impl Connector for Sandbox {
    fn handle(&self) -> &'static str {
        HANDLE
    }

    fn address(&self) -> Address {
        Address::OfAccount
    }

    fn check(&self, account: &Account) -> Result<(), String> {
        Settings::read(account).map(|_| ())
    }

    fn capabilities(&self, account: &Account) -> Capabilities {
        Settings::read(account).unwrap_or_default().capabilities()
    }

    fn options(&self) -> crate::options::Table {
        options::OPTIONS
    }

    fn access_tokens(&self) -> Option<&dyn AccessTokens> {
        Some(self)
    }

    fn begin(&self, account: &Account, task: &Task<'_>) -> Step {
        if let Some(refusal) = option_refusal("The sandbox", self.options(), task, |_| None) {
            return Step::Done(refusal);
        }
        let settings = match Settings::read(account) {
            Ok(settings) => settings,
            Err(message) => {
                let code = ErrorCode::CredentialsInvalid;
                let error = ShipmentError::new(purpose(task).error_type(), code, Source::Service, message);
                return Step::Done(Outcome::Rejected(error));
            }
        };
        let tokens = tokens::headers(account);
        let with_tokens = |mut request: Request| {
            request.headers.extend(tokens.iter().cloned());
            request
        };
        let get = |path: String| Step::Send(with_tokens(request(&settings, "GET", &path, None)));
        let post = |path: &str, body: Value| with_tokens(request(&settings, "POST", path, Some(body)));
        match task {
            Task::Rate(parcel) => {
                let body = json!({ "reference": parcel.id, "shipment": parcel.details() });
                Step::Send(post("/v1/rates", body))
            }
            // The sandbox needs no information before the purchase.
            Task::Prepare(parcel) => Step::Done(Outcome::Prepared(parcel.id.to_string())),
            Task::Buy { parcel, service, reference, ship_on, .. } => {
                let shipment = parcel.details();
                let body = json!({
                    "reference": reference, "service": service, "ship_on": ship_on, "shipment": shipment,
                });
                Step::Send(Request { is_purchase: true, ..post("/v1/purchases", body) })
            }
            Task::LookUp { reference, .. } => get(format!("/v1/purchases?reference={}", encoded(reference))),
            Task::Void(bought) => {
                let path = format!("/v1/purchases/{}/void", encoded(&bought.purchase));
                Step::Send(post(&path, json!({})))
            }
            Task::Track(bought) => get(format!("/v1/purchases/{}/tracking", encoded(&bought.purchase))),
            Task::Label { receipt, .. } => get(format!("/v1/purchases/{}/label", encoded(&receipt.purchase))),
            // Closing out costs nothing, and repeating it with the same reference returns the same manifest.
            Task::Manifest { reference, purchases, .. } => {
                let body = json!({ "reference": reference, "purchases": purchases });
                Step::Send(post("/v1/manifests", body))
            }
        }
    }

    fn resume(&self, account: &Account, task: &Task<'_>, _exchange: usize, answer: Answer) -> Step {
        if let Some(message) = tokens::refused_token(&answer).filter(|_| !account.tokens.is_empty()) {
            return Step::Done(Outcome::TokenRefused(purpose(task).error(message)));
        }
        Step::Done(understood(task, answer).unwrap_or_else(|failure| failure))
    }
}

impl AccessTokens for Sandbox {
    fn tokens(&self, account: &Account, task: &Task<'_>) -> &'static [&'static str] {
        tokens::names(account, task)
    }

    fn request_token(&self, account: &Account, name: &str) -> Request {
        tokens::request(account, name)
    }

    fn read_token(&self, _account: &Account, _name: &str, answer: Answer) -> TokenOutcome {
        tokens::outcome(answer)
    }
}

/// Returns the purpose of a task.
fn purpose(task: &Task<'_>) -> Purpose {
    match task {
        Task::Rate(_) | Task::Prepare(_) => Purpose::Rating,
        Task::Buy { .. } => Purpose::Buying,
        Task::LookUp { .. } => Purpose::LookingUp,
        Task::Void(_) => Purpose::Voiding,
        Task::Track(_) => Purpose::Tracking,
        Task::Label { .. } => Purpose::Labelling,
        Task::Manifest { .. } => Purpose::Manifesting,
    }
}

/// Returns the outcome of a task. Errors are outcomes too.
fn understood(task: &Task<'_>, answer: Answer) -> Result<Outcome, Outcome> {
    let purpose = purpose(task);
    Ok(match task {
        Task::Rate(_) => Outcome::Quoted(quotes(read::<Rates>(answer, purpose)?)),
        Task::Prepare(parcel) => Outcome::Prepared(parcel.id.to_string()),
        Task::Buy { reference, .. } => {
            let purchase: Purchase = read(answer, purpose)?;
            if purchase.reference != *reference || purchase.status != PurchaseStatus::Charged {
                let message = "The sandbox answered with another purchase than the one that was asked for.";
                return Err(lost(purpose, message.to_owned()));
            }
            Outcome::Bought(receipt(purchase))
        }
        Task::LookUp { .. } => {
            let found: Purchases = read(answer, purpose)?;
            let standing =
                found.purchases.into_iter().filter(|purchase| purchase.status == PurchaseStatus::Charged);
            Outcome::Found(standing.map(|purchase| Found { receipt: receipt(purchase) }).collect())
        }
        Task::Void(_) => match read::<Purchase>(answer, purpose)?.status {
            PurchaseStatus::Voided => Outcome::Voided,
            PurchaseStatus::Charged => Outcome::Voiding,
        },
        Task::Track(_) => {
            let Tracking { status, message } = read(answer, purpose)?;
            Outcome::Tracked(Tracked { status, message, occurred_at: None })
        }
        Task::Label { .. } => Outcome::Labelled(labels(read(answer, purpose)?)),
        Task::Manifest { .. } => {
            let Manifest { manifest, status, .. } = read(answer, purpose)?;
            match status {
                ManifestStatus::Creating => Outcome::Manifesting(manifest),
                ManifestStatus::Created => {
                    Outcome::Manifested(Manifested { manifest, form: Some(Label::Ours) })
                }
            }
        }
    })
}

fn request(settings: &Settings, method: &'static str, path: &str, body: Option<Value>) -> Request {
    let mut headers = vec![("accept", "application/json".to_owned())];
    if body.is_some() {
        headers.push(("content-type", "application/json".to_owned()));
    }
    Request {
        method,
        url: format!("{}{path}", settings.base()),
        headers,
        body: body.map(|body| Bytes::from(body.to_string())).unwrap_or_default(),
        is_purchase: false,
    }
}

/// Percent-encodes a text for a URL. References and purchase ids are plain, so none that the sandbox knows changes.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
