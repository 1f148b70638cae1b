//! `/locations`.

use model::places::location::{LOCATION, LOCATION_ID, LocationInput, TAG};
use model::{Code, Result};

use crate::platform::call::Call;
use crate::platform::respond::{self, Response};
use crate::platform::route::{Body, CURSOR, LIMIT, Parameter, ParameterKind, Route, Success};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/locations", "locations:read", "List locations", list_locations)
            .about("Newest first.")
            .parameters(const { &[LIMIT, CURSOR, TAGS] })
            .success(Success::List("locations", &LOCATION)),
        Route::post("/locations", "locations:write", "Create a location", create_location)
            .body(Body::Json(&LOCATION))
            .success(Success::Created(&LOCATION)),
        Route::get("/locations/{location_id}", "locations:read", "Get a location", get_location)
            .id(&LOCATION_ID)
            .success(Success::Resource(&LOCATION)),
        Route::patch("/locations/{location_id}", "locations:write", "Update a location", update_location)
            .about("Merges the body into the location (RFC 7396): nested partial updates are allowed. Existing shipments keep the details they were created with.")
            .id(&LOCATION_ID)
            .body(Body::Patch(&LOCATION))
            .success(Success::Resource(&LOCATION)),
        Route::delete("/locations/{location_id}", "locations:write", "Delete a location", delete_location)
            .about("A location that a location configuration uses can't be deleted: reassign the configurations first.")
            .id(&LOCATION_ID)
            .refusals(&[Code::LocationInUse]),
    ]
}

const TAGS: Parameter = Parameter {
    name: "tags",
    about: "Only locations that carry all of the named words.",
    kind: ParameterKind::List(&TAG),
};

async fn list_locations(call: Call) -> Result<Response> {
    let mut tags = call.query.many("tags");
    tags.sort_unstable();
    let query = call.list_query("locations", tags.join(","))?;
    let listing = call.service().locations.list(call.caller()?, query, tags).await?;
    respond::list(&call, "locations", listing)
}

async fn create_location(call: Call) -> Result<Response> {
    let input: LocationInput = call.input()?;
    let reply = call.service().locations.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_location(call: Call) -> Result<Response> {
    let reply = call.service().locations.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_location(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().locations.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_location(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().locations.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}
