//! Webhook endpoints: URLs to which an organisation's events are posted, with a signature.

use serde::{Deserialize, Serialize};

use crate::events::event;
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::{Id, Scope, Scopes, Timestamp};

/// Maximum number of endpoints of an organisation, in each of its worlds.
pub const ENDPOINTS_MAX: i64 = 50;
/// Longest URL, in characters.
pub const URL_CHARS_MAX: usize = 2048;
/// Time during which a replaced secret still signs, in seconds.
pub const OLD_SECRET_SECONDS: i64 = 24 * 3600;
/// Maximum number of secrets that sign at once: the current one, and those replaced in the last day.
pub const SECRETS_MAX: usize = 4;
/// The word for all event types, including those of later versions.
pub const ALL_TYPES: &str = "*";

/// The resource to which endpoints themselves belong.
const OWN_RESOURCE: &str = "webhooks";

/// An endpoint as it is stored and shown, without its secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookEndpoint {
    pub id: Id<WebhookEndpoint>,
    pub url: String,
    pub event_types: Vec<String>,
    /// The resources whose events the endpoint gets: those that the token which chose the types could read. `*` means
    /// all, including those of later versions.
    #[serde(default = "all_resources")]
    pub resources: Vec<String>,
    pub description: Option<String>,
    pub disabled: bool,
    /// The reason why the service disabled the endpoint. `None` if it is enabled or its owner disabled it.
    pub disabled_reason: Option<DisabledReason>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for WebhookEndpoint {
    const PREFIX: &'static str = "we";
}

/// The reason why the service disabled an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisabledReason {
    /// The endpoint answered 410 Gone.
    Gone,
    /// All deliveries failed for five days.
    Failing,
}

