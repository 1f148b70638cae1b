//! `/locations`.

use model::places::location::{LOCATION, LOCATION_ID, LocationInput, TAG};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::response::Response;

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get("/locations", Access::scope("locations:read"), "list_locations", "List locations")
            .about("Newest first.")
            .parameters(const { &[LIMIT, CURSOR, TAGS] })
            .success(Success::List("locations", &LOCATION))
            .to(list_locations),
        Route::post("/locations", Access::scope("locations:write"), "create_location", "Create a location")
            .body(Body::Json(&LOCATION))
            .success(Success::Created(&LOCATION))
            .to(create_location),
        Route::get("/locations/{location_id}", Access::scope("locations:read"), "get_location", "Get a location")
            .id(&LOCATION_ID)
            .success(Success::Resource(&LOCATION))
            .to(get_location),
        Route::patch("/locations/{location_id}", Access::scope("locations:write"), "update_location", "Update a location")
            .about("Merges the body into the location (RFC 7396): nested partial updates are allowed. Existing shipments keep the details they were created with.")
            .id(&LOCATION_ID)
            .body(Body::Patch(&LOCATION))
            .success(Success::Resource(&LOCATION))
            .to(update_location),
        Route::delete("/locations/{location_id}", Access::scope("locations:write"), "delete_location", "Delete a location")
            .about("A location that a location configuration uses can't be deleted: reassign the configurations first. Nor can one with open allocations or stock on hand, nor one that a package type names.")
            .id(&LOCATION_ID)
            .refusals(&[Code::LocationInUse])
            .to(delete_location),
    ]
}

/// The filter of `GET /locations`.
pub const TAGS: Parameter = Parameter {
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
