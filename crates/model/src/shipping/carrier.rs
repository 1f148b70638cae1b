//! Carriers, their services, and the accounts with which services are purchased.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::places::address::LINE;
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::{Id, Timestamp};

/// A company that transports parcels.
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

/// A service that a carrier offers.
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

/// A contract between an organisation and a carrier.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct CarrierAccount {
    pub id: Id<CarrierAccount>,
    pub carrier: Reference<Carrier>,
    #[serde(flatten)]
    pub details: AccountDetails,
    /// Whether the account has credentials. They are never shown.
    pub has_credentials: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for CarrierAccount {
    const PREFIX: &'static str = "ca";
}

/// The fields of an account besides its carrier.
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

/// A carrier, a service or an account, as shipments and rates show it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(bound = "")]
pub struct Reference<K: IdKind> {
    pub id: Id<K>,
    pub name: String,
    pub handle: Option<String>,
}

/// The body of a request that creates an account.
#[derive(Deserialize, Clone, Debug)]
pub struct CarrierAccountInput {
    pub carrier: CarrierName,
    #[serde(flatten)]
    pub details: AccountDetails,
    /// The credentials. They are stored encrypted and never shown.
    #[serde(default)]
    pub credentials: Option<Map<String, Value>>,
}

impl Input for CarrierAccountInput {
    const SHAPE: &'static Shape = &CARRIER_ACCOUNT;
}

/// A carrier, named by its id or its handle.
#[derive(Deserialize, Clone, Debug)]
pub struct CarrierName {
    pub id: Option<Id<Carrier>>,
    pub handle: Option<String>,
}

