//! `/inventory_items`, their levels and the history of those, and `/inventory/audit`.

use model::places::location::LOCATION_ID;
use model::platform::shape::Shape;
use model::stock::inventory_item::{
    ADJUSTMENT, Adjustment, CHANGE, INVENTORY_ITEM, ITEM_ID, InventoryItemInput, LEVEL, LEVEL_INPUT,
    LevelInput,
};
use model::{Code, Result};
use service::At;

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, PAGE, Parameter, ParameterKind};
use crate::platform::response::Response;

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

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("inventory:read"), Access::scope("inventory:write"));
    vec![
        Route::get("/inventory_items", read, "list_inventory_items", "List inventory items")
            .about("Newest first.")
            .parameters(const { &[LIMIT, CURSOR, BY_SKU] })
            .success(Success::List(LIST, &INVENTORY_ITEM))
            .to(list_inventory_items),
        Route::post("/inventory_items", write, "create_inventory_item", "Create an inventory item")
            .about("Orders with lines that wait for this SKU get the item: up to 100 at once, the others within seconds.")
            .body(Body::Json(&INVENTORY_ITEM))
            .success(Success::Created(&INVENTORY_ITEM))
            .refusals(&[Code::SkuTaken])
            .to(create_inventory_item),
        Route::get(ITEM, read, "get_inventory_item", "Get an inventory item")
            .id(&ITEM_ID)
            .success(Success::Resource(&INVENTORY_ITEM))
            .to(get_inventory_item),
        Route::patch(ITEM, write, "update_inventory_item", "Update an inventory item")
            .id(&ITEM_ID)
            .body(Body::Patch(&INVENTORY_ITEM))
            .success(Success::Resource(&INVENTORY_ITEM))
            .refusals(&[Code::SkuTaken])
            .to(update_inventory_item),
        Route::delete(ITEM, write, "delete_inventory_item", "Delete an inventory item")
            .about("An item that an order wants, or of which some is on hand, can't be deleted.")
            .id(&ITEM_ID)
            .refusals(&[Code::InventoryItemInUse])
            .to(delete_inventory_item),
        Route::get(LEVELS, read, "list_inventory_levels", "List the levels of an item")
            .about("One for each location that has a level of it.")
            .id(&ITEM_ID)
            .parameters(PAGE)
            .success(Success::List(LIST, &LEVEL))
            .to(list_inventory_levels),
        Route::get(LEVEL_PATH, read, "get_inventory_level", "Get a level")
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .success(Success::Resource(&LEVEL))
            .to(get_inventory_level),
        Route::put(LEVEL_PATH, write, "set_inventory_level", "Set a level")
            .about("Sets what is on hand, as counted. From then on the item is tracked at the location.")
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .body(Body::Json(&LEVEL_INPUT))
            .success(Success::Resource(&LEVEL))
            .to(set_inventory_level),
        Route::post(ADJUST, write, "adjust_inventory_level", "Adjust a level")
            .about("Adds what came, or takes what went.")
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .body(Body::Json(&ADJUSTMENT))
            .success(Success::Resource(&LEVEL))
            .refusals(&[Code::InsufficientStock, Code::OnHandChanged])
            .to(adjust_inventory_level),
        Route::get(HISTORY, read, "list_inventory_changes", "List the changes of a level")
            .about("Newest first. Their sum is what is on hand.")
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .parameters(PAGE)
            .success(Success::List(LIST, &CHANGE))
            .to(list_inventory_changes),
        Route::get("/inventory/audit", read, "audit_inventory", "Audit the stock")
            .about("Recomputes levels, allocated quantities and the `fulfilment` of orders from the rows and the history, and shows every difference. There is none.")
            .success(Success::Other("application/json"))
            .to(audit_inventory),
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
    let reply = call.service().line_matching.create_item(call.command()?, input).await?;
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
