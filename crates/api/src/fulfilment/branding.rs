//! `/branding`: what an organisation puts on its packing slips and pick lists.

use model::fulfilment::branding::{BRANDING, BrandingInput};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::Response;

const PATH: &str = "/branding";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("organisation:read"), Access::scope("organisation:write"));
    vec![
        Route::get(PATH, read, "get_branding", "Get the branding")
            .about("What packing slips and pick lists show of the organisation, in the token's world. All fields are null where nothing was set.")
            .success(Success::Resource(&BRANDING))
            .to(get_branding),
        Route::put(PATH, write, "set_branding", "Set the branding")
            .about("Replaces all of it: a field that is missing becomes null. Papers that are made from now on show it; `organisation.updated` tells of it.")
            .body(Body::Json(&BRANDING))
            .success(Success::Resource(&BRANDING))
            .refusals(&[Code::LogoInvalid, Code::PreconditionFailed])
            .to(set_branding),
        Route::delete(PATH, write, "delete_branding", "Delete the branding")
            .about("Sets every field to null. Papers that are made from now on are plain.")
            .to(delete_branding),
    ]
}

async fn get_branding(call: Call) -> Result<Response> {
    let reply = call.service().branding.get(call.caller()?).await?;
    respond::reply(&call, reply)
}

async fn set_branding(call: Call) -> Result<Response> {
    let input: BrandingInput = call.input()?;
    let reply = call.service().branding.set(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn delete_branding(call: Call) -> Result<Response> {
    let reply = call.service().branding.delete(call.command()?).await?;
    respond::reply(&call, reply)
}
