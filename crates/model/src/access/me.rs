//! The identity of a caller, as its token determines it.

use serde::Serialize;

use crate::access::access_token::{MODE, SCOPES};
use crate::access::organisation::{NAME, ORGANISATION_ID};
use crate::access::session::{BEGAN_WITH, BeganWith, SESSION_ID, Session};
use crate::access::user::{HAS_PASSWORD, ROLES, USER_ID, USER_NAME};
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
    /// The user's roles. An access token has its own scopes, whatever they are.
    pub roles: Vec<String>,
    pub world: &'static str,
    pub scopes: Vec<String>,
    pub expires_at: Option<Timestamp>,
    /// The session, if the caller signed in.
    pub session: Option<MySession>,
    /// The channels that the caller may join.
    pub channels: Vec<String>,
}

/// An organisation and its name.
#[derive(Serialize)]
pub struct Named {
    pub id: Id<Organisation>,
    pub name: String,
}

/// A user, and what is known of them.
#[derive(Serialize)]
pub struct Known {
    pub id: Id<User>,
    pub name: Option<String>,
    pub email_address: Option<String>,
    pub has_password: bool,
}

/// The session in which a request is made.
#[derive(Serialize)]
pub struct MySession {
    pub id: Id<Session>,
    pub began_with: BeganWith,
    pub expires_at: Timestamp,
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
    &[
        Field::given("id", &USER_ID),
        Field::given_or_null("name", &USER_NAME),
        Field::given_or_null("email_address", &EMAIL),
        Field::given("has_password", &HAS_PASSWORD),
    ],
    "The person or program in whose name requests are made. Channels of the stream carry this id.",
);
static SESSION: Shape = Shape::object(
    "MySession",
    &[
        Field::given("id", &SESSION_ID),
        Field::given("began_with", &BEGAN_WITH),
        Field::given("expires_at", &MOMENT).about("When it ends in any case: thirty days after the sign-in."),
    ],
    "The sign-in that the request's cookie belongs to. Null for an access token.",
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
        Field::given("roles", &ROLES).about(
            "The roles of the user. They decide what a session may do; an access token has its own scopes.",
        ),
        Field::given("world", &MODE),
        Field::given("scopes", &SCOPES),
        Field::given_or_null("expires_at", &MOMENT),
        Field::given_or_null("session", &SESSION),
        Field::given("channels", &CHANNELS),
    ],
    "Whom the access token or the session speaks for, what it may do, and until when.",
);
