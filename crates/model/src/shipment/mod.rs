//! Shipments: what is sent, from where to where, by whom and for how much.

pub mod addresses;
pub mod customs;
pub mod error;
pub mod identifier;
pub mod options;
pub mod package;

use serde::{Deserialize, Serialize};

use crate::batch::Counts;
use crate::carrier::{
    CARRIER_ACCOUNT_REFERENCE, CARRIER_REFERENCE, CARRIER_SERVICE_REFERENCE, Carrier, CarrierAccount,
    CarrierService, Reference,
};
use crate::document::DOCUMENT;
use crate::id::Kind as IdKind;
use crate::rate::{RATE, RATE_ID, Rate};
use crate::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::{Code, Error, Id, Result, Timestamp};

pub use addresses::{AddressRecord, Addresses};
pub use customs::Customs;
pub use error::{ErrorCode, ErrorType, ShipmentError, Source};
pub use identifier::TaxIdentifier;
pub use options::{LabelFormat, Options};
pub use package::Package;

/// Most rates and documents that a shipment shows.
const RATES_MAX: usize = 500;
const DOCUMENTS_MAX: usize = 100;
/// Most accounts that a shipment may be limited to.
const ACCOUNTS_MAX: usize = 60;

/// A shipment as it is kept, and shown but for its documents: these are files, whose addresses are made as they are
/// read.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Shipment {
    pub id: Id<Shipment>,
    #[serde(flatten)]
    pub details: ShipmentInput,
    pub rates: Vec<Rate>,
    pub service: Option<ChosenService>,
    pub status: Status,
    pub tracking_status: TrackingStatus,
    pub tracking_number: Option<String>,
    pub errors: Vec<ShipmentError>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Shipment {
    /// The shipment with other details. What carriers said of the old ones is not true of it any more; its name is no
    /// business of theirs.
    pub fn changed(&self, details: ShipmentInput, now: Timestamp) -> Result<Self> {
        let without_name = |details: &ShipmentInput| {
            serde_json::to_value(ShipmentInput { name: None, ..details.clone() }).map_err(Error::fault)
        };
        let is_same = without_name(&self.details)? == without_name(&details)?;
        let mut new = Self { details, updated_at: now, ..self.clone() };
        if !is_same {
            new.rates.clear();
            new.errors.clear();
            new.service = None;
            new.status = Status::Draft;
        }
        Ok(new)
    }

    /// Adds an error; the oldest go where there are too many.
    pub fn add_error(&mut self, error: ShipmentError) {
        self.errors.push(error);
        let excess = self.errors.len().saturating_sub(error::ERRORS_MAX);
        self.errors.drain(..excess);
    }

    /// What is kept of it beside its document, so that batches can be counted and bought without reading that.
    pub fn summary(&self) -> Summary {
        let chosen = match (&self.service, &self.details.carrier) {
            (Some(service), _) => {
                let word = |handle: &Option<String>| handle.clone().unwrap_or_default();
                let (carrier, offer) = (word(&service.carrier.handle), word(&service.carrier_service.handle));
                Some(format!("{carrier}/{offer}/{}", service.carrier_account.id))
            }
            (None, Some(CarrierChoice { carrier_code: Some(carrier), service_code: Some(offer), .. })) => {
                Some(format!("{carrier}/{offer}/"))
            }
            _ => None,
        };
        let (packages, errors) = (self.details.packages.len() as i64, self.errors.len() as i64);
        Summary { status: self.status, packages, errors, chosen }
    }

    /// The format that its label is wanted in, where it says so.
    pub fn wanted_label_format(&self) -> Option<LabelFormat> {
        let label = self.details.options.as_ref().and_then(|options| options.label.as_ref());
        label.and_then(|label| label.format)
    }
}

/// A shipment in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub status: Status,
    pub packages: i64,
    pub errors: i64,
    /// The service that it chose, as `carrier/service/account`; or asks for, then without the account.
    pub chosen: Option<String>,
}

impl Summary {
    /// What it counts for in its batch.
    pub fn counts(&self) -> Counts {
        let purchased = i64::from(self.status == Status::Purchased);
        Counts { shipments: 1, purchased, errors: self.errors, packages: self.packages }
    }
}

impl IdKind for Shipment {
    const PREFIX: &'static str = "shp";
}

/// What a client says of a shipment.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct ShipmentInput {
    pub name: Option<String>,
    pub addresses: Addresses,
    #[serde(default)]
    pub tax_identifiers: Vec<TaxIdentifier>,
    pub packages: Vec<Package>,
    pub customs: Option<Customs>,
    pub options: Option<Options>,
    pub carrier: Option<CarrierChoice>,
}

impl Input for ShipmentInput {
    const SHAPE: &'static Shape = &SHIPMENT;
}

/// Which carriers and services a client wants, before anything is rated.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct CarrierChoice {
    pub carrier_code: Option<String>,
    pub service_code: Option<String>,
    pub carrier_accounts: Vec<String>,
}

/// The service that a shipment is bought from.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct ChosenService {
    pub rate: Option<Id<Rate>>,
    pub carrier: Reference<Carrier>,
    pub carrier_service: Reference<CarrierService>,
    pub carrier_account: Reference<CarrierAccount>,
}

