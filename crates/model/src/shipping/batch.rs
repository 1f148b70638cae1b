//! Batches: shipments that are purchased, labelled and handed over together.

mod counts;
mod shapes;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::platform::id::Kind as IdKind;
use crate::shipping::carrier::{Carrier, CarrierAccount, CarrierService};
use crate::shipping::shipment::{self, LabelFormat, Shipment, ShipmentError};
use crate::{Code, Id, Result, Timestamp};

pub use counts::{Counts, Delta};
pub use shapes::{
    BATCH, BATCH_ID, LABELS_INPUT, MEMBERS_ADDED, MEMBERS_REMOVED, MEMBERS_SHOWN, NAMED_MAX,
    PARTIAL_SHIPMENT, STATUS,
};

/// Maximum number of shipment errors that a batch shows.
pub const ERRORS_MAX: usize = 100;

/// The parts of a shipment that a list of a batch's shipments may omit.
pub const PARTS: [&str; 7] = [
    "origin_address",
    "destination_address",
    "return_address",
    "rates",
    "selected_rate",
    "documents",
    "errors",
];

/// A batch as the API shows it. A shipment stores the batch that it belongs to.
#[derive(Serialize, Clone, Debug)]
pub struct Batch {
    pub id: Id<Batch>,
    #[serde(flatten)]
    pub details: Details,
    pub status: Status,
    /// Errors of its shipments, up to [`ERRORS_MAX`].
    pub errors: Vec<BatchError>,
    /// Summaries of its first shipments.
    pub shipments: Vec<Member>,
    #[serde(flatten)]
    pub counts: Counts,
    pub error_counts: ErrorCounts,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// How many errors the shipments of a batch have, by code. A code without errors is missing.
pub type ErrorCounts = BTreeMap<String, i64>;

impl IdKind for Batch {
    const PREFIX: &'static str = "batch";
}

/// The client's input for a batch, without its shipments. It is stored in this form.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Details {
    pub name: Option<String>,
    /// The service with which all shipments are purchased. If it is `None`, each shipment uses its own.
    pub service: Option<Service>,
    pub options: Options,
    pub metadata: Map<String, Value>,
}

/// The options for the batch's labels.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(default)]
pub struct Options {
    pub label_format: LabelFormat,
}

impl Default for Options {
    fn default() -> Self {
        Self { label_format: LabelFormat::Png }
    }
}

/// The carrier service of a batch.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Service {
    pub carrier: Part<Carrier>,
    pub carrier_service: Part<CarrierService>,
    pub carrier_account: Part<CarrierAccount>,
}

/// A carrier, a service or an account, as a batch shows it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(bound = "")]
pub struct Part<K: IdKind> {
    pub id: Id<K>,
    pub name: String,
    pub handle: Option<String>,
    pub description: Option<String>,
}

impl Service {
    /// Returns the value of `Summary::chosen` of a shipment that chose or requests this service.
    pub fn as_chosen(&self) -> Vec<String> {
        let word = |handle: &Option<String>| handle.clone().unwrap_or_default();
        let (carrier, service) = (word(&self.carrier.handle), word(&self.carrier_service.handle));
        vec![
            format!("{carrier}/{service}/{}", self.carrier_account.id),
            format!("{carrier}/{service}/"),
            format!("{}/{service}/", self.carrier.id),
        ]
    }
}

/// An error of one of a batch's shipments.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct BatchError {
    pub shipment_id: Id<Shipment>,
    #[serde(flatten)]
    pub error: ShipmentError,
}

/// The body of a request that creates the labels of a batch.
#[derive(Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchLabelsInput {
    /// The format of the labels. If it is `None`, the batch's own format applies.
    pub format: Option<LabelFormat>,
}

/// The summary of a shipment in a batch.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Member {
    pub id: Id<Shipment>,
    pub name: Option<String>,
    pub status: shipment::Status,
    pub errors: Vec<ShipmentError>,
}

