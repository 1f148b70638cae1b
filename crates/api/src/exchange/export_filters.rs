//! The filters of exports: those of the matching lists.

use model::exchange::export::ExportType;
use model::places::location::LOCATION_ID;
use model::platform::shape::MOMENT;
use model::stock::inventory_item::ITEM_ID;
use model::{Result, Timestamp};
use service::exchange::exports::Export;
use service::{ChangeFilter, LevelFilter};

use crate::access::call::Call;
use crate::events::events;
use crate::orders::order_filters;
use crate::places::locations;
use crate::platform::parameter::{Parameter, ParameterKind};
use crate::platform::query;
use crate::shipping::{manifests, shipment_filters};
use crate::stock::inventory_items;

const BY_ITEM: Parameter = Parameter {
    name: "item_id",
    about: "Only those of this inventory item, named by its `inv_…`.",
    kind: ParameterKind::One(&ITEM_ID),
};
const BY_LOCATION: Parameter = Parameter {
    name: "location_id",
    about: "Only levels at this place, named by its `loc_…`.",
    kind: ParameterKind::One(&LOCATION_ID),
};
const OF_LEVEL: Parameter = Parameter {
    name: "location_id",
    about: "Only changes of the item's level at this place, named by its `loc_…`. Needs `item_id`.",
    kind: ParameterKind::One(&LOCATION_ID),
};
const CREATED_AFTER: Parameter = Parameter {
    name: "created_after",
    about: "Only changes that were made later than this moment.",
    kind: ParameterKind::One(&MOMENT),
};
const CREATED_BEFORE: Parameter = Parameter {
    name: "created_before",
    about: "Only changes that were made earlier than this moment.",
    kind: ParameterKind::One(&MOMENT),
};

/// Returns the filters that an export of this type takes.
pub fn parameters(r#type: ExportType) -> &'static [Parameter] {
    match r#type {
        ExportType::Orders | ExportType::OrderLines => order_filters::FILTERS,
        ExportType::Shipments => shipment_filters::FILTERS,
        ExportType::InventoryItems => inventory_items::ITEM_FILTERS,
        ExportType::InventoryLevels => const { &[BY_ITEM, BY_LOCATION] },
        ExportType::LevelHistory => const { &[BY_ITEM, OF_LEVEL, CREATED_AFTER, CREATED_BEFORE] },
        ExportType::Locations => const { &[locations::TAGS] },
        ExportType::PackageTypes => &[],
        ExportType::Manifests => manifests::FILTERS,
        ExportType::Events => events::FILTERS,
    }
}

/// Reads what a request exports.
pub fn export(call: &Call, r#type: ExportType) -> Result<Export> {
    Ok(match r#type {
        ExportType::Orders => Export::Orders(order_filters::filter(call)?),
        ExportType::OrderLines => Export::OrderLines(order_filters::filter(call)?),
        ExportType::Shipments => {
            let (filter, account) = shipment_filters::filter(call)?;
            Export::Shipments(filter, account)
        }
        ExportType::InventoryItems => Export::InventoryItems(inventory_items::item_filter(call)?.0),
        ExportType::InventoryLevels => Export::InventoryLevels(LevelFilter {
            item: call.query_id(BY_ITEM.name)?,
            location: call.query_id(BY_LOCATION.name)?,
        }),
        ExportType::LevelHistory => Export::LevelHistory(change_filter(call)?),
        ExportType::Locations => Export::Locations(call.query.many(locations::TAGS.name)),
        ExportType::PackageTypes => Export::PackageTypes,
        ExportType::Manifests => {
            let (status, location) = manifests::filter(call)?;
            Export::Manifests(status, location)
        }
        ExportType::Events => Export::Events(events::filter(call)),
    })
}

fn change_filter(call: &Call) -> Result<ChangeFilter> {
    let moment = |name: &str| call.query.one(name).and_then(Timestamp::parse);
    let filter = ChangeFilter {
        item: call.query_id(BY_ITEM.name)?,
        location: call.query_id(OF_LEVEL.name)?,
        after: moment(CREATED_AFTER.name),
        before: moment(CREATED_BEFORE.name),
    };
    if filter.location.is_some() && filter.item.is_none() {
        let message = "Needs `item_id` beside it: a level is an item at a location.";
        return Err(query::refuse(OF_LEVEL.name, message).into());
    }
    if let (Some(after), Some(before)) = (filter.after, filter.before)
        && after >= before
    {
        let message = "Must be earlier than `created_before`: no change is made in between.";
        return Err(query::refuse(CREATED_AFTER.name, message).into());
    }
    Ok(filter)
}
