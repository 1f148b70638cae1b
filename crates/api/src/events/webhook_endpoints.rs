//! `/webhook_endpoints` and their deliveries.

use model::events::webhook_delivery::{self, STATUS, Status, WEBHOOK_DELIVERY};
use model::events::webhook_endpoint::{
    ID, REPLAY, REPLAY_INPUT, ReplayInput, WEBHOOK_ENDPOINT, WEBHOOK_ENDPOINT_WITH_SECRET,
    WebhookEndpointInput,
};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, PAGE, Parameter, ParameterKind};
use crate::platform::response::Response;

const LIST: &str = "data";
const ALL: &str = "/webhook_endpoints";
const ONE: &str = "/webhook_endpoints/{webhook_endpoint_id}";
const ROTATE: &str = "/webhook_endpoints/{webhook_endpoint_id}/rotate_secret";
const TEST: &str = "/webhook_endpoints/{webhook_endpoint_id}/test";
const REPLAY_ALL: &str = "/webhook_endpoints/{webhook_endpoint_id}/replay";
const DELIVERIES: &str = "/webhook_endpoints/{webhook_endpoint_id}/deliveries";
const DELIVERY: &str = "/webhook_endpoints/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}";
const REPLAY_ONE: &str = "/webhook_endpoints/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}/replay";

const BY_STATUS: Parameter = Parameter {
    name: "status",
    about: "Only deliveries that stand here, such as `failed` to find what never arrived.",
    kind: ParameterKind::One(&STATUS),
};

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("webhooks:read"), Access::scope("webhooks:write"));
    let mut routes = vec![
        Route::get(ALL, read, "list_webhook_endpoints", "List webhook endpoints")
            .about("Newest first, without their secrets.")
            .parameters(PAGE)
            .success(Success::List(LIST, &WEBHOOK_ENDPOINT))
            .refusals(&[Code::NotProvisioned])
            .to(list_webhook_endpoints),
        Route::post(ALL, write, "create_webhook_endpoint", "Create a webhook endpoint")
            .about("It gets the events from now on, each at least once, signed as [Standard Webhooks](https://www.standardwebhooks.com) says. The secret is in this answer, and never shown again. Your token needs the scope to read the resource of each type that you name, such as `orders:read` for `order.created`; `*` means the types that it may read now, and stays that when the token is gone.")
            .body(Body::Json(&WEBHOOK_ENDPOINT))
            .success(Success::Created(&WEBHOOK_ENDPOINT_WITH_SECRET))
            .refusals(&[Code::NotProvisioned, Code::TooManyWebhookEndpoints, Code::UrlNotAllowed])
            .to(create_webhook_endpoint),
        Route::get(ONE, read, "get_webhook_endpoint", "Get a webhook endpoint")
            .id(&ID)
            .success(Success::Resource(&WEBHOOK_ENDPOINT))
            .refusals(&[Code::NotProvisioned])
            .to(get_webhook_endpoint),
        Route::patch(ONE, write, "update_webhook_endpoint", "Update a webhook endpoint")
            .about("Merges the body into the endpoint (RFC 7396). One that is enabled again goes on where it stopped. Your token must be able to read all events that the endpoint gets. New `event_types` are chosen as those of a new endpoint are.")
            .id(&ID)
            .body(Body::Patch(&WEBHOOK_ENDPOINT))
            .success(Success::Resource(&WEBHOOK_ENDPOINT))
            .refusals(&[Code::NotProvisioned, Code::UrlNotAllowed])
            .to(update_webhook_endpoint),
        Route::delete(ONE, write, "delete_webhook_endpoint", "Delete a webhook endpoint")
            .about("Nothing more is sent to it, and its deliveries are gone with it.")
            .id(&ID)
            .refusals(&[Code::NotProvisioned])
            .to(delete_webhook_endpoint),
        Route::post(ROTATE, write, "rotate_webhook_secret", "Replace a webhook endpoint's secret")
            .about("The new secret is in this answer, and never shown again. For 24 hours every delivery carries a signature of the old one too.")
            .id(&ID)
            .success(Success::Resource(&WEBHOOK_ENDPOINT_WITH_SECRET))
            .refusals(&[Code::NotProvisioned, Code::TooManySecrets])
            .to(rotate_webhook_secret),
        Route::post(TEST, write, "test_webhook_endpoint", "Test a webhook endpoint")
            .about("Sends the event `webhook_endpoint.test` to it, once. Read the delivery again to see what came of it.")
            .id(&ID)
            .success(Success::Created(&WEBHOOK_DELIVERY))
            .refusals(&[Code::NotProvisioned, Code::WebhookEndpointDisabled])
            .to(test_webhook_endpoint),
        Route::post(REPLAY_ALL, write, "replay_webhook_endpoint", "Replay events to a webhook endpoint")
            .about("Sends everything after a sequence again, in order, before what comes next. What the endpoint has seen comes twice, with the same `webhook-id`.")
            .id(&ID)
            .body(Body::Json(&REPLAY_INPUT))
            .success(Success::Resource(&REPLAY))
            .refusals(&[Code::NotProvisioned, Code::WebhookEndpointDisabled, Code::SequenceOutOfRange])
            .to(replay_webhook_endpoint),
    ];
    routes.extend(delivery_routes());
    routes
}

