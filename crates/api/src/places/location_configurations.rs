//! `/location_configurations`.

use model::Code;
use model::Result;
use model::places::location_configuration::{
    ID, INPUT, LOCATION_CONFIGURATION, LOCATION_CONFIGURATION_SUMMARY, LocationConfigurationInput,
};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::Response;

const LIST: &str = "location_configurations";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) =
        (Access::scope("location_configurations:read"), Access::scope("location_configurations:write"));
    vec![
        Route::get("/location_configurations", read, "list_location_configurations", "List location configurations")
            .about("Newest first. The embedded locations omit their addresses unless `include_fields=address` asks for them.")
            .parameters(const { &[LIMIT, CURSOR, INCLUDE_FIELDS] })
            .success(Success::List(LIST, &LOCATION_CONFIGURATION_SUMMARY))
            .to(list_location_configurations),
        Route::post("/location_configurations", write, "create_location_configuration", "Create a location configuration")
            .about("Origin and return may be the same location.")
            .body(Body::Json(&INPUT))
            .success(Success::Created(&LOCATION_CONFIGURATION))
            .refusals(&[Code::LocationNotFound])
            .to(create_location_configuration),
        Route::get(PATH, read, "get_location_configuration", "Get a location configuration")
            .id(&ID)
            .success(Success::Resource(&LOCATION_CONFIGURATION))
            .to(get_location_configuration),
        Route::patch(PATH, write, "update_location_configuration", "Update a location configuration")
            .about("Merges the body into the configuration (RFC 7396). Existing shipments keep the details they were created with.")
            .id(&ID)
            .body(Body::Patch(&INPUT))
            .success(Success::Resource(&LOCATION_CONFIGURATION))
            .refusals(&[Code::LocationNotFound])
            .to(update_location_configuration),
        Route::delete(PATH, write, "delete_location_configuration", "Delete a location configuration")
            .about("Its locations and existing shipments stay.")
            .id(&ID)
            .to(delete_location_configuration),
    ]
}

const PATH: &str = "/location_configurations/{location_configuration_id}";
const ADDRESS: &str = "address";
const INCLUDE_FIELDS: Parameter = Parameter {
    name: "include_fields",
    about: "`address` shows the addresses of both locations too, which lists leave out otherwise.",
    kind: ParameterKind::Words(&[ADDRESS]),
};

async fn list_location_configurations(call: Call) -> Result<Response> {
    let fields = call.query.many("include_fields");
    if let Some(unknown) = fields.iter().find(|field| *field != ADDRESS) {
        return Err(query::refuse_word("include_fields", unknown, [ADDRESS].into_iter()).into());
    }
    let query = call.list_query(LIST, String::new())?;
    let with_address = !fields.is_empty();
    let listing = call.service().location_configurations.list(call.caller()?, query, with_address).await?;
    respond::list(&call, LIST, listing)
}

async fn create_location_configuration(call: Call) -> Result<Response> {
    let input: LocationConfigurationInput = call.input()?;
    let reply = call.service().location_configurations.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_location_configuration(call: Call) -> Result<Response> {
    let reply = call.service().location_configurations.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_location_configuration(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().location_configurations.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_location_configuration(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().location_configurations.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}
