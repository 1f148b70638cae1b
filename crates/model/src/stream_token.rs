//! Tokens for the stream: what asks for one, and what is answered.

use serde::{Deserialize, Serialize};

use crate::shape::{Field, Input, Shape};

/// Longest name of a channel that is taken, in characters.
const CHANNEL_CHARS_MAX: usize = 255;

/// A token for a client that follows the log live.
#[derive(Serialize)]
pub struct StreamToken {
    pub token: String,
}

/// Which channel a client wants to join.
#[derive(Deserialize)]
pub struct SubscriptionInput {
    pub channel: Option<String>,
}

impl Input for SubscriptionInput {
    const SHAPE: &'static Shape = &SUBSCRIPTION_INPUT;
}

/// The name of a channel.
pub static CHANNEL: Shape = Shape::text(
    1,
    CHANNEL_CHARS_MAX,
    "A channel: `<resource>:<organisation_id>#<user_id>`, with your own organisation and user.",
)
.example(r#""orders:org_01jc4m8v2h9k3n5p7q9r1s3t5v#usr_01jc4m8v2h9k3n5p7q9r1s3t5w""#);
static TOKEN: Shape = Shape::text(1, 8192, "A JWT. Clients pass it on as it is.")
    .example(r#""eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1c3JfMDFqYyJ9.c2lnbmF0dXJl""#);

/// What is asked for.
pub static SUBSCRIPTION_INPUT: Shape = Shape::object(
    "SubscriptionInput",
    &[Field::optional("channel", &CHANNEL)],
    "The channel to join, where the query does not name it.",
);
/// What is answered.
pub static STREAM_TOKEN: Shape =
    Shape::object("StreamToken", &[Field::required("token", &TOKEN)], "A token for the stream.");
