//! `/shipments/{shipment_id}/scans` and `/shipments/{shipment_id}/shorts`: scan to pack.

use model::fulfilment::scan::{
    SCAN, SCAN_ANSWER, SCAN_CLIENT_ID, SCAN_INPUT, SHORT, SHORT_INPUT, ScanInput, ShortInput,
};
use model::shipping::shipment::SHIPMENT_ID;
use model::{Code, Error, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT};
use crate::platform::response::Response;
use crate::shipping::shipments::wait;

const LIST: &str = "data";
const COLLECTION: &str = "/shipments/{shipment_id}/scans";
const ONE: &str = "/shipments/{shipment_id}/scans/{scan_id}";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("packing:read"), Access::scope("packing:write"));
    vec![
        Route::get(COLLECTION, read, "list_shipment_scans", "List a shipment's scans")
            .about("Newest first, also those that counted nothing. The token also needs `shipments:read`.")
            .id(&SHIPMENT_ID)
            .parameters(const { &[LIMIT, CURSOR] })
            .success(Success::List(LIST, &SCAN))
            .to(list_shipment_scans),
        Route::post(COLLECTION, write, "create_shipment_scan", "Scan a code to pack it")
            .about("Compares a scanned code with what the packages are to hold, and counts its units as packed. The answer is 201 whatever the code meant: `result` says it, and the rest says what is packed and what is missing. A request that is repeated with the same `scan_id` counts once. When the last unit is packed, the shipment gets `packed_at`, `shipment.packed` is told, and what `then` asks for follows; a purchase is waited for as `POST /shipments/{shipment_id}/purchase` does, up to `Prefer: wait=<seconds>`. A shipment may be scanned before and after its purchase. The token also needs `shipments:read`.")
            .id(&SHIPMENT_ID)
            .body(Body::Json(&SCAN_INPUT))
            .success(Success::Created(&SCAN_ANSWER))
            .refusals(const { &[Code::NothingToScan, Code::ScanIdReused, Code::TooManyScans, Code::PackageNotFound, Code::ShipmentVoided] })
            .to(create_shipment_scan),
        Route::get(ONE, read, "get_shipment_scan", "Get a scan")
            .about("The scan with how far its shipment is packed now, and what became of the purchase and the print that it asked for. The token also needs `shipments:read`.")
            .id(&SHIPMENT_ID)
            .id(&SCAN_CLIENT_ID)
            .success(Success::Answer(&SCAN_ANSWER))
            .to(get_shipment_scan),
        Route::delete(ONE, write, "delete_shipment_scan", "Undo a scan")
            .about("Its units no longer count as packed. If the shipment was complete, its `packed_at` is null again, and `shipment.packed` is told once more when it is complete again. A purchase stays, and so does a print job; a label that is not there yet is not printed. The token also needs `shipments:read`.")
            .id(&SHIPMENT_ID)
            .id(&SCAN_CLIENT_ID)
            .refusals(const { &[Code::ShipmentVoided] })
            .to(delete_shipment_scan),
        Route::post("/shipments/{shipment_id}/shorts", write, "create_shipment_short", "Report a short pick")
            .about("For units that are not where they should be. Before the purchase they leave the shipment: the allocation is split, the packages and the customs lines lose the units, a package with nothing else in it is removed, and the rates no longer apply. The missing units stay allocated, outside of any shipment. A shipment with nothing left is deleted. After the purchase the order gets the exception `short`. The token also needs `shipments:read`, and with `adjust_stock` also `inventory:write`.")
            .id(&SHIPMENT_ID)
            .body(Body::Json(&SHORT_INPUT))
            .success(Success::Created(&SHORT))
            .refusals(const { &[
                Code::ItemNotInShipment,
                Code::ShortExceedsMissing,
                Code::ShipmentWithoutOrder,
                Code::CustomsLinesUnmatched,
                Code::AllocationCompleted,
                Code::ShipmentPurchasing,
                Code::ShipmentVoided,
                Code::BatchPurchasing,
                Code::BatchFinalised,
            ] })
            .to(create_shipment_short),
    ]
}

/// Returns the client's name of the scan in the path.
fn scan_id(call: &Call) -> Result<String> {
    call.ids.get(1).cloned().ok_or_else(|| Error::fault("the path has no such id"))
}

async fn list_shipment_scans(call: Call) -> Result<Response> {
    let id = call.id()?;
    let query = call.list_query("scans", format!("{id}"))?;
    let listing = call.service().scans.list(call.caller()?, query, id).await?;
    respond::list(&call, LIST, listing)
}

async fn create_shipment_scan(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: ScanInput = call.input()?;
    let wait = wait(&call)?;
    let reply = call.service().scans.create(call.command()?, id, input, wait).await?;
    respond::reply(&call, reply)
}

async fn get_shipment_scan(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().scans.get(call.caller()?, id, scan_id(&call)?).await?;
    respond::reply(&call, reply)
}

async fn delete_shipment_scan(call: Call) -> Result<Response> {
    let id = call.id()?;
    let scan = scan_id(&call)?;
    let reply = call.service().scans.delete(call.command()?, id, scan).await?;
    respond::reply(&call, reply)
}

async fn create_shipment_short(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: ShortInput = call.input()?;
    let reply = call.service().shorts.create(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}
