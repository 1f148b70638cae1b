//! Webhook deliveries: the rules for a delivery and its endpoint after an attempt.
//!
//! Events are delivered in order. A failed delivery is retried on its own schedule, so that one event that a receiver
//! cannot process does not delay the rest. If several deliveries fail in a row, the endpoint itself is failing: then
//! all its new deliveries pause, longer each time, and the waiting events stay in order.

use serde::{Deserialize, Serialize};

use crate::events::event;
use crate::events::webhook_endpoint::{self, DisabledReason, WebhookEndpoint};
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Kind, MOMENT, Shape};
use crate::{Event, Id, Timestamp};

/// The delays before the second attempt, the third, and so on, in seconds.
pub const RETRY_SECONDS: [i64; 7] = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
/// Time after which an endpoint whose deliveries all fail is disabled, in seconds.
pub const FAILING_SECONDS_MAX: i64 = 5 * 24 * 3600;
/// Longest delay that a receiver may request with `Retry-After`, in seconds.
pub const RETRY_AFTER_SECONDS_MAX: i64 = 24 * 3600;
/// Maximum number of bytes of a receiver's response that are stored.
pub const RESPONSE_BYTES_MAX: usize = 4096;

/// Number of consecutive failures that pause an endpoint. One failure may be caused by the event, two are caused by
/// the endpoint.
const FAILURES_TO_PAUSE: i64 = 2;
/// The first and the longest pause of an endpoint, in seconds.
const PAUSE_SECONDS_MIN: i64 = 5;
const PAUSE_SECONDS_MAX: i64 = 300;
/// Maximum random extension of a delay, in per cent, so that retries do not all happen at once.
const JITTER_PERCENT_MAX: i64 = 20;

/// A delivery of one event to one endpoint, as it is stored and shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookDelivery {
    pub id: Id<WebhookDelivery>,
    pub webhook_endpoint_id: Id<WebhookEndpoint>,
    pub event_id: Id<Event>,
    pub event_type: String,
    /// The event's sequence number in the log. `None` for a test event.
    pub sequence: Option<i64>,
    pub status: Status,
    /// The number of attempts so far.
    pub attempt: i64,
    pub next_attempt_at: Option<Timestamp>,
    /// All attempts, the oldest first.
    pub attempts: Vec<Attempt>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for WebhookDelivery {
    const PREFIX: &'static str = "whd";
}

/// The status of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not attempted yet.
    Pending,
    Succeeded,
    /// The last attempt failed, and another is scheduled.
    Retrying,
    /// The last scheduled attempt failed. Only a replay delivers it again.
    Failed,
}

impl Status {
    pub const WORDS: [&'static str; 4] = ["pending", "succeeded", "retrying", "failed"];

    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Succeeded => "succeeded",
            Status::Retrying => "retrying",
            Status::Failed => "failed",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Status::Pending, Status::Succeeded, Status::Retrying, Status::Failed]
            .into_iter()
            .find(|status| status.as_str() == word)
    }
}

/// The result of one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub attempted_at: Timestamp,
    /// The response's status. `None` if there was no response.
    pub status_code: Option<u16>,
    pub latency_ms: i64,
    /// The reason why there was no response.
    pub error: Option<String>,
    /// The first bytes of the response.
    pub response_body: Option<String>,
}

/// The meaning of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Succeeded,
    /// The receiver does not want any further deliveries.
    Gone,
    /// Any other response, and the delay that it requested, in seconds.
    Failed {
        retry_after_seconds: Option<i64>,
    },
}

impl Verdict {
    /// Classifies a response by its status. Redirects are not followed, so a redirect is a failure.
    pub fn of(status_code: Option<u16>, retry_after_seconds: Option<i64>) -> Self {
        match status_code {
            Some(200..=299) => Verdict::Succeeded,
            Some(410) => Verdict::Gone,
            _ => Verdict::Failed {
                retry_after_seconds: retry_after_seconds.map(|wait| wait.clamp(0, RETRY_AFTER_SECONDS_MAX)),
            },
        }
    }
}

/// The failure state of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Number of failures since the last success.
    pub failures: i64,
    /// The time of the first of these failures.
    pub failing_since: Option<Timestamp>,
    /// No new event is sent before this time.
    pub paused_until: Timestamp,
}

/// The consequence of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consequence {
    pub status: Status,
    pub next_attempt_at: Option<Timestamp>,
    pub health: Health,
    /// The reason for which the endpoint is to be disabled, if it is.
    pub disable: Option<DisabledReason>,
}