/// The body of a request that creates an endpoint.
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
    /// Creates an endpoint. `scopes` are those of the creating token.
    pub fn new(id: Id<Self>, input: WebhookEndpointInput, scopes: Scopes, now: Timestamp) -> Self {
        Self {
            id,
            url: input.url,
            event_types: input.event_types.unwrap_or_else(|| vec![ALL_TYPES.to_owned()]),
            resources: readable_resources(scopes),
            description: input.description,
            disabled: input.disabled.unwrap_or(false),
            disabled_reason: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns the endpoint after a patch by a token with these scopes. Enabling it clears the reason for which it
    /// was disabled. The resources behind `*` stay the same unless the types change: a token that may read more must
    /// not extend them unintentionally.
    #[must_use]
    pub fn changed(&self, input: WebhookEndpointInput, scopes: Scopes, now: Timestamp) -> Self {
        let mut changed = Self::new(self.id, input, scopes, now);
        if changed.event_types == self.event_types {
            changed.resources.clone_from(&self.resources);
        }
        let reason = self.disabled_reason.filter(|_| changed.disabled);
        Self { disabled_reason: reason, created_at: self.created_at, ..changed }
    }

    /// Returns whether the endpoint subscribes to events of this type and may get them.
    pub fn wants(&self, r#type: &str) -> bool {
        let is_named = self.event_types.iter().any(|wanted| wanted == ALL_TYPES || wanted == r#type);
        let resource = event::resource_of(r#type);
        is_named && self.resources.iter().any(|known| known == ALL_TYPES || Some(known.as_str()) == resource)
    }

    /// Returns the scopes that a token needs to read all events that this endpoint gets.
    pub fn scopes_needed(&self) -> Vec<Scope> {
        let mut resources: Vec<&str> = Vec::new();
        for (name, _) in event::TYPES {
            if let Some(resource) = event::resource_of(name).filter(|_| self.wants(name))
                && !resources.contains(&resource)
            {
                resources.push(resource);
            }
        }
        resources.into_iter().filter_map(Scope::read).collect()
    }

    /// Returns the scopes that a token needs to name this endpoint's types.
    pub fn scopes_named(&self) -> Vec<Scope> {
        self.event_types.iter().filter_map(|name| Scope::read(event::resource_of(name)?)).collect()
    }

    /// Returns whether the endpoint subscribes to all types but gets only events of webhook endpoints, which every
    /// token that may create an endpoint may read. This is a mistake: the token lacks the scopes for the intended
    /// events.
    pub fn is_pointless(&self) -> bool {
        let is_all = self.event_types.iter().any(|wanted| wanted == ALL_TYPES);
        is_all && self.resources.iter().all(|resource| resource == OWN_RESOURCE)
    }
}

/// Returns the resources of an endpoint that is older than this rule, or was last changed by a server of an earlier
/// version.
fn all_resources() -> Vec<String> {
    vec![ALL_TYPES.to_owned()]
}

/// Returns the resources with events that a token with these scopes may read, in the order of the catalogue.
fn readable_resources(scopes: Scopes) -> Vec<String> {
    if scopes == Scopes::ALL {
        return all_resources();
    }
    let mut readable: Vec<String> = Vec::new();
    for resource in event::TYPES.iter().filter_map(|(name, _)| event::resource_of(name)) {
        if scopes.can_read(resource) && !readable.iter().any(|known| known == resource) {
            readable.push(resource.to_owned());
        }
    }
    readable
}

/// The body of a replay request.
#[derive(Deserialize, Debug)]
pub struct ReplayInput {
    pub after_sequence: i64,
}

impl Input for ReplayInput {
    const SHAPE: &'static Shape = &REPLAY_INPUT;
}

/// The response to a replay request.
#[derive(Serialize)]
pub struct Replay {
    pub after_sequence: i64,
    pub through_sequence: i64,
}

/// The id of an endpoint.
pub static ID: Shape = Shape::new(
    Kind::Identifier(WebhookEndpoint::PREFIX),
    "Made when the endpoint is created. Its deliveries and replays are found under it.",
);
static URL: Shape = Shape::text(
    1,
    URL_CHARS_MAX,
    "Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them.",
)
.example(r#""https://shop.example.com/hooks/dockside""#);
static EVENT_TYPE: Shape = Shape::new(
    Kind::OneOf(&event::SUBSCRIPTIONS),
    "A type such as `order.created`, of a resource that your token may read. `*` is all such types.",
)
.example(r#""*""#);
static EVENT_TYPES: Shape =
    Shape::some(&EVENT_TYPE, 100, "Which events are posted here. Without it, all that your token may read.");
static RESOURCE: Shape =
    Shape::text(1, 64, "A resource, as scopes name it; `*` is every one.").example(r#""*""#);
static RESOURCES: Shape = Shape::list(
    &RESOURCE,
    64,
    "The resources whose events are posted here: those that the token could read that last chose `event_types`. `*` is all of them, those of later versions too.",
);
static DESCRIPTION: Shape =
    Shape::text(0, 1000, "A note for your team. It is not sent along.").example(r#""Order status page""#);
static DISABLED: Shape = Shape::new(
    Kind::Boolean,
    "Whether deliveries are held back. Once it is enabled again they go on where they stopped.",
)
.example("false");
static REASON: Shape = Shape::new(
    Kind::OneOf(&["gone", "failing"]),
    "Why Dockside disabled it: it answered 410 Gone, or nothing but failures for five days.",
);
static SECRET: Shape = Shape::text(1, 200, "Verifies the signatures of deliveries, as Standard Webhooks says. Shown once: here. Rotate it if it gets lost.")
    .example(r#""whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=""#);

/// An endpoint, without its secret.
pub static WEBHOOK_ENDPOINT: Shape = Shape::object(
    "WebhookEndpoint",
    &[
        Field::given("id", &ID),
        Field::required("url", &URL),
        Field::optional("event_types", &EVENT_TYPES),
        Field::given("resources", &RESOURCES),
        Field::optional("description", &DESCRIPTION),
        Field::optional("disabled", &DISABLED),
        Field::given_or_null("disabled_reason", &REASON),
        Field::created_at(),
        Field::updated_at(),
    ],
    "An address that the organisation's events are posted to, signed, at least once, in order while it succeeds.",
);

/// An endpoint with its new secret.
pub static WEBHOOK_ENDPOINT_WITH_SECRET: Shape = Shape::object(
    "WebhookEndpointWithSecret",
    &[
        Field::given("id", &ID),
        Field::required("url", &URL),
        Field::optional("event_types", &EVENT_TYPES),
        Field::given("resources", &RESOURCES),
        Field::optional("description", &DESCRIPTION),
        Field::optional("disabled", &DISABLED),
        Field::given_or_null("disabled_reason", &REASON),
        Field::given("secret", &SECRET),
        Field::created_at(),
        Field::updated_at(),
    ],
    "An endpoint, and the secret that was just made for it.",
);

static AFTER_SEQUENCE: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Everything after the event with this sequence is sent again; 0 is everything that is kept.",
)
.example("0");
/// The body of a replay request.
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
/// The response to a replay request.
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
        WebhookEndpoint::new(Id::from_bits(1), input, Scopes::ALL, Timestamp::from_micros(5))
    }

    fn scopes(text: &str) -> Scopes {
        Scopes::parse(text).unwrap()
    }

    #[test]
    fn an_endpoint_wants_what_it_named_or_all() {
        assert!(endpoint(&["*"]).wants("order.created"));
        assert!(endpoint(&["order.created", "order.deleted"]).wants("order.deleted"));
        assert!(!endpoint(&["order.created"]).wants("order.deleted"));
        assert!(
            endpoint(&["*"]).wants("later.version") && !endpoint(&["order.created"]).wants("later.version")
        );
    }

    #[test]
    fn an_endpoint_gets_what_its_maker_may_read() {
        let input = |types: &[&str]| WebhookEndpointInput {
            url: "https://shop.example.com/hook".to_owned(),
            event_types: Some(types.iter().map(ToString::to_string).collect()),
            description: None,
            disabled: None,
        };
        let (id, now) = (Id::from_bits(1), Timestamp::from_micros(5));
        let narrow = WebhookEndpoint::new(id, input(&["*"]), scopes("orders:read webhooks:write"), now);
        assert_eq!(narrow.resources, ["orders", "webhooks"]);
        assert!(narrow.wants("order.created") && !narrow.wants("location.created"));
        assert!(!narrow.wants("later.version") && !narrow.is_pointless());
        assert_eq!(
            narrow.scopes_needed(),
            [Scope::read("orders").unwrap(), Scope::read("webhooks").unwrap()]
        );
        // A token with more scopes changes another field, and then the types.
        let same = narrow.changed(input(&["*"]), Scopes::ALL, now);
        assert_eq!(same.resources, narrow.resources);
        let other = narrow.changed(input(&["order.created", "*"]), Scopes::ALL, now);
        assert_eq!(other.resources, ["*"]);
        assert_eq!(other.scopes_named(), [Scope::read("orders").unwrap()]);
        let alone = |types: &[&str]| WebhookEndpoint::new(id, input(types), scopes("webhooks:write"), now);
        assert!(alone(&["*"]).is_pointless() && !alone(&["webhook_endpoint.disabled"]).is_pointless());
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
        assert_eq!(
            failing.changed(patch(true), Scopes::ALL, now).disabled_reason,
            Some(DisabledReason::Failing)
        );
        let enabled = failing.changed(patch(false), Scopes::ALL, now);
        assert_eq!((enabled.disabled_reason, enabled.disabled), (None, false));
        assert_eq!((enabled.created_at, enabled.updated_at), (failing.created_at, now));
    }
}
