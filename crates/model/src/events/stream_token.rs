//! Stream tokens: the requests for them, and the responses.

use serde::{Deserialize, Serialize};

use crate::platform::shape::{Field, Input, Shape};

/// Longest channel name in a request, in characters.
const CHANNEL_CHARS_MAX: usize = 255;

/// A token for a client of the realtime stream.
#[derive(Serialize)]
pub struct StreamToken {
    pub token: String,
}

/// The body of a request for a subscription token: the channel to join.
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
static TOKEN: Shape = Shape::text(1, 8192, "A JWT for the stream's client, which passes it on as it is. The connection token lives 30 minutes, the subscription token 15, unless the operator set other times.")
    .example(r#""eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1c3JfMDFqYyJ9.c2lnbmF0dXJl""#);

/// The body of a request for a subscription token.
pub static SUBSCRIPTION_INPUT: Shape = Shape::object(
    "SubscriptionInput",
    &[Field::optional("channel", &CHANNEL)],
    "The channel to join, where the query does not name it.",
);
/// The response with a stream token.
pub static STREAM_TOKEN: Shape =
    Shape::object("StreamToken", &[Field::required("token", &TOKEN)], "A token for the stream.");
