//! Papers of a warehouse: packing slips, pick lists, and one file with all papers of a shipment or a batch.

use http::StatusCode;
use model::fulfilment::warehouse_paper::{
    BATCH_PAPER_INPUT, BatchPaperInput, PICK_LISTS_INPUT, PickListsInput, SHIPMENT_PAPER_INPUT,
    ShipmentPaperInput,
};
use model::shipping::batch::BATCH_ID;
use model::shipping::document::DOCUMENT;
use model::shipping::shipment::SHIPMENT_ID;
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::Response;

pub fn routes() -> Vec<HandledRoute> {
    [of_shipments(), of_batches()].into_iter().flatten().collect()
}

fn of_shipments() -> Vec<HandledRoute> {
    let write = Access::scope("shipments:write");
    vec![
        Route::post("/shipments/{shipment_id}/packing_slip", write, "create_shipment_packing_slip", "Create a shipment's packing slip")
            .about("A PDF for the box: whom it goes to, the reference of its order, and of each package the items with name, SKU and quantity; never prices. Where no package names its items, the lines of the customs declaration. The barcode is the shipment's `name`, or its id where a scanner could not read that. A shipment has one in each format: asked again, the document keeps its id and gets a new file.")
            .id(&SHIPMENT_ID)
            .body(Body::Optional(&SHIPMENT_PAPER_INPUT))
            .success(Success::Many(StatusCode::CREATED, &DOCUMENT))
            .refusals(const { &[Code::ShipmentVoided, Code::NothingToList, Code::FilesUnavailable] })
            .to(create_shipment_packing_slip),
        Route::post("/shipments/{shipment_id}/papers", write, "create_shipment_papers", "Create a file with a shipment's papers")
            .about("One PDF to print and put on and into the box: the labels, the packing slip and the customs papers, in this order. A label that Dockside drew in another format is drawn anew, a carrier's PNG becomes a page, and a carrier's ZPL is refused with `label_format_unavailable`. There is no slip where the shipment names nothing that it contains. Asked again, the document keeps its id and gets a new file.")
            .id(&SHIPMENT_ID)
            .body(Body::Optional(&SHIPMENT_PAPER_INPUT))
            .success(Success::Many(StatusCode::CREATED, &DOCUMENT))
            .refusals(const { &[Code::ShipmentNotPurchased, Code::ShipmentPurchasing, Code::ShipmentVoided, Code::LabelMissing, Code::LabelFormatUnavailable, Code::FilesUnavailable] })
            .to(create_shipment_papers),
    ]
}

fn of_batches() -> Vec<HandledRoute> {
    let write = Access::scope("batches:write");
    vec![
        Route::post("/batches/{batch_id}/packing_slips", write, "create_batch_packing_slips", "Create a batch's packing slips")
            .about("One PDF with the slips of its shipments, bought or not, in the order of the batch. Voided shipments, and those that name nothing that they contain, have none. A batch of more than 500 shipments has parts of 500: ask for them one by one with `part`.")
            .id(&BATCH_ID)
            .body(Body::Optional(&BATCH_PAPER_INPUT))
            .success(Success::Many(StatusCode::CREATED, &DOCUMENT))
            .refusals(const { &[Code::NothingToList, Code::BatchPartRequired, Code::BatchPartNotFound, Code::FilesUnavailable] })
            .to(create_batch_packing_slips),
        Route::post("/batches/{batch_id}/papers", write, "create_batch_papers", "Create a file with a batch's papers")
            .about("One PDF with the papers of its bought shipments, in the order of the batch: of each the labels, the packing slip and the customs papers, as `POST /shipments/{shipment_id}/papers` makes them. A batch of more than 500 shipments has parts of 500: ask for them one by one with `part`.")
            .id(&BATCH_ID)
            .body(Body::Optional(&BATCH_PAPER_INPUT))
            .success(Success::Many(StatusCode::CREATED, &DOCUMENT))
            .refusals(const { &[Code::BatchNotFinalised, Code::BatchPurchasing, Code::BatchEmpty, Code::LabelMissing, Code::LabelFormatUnavailable, Code::BatchPartRequired, Code::BatchPartNotFound, Code::FilesUnavailable] })
            .to(create_batch_papers),
        Route::post("/batches/{batch_id}/pick_lists", write, "create_batch_pick_lists", "Create a batch's pick lists")
            .about("What to collect for its shipments, bought or not: one PDF for each location that they leave from, with the bin, SKU, name and quantity of each item and the orders that it goes to, by bin and then by SKU. Numbers in bins count by their value: `A-2` comes before `A-10`. Shipments whose origin was given as an address are on a list without bins. A batch of more than 500 shipments has parts of 500: ask for them one by one with `part`.")
            .id(&BATCH_ID)
            .body(Body::Optional(&PICK_LISTS_INPUT))
            .success(Success::Many(StatusCode::CREATED, &DOCUMENT))
            .refusals(const { &[Code::NothingToPick, Code::LocationNotFound, Code::BatchPartRequired, Code::BatchPartNotFound, Code::FilesUnavailable] })
            .to(create_batch_pick_lists),
    ]
}

async fn create_shipment_packing_slip(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: ShipmentPaperInput = call.optional_input()?;
    let reply = call.service().papers.create_packing_slip(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}

async fn create_shipment_papers(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: ShipmentPaperInput = call.optional_input()?;
    let reply = call.service().papers.create_shipment_papers(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}

async fn create_batch_packing_slips(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: BatchPaperInput = call.optional_input()?;
    let reply = call.service().papers.create_packing_slips(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}

async fn create_batch_papers(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: BatchPaperInput = call.optional_input()?;
    let reply = call.service().papers.create_batch_papers(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}

async fn create_batch_pick_lists(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: PickListsInput = call.optional_input()?;
    let reply = call.service().papers.create_pick_lists(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}
