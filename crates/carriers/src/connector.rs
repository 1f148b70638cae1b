//! The interface of all connectors: tasks, requests, answers and outcomes.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{AddressRecord, ShipmentError, ShipmentInput, TrackingStatus};
use model::{Day, Id, Shipment, Timestamp};
use serde::{Deserialize, Serialize};

use crate::account::Account;
use crate::file_format::FileFormat;
use crate::options;

/// The address of a carrier, to which an account's credentials are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The connector knows the address. The operator may set another one; an account can't.
    Known(&'static str),
    /// Each account has its own address: the `url` of its configuration.
    OfAccount,
    /// Nothing is sent.
    None,
}

/// A shipment as a carrier may see it.
#[derive(Clone, Debug)]
pub struct Parcel {
    pub id: Id<Shipment>,
    details: ShipmentInput,
    /// The label format to use if the shipment names none.
    label_format: Option<LabelFormat>,
    ship_on: Option<Day>,
}

impl Parcel {
    /// Makes a parcel of a shipment. It has the addresses in the direction of travel, so the sender of a return is the customer.
    /// It has nothing that is internal to the merchant, such as the names of locations.
    pub fn new(id: Id<Shipment>, shipment: &ShipmentInput) -> Self {
        Self { id, details: shipment.as_carried(), label_format: None, ship_on: None }
    }

    /// Sets the label format to use if the shipment names none, such as the format of its batch.
    pub fn labelled_in(self, format: LabelFormat) -> Self {
        Self { label_format: Some(format), ..self }
    }

    /// Sets the day on which the carrier gets it, by the calendar of the place that it leaves from.
    pub fn shipped_on(self, day: Day) -> Self {
        Self { ship_on: Some(day), ..self }
    }

    /// The day on which the carrier gets it, if it is known: carriers' prices and times depend on it.
    pub fn ship_on(&self) -> Option<Day> {
        self.ship_on
    }

    /// The wanted label format, if any.
    pub fn label_format(&self) -> Option<LabelFormat> {
        let label = self.details.options.as_ref().and_then(|options| options.label.as_ref());
        label.and_then(|label| label.format).or(self.label_format)
    }

    pub fn details(&self) -> &ShipmentInput {
        &self.details
    }
}

/// What a carrier can do. The service asks it for nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether a purchase that is repeated under the same reference is made once.
    pub is_idempotent: bool,
    /// Whether a purchase can be found by its reference.
    pub can_look_up: bool,
    pub can_void: bool,
    pub can_manifest: bool,
    pub can_track: bool,
    /// Formats in which the carrier delivers labels; empty if Dockside draws them.
    pub label_formats: &'static [LabelFormat],
    /// The most packages of one shipment.
    pub packages_max: usize,
    /// How long a purchase may stay invisible to a look-up.
    pub visibility_delay: Duration,
}

/// What a connector is asked to do.
#[derive(Clone, Debug)]
pub enum Task<'a> {
    /// What would it cost?
    Rate(&'a Parcel),
    /// Register the parcel with the carrier, free of charge, so that the purchase can name it. The answer is a reference.
    Prepare(&'a Parcel),
    /// Buy it, under a reference of ours that never changes.
    Buy {
        parcel: &'a Parcel,
        service: &'a str,
        reference: &'a str,
        prepared: Option<&'a str>,
        format: LabelFormat,
        /// The mailing date. It is stored with the intent to buy, so a repeated request has the same bytes after midnight.
        ship_on: Day,
    },
    /// What was bought under this reference?
    LookUp {
        reference: &'a str,
        prepared: Option<&'a str>,
    },
    Void(&'a Receipt),
    Track(&'a Receipt),
    /// Fetch labels that did not exist yet.
    Label {
        receipt: &'a Receipt,
        format: LabelFormat,
    },
    /// Close out: these purchases are handed over. Repeated under the same reference, it returns the state of that manifest.
    Manifest {
        reference: &'a str,
        /// The carrier's own name of the manifest, if an earlier answer said that the carrier works on it.
        named: Option<&'a str>,
        /// The carrier's own names of them.
        purchases: &'a [String],
        /// The day of the hand-over, by the calendar of the place that they leave from. It is the same in every repetition.
        ship_on: Day,
        /// The address that they leave from.
        origin: Option<&'a AddressRecord>,
    },
}

impl Task<'_> {
    /// Returns the word for the task in the log.
    pub fn as_str(&self) -> &'static str {
        match self {
            Task::Rate(_) => "rate",
            Task::Prepare(_) => "prepare",
            Task::Buy { .. } => "buy",
            Task::LookUp { .. } => "look_up",
            Task::Void(_) => "void",
            Task::Track(_) => "track",
            Task::Label { .. } => "label",
            Task::Manifest { .. } => "manifest",
        }
    }
}

/// What to do next.
#[derive(Debug)]
pub enum Step {
    Send(Request),
    Done(Outcome),
}

/// A request to a carrier.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Bytes,
    /// Whether it may cost money: then it is never repeated on a guess.
    pub is_purchase: bool,
}

