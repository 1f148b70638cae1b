//! Shipments: their contents, addresses, carrier service and cost.

pub mod addresses;
pub mod customs;
pub mod error;
mod flat;
pub mod identifier;
mod mailing_date;
pub mod options;
pub mod package;
pub mod route;
mod shapes;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::places::location_configuration::CompleteOn;
use crate::platform::id::{Kind as IdKind, ShippingRuleKind};
use crate::platform::shape::{Kind, Shape};
use crate::shipping::batch::Counts;
use crate::shipping::carrier::{Carrier, CarrierAccount, CarrierService, Reference};
use crate::shipping::rate::Rate;
use crate::{Code, Error, Id, InventoryItem, Order, Result, Timestamp};

pub use addresses::{AddressRecord, Addresses};
pub use customs::Customs;
pub use error::{ErrorCode, ErrorType, ShipmentError, Source};
pub use identifier::TaxIdentifier;
pub use mailing_date::mailing_date;
pub use options::{LabelFormat, Options};
pub use package::Package;
pub use route::Route;
pub(crate) use shapes::{CARRIER_CHOICE, CHOSEN, COST, DOCUMENTS, LABEL_PENDING, NAME, RATES};
pub use shapes::{RATES_MAX, SHIPMENT, STATUS, TRACKING_STATUS};

/// A shipment as it is stored. The API also shows its documents, whose download URLs are signed for each response.
#[derive(Serialize, Clone, Debug)]
pub struct Shipment {
    pub id: Id<Shipment>,
    #[serde(flatten)]
    pub details: ShipmentInput,
    pub rates: Vec<Rate>,
    pub service: Option<ChosenService>,
    /// The amount that the carrier charged. Voiding the shipment does not remove it.
    pub cost: Option<Cost>,
    pub status: Status,
    pub tracking_status: TrackingStatus,
    pub tracking_number: Option<String>,
    /// Whether the shipment is purchased and its carrier delivers the label later.
    pub label_pending: bool,
    pub errors: Vec<ShipmentError>,
    /// The order that it was made from.
    pub order_id: Option<Id<Order>>,
    /// When the allocations that it holds are completed. `None` if it was not made from an order.
    pub complete_allocations_on: Option<CompleteOn>,
    /// When the carrier got it, as far as that is known.
    pub handed_over_at: Option<Timestamp>,
    /// The shipping rule that chose its service.
    pub rule_id: Option<Id<ShippingRuleKind>>,
    /// When scans had counted the last unit of its packages.
    pub packed_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Shipment {
    /// Returns a draft with nothing bought or rated yet.
    pub fn draft(id: Id<Shipment>, details: ShipmentInput, now: Timestamp) -> Self {
        Self {
            id,
            details,
            rates: Vec::new(),
            service: None,
            cost: None,
            status: Status::Draft,
            tracking_status: TrackingStatus::Unknown,
            tracking_number: None,
            label_pending: false,
            errors: Vec::new(),
            order_id: None,
            complete_allocations_on: None,
            handed_over_at: None,
            rule_id: None,
            packed_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns the units of each item in its packages.
    pub fn units(&self) -> BTreeMap<Id<InventoryItem>, i64> {
        self.details.units()
    }

    /// Returns the shipment with other details. Rates and errors of the old details no longer apply and are removed.
    /// A change of the name or of the contents of packages alone does not concern carriers, and keeps them.
    pub fn changed(&self, details: ShipmentInput, now: Timestamp) -> Result<Self> {
        let for_carriers = |details: &ShipmentInput| {
            let packages = details.packages.iter().map(Package::as_carried).collect();
            serde_json::to_value(ShipmentInput { name: None, packages, ..details.clone() })
                .map_err(Error::fault)
        };
        let is_same = for_carriers(&self.details)? == for_carriers(&details)?;
        match is_same {
            true => Ok(Self { details, updated_at: now, ..self.clone() }),
            false => Ok(self.unrated(details, now)),
        }
    }

    /// Returns the shipment with other details, and without what carriers said about the old ones.
    #[must_use]
    pub fn unrated(&self, details: ShipmentInput, now: Timestamp) -> Self {
        Self {
            details,
            rates: Vec::new(),
            errors: Vec::new(),
            service: None,
            cost: None,
            status: Status::Draft,
            updated_at: now,
            ..self.clone()
        }
    }

    /// Adds an error. If there are too many, the oldest are removed.
    pub fn add_error(&mut self, error: ShipmentError) {
        self.errors.push(error);
        let excess = self.errors.len().saturating_sub(error::ERRORS_MAX);
        self.errors.drain(..excess);
    }

    /// Removes the errors of a type that no longer apply.
    pub fn forget_errors(&mut self, r#type: ErrorType) {
        self.errors.retain(|error| error.r#type != r#type);
    }

    /// Returns the columns that are stored beside the document, so that batches can be counted and purchased without
    /// reading it.
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
        Summary { status: self.status, packages, errors, label_pending: self.label_pending, chosen }
    }

    /// Returns the requested label format, if the shipment has one.
    pub fn wanted_label_format(&self) -> Option<LabelFormat> {
        let label = self.details.options.as_ref().and_then(|options| options.label.as_ref());
        label.and_then(|label| label.format)
    }
}

/// The columns that are stored beside a shipment's document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub status: Status,
    pub packages: i64,
    pub errors: i64,
    pub label_pending: bool,
    /// The chosen service as `carrier/service/account`, or the requested service, without the account.
    pub chosen: Option<String>,
}

impl Summary {
    /// Returns the shipment's contribution to its batch's counts.
    pub fn counts(&self) -> Counts {
        let purchased = i64::from(self.status == Status::Purchased);
        Counts {
            shipments: 1,
            purchased,
            errors: self.errors,
            packages: self.packages,
            labels_pending: i64::from(self.label_pending),
        }
    }
}

impl IdKind for Shipment {
    const PREFIX: &'static str = "shp";
}

/// The body of a request that creates a shipment.
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

impl ShipmentInput {
    /// Returns the units of each item in the packages.
    pub fn units(&self) -> BTreeMap<Id<InventoryItem>, i64> {
        let mut units = BTreeMap::new();
        for item in self.packages.iter().flat_map(|package| &package.items) {
            *units.entry(item.id).or_default() += item.quantity;
        }
        units
    }
}

/// The carriers and services that a client requests, before rating.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct CarrierChoice {
    pub carrier_code: Option<String>,
    pub service_code: Option<String>,
    pub carrier_accounts: Vec<String>,
}

/// The amount that a carrier charged.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The amount, in the smallest unit of the currency.
    pub amount: i64,
    pub currency_code: String,
}

