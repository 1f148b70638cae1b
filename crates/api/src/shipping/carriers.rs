//! `/carriers` and `/carrier_accounts`.

use model::shipping::carrier::{
    ACCOUNT_TEST, CARRIER, CARRIER_ACCOUNT, CARRIER_ACCOUNT_ID, CARRIER_ID, CARRIER_SERVICE,
    CarrierAccountInput,
};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::PAGE;
use crate::platform::response::{Response, json as json_response};

const LIST: &str = "data";
const ACCOUNT: &str = "/carrier_accounts/{carrier_account_id}";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("carriers:read"), Access::scope("carriers:write"));
    vec![
        Route::get("/carriers", read, "list_carriers", "List carriers")
            .about("By handle. The test world has the sandbox carrier alone: nothing there costs money.")
            .parameters(PAGE)
            .success(Success::List(LIST, &CARRIER))
            .to(list_carriers),
        Route::get("/carriers/{carrier_id}", read, "get_carrier", "Get a carrier")
            .id(&CARRIER_ID)
            .success(Success::Resource(&CARRIER))
            .to(get_carrier),
        Route::get("/carriers/{carrier_id}/services", read, "list_carrier_services", "List a carrier's services")
            .about("By handle. Those of `own` are what the rate tables of your accounts name.")
            .id(&CARRIER_ID)
            .parameters(PAGE)
            .success(Success::List(LIST, &CARRIER_SERVICE))
            .to(list_carrier_services),
        Route::get("/carrier_accounts", read, "list_carrier_accounts", "List carrier accounts")
            .about("Newest first. Credentials are never shown.")
            .parameters(PAGE)
            .success(Success::List(LIST, &CARRIER_ACCOUNT))
            .to(list_carrier_accounts),
        Route::post("/carrier_accounts", write, "create_carrier_account", "Create a carrier account")
            .about("Credentials are encrypted before they are stored, and never shown again.")
            .body(Body::Json(&CARRIER_ACCOUNT))
            .success(Success::Created(&CARRIER_ACCOUNT))
            .refusals(&[Code::CarrierNotFound, Code::CarrierAccountInvalid, Code::TooManyCarrierAccounts])
            .to(create_carrier_account),
        Route::get(ACCOUNT, read, "get_carrier_account", "Get a carrier account")
            .id(&CARRIER_ACCOUNT_ID)
            .success(Success::Resource(&CARRIER_ACCOUNT))
            .to(get_carrier_account),
        Route::patch(ACCOUNT, write, "update_carrier_account", "Update a carrier account")
            .about("Merges the body into the account (RFC 7396), except that `credentials` replace the ones it had, all of them.")
            .id(&CARRIER_ACCOUNT_ID)
            .body(Body::Patch(&CARRIER_ACCOUNT))
            .success(Success::Resource(&CARRIER_ACCOUNT))
            .refusals(&[Code::CarrierAccountInvalid])
            .to(update_carrier_account),
        Route::delete(ACCOUNT, write, "delete_carrier_account", "Delete a carrier account")
            .about("Refused while something is bought, tracked or taken back with it: disable it then.")
            .id(&CARRIER_ACCOUNT_ID)
            .refusals(&[Code::CarrierAccountInUse])
            .to(delete_carrier_account),
        Route::post("/carrier_accounts/{carrier_account_id}/test", write, "test_carrier_account", "Test a carrier account")
            .about("Asks the carrier for the price of a parcel of one kilogram from your oldest location to itself, which costs nothing. A disabled account is tested, too.")
            .id(&CARRIER_ACCOUNT_ID)
            .success(Success::Answer(&ACCOUNT_TEST))
            .refusals(&[Code::LocationMissing, Code::CarrierNotFound])
            .to(test_carrier_account),
    ]
}

async fn list_carriers(call: Call) -> Result<Response> {
    let query = call.list_query("carriers", String::new())?;
    let listing = call.service().carriers.list(call.caller()?, query).await?;
    respond::list(&call, LIST, listing)
}

async fn get_carrier(call: Call) -> Result<Response> {
    let reply = call.service().carriers.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn list_carrier_services(call: Call) -> Result<Response> {
    let id = call.id()?;
    let query = call.list_query("carrier_services", id.to_string())?;
    let listing = call.service().carriers.list_carrier_services(call.caller()?, id, query).await?;
    respond::list(&call, LIST, listing)
}

async fn list_carrier_accounts(call: Call) -> Result<Response> {
    let query = call.list_query("carrier_accounts", String::new())?;
    let listing = call.service().carrier_accounts.list(call.caller()?, query).await?;
    respond::list(&call, LIST, listing)
}

async fn create_carrier_account(call: Call) -> Result<Response> {
    let input: CarrierAccountInput = call.input()?;
    let reply = call.service().carrier_accounts.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_carrier_account(call: Call) -> Result<Response> {
    let reply = call.service().carrier_accounts.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_carrier_account(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().carrier_accounts.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_carrier_account(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().carrier_accounts.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn test_carrier_account(call: Call) -> Result<Response> {
    call.service().account_tests.test(call.caller()?, call.id()?).await.map(json_response)
}
