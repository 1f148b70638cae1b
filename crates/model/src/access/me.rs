//! The identity of a caller, as its token determines it.

use serde::Serialize;

use crate::access::access_token::{MODE, SCOPES, USER_ID};
use crate::access::organisation::{NAME, ORGANISATION_ID};
use crate::platform::shape::{Field, MOMENT, Shape};
use crate::{Id, Organisation, Timestamp, User};

/// Maximum number of channels of a caller: one for each resource.
const CHANNELS_MAX: usize = 64;
const _: () = assert!(crate::access::scope::RESOURCES.len() <= CHANNELS_MAX, "each resource has a channel");
/// Longest email address of a user, in characters.
const EMAIL_CHARS_MAX: usize = 255;

/// The caller, as `GET /me` shows it.
#[derive(Serialize)]
pub struct Me {
    pub organisation: Named,
    pub user: Known,
    pub world: &'static str,
    pub scopes: Vec<String>,
    pub expires_at: Option<Timestamp>,
    /// The channels that the caller may join.
    pub channels: Vec<String>,
}

/// An organisation and its name.
#[derive(Serialize)]
pub struct Named {
    pub id: Id<Organisation>,
    pub name: String,
}

/// A user, and their email address if it is known.
#[derive(Serialize)]
pub struct Known {
    pub id: Id<User>,
    pub email_address: Option<String>,
}

static ORGANISATION: Shape = Shape::object(
    "MyOrganisation",
    &[Field::given("id", &ORGANISATION_ID), Field::given("name", &NAME)],
    "The organisation that the token belongs to: the same in both worlds.",
);
static EMAIL: Shape = Shape::text(0, EMAIL_CHARS_MAX, "The address under which the operator knows the user.")
    .example(r#""admin@localhost""#);
static USER: Shape = Shape::object(
    "MyUser",
    &[Field::given("id", &USER_ID), Field::given_or_null("email_address", &EMAIL)],
    "The person or program in whose name requests are made. Channels of the stream carry this id.",
);
static CHANNEL: Shape = Shape::text(1, 255, "A channel of the caller's.")
    .example(r#""orders:org_01jc4m8v2h9k3n5p7q9r1s3t5v#usr_01jc4m8v2h9k3n5p7q9r1s3t5w""#);
static CHANNELS: Shape = Shape::list(
    &CHANNEL,
    CHANNELS_MAX,
    "The channels of the realtime stream that the caller may join: one for each resource that the token may read. In the test world the organisation's id ends in `_test` here, and may be written without it.",
);

/// The caller.
pub static ME: Shape = Shape::object(
    "Me",
    &[
        Field::given("organisation", &ORGANISATION),
        Field::given("user", &USER),
        Field::given("world", &MODE),
        Field::given("scopes", &SCOPES),
        Field::given_or_null("expires_at", &MOMENT),
        Field::given("channels", &CHANNELS),
    ],
    "Whom the access token speaks for, what it may do, and until when.",
);
