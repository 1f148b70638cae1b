//! Applying an entry: what is to be done with it is decided before anything is written, so that most refusals cost nothing.

use model::exchange::import::{ImportInput, ImportType, OnConflict, Outcome};
use model::fulfilment::package_type::PackageTypeInput;
use model::orders::order::OrderInput;
use model::places::location::LocationInput;
use model::platform::id::{Kind, PackageTypeKind};
use model::platform::json::parse as parse_json;
use model::platform::problem::Issue;
use model::platform::shape::{self, Input};
use model::shipping::shipment::ShipmentInput;
use model::stock::inventory_item::InventoryItemInput;
use model::{Code, Error, Id, InventoryItem, Location, Owner, Problem, Result};
use serde::Serialize;
use serde_json::{Map, Value};
use store::Tx;
use store::exchange::import_keys;
use store::fulfilment::package_types::{self, StoredPackageType};
use store::places::locations::{self, StoredLocation};
use store::shipping::shipments::{self, StoredShipment};
use store::stock::inventory_items::{self, StoredInventoryItem};

use super::keys::{key, only};
use super::resources::{LevelChange, New, create_one, merge_entries, plan_level};
use crate::access::write::Precondition;
use crate::events::events::EventLog;
use crate::fulfilment::order_changes::change_order;
use crate::fulfilment::package_types::update_package_type;
use crate::orders::order_document::LockedOrder;
use crate::places::locations::update_location;
use crate::shipping::shipments::{read_shipment, update_shipment};
use crate::stock::inventory_items::update_item;

/// What is to be done with an entry.
pub(super) enum Action {
    Nothing(Outcome),
    Create(New),
    UpdateOrder(Box<LockedOrder>, Value),
    UpdateItem(Id<InventoryItem>, StoredInventoryItem, Value),
    UpdateLocation(Id<Location>, StoredLocation, Value),
    UpdatePackageType(Id<PackageTypeKind>, StoredPackageType, Value),
    UpdateShipment(Box<StoredShipment>, Value),
    SetLevel(LevelChange),
}

/// Decides what is to be done with an entry. Locks what exists, and writes nothing.
///
/// # Errors
///
/// Refuses a body that the API would refuse as well, and a key that several resources have.
pub(super) async fn plan(tx: &mut Tx<'_>, owner: Owner, input: &ImportInput, body: &Value) -> Result<Action> {
    let is_skipped = input.options.on_conflict == OnConflict::Skip;
    if !body.is_object() {
        return Err(Problem::body(vec![Issue::new("invalid_type", "", "Must be an object.")]).into());
    }
    match input.r#type {
        ImportType::Orders => plan_order(tx, owner, body, is_skipped).await,
        ImportType::InventoryItems => plan_item(tx, owner, body, is_skipped).await,
        ImportType::InventoryLevels => {
            let change = plan_level(tx, owner, body).await?;
            Ok(change.map_or(Action::Nothing(Outcome::Unchanged), Action::SetLevel))
        }
        ImportType::Locations => plan_location(tx, owner, body, is_skipped).await,
        ImportType::PackageTypes => plan_package_type(tx, owner, body, is_skipped).await,
        ImportType::Shipments => plan_shipment(tx, owner, body, is_skipped).await,
    }
}

/// Does what was decided.
pub(super) async fn perform(
    tx: &mut Tx<'_>,
    owner: Owner,
    action: Action,
    log: &EventLog,
) -> Result<Outcome> {
    match action {
        Action::Nothing(outcome) => return Ok(outcome),
        Action::Create(new) => {
            Box::pin(create_one(tx, owner, new, log)).await?;
            return Ok(Outcome::Created);
        }
        Action::SetLevel(change) => return change.perform(tx, owner, log).await,
        Action::UpdateOrder(order, patch) => {
            Box::pin(change_order(tx, owner, *order, &patch, &Precondition::Any, log)).await?;
        }
        Action::UpdateItem(id, stored, patch) => {
            update_item(tx, owner, id, &stored, patch, log).await?;
        }
        Action::UpdateLocation(id, stored, patch) => {
            update_location(tx, owner, id, &stored, patch, log).await?;
        }
        Action::UpdatePackageType(id, stored, patch) => {
            update_package_type(tx, owner, id, &stored, patch, log).await?;
        }
        Action::UpdateShipment(stored, patch) => {
            Box::pin(update_shipment(tx, owner, &stored, &patch, log)).await?;
        }
    }
    Ok(Outcome::Updated)
}

async fn plan_order(tx: &mut Tx<'_>, owner: Owner, body: &Value, is_skipped: bool) -> Result<Action> {
    let id = match named_id(body)? {
        Some(id) => Some(id),
        None => only(import_keys::orders(tx, owner, key(body, "reference")?).await?, "reference")?,
    };
    let Some(id) = id else { return Ok(Action::Create(New::Order(Box::new(shape::parse(body.clone())?)))) };
    let order = LockedOrder::lock(tx, owner, id).await.map_err(unknown_id)?;
    if is_skipped {
        return Ok(Action::Nothing(Outcome::Skipped));
    }
    let mut patch = without(body, &["id", "status"]);
    if let Some(Value::Array(given)) = patch.get_mut("lines") {
        let stored = order.before["lines"].as_array().map(Vec::as_slice).unwrap_or_default();
        *given = merge_entries(stored, given, &["external_line_id", "sku"]);
    }
    match changes::<OrderInput>(&order.before, &patch)? {
        true => Ok(Action::UpdateOrder(Box::new(order), patch)),
        false => Ok(Action::Nothing(Outcome::Unchanged)),
    }
}