fn delivery_routes() -> [HandledRoute; 3] {
    let (read, write) = (Access::scope("webhooks:read"), Access::scope("webhooks:write"));
    [
        Route::get(DELIVERIES, read, "list_webhook_deliveries", "List webhook deliveries")
            .about("Newest first, with every attempt and the first 4 kB of each answer. Kept as long as events are.")
            .id(&ID)
            .parameters(const { &[LIMIT, CURSOR, BY_STATUS] })
            .success(Success::List(LIST, &WEBHOOK_DELIVERY))
            .refusals(&[Code::NotProvisioned])
            .to(list_webhook_deliveries),
        Route::get(DELIVERY, read, "get_webhook_delivery", "Get a webhook delivery")
            .id(&ID)
            .id(&webhook_delivery::ID)
            .success(Success::Resource(&WEBHOOK_DELIVERY))
            .refusals(&[Code::NotProvisioned])
            .to(get_webhook_delivery),
        Route::post(REPLAY_ONE, write, "replay_webhook_delivery", "Replay a webhook delivery")
            .about("Sends the same event again, as a new delivery with the same `webhook-id`.")
            .id(&ID)
            .id(&webhook_delivery::ID)
            .success(Success::Created(&WEBHOOK_DELIVERY))
            .refusals(&[Code::NotProvisioned, Code::WebhookEndpointDisabled, Code::EventExpired])
            .to(replay_webhook_delivery),
    ]
}

async fn list_webhook_endpoints(call: Call) -> Result<Response> {
    let query = call.list_query("webhook_endpoints", String::new())?;
    let listing = call.service().webhook_endpoints.list(call.caller()?, query).await?;
    respond::list(&call, LIST, listing)
}

async fn create_webhook_endpoint(call: Call) -> Result<Response> {
    let input: WebhookEndpointInput = call.input()?;
    let reply = call.service().webhook_endpoints.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_webhook_endpoint(call: Call) -> Result<Response> {
    let reply = call.service().webhook_endpoints.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_webhook_endpoint(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().webhook_endpoints.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_webhook_endpoint(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().webhook_endpoints.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn rotate_webhook_secret(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().webhook_endpoints.rotate_secret(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn test_webhook_endpoint(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().webhook_endpoints.test(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn replay_webhook_endpoint(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: ReplayInput = call.input()?;
    let reply = call.service().webhook_endpoints.replay(call.command()?, id, input.after_sequence).await?;
    respond::reply(&call, reply)
}

async fn list_webhook_deliveries(call: Call) -> Result<Response> {
    let endpoint = call.id()?;
    let status = call.query.one(BY_STATUS.name).and_then(Status::parse);
    let filters = format!("{endpoint} {}", status.map_or("", Status::as_str));
    let query = call.list_query("webhook_deliveries", filters)?;
    let listing = call.service().webhook_deliveries.list(call.caller()?, endpoint, query, status).await?;
    respond::list(&call, LIST, listing)
}

async fn get_webhook_delivery(call: Call) -> Result<Response> {
    let reply = call.service().webhook_deliveries.get(call.caller()?, call.id()?, call.id_at(1)?).await?;
    respond::reply(&call, reply)
}

async fn replay_webhook_delivery(call: Call) -> Result<Response> {
    let (endpoint, id) = (call.id()?, call.id_at(1)?);
    let reply = call.service().webhook_deliveries.replay(call.command()?, endpoint, id).await?;
    respond::reply(&call, reply)
}