/// The ids of carriers, services and accounts.
pub static CARRIER_ID: Shape = Shape::new(
    Kind::Identifier(Carrier::PREFIX),
    "The same in every organisation. Where a carrier is asked for, its `handle` does as well.",
);
pub static CARRIER_SERVICE_ID: Shape = Shape::new(
    Kind::Identifier(CarrierService::PREFIX),
    "The same in every organisation. Where a service is asked for, its `handle` does as well.",
);
pub static CARRIER_ACCOUNT_ID: Shape = Shape::new(
    Kind::Identifier(CarrierAccount::PREFIX),
    "Made when the account is created. Where an account is asked for, its `handle` does as well.",
);
pub(crate) static NAME: Shape =
    Shape::text(1, 255, "The name to show to people. It may change; programs use the handle.")
        .example(r#""Sandbox""#);
pub(crate) static HANDLE: Shape = Shape::text(1, 150, "A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.").example(r#""sandbox""#);
pub(crate) static DESCRIPTION: Shape =
    Shape::text(0, 1000, "A sentence for people who choose between several.")
        .example(r#""A carrier for tests.""#);
/// A company that transports parcels.
pub static CARRIER: Shape = Shape::object(
    "Carrier",
    &[
        Field::given("id", &CARRIER_ID),
        Field::given("name", &NAME),
        Field::given("handle", &HANDLE),
        Field::given("description", &DESCRIPTION),
    ],
    "A company that carries parcels.",
);
/// A service that a carrier offers.
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
        Field::optional("id", &CARRIER_ID)
            .about("The id that `GET /carriers` lists. Give this or the `handle`, which is easier to read."),
        Field::given_or_null("name", &NAME),
        Field::optional("handle", &HANDLE).about(
            "Which carrier, by handle: `sandbox`, `own`, `dhl_express`, `dhl_parcel_de`, `easypost`, `royal_mail`, `ups` or `usps`. Give this or the `id`.",
        ),
    ],
    "The carrier that the contract is with, by its `id` or its `handle`. It can't change later.",
);
static CONFIGURATION: Shape = Shape::new(
    Kind::Open,
    "What the carrier's connector needs to know, such as the rate table of `own` or the rate card of `royal_mail`; the guide's page on carriers lists it. Shown to everybody who may read accounts: put no key here.",
)
.example(r#"{"currency_code":"GBP"}"#);
static CREDENTIALS: Shape =
    Shape::new(Kind::Open, "Keys and passwords for the carrier. Encrypted before they are stored, never shown and never logged. A PATCH replaces all of them.")
        .example(r#"{"api_key":"EZTK…"}"#);
static DISABLED: Shape =
    Shape::new(Kind::Boolean, "`true` leaves the account out of rating and buying. What was bought with it is still tracked and can be voided.").example("false");
static HAS_CREDENTIALS: Shape =
    Shape::new(Kind::Boolean, "`true` once `credentials` were given; they themselves are never shown.")
        .example("true");
/// A contract between an organisation and a carrier.
pub static CARRIER_ACCOUNT: Shape = Shape::object(
    "CarrierAccount",
    &[
        Field::given("id", &CARRIER_ACCOUNT_ID),
        Field::required("carrier", &ACCOUNT_CARRIER),
        Field::required("name", &NAME)
            .about("How your team tells accounts apart. Rates and shipments show it."),
        Field::optional("handle", &HANDLE)
            .about("Your own short name for the account. Purchases accept it instead of the id."),
        Field::optional("description", &LINE).about("A note for your team, such as whose contract it is."),
        Field::optional("configuration", &CONFIGURATION),
        Field::optional("credentials", &CREDENTIALS),
        Field::given("has_credentials", &HAS_CREDENTIALS),
        Field::optional("disabled", &DISABLED),
        Field::created_at(),
        Field::updated_at(),
    ],
    "A contract with a carrier: with it rates are asked for and labels are bought.",
);

/// A carrier, a service or an account, as shipments and rates show it.
pub static CARRIER_REFERENCE: Shape = Shape::object(
    "CarrierReference",
    &[Field::given("id", &CARRIER_ID), Field::given("name", &NAME), Field::given_or_null("handle", &HANDLE)],
    "The carrier, as it was named when this was written.",
);
pub static CARRIER_SERVICE_REFERENCE: Shape = Shape::object(
    "CarrierServiceReference",
    &[
        Field::given("id", &CARRIER_SERVICE_ID),
        Field::given("name", &NAME),
        Field::given_or_null("handle", &HANDLE),
    ],
    "The carrier's service, as it was named when this was written.",
);
pub static CARRIER_ACCOUNT_REFERENCE: Shape = Shape::object(
    "CarrierAccountReference",
    &[
        Field::given("id", &CARRIER_ACCOUNT_ID),
        Field::given("name", &NAME),
        Field::given_or_null("handle", &HANDLE),
    ],
    "The carrier account, as it was named when this was written.",
);

/// What a test says of an account.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    Connected,
    Refused,
    Unreachable,
    Unclear,
}

/// What came of testing an account.
#[derive(Serialize)]
pub struct AccountTest {
    pub outcome: TestOutcome,
    pub message: Option<String>,
    pub rate_count: u64,
    pub duration_ms: u64,
}

static TEST_OUTCOME: Shape = Shape::new(
    Kind::OneOf(&["connected", "refused", "unreachable", "unclear"]),
    "`connected`: the carrier took the request and let the account in. `refused`: it, or the connector, said no; `message` says why, such as a wrong key. `unreachable`: nothing was sent. `unclear`: the request was sent, and no answer came that can be read.",
);
static TEST_MESSAGE: Shape = Shape::text(
    0,
    2000,
    "Why it is not connected, in the carrier's own words where it has any; or why there is no price for some services.",
)
.example(r#""This api key is no longer active.""#);
static RATE_COUNT: Shape =
    Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "How many services gave a price for the parcel.")
        .example("3");
static DURATION_MS: Shape =
    Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "How long the carrier took, in milliseconds.")
        .example("420");

/// What came of testing an account.
pub static ACCOUNT_TEST: Shape = Shape::object(
    "CarrierAccountTest",
    &[
        Field::given("outcome", &TEST_OUTCOME),
        Field::given_or_null("message", &TEST_MESSAGE),
        Field::given("rate_count", &RATE_COUNT),
        Field::given("duration_ms", &DURATION_MS),
    ],
    "Whether the carrier lets an account in. Nothing is bought and nothing is kept.",
);