/// The answer to a request, or why there is none.
#[derive(Clone, Debug)]
pub enum Answer {
    Response {
        status: u16,
        retry_after: Option<Duration>,
        body: Bytes,
    },
    /// It provably never reached the carrier.
    Unsent(String),
    /// It may have reached the carrier.
    Lost(String),
}

/// The result of a task.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    Quoted(Quotes),
    Prepared(String),
    Bought(Receipt),
    /// What a look-up found. Several are a fault of the carrier's: all but the first are voided.
    Found(Vec<Found>),
    Voided,
    /// The carrier decides later.
    Voiding,
    Tracked(Tracked),
    /// One label for each package in their order, or one for the whole shipment. Empty if there is none yet.
    Labelled(Vec<Label>),
    Manifested(Manifested),
    /// The carrier still works on it; the carrier's own name of the manifest.
    Manifesting(String),
    /// The carrier refuses. For a purchase this proves that the request charged nothing.
    Rejected(ShipmentError),
    /// Not done; the same may succeed later. For a purchase this proves that the request charged nothing.
    Unsent {
        why: ShipmentError,
        retry_after: Option<Duration>,
    },
    /// An access token was refused before anything was done: for a purchase this proves that the request charged nothing. The
    /// service forgets the token, gets a new one, and repeats the task once.
    TokenRefused(ShipmentError),
    /// It may have been done. Every answer to a purchase that proves neither belongs here, such as a rate limit.
    Unknown(ShipmentError),
    /// It may have been done, and the carrier will never be able to tell whether it was: a person must find out.
    Untraceable(ShipmentError),
}

/// Rates, and the errors of carriers that gave none.
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
    /// One for each package in their order, or one for the whole shipment. Empty if the carrier has none yet.
    #[serde(skip)]
    pub labels: Vec<Label>,
}

/// A label as a carrier gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    /// Dockside draws it: the carrier has none of its own.
    Ours,
    File {
        format: FileFormat,
        bytes: Bytes,
    },
    /// To be fetched from this URL, soon.
    At {
        format: FileFormat,
        url: String,
    },
    /// The carrier does not have it yet.
    Later,
}

/// Something that was closed out.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifested {
    /// The carrier's own name of the manifest.
    pub manifest: String,
    /// The form to print, if there is one.
    pub form: Option<Label>,
}

/// Where something is.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    pub status: TrackingStatus,
    pub message: String,
    /// When it reached this status, by the carrier's own clock, if the carrier says so.
    pub occurred_at: Option<Timestamp>,
}

/// A carrier's words. Pure: the same task, state and answer give the same step.
pub trait Connector: Send + Sync {
    /// The carrier's handle.
    fn handle(&self) -> &'static str;

    /// Where requests go.
    fn address(&self) -> Address;

    /// Checks that an account has everything that is needed; else returns a sentence for the client that wrote it.
    fn check(&self, account: &Account) -> Result<(), String>;

    /// What the carrier does for this account.
    fn capabilities(&self, account: &Account) -> Capabilities;

    /// How the carrier treats each option of a shipment, in the order of the model's shape.
    fn options(&self) -> options::Table;

    /// Returns the carrier that transports the parcels of a service, if this connector is a gateway to several carriers, and
    /// else an empty text. One manifest never covers parcels of several carriers.
    fn hand_over_carrier<'a>(&self, _service: &'a str) -> &'a str {
        ""
    }

    /// The most packages that one manifest may have. More are divided into several manifests.
    fn manifest_packages_max(&self) -> usize {
        usize::MAX
    }

    /// The access tokens that its requests need, if they need some.
    fn access_tokens(&self) -> Option<&dyn AccessTokens> {
        None
    }

    /// The first thing to do.
    fn begin(&self, account: &Account, task: &Task<'_>) -> Step;

    /// What follows from the answer to the last request. Most tasks are one exchange; `exchange` counts them from one.
    fn resume(&self, account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step;
}

/// The access tokens of a carrier that has them. The service keeps them, and gets a new one when one expires or is refused.
pub trait AccessTokens: Send + Sync {
    /// The names of the tokens that a task needs, in the order in which they are asked for: the request for a token may use
    /// the ones before it.
    fn tokens(&self, account: &Account, task: &Task<'_>) -> &'static [&'static str];

    /// The request for a token. It costs nothing.
    fn request_token(&self, account: &Account, name: &str) -> Request;

    /// What the answer to it means.
    fn read_token(&self, account: &Account, name: &str, answer: Answer) -> TokenOutcome;
}

/// The result of a request for an access token.
#[derive(PartialEq)]
pub enum TokenOutcome {
    Token {
        value: String,
        expires_in: Duration,
    },
    /// The carrier refuses the credentials. Asking again changes nothing.
    Refused(ShipmentError),
    /// There is none; the same request may succeed later.
    Unsent {
        why: ShipmentError,
        retry_after: Option<Duration>,
    },
}

/// Leaves out the token.
impl fmt::Debug for TokenOutcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenOutcome::Token { expires_in, .. } => {
                out.debug_struct("Token").field("expires_in", expires_in).finish_non_exhaustive()
            }
            TokenOutcome::Refused(error) => out.debug_tuple("Refused").field(error).finish(),
            TokenOutcome::Unsent { why, .. } => out.debug_tuple("Unsent").field(why).finish(),
        }
    }
}
