//! The shapes of a request to pack an order, and of its answer.

use crate::orders::allocation::ALLOCATIONS_MAX;
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::shape::{Field, Kind, Shape};
use crate::shipping::shipment::package::{GEOMETRY, PACKAGE_ITEM, PACKAGE_TYPE_ID};
use crate::stock::inventory_item::{
    ALLOCATION_ID, ALLOCATION_REFERENCE, ITEM_ID, ITEM_REFERENCE, PLACE_REFERENCE,
};

static ALLOCATION_IDS: Shape = Shape::some(
    &ALLOCATION_ID,
    ALLOCATIONS_MAX,
    "The open allocations of the order to pack. Null: all that are open.",
);
/// The body of a request that packs an order.
pub static PACKING_INPUT: Shape = Shape::object(
    "PackingInput",
    &[Field::optional("allocation_ids", &ALLOCATION_IDS)],
    "Which allocations to pack. An empty body packs all that are open.",
);

static COORDINATE: Shape = Shape::new(
    Kind::Number { min: 0.0, max: 600.0 },
    "Centimetres from the corner of the package in which the first unit lies.",
)
.example("10");
static POSITION: Shape = Shape::object(
    "PackedPosition",
    &[
        Field::given("x", &COORDINATE).about("Centimetres along the inner length of the package."),
        Field::given("y", &COORDINATE).about("Centimetres along the inner width of the package."),
        Field::given("z", &COORDINATE).about("Centimetres above the bottom of the package."),
    ],
    "The corner of the unit that is nearest to the corner of the package. Null if the item has no dimensions.",
);
static LENGTH: Shape =
    Shape::new(Kind::Number { min: 0.1, max: 600.0 }, "Centimetres along one axis of the package.")
        .example("10");
