//! `/package_types`.

use model::fulfilment::package_type::{PACKAGE_TYPE, PackageTypeInput};
use model::shipping::shipment::package::PACKAGE_TYPE_ID;
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::PAGE;
use crate::platform::response::Response;

const LIST: &str = "data";
const ONE: &str = "/package_types/{package_type_id}";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("package_types:read"), Access::scope("package_types:write"));
    vec![
        Route::get("/package_types", read, "list_package_types", "List package types")
            .about("Newest first. An organisation has at most 200.")
            .parameters(PAGE)
            .success(Success::List(LIST, &PACKAGE_TYPE))
            .to(list_package_types),
        Route::post("/package_types", write, "create_package_type", "Create a package type")
            .body(Body::Json(&PACKAGE_TYPE))
            .success(Success::Created(&PACKAGE_TYPE))
            .refusals(&[Code::HandleTaken, Code::TooManyPackageTypes, Code::LocationNotFound])
            .to(create_package_type),
        Route::get(ONE, read, "get_package_type", "Get a package type")
            .id(&PACKAGE_TYPE_ID)
            .success(Success::Resource(&PACKAGE_TYPE))
            .to(get_package_type),
        Route::patch(ONE, write, "update_package_type", "Update a package type")
            .about("Merges the body into the package type (RFC 7396). Shipments keep the dimensions that they copied.")
            .id(&PACKAGE_TYPE_ID)
            .body(Body::Patch(&PACKAGE_TYPE))
            .success(Success::Resource(&PACKAGE_TYPE))
            .refusals(&[Code::HandleTaken, Code::LocationNotFound])
            .to(update_package_type),
        Route::delete(ONE, write, "delete_package_type", "Delete a package type")
            .about("Only while no shipping rule names it. Shipments that name it keep its id, and the dimensions that they copied. To keep it out of packings only, set `is_active` to false.")
            .id(&PACKAGE_TYPE_ID)
            .refusals(&[Code::PackageTypeInUse])
            .to(delete_package_type),
    ]
}

async fn list_package_types(call: Call) -> Result<Response> {
    let query = call.list_query("package_types", String::new())?;
    let listing = call.service().package_types.list(call.caller()?, query).await?;
    respond::list(&call, LIST, listing)
}

async fn create_package_type(call: Call) -> Result<Response> {
    let input: PackageTypeInput = call.input()?;
    let reply = call.service().package_types.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_package_type(call: Call) -> Result<Response> {
    let reply = call.service().package_types.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_package_type(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().package_types.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_package_type(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().package_types.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}
