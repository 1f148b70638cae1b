//! `/inventory_items`, their levels and the history of those, and `/inventory/audit`.

use model::places::location::LOCATION_ID;
use model::platform::shape::Shape;
use model::stock::inventory_item::{
    ADJUSTMENT, Adjustment, CHANGE, INVENTORY_ITEM, ITEM_ID, InventoryItemInput, LEVEL, LEVEL_INPUT,
    LevelInput,
};
use model::{Code, Result};
use service::At;

use crate::platform::call::Call;
use crate::platform::respond::{self, Response};
use crate::platform::route::{Body, CURSOR, LIMIT, PAGE, Parameter, ParameterKind, Route, Success};

const ITEM: &str = "/inventory_items/{inventory_item_id}";
const LEVELS: &str = "/inventory_items/{inventory_item_id}/levels";
const LEVEL_PATH: &str = "/inventory_items/{inventory_item_id}/levels/{location_id}";
const ADJUST: &str = "/inventory_items/{inventory_item_id}/levels/{location_id}/adjust";
const HISTORY: &str = "/inventory_items/{inventory_item_id}/levels/{location_id}/history";
const LIST: &str = "data";

static SKU: Shape = Shape::text(1, 100, "Your own code for what is sold.");
const BY_SKU: Parameter = Parameter {
    name: "sku",
    about: "Only the item with exactly this code: one entry, or none.",
    kind: ParameterKind::One(&SKU),
};

pub fn routes() -> Vec<Route> {
    let (read, write) = ("inventory:read", "inventory:write");
    vec![
        Route::get("/inventory_items", read, "List inventory items", list_inventory_items)
            .about("Newest first.")
            .parameters(const { &[LIMIT, CURSOR, BY_SKU] })
            .success(Success::List(LIST, &INVENTORY_ITEM)),
        Route::post("/inventory_items", write, "Create an inventory item", create_inventory_item)
            .body(Body::Json(&INVENTORY_ITEM))
            .success(Success::Created(&INVENTORY_ITEM))
            .refusals(&[Code::SkuTaken]),
        Route::get(ITEM, read, "Get an inventory item", get_inventory_item)
            .id(&ITEM_ID)
            .success(Success::Resource(&INVENTORY_ITEM)),
        Route::patch(ITEM, write, "Update an inventory item", update_inventory_item)
            .id(&ITEM_ID)
            .body(Body::Patch(&INVENTORY_ITEM))
            .success(Success::Resource(&INVENTORY_ITEM))
            .refusals(&[Code::SkuTaken]),
        Route::delete(ITEM, write, "Delete an inventory item", delete_inventory_item)
            .about("An item that an order wants, or of which some is on hand, can't be deleted.")
            .id(&ITEM_ID)
            .refusals(&[Code::InventoryItemInUse]),
        Route::get(LEVELS, read, "List the levels of an item", list_inventory_levels)
            .about("One for each location that has a level of it.")
            .id(&ITEM_ID)
            .parameters(PAGE)
            .success(Success::List(LIST, &LEVEL)),
        Route::get(LEVEL_PATH, read, "Get a level", get_inventory_level)
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .success(Success::Resource(&LEVEL)),
        Route::put(LEVEL_PATH, write, "Set a level", set_inventory_level)
            .about("Sets what is on hand, as counted. From then on the item is tracked at the location.")
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .body(Body::Json(&LEVEL_INPUT))
            .success(Success::Resource(&LEVEL)),
        Route::post(ADJUST, write, "Adjust a level", adjust_inventory_level)
            .about("Adds what came, or takes what went.")
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .body(Body::Json(&ADJUSTMENT))
            .success(Success::Resource(&LEVEL))
            .refusals(&[Code::InsufficientStock, Code::OnHandChanged]),
        Route::get(HISTORY, read, "List the changes of a level", list_inventory_changes)
            .about("Newest first. Their sum is what is on hand.")
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .parameters(PAGE)
            .success(Success::List(LIST, &CHANGE)),
        Route::get("/inventory/audit", read, "Audit the stock", audit_inventory)
            .about("Recomputes levels and allocated quantities from the rows and the history, and shows every difference. There is none.")
            .success(Success::Other("application/json")),
    ]
}

fn at(call: &Call) -> Result<At> {
    Ok(At { item: call.id_at(0)?, location: call.id_at(1)? })
}

async fn list_inventory_items(call: Call) -> Result<Response> {
    let sku = call.query.one("sku").map(str::to_owned);
    let query = call.list_query("inventory_items", sku.clone().unwrap_or_default())?;
    let listing = call.service().inventory_items.list(call.caller()?, query, sku).await?;
    respond::list(&call, LIST, listing)
}

async fn create_inventory_item(call: Call) -> Result<Response> {
    let input: InventoryItemInput = call.input()?;
    let reply = call.service().inventory_items.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_inventory_item(call: Call) -> Result<Response> {
    let reply = call.service().inventory_items.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_inventory_item(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().inventory_items.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_inventory_item(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().inventory_items.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn list_inventory_levels(call: Call) -> Result<Response> {
    let item = call.id()?;
    let query = call.list_query("inventory_levels", item.to_string())?;
    let listing = call.service().inventory_levels.list(call.caller()?, query, item).await?;
    respond::list(&call, LIST, listing)
}

async fn get_inventory_level(call: Call) -> Result<Response> {
    let reply = call.service().inventory_levels.get(call.caller()?, at(&call)?).await?;
    respond::reply(&call, reply)
}

async fn set_inventory_level(call: Call) -> Result<Response> {
    let at = at(&call)?;
    let input: LevelInput = call.input()?;
    let reply = call.service().inventory_levels.set(call.command()?, at, input).await?;
    respond::reply(&call, reply)
}

async fn adjust_inventory_level(call: Call) -> Result<Response> {
    let at = at(&call)?;
    let input: Adjustment = call.input()?;
    let reply = call.service().inventory_levels.adjust(call.command()?, at, input).await?;
    respond::reply(&call, reply)
}

async fn list_inventory_changes(call: Call) -> Result<Response> {
    let at = at(&call)?;
    let query = call.list_query("inventory_changes", format!("{} {}", at.item, at.location))?;
    let listing = call.service().inventory_levels.list_changes(call.caller()?, query, at).await?;
    respond::list(&call, LIST, listing)
}

async fn audit_inventory(call: Call) -> Result<Response> {
    let reply = call.service().stock_audit.run(call.caller()?).await?;
    respond::reply(&call, reply)
}
