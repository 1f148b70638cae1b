//! `/events`.

use model::Result;
use model::events::actor::ACTOR_KEY;
use model::events::event::{AFTER, EVENT, EVENT_ID, RESOURCE_ID, TYPE};
use model::events::stream_token::{CHANNEL, STREAM_TOKEN, SUBSCRIPTION_INPUT, SubscriptionInput};
use model::platform::problem::Issue;
use model::{Code, Problem};
use service::{Command, EventFilter, Precondition};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::response::Response;

const LIST: &str = "data";
const FROM: Parameter = Parameter {
    name: "after",
    about: "Only events with a higher `sequence`, the oldest first: pass the last one you have, and 0 for the beginning. Without it, the newest come first.",
    kind: ParameterKind::One(&AFTER),
};
const BY_TYPE: Parameter = Parameter {
    name: "type",
    about: "Only events of one kind, such as `order.created`. [The event](/docs#object-Event) lists them.",
    kind: ParameterKind::One(&TYPE),
};
const BY_ACTOR: Parameter = Parameter {
    name: "actor",
    about: "Only what this actor did: `usr_…`, `tok_…`, or a type without an id, such as `job`.",
    kind: ParameterKind::One(&ACTOR_KEY),
};
const BY_RESOURCE: Parameter = Parameter {
    name: "resource_id",
    about: "Only what happened to this one thing (`shp_…`, `ord_…`), whether or not it still exists.",
    kind: ParameterKind::One(&RESOURCE_ID),
};

/// The parameters of `GET /events`, and the filters among them.
const PARAMETERS: &[Parameter] = &[LIMIT, CURSOR, FROM, BY_TYPE, BY_RESOURCE, BY_ACTOR];
pub const FILTERS: &[Parameter] = PARAMETERS.split_at(2).1;

const OF_CHANNEL: Parameter = Parameter {
    name: "channel",
    about: "The channel to join, where no body names it. A `#` is written `%23`.",
    kind: ParameterKind::One(&CHANNEL),
};

const CONNECTION_ABOUT: &str = "A client connects to `/connection/websocket` with it, speaks Centrifugo's protocol, and is subscribed to a channel for each resource that the access token may read. It lives 30 minutes, unless the operator configured otherwise, and no longer than the access token; clients fetch a new one by themselves. The organisation must be provisioned.";
const SUBSCRIPTION_ABOUT: &str = "A client joins one more channel with it: `<resource>:<organisation_id>#<user_id>`. It lives 15 minutes, unless the operator configured otherwise, and no longer than the access token. The channel is named in the body or in the query; where both name one, it must be the same. Channels of others, of unknown resources and of what the access token may not read are 403.";

pub fn routes() -> Vec<HandledRoute> {
    let mut routes = log_routes();
    routes.extend(token_routes());
    routes
}

fn token_routes() -> [HandledRoute; 4] {
    let read = Access::scope("events:read");
    let (connection, subscription) = ("/events/connection_token", "/events/subscription_token");
    let refusals = &[Code::NotProvisioned];
    let channel_refusals = &[Code::NotProvisioned, Code::ForbiddenChannel];
    [
        Route::get(connection, read, "get_connection_token", "Get a token to connect with")
            .about(CONNECTION_ABOUT)
            .success(Success::Answer(&STREAM_TOKEN))
            .refusals(refusals)
            .to(get_connection_token),
        Route::post(connection, read, "create_connection_token", "Create a token to connect with")
            .about(CONNECTION_ABOUT)
            .success(Success::Answer(&STREAM_TOKEN))
            .refusals(refusals)
            .to(create_connection_token),
        Route::get(subscription, read, "get_subscription_token", "Get a token to join a channel with")
            .about(SUBSCRIPTION_ABOUT)
            .parameters(const { &[OF_CHANNEL] })
            .body(Body::Optional(&SUBSCRIPTION_INPUT))
            .success(Success::Answer(&STREAM_TOKEN))
            .refusals(channel_refusals)
            .to(get_subscription_token),
        Route::post(subscription, read, "create_subscription_token", "Create a token to join a channel with")
            .about(SUBSCRIPTION_ABOUT)
            .parameters(const { &[OF_CHANNEL] })
            .body(Body::Optional(&SUBSCRIPTION_INPUT))
            .success(Success::Answer(&STREAM_TOKEN))
            .refusals(channel_refusals)
            .to(create_subscription_token),
    ]
}

