//! Asking for a link with which a forgotten password is replaced.

use serde::Deserialize;

use crate::access::organisation::ORGANISATION_ID;
use crate::access::user::EMAIL_ADDRESS;
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::{Id, Organisation};

/// How long the link of a password reset can be opened, in seconds.
pub const RESET_SECONDS: i64 = 30 * 60;

/// Whose password is forgotten.
#[derive(Deserialize)]
pub struct PasswordResetInput {
    pub email_address: String,
    pub organisation_id: Option<Id<Organisation>>,
}

impl Input for PasswordResetInput {
    const SHAPE: &'static Shape = &PASSWORD_RESET_INPUT;
}

/// Whose password is forgotten.
pub static PASSWORD_RESET_INPUT: Shape = Shape::object(
    "PasswordResetInput",
    &[
        Field::required("email_address", &EMAIL_ADDRESS),
        Field::optional("organisation_id", &ORGANISATION_ID)
            .about("For which organisation, for a person who has the same address in several. Without it, each of them sends a link."),
    ],
    "The address of a user who has forgotten the password.",
);
static LINK_SECONDS: Shape = Shape::new(
    Kind::Integer { min: 1, max: 86_400 },
    "For how long the link works, if one is sent, counted from when it is made: half an hour.",
)
.example("1800");

/// The answer to a request for a link, which is the same for all addresses.
pub static PASSWORD_RESET: Shape = Shape::object(
    "PasswordReset",
    &[Field::given("link_seconds", &LINK_SECONDS)],
    "The request is taken. Whether a user has the address is not said.",
);
