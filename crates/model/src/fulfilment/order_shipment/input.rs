//! The body of a request that makes shipments from an order, and the answer.

use serde::Deserialize;

use crate::Id;
use crate::orders::allocation::ALLOCATIONS_MAX;
use crate::places::address::LINE;
use crate::platform::id::{AllocationKind, PackageTypeKind};
use crate::platform::shape::{Field, Input, Shape};
use crate::shipping::shipment::package::{
    GEOMETRY, Geometry, PACKAGE_ITEM, PACKAGE_ITEMS_MAX, PACKAGE_TYPE_ID, PACKAGES_MAX, PREDEFINED,
    PackageItem,
};
use crate::shipping::shipment::{CARRIER_CHOICE, CarrierChoice};
use crate::stock::inventory_item::ALLOCATION_ID;

/// The body of a request that makes shipments from an order.
#[derive(Deserialize, Clone, Debug, Default)]
pub struct OrderShipmentsInput {
    /// The allocations to ship. `None` for all that are open and in no shipment.
    pub allocation_ids: Option<Vec<Id<AllocationKind>>>,
    /// The packages and what they hold. `None` to have them packed.
    pub packages: Option<Vec<GivenPackage>>,
    /// The carriers and services to use. `None` to let the shipping rules decide.
    pub carrier: Option<CarrierChoice>,
}

/// A package whose contents a request gives.
#[derive(Deserialize, Clone, Debug)]
pub struct GivenPackage {
    pub name: Option<String>,
    pub geometry: Option<Geometry>,
    pub predefined_package_code: Option<String>,
    pub items: Vec<PackageItem>,
    pub package_type_id: Option<Id<PackageTypeKind>>,
}

impl Input for OrderShipmentsInput {
    const SHAPE: &'static Shape = &ORDER_SHIPMENTS_INPUT;
}

static ALLOCATION_IDS: Shape = Shape::some(
    &ALLOCATION_ID,
    ALLOCATIONS_MAX,
    "The allocations of the order to ship. Null: all that are open and in no shipment.",
);
static ITEMS: Shape = Shape::some(
    &PACKAGE_ITEM,
    PACKAGE_ITEMS_MAX,
    "The units of the order that are in the package. All packages together hold at most what is allocated.",
);
static GIVEN_PACKAGE: Shape = Shape::object(
    "PackageToShip",
    &[
        Field::optional("name", &LINE).about("Your own word for the package. No carrier sees it."),
        Field::optional("geometry", &GEOMETRY)
            .about("Size and mass. What is absent is computed: the size from the package type, the mass from items and package type."),
        Field::optional("predefined_package_code", &PREDEFINED),
        Field::required("items", &ITEMS),
        Field::optional("package_type_id", &PACKAGE_TYPE_ID)
            .about("The box that is used. Its outer dimensions and its mass count unless `geometry` has others."),
    ],
    "One package of a shipment, and the units of the order in it.",
);
static GIVEN_PACKAGES: Shape = Shape::some(
    &GIVEN_PACKAGE,
    PACKAGES_MAX,
    "The packages, all from one location. What they do not hold stays allocated: an allocation of which they hold a part is split. Null: the units are packed as `POST /allocations/orders/{order_id}/pack` proposes.",
);
/// The body of a request that makes shipments from an order.
pub static ORDER_SHIPMENTS_INPUT: Shape = Shape::object(
    "OrderShipmentsInput",
    &[
        Field::optional("allocation_ids", &ALLOCATION_IDS),
        Field::optional("packages", &GIVEN_PACKAGES),
        Field::optional("carrier", &CARRIER_CHOICE)
            .about("The carrier, service and accounts to use. Null: the shipping rules decide, and a hold of theirs counts."),
    ],
    "What to ship of the order, and how. An empty body ships all that is allocated.",
);
