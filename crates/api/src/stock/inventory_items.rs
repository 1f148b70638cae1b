//! `/inventory_items`, their levels and the history of those, and `/inventory/audit`.

use model::places::location::LOCATION_ID;
use model::platform::shape::Shape;
use model::stock::barcode::{BARCODE, comparable};
use model::stock::inventory_item::{
    ADJUSTMENT, Adjustment, CHANGE, INVENTORY_ITEM, ITEM_ID, InventoryItemInput, LEVEL, name_key,
};
use model::stock::level_input::{LEVEL_INPUT, LevelCount};
use model::{Code, Result};
use service::{At, ItemFilter};

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

const BY_BARCODE: Parameter = Parameter {
    name: "barcode",
    about: "Only the item with this barcode: one entry, or none. A GTIN is found with and without zeros in front.",
    kind: ParameterKind::One(&BARCODE),
};
static NAME: Shape = Shape::text(1, 255, "What pickers and customers call it.");
const BY_NAME: Parameter = Parameter {
    name: "name",
    about: "Only items with this whole name. The letters A to Z match in upper and lower case.",
    kind: ParameterKind::One(&NAME),
};
const BY_LOW_STOCK: Parameter = Parameter {
    name: "low_stock",
    about: "`true` for the items that have low stock at a location, `false` for those that have it nowhere. Without it, both.",
    kind: ParameterKind::Flag,
};

/// The parameters of `GET /inventory_items`, and the filters among them.
const ITEM_PARAMETERS: &[Parameter] = &[LIMIT, CURSOR, BY_SKU, BY_BARCODE, BY_NAME, BY_LOW_STOCK];
pub const ITEM_FILTERS: &[Parameter] = ITEM_PARAMETERS.split_at(2).1;

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("inventory:read"), Access::scope("inventory:write"));
    vec![
        Route::get("/inventory_items", read, "list_inventory_items", "List inventory items")
            .about("Newest first. An item is listed if it matches all filters that the request has.")
            .parameters(ITEM_PARAMETERS)
            .success(Success::List(LIST, &INVENTORY_ITEM))
            .to(list_inventory_items),
        Route::post("/inventory_items", write, "create_inventory_item", "Create an inventory item")
            .about("Orders with lines that wait for this SKU get the item: up to 100 at once, the others within seconds.")
            .body(Body::Json(&INVENTORY_ITEM))
            .success(Success::Created(&INVENTORY_ITEM))
            .refusals(&[Code::SkuTaken, Code::BarcodeTaken])
            .to(create_inventory_item),
        Route::get(ITEM, read, "get_inventory_item", "Get an inventory item")
            .id(&ITEM_ID)
            .success(Success::Resource(&INVENTORY_ITEM))
            .to(get_inventory_item),
        Route::patch(ITEM, write, "update_inventory_item", "Update an inventory item")
            .id(&ITEM_ID)
            .body(Body::Patch(&INVENTORY_ITEM))
            .success(Success::Resource(&INVENTORY_ITEM))
            .refusals(&[Code::SkuTaken, Code::BarcodeTaken])
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
            .about("Sets what is on hand, as counted. From then on the item is tracked at the location. `bin` and `reorder_point` stay as they are, unless the body names them.")
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .body(Body::Json(&LEVEL_INPUT))
            .success(Success::Resource(&LEVEL))
            .to(set_inventory_level),
        Route::patch(LEVEL_PATH, write, "update_inventory_level", "Update a level")
            .about("Merges the body into a level that exists (RFC 7396): sets the bin or the reorder point without a count. The history has an entry only if `on_hand` changes.")
            .id(&ITEM_ID)
            .id(&LOCATION_ID)
            .body(Body::Patch(&LEVEL_INPUT))
            .success(Success::Resource(&LEVEL))
            .to(update_inventory_level),
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

/// Returns the filters of a list of items, and their normal form for its cursors.
pub fn item_filter(call: &Call) -> Result<(ItemFilter, String)> {
    let low_stock = match call.query.one("low_stock") {
        None => None,
        Some(_) => Some(call.query.flag("low_stock")?),
    };
    let filter = ItemFilter {
        sku: call.query.one("sku").map(str::to_owned),
        barcode: call.query.one("barcode").map(|code| comparable(code).into_owned()),
        name: call.query.one("name").map(name_key),
        low_stock,
    };
    let words = match &filter {
        // The form from before there were other filters, so that cursors of that time stay valid.
        ItemFilter { sku, barcode: None, name: None, low_stock: None } => sku.clone().unwrap_or_default(),
        ItemFilter { sku, barcode, name, low_stock } => format!("{sku:?} {barcode:?} {name:?} {low_stock:?}"),
    };
    Ok((filter, words))
}

async fn list_inventory_items(call: Call) -> Result<Response> {
    let (filter, words) = item_filter(&call)?;
    let query = call.list_query("inventory_items", words)?;
    let listing = call.service().inventory_items.list(call.caller()?, query, filter).await?;
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
    let input = LevelCount::parse(call.json()?)?;
    let reply = call.service().inventory_levels.set(call.command()?, at, input).await?;
    respond::reply(&call, reply)
}

async fn update_inventory_level(call: Call) -> Result<Response> {
    let at = at(&call)?;
    let reply = call.service().inventory_levels.update(call.command()?, at, call.json()?).await?;
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
