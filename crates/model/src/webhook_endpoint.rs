//! Webhook endpoints: addresses that an organisation's events are posted to, signed.

use serde::{Deserialize, Serialize};

use crate::event;
use crate::id::Kind as IdKind;
use crate::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::{Id, Timestamp};

/// Endpoints that an organisation may have, in each of its worlds.
pub const ENDPOINTS_MAX: i64 = 50;
/// Longest address, in characters.
pub const URL_CHARS_MAX: usize = 2048;
/// How long a secret still signs after it was replaced, in seconds.
pub const OLD_SECRET_SECONDS: i64 = 24 * 3600;
/// Secrets that may sign at once: the current one, and those replaced in the last day.
pub const SECRETS_MAX: usize = 4;
/// The word for all types of events, those of later versions too.
pub const ALL_TYPES: &str = "*";

/// An endpoint as it is stored and shown, without its secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookEndpoint {
    pub id: Id<WebhookEndpoint>,
    pub url: String,
    pub event_types: Vec<String>,
    pub description: Option<String>,
    pub disabled: bool,
    /// Why we disabled it; `None` where nobody or its owner did.
    pub disabled_reason: Option<DisabledReason>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for WebhookEndpoint {
    const PREFIX: &'static str = "we";
}

/// Why deliveries to an endpoint were ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisabledReason {
    /// It answered 410 Gone.
    Gone,
    /// Nothing but failures for five days.
    Failing,
}

/// What a client says of an endpoint.
#[derive(Clone, Debug, Deserialize)]
pub struct WebhookEndpointInput {
    pub url: String,
    #[serde(default)]
    pub event_types: Option<Vec<String>>,
    pub description: Option<String>,
    #[serde(default)]
    pub disabled: Option<bool>,
}

impl Input for WebhookEndpointInput {
    const SHAPE: &'static Shape = &WEBHOOK_ENDPOINT;
}