/// The service with which a shipment is purchased.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct ChosenService {
    pub rate: Option<Id<Rate>>,
    pub carrier: Reference<Carrier>,
    pub carrier_service: Reference<CarrierService>,
    pub carrier_account: Reference<CarrierAccount>,
}

/// The status of a shipment.
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

    /// Fails if the shipment is purchased or being purchased, so that it cannot be changed, rated or deleted.
    pub fn ensure_open(self) -> Result<(), Code> {
        match self {
            Status::Draft | Status::Rated | Status::PurchaseFailed => Ok(()),
            Status::Purchasing => Err(Code::ShipmentPurchasing),
            Status::Purchased => Err(Code::ShipmentPurchased),
            Status::Voided => Err(Code::ShipmentVoided),
        }
    }

    /// Fails if the shipment is not purchased, so that it cannot be voided.
    pub fn ensure_bought(self) -> Result<(), Code> {
        match self {
            Status::Purchased => Ok(()),
            Status::Purchasing => Err(Code::ShipmentPurchasing),
            Status::Voided => Err(Code::ShipmentVoided),
            Status::Draft | Status::Rated | Status::PurchaseFailed => Err(Code::ShipmentNotPurchased),
        }
    }
}

/// The progress of a shipment's delivery.
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
    pub const ALL: [TrackingStatus; 9] = [
        TrackingStatus::Unknown,
        TrackingStatus::PreTransit,
        TrackingStatus::InTransit,
        TrackingStatus::OutForDelivery,
        TrackingStatus::AvailableForPickup,
        TrackingStatus::Delivered,
        TrackingStatus::ReturnToSender,
        TrackingStatus::Failure,
        TrackingStatus::Cancelled,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            TrackingStatus::Unknown => "unknown",
            TrackingStatus::PreTransit => "pre_transit",
            TrackingStatus::InTransit => "in_transit",
            TrackingStatus::OutForDelivery => "out_for_delivery",
            TrackingStatus::AvailableForPickup => "available_for_pickup",
            TrackingStatus::Delivered => "delivered",
            TrackingStatus::ReturnToSender => "return_to_sender",
            TrackingStatus::Failure => "failure",
            TrackingStatus::Cancelled => "cancelled",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Returns whether the carrier has had the parcel in its hands.
    pub fn is_handed_over(self) -> bool {
        use TrackingStatus::{
            AvailableForPickup, Delivered, Failure, InTransit, OutForDelivery, ReturnToSender,
        };
        matches!(self, InTransit | OutForDelivery | AvailableForPickup | Delivered | ReturnToSender | Failure)
    }

    /// Returns whether the status is final, so that the carrier is not polled any more. `Failure` is not final: the
    /// carrier may try again.
    pub fn is_final(self) -> bool {
        matches!(self, TrackingStatus::Delivered | TrackingStatus::ReturnToSender | TrackingStatus::Cancelled)
    }
}

/// The id of a shipment.
pub static SHIPMENT_ID: Shape = Shape::new(
    Kind::Identifier(Shipment::PREFIX),
    "Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages.",
);
#[cfg(test)]
mod tests;
