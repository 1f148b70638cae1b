//! Webhook endpoints: create, read, change, delete; new secrets, tests and replays.

use crate::events::stored_endpoints::{read_enabled, read_for_update};
use model::events::webhook_delivery::Status;
use model::events::webhook_endpoint::{ENDPOINTS_MAX, Replay, WebhookEndpoint, WebhookEndpointInput};
use model::platform::problem::Issue;
use model::platform::shape;
use model::{Code, Error, Event, Id, Owner, Problem, Result, Timestamp, WebhookDelivery, ensure};
use outbound::Outbound;
use serde_json::Value;
use store::Tx;
use store::events::{events, webhook_endpoints, webhook_lanes};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::events::delivery::{SECRET_BYTES, Secrets};
use crate::events::provisioned::{ensure_provisioned, hold_provision};
use crate::events::webhook_deliveries::insert_due;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};
use crate::platform::signal::Signal;

/// The type of the event that a test sends. It is not in the log, and reaches the tested endpoint alone.
const TEST_TYPE: &str = "webhook_endpoint.test";

/// Operations on webhook endpoints.
#[derive(Clone)]
pub struct WebhookEndpoints {
    context: Context,
    outbound: Outbound,
    /// Notified when there is something to deliver.
    deliveries: Signal,
}

impl WebhookEndpoints {
    pub(crate) fn new(context: &Context, outbound: &Outbound, deliveries: &Signal) -> Self {
        Self { context: context.clone(), outbound: outbound.clone(), deliveries: deliveries.clone() }
    }

    /// Makes an endpoint, which gets the events from now on.
    pub async fn create(&self, command: Command, input: WebhookEndpointInput) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let id = self.context.new_id::<WebhookEndpoint>(now);
        self.check_url(&input.url)?;
        let endpoint = WebhookEndpoint::new(id, input, command.caller.scopes, now);
        ensure_chosen(&command.caller, &endpoint)?;
        let is_open = !endpoint.disabled;
        let secrets = Secrets::new(self.secret_bytes());
        let sealed = self.seal_secrets(owner, id, &secrets)?;
        let (doc, shown) = (json(&endpoint)?, with_secret(&endpoint, &secrets)?);
        let create = async move |tx: &mut Tx<'_>| {
            // Held, so that of two that make the last endpoint at once only one does.
            hold_provision(tx, owner).await?;
            ensure(
                webhook_endpoints::count(tx, owner).await? < ENDPOINTS_MAX,
                Code::TooManyWebhookEndpoints,
            )?;
            webhook_endpoints::insert(tx, owner, id, &doc, &sealed).await?;
            webhook_lanes::insert(tx, owner, id, is_open).await?;
            let etag = Some(version_etag(1));
            Ok(Reply::created(format!("/webhook_endpoints/{id}"), etag, shown.clone()).confidential())
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<WebhookEndpoint>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            ensure_provisioned(tx, owner).await?;
            found(webhook_endpoints::get(tx, owner, id).await?)
        });
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            ensure_provisioned(tx, owner).await?;
            webhook_endpoints::page(tx, owner, &start, limit).await
        });
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    /// Merges a patch into the endpoint. Deliveries under way end as they began; the next ones follow the change.
    pub async fn update(&self, command: Command, id: Id<WebhookEndpoint>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let caller = command.caller;
        let precondition = command.precondition.clone();
        let endpoints = self.clone();
        let update = async move |tx: &mut Tx<'_>| {
            ensure_provisioned(tx, owner).await?;
            let (old, stored) = read_for_update(tx, owner, id).await?;
            ensure_readable(&caller, &old)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let current = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
            let input: WebhookEndpointInput = shape::parse_patch(current, patch.clone())?;
            endpoints.check_url(&input.url)?;
            let new = old.changed(input, caller.scopes, now);
            if new.event_types != old.event_types {
                ensure_chosen(&caller, &new)?;
            }
            let doc = json(&new)?;
            webhook_endpoints::update(tx, owner, id, &doc, &stored.secrets).await?;
            if new.disabled {
                webhook_lanes::close(tx, owner, id).await?;
            } else {
                webhook_lanes::open(tx, owner, id).await?;
            }
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        let reply = self.context.write(&command, update).await?;
        self.deliveries.notify();
        Ok(reply)
    }

    /// Deletes an endpoint. Nothing more is sent to it, and its deliveries are gone with it.
    pub async fn delete(&self, command: Command, id: Id<WebhookEndpoint>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let delete = async move |tx: &mut Tx<'_>| {
            ensure_provisioned(tx, owner).await?;
            let (_, stored) = read_for_update(tx, owner, id).await?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            webhook_endpoints::delete(tx, owner, id).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }

    /// Makes a new secret. The old one signs for a day more, beside it, so that a receiver may change over in peace.
    pub async fn rotate_secret(&self, command: Command, id: Id<WebhookEndpoint>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let random = self.secret_bytes();
        let endpoints = self.clone();
        let rotate = async move |tx: &mut Tx<'_>| {
            ensure_provisioned(tx, owner).await?;
            let (old, stored) = read_for_update(tx, owner, id).await?;
            let secrets = endpoints.open_secrets(owner, id, &stored.secrets)?;
            let secrets = secrets.rotated(random, now).ok_or(Code::TooManySecrets)?;
            let endpoint = WebhookEndpoint { updated_at: now, ..old };
            let sealed = endpoints.seal_secrets(owner, id, &secrets)?;
            webhook_endpoints::update(tx, owner, id, &json(&endpoint)?, &sealed).await?;
            let shown = with_secret(&endpoint, &secrets)?;
            Ok(Reply::resource(version_etag(stored.version + 1), shown).confidential())
        };
        self.context.write(&command, rotate).await
    }

    /// Sends an event of its own to the endpoint, once, at once.
    pub async fn test(&self, command: Command, id: Id<WebhookEndpoint>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let (delivery_id, event_id) = (self.context.new_id(now), self.context.new_id::<Event>(now));
        let test = async move |tx: &mut Tx<'_>| {
            ensure_provisioned(tx, owner).await?;
            let stored = read_enabled(tx, owner, id).await?;
            let delivery = WebhookDelivery {
                id: delivery_id,
                webhook_endpoint_id: id,
                event_id,
                event_type: TEST_TYPE.to_owned(),
                sequence: None,
                status: Status::Pending,
                attempt: 0,
                next_attempt_at: Some(now),
                attempts: Vec::new(),
                created_at: now,
                updated_at: now,
            };
            insert_due(tx, owner, &delivery, Some(&test_body(event_id, now, &stored.doc))).await
        };
        let reply = self.context.write(&command, test).await?;
        self.deliveries.notify();
        Ok(reply)
    }

    /// Sends everything after a sequence again, in order, before what comes next.
    pub async fn replay(&self, command: Command, id: Id<WebhookEndpoint>, after: i64) -> Result<Reply> {
        let owner = command.caller.owner;
        let replay = async move |tx: &mut Tx<'_>| {
            ensure_provisioned(tx, owner).await?;
            read_enabled(tx, owner, id).await?;
            let span = events::span(tx, owner).await?;
            ensure_within(after, &span)?;
            webhook_lanes::rewind(tx, owner, id, after).await?;
            Ok(Reply::done(json(&Replay { after_sequence: after, through_sequence: span.newest })?))
        };
        let reply = self.context.write(&command, replay).await?;
        self.deliveries.notify();
        Ok(reply)
    }

    /// Refuses a URL that can't ever be called. What its host resolves to is judged anew with each call.
    fn check_url(&self, url: &str) -> Result<()> {
        let Err(refusal) = self.outbound.parse_url(url) else { return Ok(()) };
        let issue = Issue::new("url_not_allowed", "/url", refusal.to_string());
        Err(Problem::field(Code::UrlNotAllowed, issue).into())
    }

    fn secret_bytes(&self) -> [u8; SECRET_BYTES] {
        let mut bytes = [0; SECRET_BYTES];
        self.context.fill_random(&mut bytes);
        bytes
    }

    fn seal_secrets(&self, owner: Owner, id: Id<WebhookEndpoint>, secrets: &Secrets) -> Result<Vec<u8>> {
        self.context.seal(&format!("{owner}/{id}"), json(secrets)?.as_bytes())
    }

    pub(crate) fn open_secrets(
        &self,
        owner: Owner,
        id: Id<WebhookEndpoint>,
        sealed: &[u8],
    ) -> Result<Secrets> {
        let text = self.context.unseal(&format!("{owner}/{id}"), sealed)?;
        serde_json::from_slice(&text).map_err(Error::fault)
    }
}