impl Health {
    /// Returns the consequence of the attempt with this number, counted from one, which ended now. `jitter` is
    /// random.
    pub fn after(self, verdict: Verdict, attempt: i64, now: Timestamp, jitter: u32) -> Consequence {
        let retry_after = match verdict {
            Verdict::Succeeded => {
                let health = Health::default();
                return Consequence {
                    status: Status::Succeeded,
                    next_attempt_at: None,
                    health,
                    disable: None,
                };
            }
            Verdict::Gone => None,
            Verdict::Failed { retry_after_seconds } => retry_after_seconds,
        };
        let failures = self.failures.saturating_add(1);
        let failing_since = self.failing_since.unwrap_or(now);
        let asked = retry_after.unwrap_or(0);
        let pause = pause_seconds(failures).max(asked);
        let paused_until = self.paused_until.max(later(now, pause, jitter));
        let health = Health { failures, failing_since: Some(failing_since), paused_until };
        let is_worn_out = now >= failing_since.plus_seconds(FAILING_SECONDS_MAX);
        let disable = match verdict {
            Verdict::Gone => Some(DisabledReason::Gone),
            _ => is_worn_out.then_some(DisabledReason::Failing),
        };
        let wait = usize::try_from(attempt - 1).ok().and_then(|place| RETRY_SECONDS.get(place));
        match wait {
            Some(wait) if disable.is_none() => {
                let next = later(now, (*wait).max(asked), jitter);
                Consequence { status: Status::Retrying, next_attempt_at: Some(next), health, disable }
            }
            _ => Consequence { status: Status::Failed, next_attempt_at: None, health, disable },
        }
    }
}

/// Returns how long an endpoint pauses after this many consecutive failures.
fn pause_seconds(failures: i64) -> i64 {
    if failures < FAILURES_TO_PAUSE {
        return 0;
    }
    let doublings = u32::try_from(failures - FAILURES_TO_PAUSE).unwrap_or(u32::MAX).min(16);
    (PAUSE_SECONDS_MIN << doublings).min(PAUSE_SECONDS_MAX)
}

/// Returns the time this many seconds later, with a random extension.
fn later(now: Timestamp, seconds: i64, jitter: u32) -> Timestamp {
    let micros = seconds.saturating_mul(1_000_000);
    let part = i128::from(micros) * i128::from(JITTER_PERCENT_MAX) * i128::from(jitter);
    let stretch = i64::try_from(part / (100 * i128::from(u32::MAX))).unwrap_or(0);
    Timestamp::from_micros(now.as_micros().saturating_add(micros).saturating_add(stretch))
}

