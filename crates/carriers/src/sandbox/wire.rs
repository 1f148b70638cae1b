//! The JSON of the sandbox's answers. The server writes it, and the connector reads it.

use model::shipping::shipment::{ErrorCode, Source, TrackingStatus};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Rates {
    pub rates: Vec<Rate>,
    pub errors: Vec<Refused>,
}

#[derive(Serialize, Deserialize)]
pub struct Rate {
    pub service: String,
    /// In pence.
    pub amount: i64,
    pub currency: String,
    pub delivery_days: i64,
}

/// Why a service has no rate.
#[derive(Serialize, Deserialize)]
pub struct Refused {
    pub code: ErrorCode,
    pub source: Source,
    pub message: String,
    /// The number of the package at fault, from 1 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<u32>,
}

#[derive(Serialize, Deserialize)]
pub struct Purchase {
    pub purchase: String,
    pub reference: String,
    pub service: String,
    pub amount: i64,
    pub currency: String,
    pub tracking_numbers: Vec<String>,
    pub status: PurchaseStatus,
    #[serde(flatten)]
    pub labels: Labels,
}

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum PurchaseStatus {
    Charged,
    Voided,
}

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum LabelWord {
    /// The carrier has no label of its own, so Dockside draws it.
    Ours,
    /// The labels are in `files`.
    Attached,
    Later,
}

/// Where the labels of a purchase are.
#[derive(Serialize, Deserialize)]
pub struct Labels {
    pub label: LabelWord,
    /// One for each package.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
}

#[derive(Serialize, Deserialize)]
pub struct File {
    /// The only format in which the sandbox has labels of its own: `gif`.
    pub format: String,
    /// The bytes in base 64.
    pub data: String,
}

#[derive(Serialize, Deserialize)]
pub struct Purchases {
    pub purchases: Vec<Purchase>,
}

#[derive(Serialize, Deserialize)]
pub struct Tracking {
    pub status: TrackingStatus,
    pub message: String,
}

#[derive(Serialize, Deserialize)]
pub struct Manifest {
    pub manifest: String,
    pub reference: String,
    pub status: ManifestStatus,
    pub purchases: Vec<String>,
}

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum ManifestStatus {
    Creating,
    Created,
}

#[derive(Serialize, Deserialize)]
pub struct Manifests {
    pub manifests: Vec<Manifest>,
}

/// An access token.
#[derive(Serialize, Deserialize)]
pub struct Token {
    pub access_token: String,
    /// In seconds.
    pub expires_in: u64,
}

#[derive(Serialize, Deserialize)]
pub struct Failure {
    pub error: FailureBody,
}

#[derive(Serialize, Deserialize)]
pub struct FailureBody {
    /// A code of shipment errors if it is one, and otherwise the carrier's own.
    pub code: String,
    pub message: String,
    /// Whether the purchase was charged, if the carrier says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charged: Option<bool>,
    /// The number of the package at fault, from 1 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<u32>,
}