/// Where a shipment stands with its carrier.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Draft,
    Rated,
    Purchasing,
    Purchased,
    PurchaseFailed,
    Voided,
}

impl Status {
    pub const ALL: [Status; 6] = [
        Status::Draft,
        Status::Rated,
        Status::Purchasing,
        Status::Purchased,
        Status::PurchaseFailed,
        Status::Voided,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Status::Draft => "draft",
            Status::Rated => "rated",
            Status::Purchasing => "purchasing",
            Status::Purchased => "purchased",
            Status::PurchaseFailed => "purchase_failed",
            Status::Voided => "voided",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Refuses to change, rate or delete what is bought, or is being bought.
    pub fn ensure_open(self) -> Result<(), Code> {
        match self {
            Status::Draft | Status::Rated | Status::PurchaseFailed => Ok(()),
            Status::Purchasing => Err(Code::ShipmentPurchasing),
            Status::Purchased => Err(Code::ShipmentPurchased),
            Status::Voided => Err(Code::ShipmentVoided),
        }
    }

    /// Refuses to void what was not bought.
    pub fn ensure_bought(self) -> Result<(), Code> {
        match self {
            Status::Purchased => Ok(()),
            Status::Purchasing => Err(Code::ShipmentPurchasing),
            Status::Voided => Err(Code::ShipmentVoided),
            Status::Draft | Status::Rated | Status::PurchaseFailed => Err(Code::ShipmentNotPurchased),
        }
    }
}

/// Where a shipment is on its way.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Default)]
#[serde(rename_all = "snake_case")]
pub enum TrackingStatus {
    #[default]
    Unknown,
    PreTransit,
    InTransit,
    OutForDelivery,
    AvailableForPickup,
    Delivered,
    ReturnToSender,
    Failure,
    Cancelled,
}

impl TrackingStatus {
    /// Whether nothing more will happen.
    pub fn is_final(self) -> bool {
        matches!(
            self,
            TrackingStatus::Delivered
                | TrackingStatus::ReturnToSender
                | TrackingStatus::Failure
                | TrackingStatus::Cancelled
        )
    }
}

/// The id of a shipment.
pub static SHIPMENT_ID: Shape = Shape::new(Kind::Identifier(Shipment::PREFIX), "A shipment's id.");
/// The status of a shipment.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"]),
    "Where it stands with its carrier.",
)
.example(r#""purchased""#);
/// Where a shipment is on its way.
pub static TRACKING_STATUS: Shape = Shape::new(
    Kind::OneOf(&[
        "unknown",
        "pre_transit",
        "in_transit",
        "out_for_delivery",
        "available_for_pickup",
        "delivered",
        "return_to_sender",
        "failure",
        "cancelled",
    ]),
    "Where it is on its way.",
)
.example(r#""in_transit""#);
pub(crate) static NAME: Shape =
    Shape::text(1, 255, "A name or reference of your own.").example(r#""Order 1042""#);
static CODE_TEXT: Shape = Shape::text(1, 150, "A carrier's or service's handle.").example(r#""sandbox""#);
static ACCOUNT: Shape = Shape::text(1, 100, "A carrier account's id or handle.");
static ACCOUNTS: Shape = Shape::list(&ACCOUNT, ACCOUNTS_MAX, "Only these accounts are asked for rates.");
pub(crate) static CARRIER_CHOICE: Shape = Shape::object(
    "CarrierChoice",
    &[
        Field::optional("carrier_code", &CODE_TEXT),
        Field::optional("service_code", &CODE_TEXT),
        Field::optional("carrier_accounts", &ACCOUNTS),
    ],
    "Which carriers and services you want, before anything is rated.",
);
pub(crate) static CHOSEN: Shape = Shape::object(
    "ChosenService",
    &[
        Field::given_or_null("rate", &RATE_ID),
        Field::given("carrier", &CARRIER_REFERENCE),
        Field::given("carrier_service", &CARRIER_SERVICE_REFERENCE),
        Field::given("carrier_account", &CARRIER_ACCOUNT_REFERENCE),
    ],
    "The service that it is bought from.",
);
pub(crate) static RATES: Shape = Shape::list(&RATE, RATES_MAX, "What carriers would take it for.");
pub(crate) static DOCUMENTS: Shape = Shape::list(&DOCUMENT, DOCUMENTS_MAX, "Its label and other papers.");

/// A shipment.
pub static SHIPMENT: Shape = Shape::object(
    "Shipment",
    &[
        Field::given("id", &SHIPMENT_ID),
        Field::optional("name", &NAME),
        Field::required("addresses", &addresses::ADDRESSES),
        Field::optional("tax_identifiers", &identifier::TAX_IDENTIFIERS),
        Field::required("packages", &package::PACKAGES),
        Field::optional("customs", &customs::CUSTOMS),
        Field::optional("options", &options::OPTIONS),
        Field::optional("carrier", &CARRIER_CHOICE),
        Field::given("documents", &DOCUMENTS),
        Field::given("rates", &RATES),
        Field::given_or_null("service", &CHOSEN),
        Field::given("status", &STATUS),
        Field::given("tracking_status", &TRACKING_STATUS),
        Field::given_or_null("tracking_number", &package::TRACKING_NUMBER),
        Field::given("errors", &error::ERRORS),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "Something that is sent: from where to where, in which packages, by whom and for how much.",
);

#[cfg(test)]
mod tests;