/// Refuses types that the caller may not read, by their scope: an endpoint must not tell what its maker may not know.
fn ensure_chosen(caller: &Caller, endpoint: &WebhookEndpoint) -> Result<()> {
    for scope in endpoint.scopes_named() {
        caller.require(scope)?;
    }
    if endpoint.is_pointless() {
        let detail = "`*` means the events that your token may read, and it may read none but those of webhook endpoints. Use a token with the scopes of what you want to hear of, such as `orders:read`.";
        return Err(Problem::from(Code::InsufficientScope).with_detail(detail.to_owned()).into());
    }
    Ok(())
}

/// Refuses a caller that may not read all that the endpoint gets: it could have the events sent to an address of its own.
fn ensure_readable(caller: &Caller, endpoint: &WebhookEndpoint) -> Result<()> {
    endpoint.scopes_needed().into_iter().try_for_each(|scope| caller.require(scope))
}

/// The endpoint as it is shown, once, with the secret that was just made.
fn with_secret(endpoint: &WebhookEndpoint, secrets: &Secrets) -> Result<String> {
    let mut shown = serde_json::to_value(endpoint).map_err(Error::fault)?;
    shown["secret"] = secrets.newest().into();
    json(&shown)
}

/// What a test posts: of the form of every event, but outside the log, so without a sequence.
fn test_body(event: Id<Event>, now: Timestamp, endpoint: &str) -> String {
    format!(
        r#"{{"id":"{event}","sequence":null,"type":"{TEST_TYPE}","created_at":"{now}","actor":null,"data":{{"object":{endpoint}}},"previous_attributes":null,"timestamp":"{now}"}}"#
    )
}

/// Refuses a replay from where the log does not reach.
fn ensure_within(after: i64, span: &events::Span) -> Result<()> {
    let refuse = |code: &'static str, message: String| {
        let issue = Issue::new(code, "/after_sequence", message)
            .with("oldest_sequence", span.oldest)
            .with("newest_sequence", span.newest);
        Err(Problem::field(Code::SequenceOutOfRange, issue).into())
    };
    if after > span.newest {
        return refuse("sequence_unknown", format!("The newest event has the sequence {}.", span.newest));
    }
    match span.oldest {
        Some(oldest) if after > 0 && after < oldest - 1 => {
            refuse("sequence_expired", format!("The oldest event that is kept has the sequence {oldest}."))
        }
        _ => Ok(()),
    }
}