/// The id of a delivery.
pub static ID: Shape = Shape::new(
    Kind::Identifier(WebhookDelivery::PREFIX),
    "Made for an event and an endpoint; every attempt is listed under it.",
);
static EVENT_ID: Shape = Shape::new(
    Kind::Identifier(Event::PREFIX),
    "The event's id, which is also the delivery's `webhook-id`: the same for every attempt and replay.",
);
static SEQUENCE: Shape = Shape::new(
    Kind::Integer { min: 1, max: i64::MAX },
    "The event's place in the log; null for a test event, which is not in it.",
)
.example("7");
/// The status of a delivery.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&Status::WORDS),
    "`pending` until it is attempted, `retrying` while there are attempts to come.",
)
.example(r#""succeeded""#);
static ATTEMPT_COUNT: Shape = Shape::new(
    Kind::Integer { min: 0, max: 100 },
    "Attempts so far. After eight failures the delivery is `failed`.",
)
.example("1");
static STATUS_CODE: Shape = Shape::new(
    Kind::Integer { min: 100, max: 999 },
    "The status that the receiver answered with; null where it did not answer.",
)
.example("200");
static LATENCY: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Milliseconds from the connection to the answer, or to the failure. An attempt has 15 seconds.",
)
.example("41");
static ERROR: Shape = Shape::text(
    0,
    1000,
    "Why no answer came, such as a refused connection or a timeout. Null if there was one.",
)
.example(r#""The receiver did not answer within 15 s.""#);
static RESPONSE_BODY: Shape = Shape::text(
    0,
    RESPONSE_BYTES_MAX,
    "The first 4 kB of what the receiver answered, to find its own error message.",
)
.example(r#""ok""#);
static ATTEMPT: Shape = Shape::object(
    "WebhookAttempt",
    &[
        Field::required("attempted_at", &MOMENT)
            .about("When the request was sent; also its `webhook-timestamp`."),
        Field::optional("status_code", &STATUS_CODE),
        Field::required("latency_ms", &LATENCY),
        Field::optional("error", &ERROR),
        Field::optional("response_body", &RESPONSE_BODY),
    ],
    "One attempt of a delivery.",
);
static ATTEMPTS: Shape = Shape::list(&ATTEMPT, 100, "Every attempt with what came of it, oldest first.");

/// A delivery.
pub static WEBHOOK_DELIVERY: Shape = Shape::object(
    "WebhookDelivery",
    &[
        Field::given("id", &ID),
        Field::given("webhook_endpoint_id", &webhook_endpoint::ID)
            .about("The address of yours that the event is posted to, by its id."),
        Field::given("event_id", &EVENT_ID),
        Field::given("event_type", &event::TYPE)
            .about("The type of the event that is sent, such as `order.created`."),
        Field::given_or_null("sequence", &SEQUENCE),
        Field::given("status", &STATUS),
        Field::given("attempt", &ATTEMPT_COUNT),
        Field::given_or_null("next_attempt_at", &MOMENT)
            .about("When it is tried next. Null if it succeeded or was given up."),
        Field::given("attempts", &ATTEMPTS),
        Field::created_at(),
        Field::updated_at(),
    ],
    "One event on its way to one endpoint.",
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FAILED: Verdict = Verdict::Failed { retry_after_seconds: None };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_seconds(seconds)
    }

    #[test]
    fn only_a_2xx_succeeds() {
        for status in [200, 201, 204, 299] {
            assert_eq!(Verdict::of(Some(status), None), Verdict::Succeeded);
        }
        for status in [100, 199, 300, 301, 307, 400, 404, 429, 500, 503] {
            assert_eq!(Verdict::of(Some(status), None), FAILED);
        }
        assert_eq!(Verdict::of(Some(410), None), Verdict::Gone);
        assert_eq!(Verdict::of(None, None), FAILED);
    }

    #[test]
    fn the_schedule_is_followed_to_its_end() {
        let mut now = at(0);
        for (place, wait) in RETRY_SECONDS.iter().enumerate() {
            let next = Health::default().after(FAILED, place as i64 + 1, now, 0);
            assert_eq!(next.next_attempt_at, Some(now.plus_seconds(*wait)));
            assert_eq!(next.status, Status::Retrying);
            now = now.plus_seconds(*wait);
        }
        let last = Health::default().after(FAILED, RETRY_SECONDS.len() as i64 + 1, now, 0);
        assert_eq!((last.status, last.next_attempt_at), (Status::Failed, None));
    }

    #[test]
    fn one_failure_pauses_nothing_and_more_pause_ever_longer() {
        let mut health = Health::default();
        let mut pauses = Vec::new();
        for _ in 0..10 {
            health = Health { paused_until: at(0), ..health }.after(FAILED, 1, at(100), 0).health;
            pauses.push((health.paused_until.as_seconds() - 100).max(0));
        }
        assert_eq!(pauses, [0, 5, 10, 20, 40, 80, 160, 300, 300, 300]);
    }

    #[test]
    fn a_wait_that_the_receiver_asks_for_is_kept_by_the_delivery_and_the_lane() {
        let busy = Verdict::of(Some(429), Some(600));
        let next = Health::default().after(busy, 1, at(0), 0);
        assert_eq!(next.next_attempt_at, Some(at(600)));
        assert_eq!(next.health.paused_until, at(600));
        let absurd = Health::default().after(Verdict::of(Some(503), Some(i64::MAX)), 1, at(0), 0);
        assert_eq!(absurd.next_attempt_at, Some(at(RETRY_AFTER_SECONDS_MAX)));
    }

    #[test]
    fn five_days_of_nothing_but_failures_disable() {
        let since = Health { failures: 30, failing_since: Some(at(0)), paused_until: at(0) };
        let before = since.after(FAILED, 3, at(FAILING_SECONDS_MAX - 1), 0);
        assert_eq!(before.disable, None);
        let after = since.after(FAILED, 3, at(FAILING_SECONDS_MAX), 0);
        assert_eq!((after.disable, after.status), (Some(DisabledReason::Failing), Status::Failed));
        let success = since.after(Verdict::Succeeded, 3, at(FAILING_SECONDS_MAX), 0);
        assert_eq!((success.health, success.disable), (Health::default(), None));
    }

    #[test]
    fn gone_disables_at_once() {
        let gone = Health::default().after(Verdict::Gone, 1, at(0), 0);
        assert_eq!((gone.disable, gone.status), (Some(DisabledReason::Gone), Status::Failed));
    }

    proptest! {
        #[test]
        fn a_wait_is_never_shorter_and_at_most_a_fifth_longer(attempt in 1i64..8, jitter: u32) {
            let next = Health::default().after(FAILED, attempt, at(0), jitter).next_attempt_at;
            let wait = RETRY_SECONDS[attempt as usize - 1];
            let waited = next.map(|next| next.as_micros()).unwrap_or_default();
            prop_assert!((wait * 1_000_000..=wait * 1_200_000).contains(&waited), "{waited} of {wait}");
        }
    }
}