async fn plan_item(tx: &mut Tx<'_>, owner: Owner, body: &Value, is_skipped: bool) -> Result<Action> {
    let id = match named_id(body)? {
        Some(id) => Some(id),
        None => inventory_items::sku_user(tx, owner, key(body, "sku")?).await?,
    };
    let Some(id) = id else { return Ok(Action::Create(New::Item(Box::new(shape::parse(body.clone())?)))) };
    let stored = inventory_items::get_for_update(tx, owner, id).await?;
    let stored = stored.ok_or_else(|| unknown_id(Code::NotFound.into()))?;
    let patch = without(body, &["id"]);
    Ok(match decide::<InventoryItemInput>(&stored.doc, &patch, is_skipped)? {
        Some(outcome) => Action::Nothing(outcome),
        None => Action::UpdateItem(id, stored, patch),
    })
}

async fn plan_location(tx: &mut Tx<'_>, owner: Owner, body: &Value, is_skipped: bool) -> Result<Action> {
    let id = match named_id(body)? {
        Some(id) => Some(id),
        None => only(import_keys::locations(tx, owner, key(body, "name")?).await?, "name")?,
    };
    let Some(id) = id else {
        return Ok(Action::Create(New::Location(Box::new(shape::parse(body.clone())?))));
    };
    let stored = locations::get_for_update(tx, owner, id).await?;
    let stored = stored.ok_or_else(|| unknown_id(Code::NotFound.into()))?;
    let patch = without(body, &["id"]);
    Ok(match decide::<LocationInput>(&stored.doc, &patch, is_skipped)? {
        Some(outcome) => Action::Nothing(outcome),
        None => Action::UpdateLocation(id, stored, patch),
    })
}

async fn plan_package_type(tx: &mut Tx<'_>, owner: Owner, body: &Value, is_skipped: bool) -> Result<Action> {
    package_types::lock(tx, owner).await?;
    let id = match named_id(body)? {
        Some(id) => Some(id),
        None => package_types::handle_user(tx, owner, key(body, "handle")?).await?,
    };
    let Some(id) = id else {
        return Ok(Action::Create(New::PackageType(Box::new(shape::parse(body.clone())?))));
    };
    let stored = package_types::get_for_update(tx, owner, id).await?;
    let stored = stored.ok_or_else(|| unknown_id(Code::NotFound.into()))?;
    let patch = without(body, &["id"]);
    Ok(match decide::<PackageTypeInput>(&stored.doc, &patch, is_skipped)? {
        Some(outcome) => Action::Nothing(outcome),
        None => Action::UpdatePackageType(id, stored, patch),
    })
}

async fn plan_shipment(tx: &mut Tx<'_>, owner: Owner, body: &Value, is_skipped: bool) -> Result<Action> {
    let id = match named_id(body)? {
        Some(id) => Some(id),
        None => only(import_keys::shipments(tx, owner, key(body, "name")?).await?, "name")?,
    };
    let Some(id) = id else {
        return Ok(Action::Create(New::Shipment(Box::new(shape::parse(body.clone())?))));
    };
    let stored = shipments::get_for_update(tx, owner, id).await?;
    let stored = stored.ok_or_else(|| unknown_id(Code::NotFound.into()))?;
    if is_skipped {
        return Ok(Action::Nothing(Outcome::Skipped));
    }
    let current = serde_json::to_value(read_shipment(&stored)?).map_err(Error::fault)?;
    let mut patch = without(body, &["id"]);
    if let Some(Value::Array(given)) = patch.get_mut("packages") {
        let packages = current["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
        *given = merge_entries(packages, given, &[]);
    }
    match changes::<ShipmentInput>(&current, &patch)? {
        true => Ok(Action::UpdateShipment(Box::new(stored), patch)),
        false => Ok(Action::Nothing(Outcome::Unchanged)),
    }
}

/// Decides about a resource that exists. `None` if it is to be changed.
fn decide<T: Input + Serialize>(doc: &str, patch: &Value, is_skipped: bool) -> Result<Option<Outcome>> {
    if is_skipped {
        return Ok(Some(Outcome::Skipped));
    }
    let is_changed = changes::<T>(&parse_json(doc.as_bytes())?, patch)?;
    Ok((!is_changed).then_some(Outcome::Unchanged))
}

/// Returns whether a patch changes anything of a resource. An equal update makes no version and no event.
fn changes<T: Input + Serialize>(current: &Value, patch: &Value) -> Result<bool> {
    let written = |patch: Value| {
        let input: T = shape::parse_patch(current.clone(), patch)?;
        let mut value = serde_json::to_value(input).map_err(Error::fault)?;
        // The items of an order follow from its lines, if it has any.
        if value["lines"].as_array().is_some_and(|lines| !lines.is_empty()) {
            value["items"] = Value::Null;
        }
        Ok::<_, Error>(value)
    };
    Ok(written(patch.clone())? != written(Value::Object(Map::new()))?)
}

fn without(body: &Value, names: &[&str]) -> Value {
    let mut patch = body.clone();
    if let Value::Object(fields) = &mut patch {
        names.iter().for_each(|name| drop(fields.shift_remove(*name)));
    }
    patch
}

/// Returns the id that a body names.
fn named_id<K: Kind>(body: &Value) -> Result<Option<Id<K>>> {
    match body.get("id").and_then(Value::as_str) {
        None => Ok(None),
        Some(text) => Id::parse(text).map(Some).ok_or_else(|| unknown_id(Code::NotFound.into())),
    }
}

fn unknown_id(error: Error) -> Error {
    match error {
        Error::Refused(problem) if problem.code == Code::NotFound => {
            let issue = Issue::new(Code::NotFound.as_str(), "/id", "There is no such resource.");
            Problem::field(Code::NotFound, issue).into()
        }
        other => other,
    }
}