/// The body of a request that creates a batch.
#[derive(Deserialize, Clone, Debug)]
pub struct BatchInput {
    pub name: Option<String>,
    pub service: Option<ServiceInput>,
    #[serde(default)]
    pub options: Options,
    #[serde(default)]
    pub metadata: Map<String, Value>,
    #[serde(default)]
    pub shipments: Vec<NamedShipment>,
    /// Whether the batch's service takes precedence over the services that its shipments chose.
    #[serde(default, rename = "override")]
    pub overrides: bool,
}

/// A service as a client names it.
#[derive(Deserialize, Clone, Debug)]
pub struct ServiceInput {
    pub carrier: Option<PartName>,
    pub carrier_service: PartName,
    pub carrier_account: Option<PartName>,
}

/// The id, the handle, or both, of a carrier, a service or an account.
#[derive(Deserialize, Clone, Debug)]
pub struct PartName {
    pub id: Option<String>,
    pub handle: Option<String>,
}

impl PartName {
    /// Returns whether this names the entity with this id and handle.
    pub fn is(&self, id: &str, handle: Option<&str>) -> bool {
        self.id.as_deref().is_none_or(|named| named == id)
            && self.handle.as_deref().is_none_or(|named| Some(named) == handle)
    }
}

/// A shipment as a client names it, by its id.
#[derive(Deserialize, Clone, Copy, Debug)]
pub struct NamedShipment {
    pub id: Id<Shipment>,
}

/// The body of a request that adds shipments to a batch.
#[derive(Deserialize, Clone, Debug)]
pub struct MembersAdded {
    pub shipments: Vec<NamedShipment>,
    #[serde(default, rename = "override")]
    pub overrides: bool,
}

/// The body of a request that removes shipments from a batch.
#[derive(Deserialize, Clone, Debug)]
pub struct MembersRemoved {
    pub shipments: Vec<NamedShipment>,
}

/// The status of a batch.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Open,
    Purchasing,
    /// Final: the batch can no longer change.
    Purchased,
    PartiallyPurchased,
    PurchaseFailed,
}

/// The other inputs of a batch's status, besides its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Whether purchases of the batch are still to be recorded or are in progress.
    pub is_under_way: bool,
    /// Whether some of its shipments were never purchased. A voided shipment was purchased.
    pub has_unbought: bool,
}

impl Status {
    pub const ALL: [Status; 5] = [
        Status::Open,
        Status::Purchasing,
        Status::Purchased,
        Status::PartiallyPurchased,
        Status::PurchaseFailed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::Purchasing => "purchasing",
            Status::Purchased => "purchased",
            Status::PartiallyPurchased => "partially_purchased",
            Status::PurchaseFailed => "purchase_failed",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Fails if the batch is purchased or being purchased, so that neither it nor its shipments can change.
    pub fn ensure_changeable(self) -> Result<(), Code> {
        match self {
            Status::Open | Status::PartiallyPurchased | Status::PurchaseFailed => Ok(()),
            Status::Purchasing => Err(Code::BatchPurchasing),
            Status::Purchased => Err(Code::BatchFinalised),
        }
    }

    /// Returns the status after a change of its shipments or at the end of its purchase.
    #[must_use]
    pub fn after(self, counts: Counts, facts: Facts) -> Status {
        match self {
            Status::Open | Status::Purchased => self,
            Status::Purchasing if facts.is_under_way => self,
            Status::PurchaseFailed if counts.purchased == 0 => self,
            _ if !facts.has_unbought && counts.shipments > 0 => Status::Purchased,
            Status::Purchasing if counts.purchased == 0 => Status::PurchaseFailed,
            // A voided shipment was still purchased by this batch.
            _ => Status::PartiallyPurchased,
        }
    }

    /// Returns the type of the event for the change from `before` to this status.
    pub fn event(self, before: Status) -> &'static str {
        match self {
            _ if self == before => "batch.updated",
            Status::Purchasing => "batch.purchase_started",
            Status::Purchased => "batch.purchased",
            Status::PurchaseFailed => "batch.purchase_failed",
            Status::PartiallyPurchased if before == Status::Purchasing => "batch.purchase_failed",
            Status::PartiallyPurchased | Status::Open => "batch.updated",
        }
    }
}

#[cfg(test)]
mod tests;
