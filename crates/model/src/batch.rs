//! Batches: shipments that are bought, labelled and handed over together.

mod shapes;

use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::carrier::{Carrier, CarrierAccount, CarrierService};
use crate::id::Kind as IdKind;
use crate::shape::{Input, Shape};
use crate::shipment::{self, LabelFormat, Shipment, ShipmentError};
use crate::{Code, Id, Result, Timestamp};

pub use shapes::{
    BATCH, BATCH_ID, MEMBERS_ADDED, MEMBERS_REMOVED, MEMBERS_SHOWN, NAMED_MAX, PARTIAL_SHIPMENT, STATUS,
};

/// Most errors of its shipments that a batch shows.
pub const ERRORS_MAX: usize = 100;

/// The parts of a shipment that a list of a batch's shipments may leave out.
pub const PARTS: [&str; 7] = [
    "origin_address",
    "destination_address",
    "return_address",
    "rates",
    "selected_rate",
    "documents",
    "errors",
];

/// A batch as it is shown. Its shipments say which batch they are in.
#[derive(Serialize, Clone, Debug)]
pub struct Batch {
    pub id: Id<Batch>,
    #[serde(flatten)]
    pub details: Details,
    pub status: Status,
    /// Of its shipments, and not all of them.
    pub errors: Vec<ShipmentError>,
    /// The first of its shipments, in short.
    pub shipments: Vec<Member>,
    #[serde(flatten)]
    pub counts: Counts,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Batch {
    const PREFIX: &'static str = "batch";
}

/// What a client said of a batch, but for its shipments. It is kept like this.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Details {
    pub name: Option<String>,
    /// With which all its shipments are bought; each with its own where there is none.
    pub service: Option<Service>,
    pub options: Options,
    pub metadata: Map<String, Value>,
}

/// How the batch's labels are wanted.
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

/// The service of a batch.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Service {
    pub carrier: Part<Carrier>,
    pub carrier_service: Part<CarrierService>,
    pub carrier_account: Part<CarrierAccount>,
}

/// A carrier, one of its services or an account with it, as a batch shows it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(bound = "")]
pub struct Part<K: IdKind> {
    pub id: Id<K>,
    pub name: String,
    pub handle: Option<String>,
    pub description: Option<String>,
}

impl Service {
    /// What `Summary::chosen` says of a shipment that chose this service, or asks for it.
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

/// A shipment of a batch, in short.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Member {
    pub id: Id<Shipment>,
    pub name: Option<String>,
    pub status: shipment::Status,
    pub errors: Vec<ShipmentError>,
}

/// What a client says of a batch.
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
    /// Whether its service counts more than those that its shipments chose.
    #[serde(default, rename = "override")]
    pub overrides: bool,
}

impl Input for BatchInput {
    const SHAPE: &'static Shape = &BATCH;
}

/// The service that a client names.
#[derive(Deserialize, Clone, Debug)]
pub struct ServiceInput {
    pub carrier: Option<PartName>,
    pub carrier_service: PartName,
    pub carrier_account: Option<PartName>,
}

/// Something by its id, its handle or both.
#[derive(Deserialize, Clone, Debug)]
pub struct PartName {
    pub id: Option<String>,
    pub handle: Option<String>,
}

impl PartName {
    /// Whether it names this.
    pub fn is(&self, id: &str, handle: Option<&str>) -> bool {
        self.id.as_deref().is_none_or(|named| named == id)
            && self.handle.as_deref().is_none_or(|named| Some(named) == handle)
    }
}

/// A shipment that a client names.
#[derive(Deserialize, Clone, Copy, Debug)]
pub struct NamedShipment {
    pub id: Id<Shipment>,
}

/// Shipments that are to be in a batch.
#[derive(Deserialize, Clone, Debug)]
pub struct MembersAdded {
    pub shipments: Vec<NamedShipment>,
    #[serde(default, rename = "override")]
    pub overrides: bool,
}

impl Input for MembersAdded {
    const SHAPE: &'static Shape = &MEMBERS_ADDED;
}

/// Shipments that are to be in it no longer.
#[derive(Deserialize, Clone, Debug)]
pub struct MembersRemoved {
    pub shipments: Vec<NamedShipment>,
}

impl Input for MembersRemoved {
    const SHAPE: &'static Shape = &MEMBERS_REMOVED;
}

/// What is counted of a batch's shipments.
#[derive(Serialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    #[serde(rename = "shipments_count")]
    pub shipments: i64,
    #[serde(rename = "purchased_count")]
    pub purchased: i64,
    /// Errors, not shipments that have some.
    #[serde(rename = "error_count")]
    pub errors: i64,
    #[serde(rename = "packages_count")]
    pub packages: i64,
}

/// By how much counts change.
pub type Delta = Counts;

impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            shipments: self.shipments + other.shipments,
            purchased: self.purchased + other.purchased,
            errors: self.errors + other.errors,
            packages: self.packages + other.packages,
        }
    }
}

impl Sub for Counts {
    type Output = Counts;

    fn sub(self, other: Counts) -> Counts {
        Counts {
            shipments: self.shipments - other.shipments,
            purchased: self.purchased - other.purchased,
            errors: self.errors - other.errors,
            packages: self.packages - other.packages,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        *self = *self + other;
    }
}

/// Where a batch stands.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Open,
    Purchasing,
    /// Finalised: nothing of it may change any more.
    Purchased,
    PartiallyPurchased,
    PurchaseFailed,
}

/// What the status follows from, beside the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Whether purchases of it are still to be written down, or to be waited for.
    pub is_under_way: bool,
    /// Whether some of its shipments were never bought. What was bought and taken back is not one of them.
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

    /// Refuses to change a batch, or a shipment in it, that is bought or is being bought.
    pub fn ensure_changeable(self) -> Result<(), Code> {
        match self {
            Status::Open | Status::PartiallyPurchased | Status::PurchaseFailed => Ok(()),
            Status::Purchasing => Err(Code::BatchPurchasing),
            Status::Purchased => Err(Code::BatchFinalised),
        }
    }

    /// The status once something changed with its shipments, or its purchase came to its end.
    #[must_use]
    pub fn after(self, counts: Counts, facts: Facts) -> Status {
        match self {
            Status::Open | Status::Purchased => self,
            Status::Purchasing if facts.is_under_way => self,
            Status::PurchaseFailed if counts.purchased == 0 => self,
            _ if !facts.has_unbought && counts.shipments > 0 => Status::Purchased,
            Status::Purchasing if counts.purchased == 0 => Status::PurchaseFailed,
            // What was bought and taken back was bought by this batch all the same.
            _ => Status::PartiallyPurchased,
        }
    }

    /// The event that tells of the change to this status.
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