static TURNED: Shape = Shape::object(
    "PackedDimensions",
    &[
        Field::given("length", &LENGTH)
            .about("The extent of the unit along the inner length of the package."),
        Field::given("width", &LENGTH).about("The extent of the unit along the inner width of the package."),
        Field::given("height", &LENGTH).about("The extent of the unit upwards."),
    ],
    "The sides of the unit as it lies in the package, in centimetres: they say how it is turned. Null if the item has no dimensions.",
);
static UNIT: Shape = Shape::object(
    "PackedUnit",
    &[
        Field::given("item", &ITEM_REFERENCE)
            .about("What the piece is, by its `inv_…`. Several pieces of one product are several units."),
        Field::given_or_null("position", &POSITION),
        Field::given_or_null("dimensions", &TURNED),
    ],
    "One piece in the package, and where it lies.",
);
static UNITS: Shape = Shape::list(
    &UNIT,
    10_000,
    "Every piece in the package, from the bottom to the top, those without dimensions last.",
);
static PACKAGE_NAME: Shape =
    Shape::text(1, 255, "What your packers call this box or envelope.").example(r#""Small box""#);
static CONTENTS: Shape = Shape::list(&PACKAGE_ITEM, 1000, "What is inside, summed by inventory item.");
static SENDABLE: Shape = Shape::object(
    "SendablePackage",
    &[
        Field::given_or_null("name", &PACKAGE_NAME),
        Field::given("geometry", &GEOMETRY).about(
            "The outer dimensions of the package type, and the mass of the contents and the empty package.",
        ),
        Field::given("items", &CONTENTS),
        Field::given("package_type_id", &PACKAGE_TYPE_ID)
            .about("Which box or envelope to take from the shelf."),
    ],
    "What to send: put it into the `packages` of a new shipment as it is.",
);
static FILL: Shape = Shape::new(
    Kind::Number { min: 0.0, max: 1.0 },
    "The part of the inner volume that units with known dimensions take, from 0 to 1.",
)
.example("0.75");
static SENTENCE: Shape =
    Shape::text(1, 1000, "A sentence for a person.").example(r#""No package type is smaller.""#);
static REASONS: Shape = Shape::list(
    &SENTENCE,
    100,
    "Why this box or envelope was chosen and no other, in sentences for a person.",
);
static PROPOSED: Shape = Shape::object(
    "ProposedPackage",
    &[
        Field::given("package", &SENDABLE),
        Field::given("units", &UNITS),
        Field::given("fill_ratio", &FILL),
        Field::given("reasons", &REASONS),
    ],
    "One package with its contents, and where each unit lies in it.",
);
static PROPOSED_LIST: Shape =
    Shape::list(&PROPOSED, 10_000, "The packages, the fullest first, those of units that ship alone last.");
static REASON: Shape = Shape::new(
    Kind::OneOf(&["too_small", "too_heavy", "not_upright", "more_packages", "dearer", "larger", "later"]),
    "Why the package type is not used; `message` says it in a sentence.",
)
.example(r#""larger""#);
static UNUSED: Shape = Shape::object(
    "UnusedPackageType",
    &[
        Field::given("package_type_id", &PACKAGE_TYPE_ID)
            .about("A package type that is active and available at the location."),
        Field::given("reason", &REASON),
        Field::given_or_null("item_id", &ITEM_ID)
            .about("An inventory item that it can't hold. Null if that is not the reason."),
        Field::given("message", &SENTENCE).about("The reason as a sentence for a person."),
    ],
    "A package type that is usable at the location and is not used.",
);
static UNUSED_LIST: Shape = Shape::list(
    &UNUSED,
    200,
    "Boxes and envelopes that this place has and that were rejected, each with the reason.",
);
static UNSIZED: Shape = Shape::list(
    &ITEM_REFERENCE,
    1000,
    "Inventory items without dimensions. They count by their mass alone, and may need a larger package.",
);
static PACKED_ALLOCATIONS: Shape =
    Shape::list(&ALLOCATION_REFERENCE, 10_000, "The open allocations whose units are packed here.");
static COST: Shape = Shape::object(
    "PackingCost",
    &[Field::given("amount", &AMOUNT), Field::given("currency_code", &CURRENCY)],
    "What the packages cost together. Null if costs were not compared: a package type that can hold a unit has none, or they are in several currencies.",
);
static LIMIT: Shape = Shape::new(
    Kind::OneOf(&["mass", "steps", "units"]),
    "`mass`: the largest masses demand more packages than the volume does. `steps`: the search ended before the packing was proven to be the best. `units`: there are too many units for a proof.",
)
.example(r#""steps""#);
static LIMITS: Shape =
    Shape::list(&LIMIT, 3, "What kept the packing from being better, or from being proven to be the best.");
static IS_EXACT: Shape =
    Shape::new(Kind::Boolean, "True if no better packing exists: all others were compared or excluded. False if the search ended before that was proven.").example("true");
static STEPS: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "How often the search compared two cuboids. The search is limited in steps, so equal requests get equal answers.",
)
.example("120");
static SEARCH: Shape = Shape::object(
    "PackingSearch",
    &[
        Field::given("is_exact", &IS_EXACT),
        Field::given("steps", &STEPS),
        Field::given("note", &SENTENCE)
            .about("What was proven, and why the search ended, as a sentence for a person."),
    ],
    "How far the search went. The best packing has the fewest packages, then the lowest cost, then the smallest volume.",
);
static LOCATION_PACKING: Shape = Shape::object(
    "LocationPacking",
    &[
        Field::given("location", &PLACE_REFERENCE).about("The place that sends these packages, by its id."),
        Field::given("allocations", &PACKED_ALLOCATIONS),
        Field::given("packages", &PROPOSED_LIST),
        Field::given("unused_package_types", &UNUSED_LIST),
        Field::given("items_without_dimensions", &UNSIZED),
        Field::given_or_null("cost", &COST),
        Field::given("limits", &LIMITS),
        Field::given("search", &SEARCH),
    ],
    "The packages for what one location sends.",
);
static LOCATION_PACKINGS: Shape =
    Shape::list(&LOCATION_PACKING, 10_000, "An entry for each location that sends something of the order.");
/// The answer to a request that packs an order.
pub static ORDER_PACKING: Shape = Shape::object(
    "OrderPacking",
    &[Field::given("data", &LOCATION_PACKINGS)],
    "Proposed packages for an order. Nothing is stored.",
);