fn log_routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("events:read"), Access::scope("events:write"));
    let (provision, deprovision) = ("/events/provision", "/events/deprovision");
    vec![
        Route::get("/events", read, "list_events", "List events")
            .about("What happened in the organisation, in the order of commits: the events of every resource that your token may read. Beside `events:read` it needs the scope of that resource, such as `orders:read` for `order.created`; the others are left out. Without `after` the newest comes first. To follow the log, ask with `after` and the last `sequence` you have: the oldest comes first, each event comes exactly once, and none is missing. Events are kept for 30 days, unless the operator configured otherwise; where those after `after` are gone, the list begins with the oldest that is left, and its `sequence` tells.")
            .parameters(PARAMETERS)
            .success(Success::List(LIST, &EVENT))
            .to(list_events),
        Route::get("/events/{event_id}", read, "get_event", "Get an event")
            .about("An event never changes. Your token must also have the scope to read its resource; without it, the event is not found. It can be read as soon as it has its `sequence`: at most a moment after the change it tells of.")
            .id(&EVENT_ID)
            .success(Success::Resource(&EVENT))
            .to(get_event),
        Route::post(provision, write, "provision_events", "Provision events")
            .about("Lets the organisation receive its events by streaming or by webhooks. Doing it again changes nothing. The log itself is always kept. The live and the test world are provisioned apart.")
            .to(provision_events),
        Route::get(provision, write, "provision_events_by_get", "Provision events by GET")
            .about("The same as POST. It acts although it is a GET, so a HEAD is refused; use POST where you can.")
            .acts()
            .to(provision_events_by_get),
        Route::post(deprovision, write, "deprovision_events", "Deprovision events")
            .about("Deletes the organisation's webhook endpoints and disconnects its streams. Doing it again changes nothing. The log itself is kept.")
            .to(deprovision_events),
        Route::get(deprovision, write, "deprovision_events_by_get", "Deprovision events by GET")
            .about("The same as POST. It acts although it is a GET, so a HEAD is refused; use POST where you can.")
            .acts()
            .to(deprovision_events_by_get),
    ]
}

/// Reads the filters of a request.
pub fn filter(call: &Call) -> EventFilter {
    let text = |name: &str| call.query.one(name).map(str::to_owned);
    EventFilter {
        after: call.query.number(FROM.name),
        r#type: text(BY_TYPE.name),
        resource_id: text(BY_RESOURCE.name),
        actor: text(BY_ACTOR.name),
        visible: None,
    }
}

async fn list_events(call: Call) -> Result<Response> {
    let filter = filter(&call);
    let key = (filter.after, &filter.r#type, &filter.resource_id, &filter.actor);
    let query = call.list_query("events", format!("{key:?}"))?;
    let listing = call.service().events.list(call.caller()?, query, filter).await?;
    respond::list(&call, LIST, listing)
}

async fn get_event(call: Call) -> Result<Response> {
    let reply = call.service().events.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn provision_events(call: Call) -> Result<Response> {
    let reply = call.service().provisions.create(call.command()?).await?;
    respond::reply(&call, reply)
}

async fn provision_events_by_get(call: Call) -> Result<Response> {
    let reply = call.service().provisions.create(plain_command(&call)?).await?;
    respond::reply(&call, reply)
}

async fn deprovision_events(call: Call) -> Result<Response> {
    let reply = call.service().provisions.delete(call.command()?).await?;
    respond::reply(&call, reply)
}

async fn deprovision_events_by_get(call: Call) -> Result<Response> {
    let reply = call.service().provisions.delete(plain_command(&call)?).await?;
    respond::reply(&call, reply)
}

async fn get_connection_token(call: Call) -> Result<Response> {
    let reply = call.service().streams.create_connection_token(plain_command(&call)?).await?;
    respond::reply(&call, reply)
}

async fn create_connection_token(call: Call) -> Result<Response> {
    let reply = call.service().streams.create_connection_token(call.command()?).await?;
    respond::reply(&call, reply)
}

async fn get_subscription_token(call: Call) -> Result<Response> {
    let reply =
        call.service().streams.create_subscription_token(plain_command(&call)?, channel(&call)?).await?;
    respond::reply(&call, reply)
}

async fn create_subscription_token(call: Call) -> Result<Response> {
    let reply = call.service().streams.create_subscription_token(call.command()?, channel(&call)?).await?;
    respond::reply(&call, reply)
}

/// Returns the channel that the body or the query names.
fn channel(call: &Call) -> Result<String> {
    let in_body = match call.body.is_empty() {
        true => None,
        false => call.input::<SubscriptionInput>()?.channel,
    };
    let in_query = call.query.one(OF_CHANNEL.name);
    let refuse = |code, message: &str| Problem::body(vec![Issue::new(code, "/channel", message)]);
    match (in_body, in_query) {
        (Some(channel), Some(other)) if channel != other => {
            Err(refuse("channel_mismatch", "Differs from the channel in the query.").into())
        }
        (Some(channel), _) => Ok(channel),
        (None, Some(channel)) => Ok(channel.to_owned()),
        (None, None) => Err(refuse("channel_required", "Must be there, or in the query.").into()),
    }
}

/// Returns the command of a GET that changes something: without an idempotency key and a precondition.
fn plain_command(call: &Call) -> Result<Command> {
    Ok(Command { caller: *call.caller()?, idempotency: None, precondition: Precondition::Any })
}
