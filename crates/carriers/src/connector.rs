//! What every connector is and does.

use std::time::Duration;

use bytes::Bytes;
use model::shipment::options::LabelFormat;
use model::shipment::{ShipmentError, ShipmentInput, TrackingStatus};
use model::{CarrierAccount, Id, Shipment};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A contract with a carrier, opened.
#[derive(Clone, Debug)]
pub struct Account {
    pub id: Id<CarrierAccount>,
    pub configuration: Map<String, Value>,
    pub credentials: Map<String, Value>,
}

/// What is to be carried.
#[derive(Clone, Debug)]
pub struct Parcel {
    pub id: Id<Shipment>,
    pub details: ShipmentInput,
}

/// What a carrier can do, and so what may be asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether a purchase that is repeated under the same reference is made once.
    pub is_idempotent: bool,
    /// Whether a purchase can be found by its reference.
    pub can_look_up: bool,
    pub can_void: bool,
    pub can_manifest: bool,
    pub can_track: bool,
    /// Formats in which the carrier itself gives labels; none where we draw them.
    pub label_formats: &'static [LabelFormat],
    /// How long a purchase may stay invisible to a look-up.
    pub visibility_delay: Duration,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Task<'a> {
    /// What would it cost?
    Rate(&'a Parcel),
    /// Make it known to the carrier, free of charge, so that buying has something to name. The answer is a reference.
    Prepare(&'a Parcel),
    /// Buy it, under a reference of ours that never changes.
    Buy {
        parcel: &'a Parcel,
        service: &'a str,
        reference: &'a str,
        prepared: Option<&'a str>,
        format: LabelFormat,
    },
    /// What was bought under this reference?
    LookUp {
        reference: &'a str,
        prepared: Option<&'a str>,
    },
    Void(&'a Receipt),
    Track(&'a Receipt),
    /// Fetch a label that was not there yet.
    Label {
        receipt: &'a Receipt,
        format: LabelFormat,
    },
    /// Close out: these purchases are handed over. Asked again under the same reference, it tells what became of it.
    Manifest {
        reference: &'a str,
        /// The carrier's own names of them.
        purchases: &'a [String],
    },
}

/// What to do next.
#[derive(Debug)]
pub enum Step {
    Send(Request),
    Done(Outcome),
}

/// Something to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Bytes,
    /// Whether it may cost money: then it is never repeated on a guess.
    pub is_purchase: bool,
}

/// What came back, or why nothing did.
#[derive(Clone, Debug)]
pub enum Answer {
    Response {
        status: u16,
        retry_after: Option<Duration>,
        body: Bytes,
    },
    /// It provably never reached the carrier.
    Unsent(String),
    /// It may have.
    Lost(String),
}

/// What came of a task.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    Quoted(Quotes),
    Prepared(String),
    Bought(Receipt),
    /// What a look-up found. Several are a fault of the carrier's: all but the first are voided.
    Found(Vec<Found>),
    Voided,
    /// The carrier will say later.
    Voiding,
    Tracked(Tracked),
    Labelled(Label),
    Manifested(Manifested),
    /// The carrier is still at it; its own name of the manifest.
    Manifesting(String),
    /// The carrier says no, and means it.
    Rejected(ShipmentError),
    /// Not done; the same may succeed later.
    Unsent {
        why: ShipmentError,
        retry_after: Option<Duration>,
    },
    /// It may have been done.
    Unknown(ShipmentError),
}

/// Rates, and what carriers said who gave none.
#[derive(Debug, Default, PartialEq)]
pub struct Quotes {
    pub quotes: Vec<Quote>,
    pub errors: Vec<ShipmentError>,
}

/// What one service costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote {
    /// The service's handle.
    pub service: String,
    /// In the smallest unit of the currency.
    pub amount: i64,
    pub currency: String,
    pub delivery_days: Option<i64>,
}

/// A purchase that a look-up found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub receipt: Receipt,
}

/// What a carrier gave for the money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The carrier's own name of the purchase.
    pub purchase: String,
    /// One for each package.
    pub tracking_numbers: Vec<String>,
    /// What was charged, in the smallest unit of the currency.
    pub charged: i64,
    pub currency: String,
    #[serde(skip)]
    pub label: Option<Label>,
}

/// A label as a carrier gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    /// We draw it: the carrier has none of its own.
    Ours,
    File {
        format: LabelFormat,
        bytes: Bytes,
    },
    /// To be fetched from there, soon.
    At {
        format: LabelFormat,
        url: String,
    },
    /// It is not there yet.
    Later,
}

/// Something that was closed out.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifested {
    /// The carrier's own name of the manifest.
    pub manifest: String,
    /// The form to print, where there is one.
    pub form: Option<Label>,
}

/// Where something is.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    pub status: TrackingStatus,
    pub message: String,
}

/// A carrier's words. Pure: the same task, state and answer give the same step.
pub trait Connector: Send + Sync {
    /// The carrier's handle.
    fn handle(&self) -> &'static str;

    /// Whether an account says all that is needed; else a sentence for whoever wrote it.
    fn check(&self, account: &Account) -> Result<(), String>;

    /// What the carrier does for this account.
    fn capabilities(&self, account: &Account) -> Capabilities;

    /// The first thing to do.
    fn begin(&self, account: &Account, task: &Task<'_>) -> Step;

    /// What follows from the answer to the last request. Most tasks are one exchange; `exchange` counts them from one.
    fn resume(&self, account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step;
}