impl WebhookEndpoint {
    pub fn new(id: Id<Self>, input: WebhookEndpointInput, now: Timestamp) -> Self {
        Self {
            id,
            url: input.url,
            event_types: input.event_types.unwrap_or_else(|| vec![ALL_TYPES.to_owned()]),
            description: input.description,
            disabled: input.disabled.unwrap_or(false),
            disabled_reason: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// The endpoint as a patch leaves it. Whoever enables it has repaired what it was disabled for.
    #[must_use]
    pub fn changed(&self, input: WebhookEndpointInput, now: Timestamp) -> Self {
        let changed = Self::new(self.id, input, now);
        let reason = self.disabled_reason.filter(|_| changed.disabled);
        Self { disabled_reason: reason, created_at: self.created_at, ..changed }
    }

    /// Whether it wants events of this type.
    pub fn wants(&self, r#type: &str) -> bool {
        self.event_types.iter().any(|wanted| wanted == ALL_TYPES || wanted == r#type)
    }
}

/// What `POST …/replay` takes.
#[derive(Deserialize, Debug)]
pub struct ReplayInput {
    pub after_sequence: i64,
}

impl Input for ReplayInput {
    const SHAPE: &'static Shape = &REPLAY_INPUT;
}

/// What a replay will deliver again.
#[derive(Serialize)]
pub struct Replay {
    pub after_sequence: i64,
    pub through_sequence: i64,
}

/// The id of an endpoint.
pub static ID: Shape = Shape::new(Kind::Identifier(WebhookEndpoint::PREFIX), "A webhook endpoint's id.");
static URL: Shape = Shape::text(
    1,
    URL_CHARS_MAX,
    "Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them.",
)
.example(r#""https://shop.example.com/hooks/dockside""#);
static EVENT_TYPE: Shape = Shape::new(
    Kind::OneOf(&event::SUBSCRIPTIONS),
    "A type of event; `*` is all, those of later versions too.",
)
.example(r#""*""#);
static EVENT_TYPES: Shape = Shape::some(&EVENT_TYPE, 100, "Which events are sent. Defaults to all.");
static DESCRIPTION: Shape = Shape::text(0, 1000, "What it is for.").example(r#""Order status page""#);
static DISABLED: Shape = Shape::new(
    Kind::Boolean,
    "Whether deliveries are held back. Once it is enabled again they go on where they stopped.",
)
.example("false");
static REASON: Shape = Shape::new(
    Kind::OneOf(&["gone", "failing"]),
    "Why Dockside disabled it: it answered 410 Gone, or nothing but failures for five days.",
);
static SECRET: Shape = Shape::text(1, 200, "Verifies the signatures (Standard Webhooks). Shown once: here.")
    .example(r#""whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=""#);

/// An endpoint, without its secret.
pub static WEBHOOK_ENDPOINT: Shape = Shape::object(
    "WebhookEndpoint",
    &[
        Field::given("id", &ID),
        Field::required("url", &URL),
        Field::optional("event_types", &EVENT_TYPES),
        Field::optional("description", &DESCRIPTION),
        Field::optional("disabled", &DISABLED),
        Field::given_or_null("disabled_reason", &REASON),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "An address that the organisation's events are posted to, signed, at least once, in order while it succeeds.",
);

/// An endpoint with the secret that was just made.
pub static WEBHOOK_ENDPOINT_WITH_SECRET: Shape = Shape::object(
    "WebhookEndpointWithSecret",
    &[
        Field::given("id", &ID),
        Field::required("url", &URL),
        Field::optional("event_types", &EVENT_TYPES),
        Field::optional("description", &DESCRIPTION),
        Field::optional("disabled", &DISABLED),
        Field::given_or_null("disabled_reason", &REASON),
        Field::given("secret", &SECRET),
        Field::given("created_at", &MOMENT),
        Field::given("updated_at", &MOMENT),
    ],
    "An endpoint, and the secret that was just made for it.",
);

static AFTER_SEQUENCE: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Everything after the event with this sequence is sent again; 0 is everything that is kept.",
)
.example("0");
/// What a replay takes.
pub static REPLAY_INPUT: Shape = Shape::object(
    "WebhookReplayInput",
    &[Field::required("after_sequence", &AFTER_SEQUENCE)],
    "From where on to send events again.",
);
static THROUGH_SEQUENCE: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "The last event there is by now. Later ones follow in their turn.",
)
.example("7");
/// What a replay answers.
pub static REPLAY: Shape = Shape::object(
    "WebhookReplay",
    &[
        Field::required("after_sequence", &AFTER_SEQUENCE),
        Field::required("through_sequence", &THROUGH_SEQUENCE),
    ],
    "What is being sent again.",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(types: &[&str]) -> WebhookEndpoint {
        let input = WebhookEndpointInput {
            url: "https://shop.example.com/hook".to_owned(),
            event_types: Some(types.iter().map(ToString::to_string).collect()),
            description: None,
            disabled: None,
        };
        WebhookEndpoint::new(Id::from_bits(1), input, Timestamp::from_micros(5))
    }

    #[test]
    fn an_endpoint_wants_what_it_named_or_all() {
        assert!(endpoint(&["*"]).wants("order.created"));
        assert!(endpoint(&["order.created", "order.deleted"]).wants("order.deleted"));
        assert!(!endpoint(&["order.created"]).wants("order.deleted"));
    }

    #[test]
    fn enabling_forgets_why_it_was_disabled() {
        let failing = WebhookEndpoint {
            disabled: true,
            disabled_reason: Some(DisabledReason::Failing),
            ..endpoint(&["*"])
        };
        let patch = |disabled| WebhookEndpointInput {
            url: failing.url.clone(),
            event_types: None,
            description: None,
            disabled: Some(disabled),
        };
        let now = Timestamp::from_micros(9);
        assert_eq!(failing.changed(patch(true), now).disabled_reason, Some(DisabledReason::Failing));
        let enabled = failing.changed(patch(false), now);
        assert_eq!((enabled.disabled_reason, enabled.disabled), (None, false));
        assert_eq!((enabled.created_at, enabled.updated_at), (failing.created_at, now));
    }
}
