//! `/events`.

use model::Result;
use model::event::{AFTER, EVENT, EVENT_ID, RESOURCE_ID, TYPE};
use service::{Command, EventFilter, Precondition};

use crate::call::Call;
use crate::respond::{self, Response};
use crate::route::{CURSOR, LIMIT, Parameter, ParameterKind, Route, Success};

const LIST: &str = "data";
const FROM: Parameter = Parameter {
    name: "after",
    about: "Only events with a higher sequence, the oldest first.",
    kind: ParameterKind::One(&AFTER),
};
const BY_TYPE: Parameter = Parameter {
    name: "type",
    about: "Only events of this type. [The event](/docs#object-Event) lists the types.",
    kind: ParameterKind::One(&TYPE),
};
const BY_RESOURCE: Parameter = Parameter {
    name: "resource_id",
    about: "Only events of this resource, whether or not it still exists.",
    kind: ParameterKind::One(&RESOURCE_ID),
};

pub fn routes() -> Vec<Route> {
    let (read, write) = ("events:read", "events:write");
    let (provision, deprovision) = ("/events/provision", "/events/deprovision");
    vec![
        Route::get("/events", read, "List events", list_events)
            .about("Everything that happened in the organisation, in the order of commits. Without `after` the newest comes first. To follow the log, ask with `after` and the last `sequence` you have: the oldest comes first, each event comes exactly once, and none is missing. Events are kept for 30 days, unless the operator configured otherwise; where those after `after` are gone, the list begins with the oldest that is left, and its `sequence` tells.")
            .parameters(const { &[LIMIT, CURSOR, FROM, BY_TYPE, BY_RESOURCE] })
            .success(Success::List(LIST, &EVENT)),
        Route::get("/events/{event_id}", read, "Get an event", get_event)
            .about("An event never changes. It can be read as soon as it has its `sequence`: at most a moment after the change it tells of.")
            .id(&EVENT_ID)
            .success(Success::Resource(&EVENT)),
        Route::post(provision, write, "Provision events", provision_events)
            .about("Lets the organisation receive its events by streaming or by webhooks. Doing it again changes nothing. The log itself is always kept. The live and the test world are provisioned apart."),
        Route::get(provision, write, "Provision events by GET", provision_events_by_get)
            .about("The same as POST. It acts although it is a GET, so a HEAD is refused; use POST where you can.")
            .acts(),
        Route::post(deprovision, write, "Deprovision events", deprovision_events)
            .about("Deletes the organisation's webhook endpoints and disconnects its streams. Doing it again changes nothing. The log itself is kept."),
        Route::get(deprovision, write, "Deprovision events by GET", deprovision_events_by_get)
            .about("The same as POST. It acts although it is a GET, so a HEAD is refused; use POST where you can.")
            .acts(),
    ]
}

async fn list_events(call: Call) -> Result<Response> {
    let text = |name: &str| call.query.one(name).map(str::to_owned);
    let filter = EventFilter {
        after: call.query.number(FROM.name),
        r#type: text(BY_TYPE.name),
        resource_id: text(BY_RESOURCE.name),
    };
    let key = (filter.after, &filter.r#type, &filter.resource_id);
    let query = call.list_query("events", format!("{key:?}"))?;
    let listing = call.service().list_events(call.caller()?, query, filter).await?;
    respond::list(&call, LIST, listing)
}

async fn get_event(call: Call) -> Result<Response> {
    let reply = call.service().get_event(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn provision_events(call: Call) -> Result<Response> {
    let reply = call.service().provision_events(call.command()?).await?;
    respond::reply(&call, reply)
}

async fn provision_events_by_get(call: Call) -> Result<Response> {
    let reply = call.service().provision_events(plain_command(&call)?).await?;
    respond::reply(&call, reply)
}

async fn deprovision_events(call: Call) -> Result<Response> {
    let reply = call.service().deprovision_events(call.command()?).await?;
    respond::reply(&call, reply)
}

async fn deprovision_events_by_get(call: Call) -> Result<Response> {
    let reply = call.service().deprovision_events(plain_command(&call)?).await?;
    respond::reply(&call, reply)
}

/// What comes with a GET that acts: it takes neither a key nor a state.
fn plain_command(call: &Call) -> Result<Command> {
    Ok(Command { caller: *call.caller()?, idempotency: None, precondition: Precondition::Any })
}
