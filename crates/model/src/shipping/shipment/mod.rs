//! Shipments: their contents, addresses, carrier service and cost.

pub mod addresses;
pub mod customs;
pub mod error;
pub mod identifier;
pub mod options;
pub mod package;
pub mod route;

use serde::{Deserialize, Serialize};

use crate::platform::id::Kind as IdKind;
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::shipping::batch::Counts;
use crate::shipping::carrier::{
    CARRIER_ACCOUNT_REFERENCE, CARRIER_REFERENCE, CARRIER_SERVICE_REFERENCE, Carrier, CarrierAccount,
    CarrierService, Reference,
};
use crate::shipping::document::DOCUMENT;
use crate::shipping::rate::{RATE, RATE_ID, Rate};
use crate::{Code, Error, Id, Result, Timestamp};

pub use addresses::{AddressRecord, Addresses};
pub use customs::Customs;
pub use error::{ErrorCode, ErrorType, ShipmentError, Source};
pub use identifier::TaxIdentifier;
pub use options::{LabelFormat, Options};
pub use package::Package;
pub use route::Route;

/// Maximum number of rates that a shipment shows.
pub const RATES_MAX: usize = 500;
/// Maximum number of documents: a label for each of 99 packages in each of three formats, and customs papers.
const DOCUMENTS_MAX: usize = 400;
/// Maximum number of accounts to which a shipment may be limited.
const ACCOUNTS_MAX: usize = 60;

/// A shipment as it is stored. The API also shows its documents, whose download URLs are signed for each response.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Shipment {
    pub id: Id<Shipment>,
    #[serde(flatten)]
    pub details: ShipmentInput,
    pub rates: Vec<Rate>,
    pub service: Option<ChosenService>,
    /// The amount that the carrier charged. Voiding the shipment does not remove it.
    #[serde(default)]
    pub cost: Option<Cost>,
    pub status: Status,
    pub tracking_status: TrackingStatus,
    pub tracking_number: Option<String>,
    /// Whether the shipment is purchased and its carrier delivers the label later.
    #[serde(default)]
    pub label_pending: bool,
    pub errors: Vec<ShipmentError>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Shipment {
    /// Returns the shipment with other details. Rates and errors of the old details no longer apply and are removed.
    /// A change of the name alone does not concern carriers, and keeps them.
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
            new.cost = None;
            new.status = Status::Draft;
        }
        Ok(new)
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

impl Input for ShipmentInput {
    const SHAPE: &'static Shape = &SHIPMENT;
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
/// The status of a shipment.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"]),
    "`draft` when made, `rated` with rates, `purchasing` while the carrier is asked, then `purchased` or `purchase_failed`, which can be repaired and bought again. `voided`: the carrier took the label back and refunds it.",
)
.example(r#""purchased""#);
/// The progress of a shipment's delivery.
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
    "What the carrier last reported: `pre_transit` once it is bought, then on to `delivered`, `return_to_sender`, `failure` or `cancelled`, which are final. `unknown` before it is bought.",
)
.example(r#""in_transit""#);
pub(crate) static NAME: Shape =
    Shape::text(1, 255, "A name or reference of your own, such as the order's number. Need not be unique.")
        .example(r#""Order 1042""#);
static CODE_TEXT: Shape =
    Shape::text(1, 150, "A handle, such as `sandbox` or `standard`.").example(r#""sandbox""#);
static ACCOUNT: Shape = Shape::text(1, 100, "The id or the handle of an account.");
static ACCOUNTS: Shape = Shape::list(
    &ACCOUNT,
    ACCOUNTS_MAX,
    "Only these accounts are asked for rates, by id or handle. Without it, all that are enabled.",
);
pub(crate) static CARRIER_CHOICE: Shape = Shape::object(
    "CarrierChoice",
    &[
        Field::optional("carrier_code", &CODE_TEXT)
            .about("Only this carrier is asked for rates: its handle or id."),
        Field::optional("service_code", &CODE_TEXT)
            .about("Only rates of this service are kept: its handle or id."),
        Field::optional("carrier_accounts", &ACCOUNTS),
    ],
    "Which carriers and services you want, before anything is rated.",
);
pub(crate) static CHOSEN: Shape = Shape::object(
    "ChosenService",
    &[
        Field::given_or_null("rate", &RATE_ID)
            .about("The rate that it is bought by, among `rates`. Null until it is bought if an account and a service were named instead."),
        Field::given("carrier", &CARRIER_REFERENCE)
            .about("The carrier that collects the parcel and is paid for it."),
        Field::given("carrier_service", &CARRIER_SERVICE_REFERENCE)
            .about("The carrier's service, which says how fast it travels."),
        Field::given("carrier_account", &CARRIER_ACCOUNT_REFERENCE)
            .about("The contract with the carrier that the purchase is charged to."),
    ],
    "What the shipment is, or will be, bought as. Null until a service is chosen.",
);
pub(crate) static RATES: Shape = Shape::list(
    &RATE,
    RATES_MAX,
    "What carriers asked for it when it was last rated, cheapest first. Emptied when the shipment changes.",
);
pub(crate) static DOCUMENTS: Shape = Shape::list(
    &DOCUMENT,
    DOCUMENTS_MAX,
    "Labels and customs papers, once it is bought. Each link lives an hour; read again for new ones.",
);
pub(crate) static COST: Shape = Shape::object(
    "ShipmentCost",
    &[Field::given("amount", &AMOUNT), Field::given("currency_code", &CURRENCY)],
    "What the carrier charged for it. If the carrier states no amount, the price of the rate that was bought. Null before it is purchased.",
);
pub(crate) static LABEL_PENDING: Shape = Shape::new(
    Kind::Boolean,
    "Whether it is purchased and the carrier delivers its label later. `shipment.updated` is sent when the label arrives.",
)
.example("false");

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
        Field::given_or_null("cost", &COST),
        Field::given("status", &STATUS),
        Field::given("tracking_status", &TRACKING_STATUS),
        Field::given_or_null("tracking_number", &package::TRACKING_NUMBER).about("The carrier's number of the first package, once it is bought; each package has its own. Null before."),
        Field::given("label_pending", &LABEL_PENDING),
        Field::given("errors", &error::ERRORS),
        Field::created_at(),
        Field::updated_at(),
    ],
    "Something that is sent: from where to where, in which packages, by whom and for how much.",
);

#[cfg(test)]
mod tests;
