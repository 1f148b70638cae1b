//! Users: people who sign in, and programs that have access tokens.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::access::access_token::{ROLE_SCOPES, User};
use crate::platform::id::Kind as IdKind;
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, Path, Pattern, Shape};
use crate::{Id, Timestamp};

/// Most users of an organisation.
pub const USERS_MAX: i64 = 10_000;
/// Longest email address, in characters.
pub const EMAIL_CHARS_MAX: usize = 254;
const ROLES_OF_USER_MAX: usize = 20;

/// A user as the API shows it.
#[derive(Serialize)]
pub struct UserView {
    pub id: Id<User>,
    pub name: String,
    pub email_address: String,
    /// Built-in roles by name, others by id.
    pub roles: Vec<String>,
    pub scopes: Vec<String>,
    pub has_password: bool,
    pub is_disabled: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a client says of a user.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct UserInput {
    pub name: String,
    pub email_address: String,
    pub roles: Vec<String>,
}

impl Input for UserInput {
    const SHAPE: &'static Shape = &USER;
}

/// Returns the form in which addresses are compared.
pub fn email_key(address: &str) -> String {
    address.trim().to_lowercase()
}

pub(crate) fn is_email(text: &str) -> bool {
    text.rsplit_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
        && !text.chars().any(|char| char.is_whitespace() || char.is_control())
}

/// Writes the address in lower case, and refuses a role that is listed twice.
fn check_user(object: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    if let Some(address) = object.get("email_address").and_then(Value::as_str) {
        let key = email_key(address);
        object.insert("email_address".to_owned(), Value::String(key));
    }
    let roles = object.get("roles").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (place, role) in roles.iter().enumerate() {
        if roles[..place].contains(role) {
            let field = format!("{at}/roles/{place}");
            issues.push(Issue::new("duplicate", field, "The user has this role already: list it once."));
        }
    }
}

/// The id of a user.
pub static USER_ID: Shape = Shape::new(
    Kind::Identifier(User::PREFIX),
    "Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it.",
);
pub(crate) static USER_NAME: Shape =
    Shape::text(1, 255, "What colleagues call the person or the program. It need not be unique.")
        .example(r#""Ada Lindqvist""#);
/// The address that a user signs in with.
pub static EMAIL_ADDRESS: Shape = Shape::new(
    Kind::Text {
        chars_min: 3,
        chars_max: EMAIL_CHARS_MAX,
        pattern: Some(Pattern {
            regex: r"^[^\s\u0000-\u001F\u007F-\u009F]+@[^\s@\u0000-\u001F\u007F-\u009F]+$",
            matches: is_email,
        }),
    },
    "Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same.",
)
.example(r#""ada@acme.example""#);
static ROLE_NAME: Shape = Shape::text(
    1,
    64,
    "One of `admin`, `manager`, `packer` and `viewer`, or the id of a role that you made (`role_…`).",
)
.example(r#""packer""#);
/// The roles of a user.
pub static ROLES: Shape = Shape::list(
    &ROLE_NAME,
    ROLES_OF_USER_MAX,
    "What the user may do in a session: the scopes of all these together. You can give only scopes that you have yourself.",
);
pub(crate) static HAS_PASSWORD: Shape = Shape::new(
    Kind::Boolean,
    "Whether the person can sign in without a link, because they have set a secret of their own.",
)
.example("true");
static IS_DISABLED: Shape = Shape::new(
    Kind::Boolean,
    "Whether all access is taken away for now: no sign-in, no session, no access token of theirs works.",
)
.example("false");
static SIGN_IN_LINK: Shape = Shape::text(
    1,
    2000,
    "Opens the console once, within 15 minutes; an invitation that is also sent by e-mail, within 24 hours. Pass it on to the person. It is in this answer and never shown again: null if this answer repeats an earlier one.",
)
.example(r#""https://dockside.example.com/console/sign-in#dkl_…""#);

static FIELDS: &[Field] = &[
    Field::given("id", &USER_ID),
    Field::required("name", &USER_NAME),
    Field::required("email_address", &EMAIL_ADDRESS),
    Field::required("roles", &ROLES),
    Field::given("scopes", &ROLE_SCOPES)
        .about("What the roles add up to, and so what a session of the user may do."),
    Field::given("has_password", &HAS_PASSWORD),
    Field::given("is_disabled", &IS_DISABLED),
    Field::created_at(),
    Field::updated_at(),
];
static CREATED_FIELDS: &[Field] = &[
    Field::given("id", &USER_ID),
    Field::required("name", &USER_NAME),
    Field::required("email_address", &EMAIL_ADDRESS),
    Field::required("roles", &ROLES),
    Field::given("scopes", &ROLE_SCOPES)
        .about("What the roles add up to, and so what a session of the user may do."),
    Field::given("has_password", &HAS_PASSWORD),
    Field::given("is_disabled", &IS_DISABLED),
    Field::created_at(),
    Field::updated_at(),
    Field::given_or_null("sign_in_link", &SIGN_IN_LINK),
];

/// A user.
pub static USER: Shape = Shape {
    name: Some("User"),
    about: "A person who signs in, or a program that has access tokens.",
    kind: Kind::Object { fields: FIELDS, rule: Some(check_user) },
    example: None,
};

/// A user as the response to the invitation shows it.
pub static USER_CREATED: Shape =
    Shape::object("UserCreated", CREATED_FIELDS, "A new user, with the link for the first sign-in.");

/// A new sign-in link.
pub static LINK: Shape = Shape::object(
    "SignInLink",
    &[
        Field::given_or_null("sign_in_link", &SIGN_IN_LINK),
        Field::given("expires_at", &crate::platform::shape::MOMENT)
            .about("Until when it can be opened: 15 minutes after it was made. If the server sends e-mail and the user has no password yet, 24 hours."),
    ],
    "A one-time link that signs a user in.",
);
