//! An organisation's settings. Each of its worlds has its own.

use serde::{Deserialize, Serialize};

use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::platform::time_zone::{TIME_ZONE, UTC, check_time_zone};
use crate::{Id, Organisation, Timestamp};

/// An organisation with its settings, as the API shows it.
#[derive(Serialize, Clone, Debug)]
pub struct OrganisationView {
    pub id: Id<Organisation>,
    pub name: String,
    #[serde(flatten)]
    pub settings: OrganisationSettings,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What an organisation may change about itself.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct OrganisationInput {
    /// The name, which is the same in both worlds.
    pub name: String,
    #[serde(flatten)]
    pub settings: OrganisationSettings,
}

/// The settings of an organisation in one of its worlds.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(default)]
pub struct OrganisationSettings {
    /// Whether each order reference may be used only once.
    pub unique_order_references: bool,
    /// The time zone of locations that have none of their own: a name of the IANA database.
    pub time_zone: String,
}

impl Default for OrganisationSettings {
    fn default() -> Self {
        Self { unique_order_references: false, time_zone: UTC.to_owned() }
    }
}

impl Input for OrganisationInput {
    const SHAPE: &'static Shape = &ORGANISATION;
}

/// The id of an organisation.
pub static ORGANISATION_ID: Shape =
    Shape::new(Kind::Identifier(Organisation::PREFIX), "An organisation's id: the same in both worlds.");
pub(crate) static NAME: Shape =
    Shape::text(1, 255, "What people call the organisation, in both worlds. It begins as the name under which the operator made it, and that one stays the name for commands of the operator.").example(r#""Default""#);
static UNIQUE_ORDER_REFERENCES: Shape = Shape::new(
    Kind::Boolean,
    "Whether an order's `reference` may be used once only, in the token's world. While it is `true`, an order with the reference of another is refused with `reference_taken`. The live and the test world are set apart.",
)
.example("false");

/// An organisation.
pub static ORGANISATION: Shape = Shape {
    name: Some("Organisation"),
    about: "The organisation that the access token belongs to, and what it has set.",
    kind: Kind::Object { fields: FIELDS, rule: Some(check_time_zone) },
    example: None,
};
static FIELDS: &[Field] = &[
        Field::given("id", &ORGANISATION_ID),
        Field::required("name", &NAME),
        Field::optional("unique_order_references", &UNIQUE_ORDER_REFERENCES),
        Field::optional("time_zone", &TIME_ZONE).about("The IANA name of the time zone in which days and times of shipping rules are meant, for locations without a `time_zone` of their own. `UTC` unless it is set."),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
];
