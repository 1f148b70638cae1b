//! Sessions: what a person has after signing in, until they sign out.

use serde::{Deserialize, Serialize};

use crate::access::access_token::User;
use crate::access::organisation::ORGANISATION_ID;
use crate::access::passkey::{PASSKEY_PROOF, PasskeyProof};
use crate::access::password::{NEW_PASSWORD, PASSWORD};
use crate::access::user::{EMAIL_ADDRESS, USER_ID};
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::{Id, Organisation, Timestamp};

/// How long a session lasts without a request, and at most, in seconds.
pub const IDLE_SECONDS: i64 = 12 * 3600;
pub const SESSION_SECONDS: i64 = 30 * 24 * 3600;
/// How long a sign-in link can be opened, and how long after that a password may be set without the old one, in seconds.
pub const LINK_SECONDS: i64 = 15 * 60;
/// How long the link of an invitation can be opened that is sent by e-mail, which people do not read at once, in seconds.
pub const MAILED_INVITATION_SECONDS: i64 = 24 * 3600;
const _: () = assert!(LINK_SECONDS < IDLE_SECONDS && IDLE_SECONDS < SESSION_SECONDS);
/// Longest description of a browser that is kept, in characters.
pub const USER_AGENT_CHARS_MAX: usize = 200;

/// The marker type of session ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Session {}

impl IdKind for Session {
    const PREFIX: &'static str = "ses";
}

/// How a person signed in.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum BeganWith {
    Password,
    Link,
    OpenidConnect,
    Passkey,
}

impl BeganWith {
    pub fn as_str(self) -> &'static str {
        match self {
            BeganWith::Password => "password",
            BeganWith::Link => "link",
            BeganWith::OpenidConnect => "openid_connect",
            BeganWith::Passkey => "passkey",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [BeganWith::Password, BeganWith::Link, BeganWith::OpenidConnect, BeganWith::Passkey]
            .into_iter()
            .find(|way| way.as_str() == text)
    }
}

/// A session as the API shows it.
#[derive(Serialize)]
pub struct SessionView {
    pub id: Id<Session>,
    pub user_id: Id<User>,
    pub began_with: BeganWith,
    pub user_agent: Option<String>,
    pub is_current: bool,
    pub created_at: Timestamp,
    pub seen_at: Timestamp,
    pub idle_expires_at: Timestamp,
    pub expires_at: Timestamp,
}

/// What a person signs in with: an address and a password, the token of a link, or a passkey.
#[derive(Deserialize)]
pub struct SessionInput {
    pub email_address: Option<String>,
    pub password: Option<String>,
    pub organisation_id: Option<Id<Organisation>>,
    pub link_token: Option<String>,
    pub passkey: Option<PasskeyProof>,
}

impl Input for SessionInput {
    const SHAPE: &'static Shape = &SESSION_INPUT;
}

/// A new password of the caller's.
#[derive(Deserialize)]
pub struct PasswordInput {
    pub current_password: Option<String>,
    pub new_password: String,
}

impl Input for PasswordInput {
    const SHAPE: &'static Shape = &PASSWORD_INPUT;
}

/// The id of a session.
pub static SESSION_ID: Shape = Shape::new(
    Kind::Identifier(Session::PREFIX),
    "Names a sign-in without giving access: the secret is in the cookie alone. `DELETE /sessions/{session_id}` takes it.",
);
pub(crate) static BEGAN_WITH: Shape = Shape::new(
    Kind::OneOf(&["password", "link", "openid_connect", "passkey"]),
    "How the person proved who they are: with the `password`, with a one-time `link`, at an identity provider (`openid_connect`), or with a `passkey`.",
);
static USER_AGENT: Shape = Shape::text(
    0,
    USER_AGENT_CHARS_MAX,
    "How the browser described itself when the person signed in. A hint for people; browsers may lie.",
)
.example(r#""Mozilla/5.0 (X11; Linux x86_64)""#);
static IS_CURRENT: Shape =
    Shape::new(Kind::Boolean, "Whether this very request was made in it.").example("true");
static LINK_TOKEN: Shape = Shape::text(
    1,
    100,
    "What stands behind the `#` of a one-time sign-in link. Send it instead of address and password.",
);

static FIELDS: &[Field] = &[
    Field::given("id", &SESSION_ID),
    Field::given("user_id", &USER_ID),
    Field::given("began_with", &BEGAN_WITH),
    Field::given_or_null("user_agent", &USER_AGENT),
    Field::given("is_current", &IS_CURRENT),
    Field::created_at(),
    Field::given("seen_at", &MOMENT).about("When a request was last made in it, to within five minutes."),
    Field::given("idle_expires_at", &MOMENT)
        .about("When it ends unless a request is made before: twelve hours after the last one."),
    Field::given("expires_at", &MOMENT).about("When it ends in any case: thirty days after the sign-in."),
];

/// A session.
pub static SESSION: Shape = Shape::object("Session", FIELDS, "A person's sign-in, in one browser.");

/// What a person signs in with.
pub static SESSION_INPUT: Shape = Shape::object(
    "SessionInput",
    &[
        Field::optional("email_address", &EMAIL_ADDRESS),
        Field::optional("password", &PASSWORD),
        Field::optional("organisation_id", &ORGANISATION_ID)
            .about("Which organisation to sign in to, for a person who has the same address in several. Without it, the first whose password matches."),
        Field::optional("link_token", &LINK_TOKEN),
        Field::optional("passkey", &PASSKEY_PROOF)
            .about("The answer of a passkey to the challenge of `POST /sessions/challenge`. Send it instead of address and password."),
    ],
    "An address and a password, the token of a one-time link, or the answer of a passkey.",
);

/// A new password.
pub static PASSWORD_INPUT: Shape = Shape::object(
    "PasswordInput",
    &[
        Field::optional("current_password", &PASSWORD)
            .about("The one that is replaced. Not needed for 15 minutes after a sign-in with a link."),
        Field::required("new_password", &NEW_PASSWORD),
    ],
    "The caller's new password.",
);
