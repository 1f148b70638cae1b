//! Carriers, what they offer, and the accounts with which their services are bought.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::Kind as IdKind;
use crate::location::LINE;
use crate::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::{Id, Timestamp};

/// Somebody who carries parcels.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Carrier {
    pub id: Id<Carrier>,
    pub name: String,
    pub handle: String,
    pub description: String,
}

impl IdKind for Carrier {
    const PREFIX: &'static str = "car";
}

/// What a carrier offers.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct CarrierService {
    pub id: Id<CarrierService>,
    pub name: String,
    pub handle: String,
    pub description: String,
}

impl IdKind for CarrierService {
    const PREFIX: &'static str = "cs";
}

/// A contract with a carrier.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct CarrierAccount {
    pub id: Id<CarrierAccount>,
    pub carrier: Reference<Carrier>,
    #[serde(flatten)]
    pub details: AccountDetails,
    /// Whether there are credentials; they are never shown.
    pub has_credentials: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for CarrierAccount {
    const PREFIX: &'static str = "ca";
}

/// What is shown of an account beside its carrier.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct AccountDetails {
    pub name: String,
    pub handle: Option<String>,
    pub description: Option<String>,
    #[serde(default)]
    pub configuration: Map<String, Value>,
    #[serde(default)]
    pub disabled: bool,
}

/// A carrier, a service or an account, as shipments and rates name it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(bound = "")]
pub struct Reference<K: IdKind> {
    pub id: Id<K>,
    pub name: String,
    pub handle: Option<String>,
}

/// What a client says of an account.
#[derive(Deserialize, Clone, Debug)]
pub struct CarrierAccountInput {
    pub carrier: CarrierName,
    #[serde(flatten)]
    pub details: AccountDetails,
    /// Kept sealed, and shown to nobody.
    #[serde(default)]
    pub credentials: Option<Map<String, Value>>,
}

impl Input for CarrierAccountInput {
    const SHAPE: &'static Shape = &CARRIER_ACCOUNT;
}

/// A carrier by its id or its handle.
#[derive(Deserialize, Clone, Debug)]
pub struct CarrierName {
    pub id: Option<Id<Carrier>>,
    pub handle: Option<String>,
}

/// The ids.
pub static CARRIER_ID: Shape = Shape::new(Kind::Identifier(Carrier::PREFIX), "A carrier's id.");
pub static CARRIER_SERVICE_ID: Shape =
    Shape::new(Kind::Identifier(CarrierService::PREFIX), "A carrier service's id.");
pub static CARRIER_ACCOUNT_ID: Shape =
    Shape::new(Kind::Identifier(CarrierAccount::PREFIX), "A carrier account's id.");
pub(crate) static NAME: Shape = Shape::text(1, 255, "What people call it.").example(r#""Sandbox""#);
pub(crate) static HANDLE: Shape = Shape::text(1, 150, "What programs call it.").example(r#""sandbox""#);
pub(crate) static DESCRIPTION: Shape =
    Shape::text(0, 1000, "What it is.").example(r#""A carrier for tests.""#);
/// Somebody who carries parcels.
pub static CARRIER: Shape = Shape::object(
    "Carrier",
    &[
        Field::given("id", &CARRIER_ID),
        Field::given("name", &NAME),
        Field::given("handle", &HANDLE),
        Field::given("description", &DESCRIPTION),
    ],
    "Somebody who carries parcels.",
);
/// What a carrier offers.
pub static CARRIER_SERVICE: Shape = Shape::object(
    "CarrierService",
    &[
        Field::given("id", &CARRIER_SERVICE_ID),
        Field::given("name", &NAME),
        Field::given("handle", &HANDLE),
        Field::given("description", &DESCRIPTION),
    ],
    "What a carrier offers.",
);
static ACCOUNT_CARRIER: Shape = Shape::object(
    "CarrierName",
    &[
        Field::optional("id", &CARRIER_ID),
        Field::given_or_null("name", &NAME),
        Field::optional("handle", &HANDLE),
    ],
    "A carrier by its id or its handle.",
);
static CONFIGURATION: Shape = Shape::new(
    Kind::Open,
    "What the carrier's connector is told, such as the rate table of `own`. Shown to whoever reads accounts.",
)
.example(r#"{"currency_code":"GBP"}"#);
static CREDENTIALS: Shape =
    Shape::new(Kind::Open, "Keys and passwords. Encrypted at rest, never shown and never logged.")
        .example(r#"{"api_key":"EZTK…"}"#);
static DISABLED: Shape =
    Shape::new(Kind::Boolean, "Whether it is left out of rating and buying.").example("false");
static HAS_CREDENTIALS: Shape = Shape::new(Kind::Boolean, "Whether credentials were given.").example("true");
/// A contract with a carrier.
pub static CARRIER_ACCOUNT: Shape = Shape::object(
    "CarrierAccount",
    &[
        Field::given("id", &CARRIER_ACCOUNT_ID),
        Field::required("carrier", &ACCOUNT_CARRIER),
        Field::required("name", &NAME),
        Field::optional("handle", &HANDLE),
        Field::optional("description", &LINE),
        Field::optional("configuration", &CONFIGURATION),
        Field::optional("credentials", &CREDENTIALS),
        Field::given("has_credentials", &HAS_CREDENTIALS),
        Field::optional("disabled", &DISABLED),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "A contract with a carrier: with it rates are asked for and labels are bought.",
);

/// As shipments and rates name them.
pub static CARRIER_REFERENCE: Shape = Shape::object(
    "CarrierReference",
    &[Field::given("id", &CARRIER_ID), Field::given("name", &NAME), Field::given_or_null("handle", &HANDLE)],
    "A carrier.",
);
pub static CARRIER_SERVICE_REFERENCE: Shape = Shape::object(
    "CarrierServiceReference",
    &[
        Field::given("id", &CARRIER_SERVICE_ID),
        Field::given("name", &NAME),
        Field::given_or_null("handle", &HANDLE),
    ],
    "A carrier's service.",
);
pub static CARRIER_ACCOUNT_REFERENCE: Shape = Shape::object(
    "CarrierAccountReference",
    &[
        Field::given("id", &CARRIER_ACCOUNT_ID),
        Field::given("name", &NAME),
        Field::given_or_null("handle", &HANDLE),
    ],
    "A carrier account.",
);
