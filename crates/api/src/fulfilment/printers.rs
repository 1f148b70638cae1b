//! `/printers`.

use model::fulfilment::printer::{PRINTER, PRINTER_ID, PrinterInput};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::PAGE;
use crate::platform::response::Response;

const LIST: &str = "data";
const ONE: &str = "/printers/{printer_id}";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("printers:read"), Access::scope("printers:write"));
    vec![
        Route::get("/printers", read, "list_printers", "List printers")
            .about("Newest first. An organisation has at most 200 in each world.")
            .parameters(PAGE)
            .success(Success::List(LIST, &PRINTER))
            .to(list_printers),
        Route::post("/printers", write, "create_printer", "Create a printer")
            .about("Nothing is sent to the printer. The address of a direct printer must lie in the networks of the operator's setting `printer_networks`; of a host name that is checked again for the address that it leads to, whenever the server connects. A second default for the same kind of document and location is refused: take it from the first printer first.")
            .body(Body::Json(&PRINTER))
            .success(Success::Created(&PRINTER))
            .refusals(&[
                Code::DefaultPrinterTaken,
                Code::TooManyPrinters,
                Code::PrinterAddressNotAllowed,
                Code::LocationNotFound,
            ])
            .to(create_printer),
        Route::get(ONE, read, "get_printer", "Get a printer")
            .id(&PRINTER_ID)
            .success(Success::Resource(&PRINTER))
            .to(get_printer),
        Route::patch(ONE, write, "update_printer", "Update a printer")
            .about("Merges the body into the printer (RFC 7396). While it has jobs that are queued or being sent, its `kind`, `connection` and `address` stay as they are.")
            .id(&PRINTER_ID)
            .body(Body::Patch(&PRINTER))
            .success(Success::Resource(&PRINTER))
            .refusals(&[
                Code::DefaultPrinterTaken,
                Code::PrinterInUse,
                Code::PrinterAddressNotAllowed,
                Code::LocationNotFound,
            ])
            .to(update_printer),
        Route::delete(ONE, write, "delete_printer", "Delete a printer")
            .about("Only while it has no jobs that are queued or being sent, and no shipping rule names it. Jobs that ended keep its id.")
            .id(&PRINTER_ID)
            .refusals(&[Code::PrinterInUse])
            .to(delete_printer),
    ]
}

async fn list_printers(call: Call) -> Result<Response> {
    let query = call.list_query("printers", String::new())?;
    let listing = call.service().printers.list(call.caller()?, query).await?;
    respond::list(&call, LIST, listing)
}

async fn create_printer(call: Call) -> Result<Response> {
    let input: PrinterInput = call.input()?;
    let reply = call.service().printers.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_printer(call: Call) -> Result<Response> {
    let reply = call.service().printers.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_printer(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().printers.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_printer(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().printers.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}
