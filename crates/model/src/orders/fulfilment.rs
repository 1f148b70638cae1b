//! How far an order is: allocated, shipped, delivered. Computed from quantities alone.

use serde::{Deserialize, Serialize};

use crate::Id;
use crate::platform::id::{Kind as IdKind, ShipmentKind};
use crate::platform::shape::{Field, Kind, Shape};

/// How far an order is.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "snake_case")]
pub enum FulfilmentStatus {
    #[default]
    Unallocated,
    PartiallyAllocated,
    Allocated,
    PartiallyShipped,
    Shipped,
    PartiallyDelivered,
    Delivered,
}

/// The words of all statuses, in their order.
pub const STATUS_WORDS: [&str; 7] = [
    "unallocated",
    "partially_allocated",
    "allocated",
    "partially_shipped",
    "shipped",
    "partially_delivered",
    "delivered",
];

impl FulfilmentStatus {
    const ALL: [FulfilmentStatus; 7] = [
        FulfilmentStatus::Unallocated,
        FulfilmentStatus::PartiallyAllocated,
        FulfilmentStatus::Allocated,
        FulfilmentStatus::PartiallyShipped,
        FulfilmentStatus::Shipped,
        FulfilmentStatus::PartiallyDelivered,
        FulfilmentStatus::Delivered,
    ];

    pub fn as_str(self) -> &'static str {
        STATUS_WORDS[self as usize]
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Returns whether everything has left. An order is then `fulfilled`.
    pub fn is_shipped(self) -> bool {
        use FulfilmentStatus::{Delivered, PartiallyDelivered, Shipped};
        matches!(self, Shipped | PartiallyDelivered | Delivered)
    }
}

/// Pieces of an order: how many it wants, and how far they are.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Quantities {
    pub wanted: i64,
    /// Of open and completed allocations.
    pub allocated: i64,
    /// Of completed allocations.
    pub shipped: i64,
    pub delivered: i64,
}

impl Quantities {
    /// Returns the status of an order with these quantities. Of an order without items, nothing is allocated.
    pub fn status(self) -> FulfilmentStatus {
        let Self { wanted, allocated, shipped, delivered } = self;
        let is_all = |part: i64| wanted > 0 && part >= wanted;
        match () {
            () if is_all(delivered) => FulfilmentStatus::Delivered,
            () if is_all(shipped) && delivered > 0 => FulfilmentStatus::PartiallyDelivered,
            () if is_all(shipped) => FulfilmentStatus::Shipped,
            () if shipped > 0 => FulfilmentStatus::PartiallyShipped,
            () if is_all(allocated) => FulfilmentStatus::Allocated,
            () if allocated > 0 => FulfilmentStatus::PartiallyAllocated,
            () => FulfilmentStatus::Unallocated,
        }
    }
}

/// How far an order is, as it is stored and shown.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
pub struct Fulfilment {
    pub status: FulfilmentStatus,
    pub allocated_quantity: i64,
    pub shipped_quantity: i64,
    pub delivered_quantity: i64,
    pub returned_quantity: i64,
    pub shipment_ids: Vec<Id<ShipmentKind>>,
}

impl Fulfilment {
    /// Returns the fulfilment with other quantities. The shipments and what came back stay as they are.
    #[must_use]
    pub fn with_quantities(&self, quantities: Quantities) -> Self {
        Self {
            status: quantities.status(),
            allocated_quantity: quantities.allocated,
            shipped_quantity: quantities.shipped,
            delivered_quantity: quantities.delivered,
            ..self.clone()
        }
    }
}

/// The most shipments that an order names.
pub const SHIPMENT_IDS_MAX: usize = 100;

/// The status of an order's fulfilment.
pub static FULFILMENT_STATUS: Shape = Shape::new(
    Kind::OneOf(&STATUS_WORDS),
    "How far the order is, counted in pieces: `partially_…` means some of them, the others mean all. `shipped` and later steps mean that the order is `fulfilled`.",
)
.example(r#""partially_allocated""#);
static ALLOCATED: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Pieces in open and completed allocations of the order, all items together.",
)
.example("1");
static SHIPPED: Shape =
    Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "Pieces in completed allocations: they have left.")
        .example("0");
static PIECES: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "A number of pieces of the order, all items together.",
)
.example("0");
pub(crate) static SHIPMENT_ID: Shape =
    Shape::new(Kind::Identifier(ShipmentKind::PREFIX), "A shipment that was made from the order.");
static SHIPMENT_IDS: Shape = Shape::list(
    &SHIPMENT_ID,
    SHIPMENT_IDS_MAX,
    "The first 100 shipments that were made from the order, voided ones as well.",
);

/// How far an order is.
pub static FULFILMENT: Shape = Shape::object(
    "Fulfilment",
    &[
        Field::given("status", &FULFILMENT_STATUS),
        Field::given("allocated_quantity", &ALLOCATED),
        Field::given("shipped_quantity", &SHIPPED),
        Field::given("delivered_quantity", &PIECES)
            .about("Pieces in completed allocations whose shipments the carriers report as delivered."),
        Field::given("returned_quantity", &PIECES)
            .about("Pieces that came back. Always 0 so far: returns are not counted yet."),
        Field::given("shipment_ids", &SHIPMENT_IDS),
    ],
    "How far the order is. The server computes it from the allocations, in the transaction that changes them.",
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn status(wanted: i64, allocated: i64, shipped: i64, delivered: i64) -> &'static str {
        Quantities { wanted, allocated, shipped, delivered }.status().as_str()
    }

    #[test]
    fn a_status_says_how_much_of_the_order_is_how_far() {
        assert_eq!(status(0, 0, 0, 0), "unallocated", "an order without items");
        assert_eq!(status(3, 0, 0, 0), "unallocated");
        assert_eq!(status(3, 1, 0, 0), "partially_allocated");
        assert_eq!(status(3, 3, 0, 0), "allocated");
        assert_eq!(status(3, 1, 1, 0), "partially_shipped");
        assert_eq!(status(3, 3, 2, 1), "partially_shipped", "not all of it has left");
        assert_eq!(status(3, 3, 3, 0), "shipped");
        assert_eq!(status(3, 3, 3, 1), "partially_delivered");
        assert_eq!(status(3, 3, 3, 3), "delivered");
        for word in STATUS_WORDS {
            assert_eq!(FulfilmentStatus::parse(word).map(FulfilmentStatus::as_str), Some(word));
            let json = serde_json::to_value(FulfilmentStatus::parse(word)).unwrap();
            assert_eq!(json, word, "the stored word is the shown one");
        }
    }

    proptest! {
        #[test]
        fn more_of_anything_is_never_a_step_back(
            wanted in 1..20_i64, allocated in 0..20_i64, shipped in 0..20_i64, delivered in 0..20_i64,
        ) {
            let allocated = allocated.min(wanted);
            let shipped = shipped.min(allocated);
            let delivered = delivered.min(shipped);
            let now = Quantities { wanted, allocated, shipped, delivered };
            let mut more = vec![Quantities { delivered: (delivered + 1).min(shipped), ..now }];
            more.push(Quantities { shipped: (shipped + 1).min(allocated), ..now });
            more.push(Quantities { allocated: (allocated + 1).min(wanted), ..now });
            for more in more {
                prop_assert!(more.status() as usize >= now.status() as usize, "{now:?} {more:?}");
            }
            prop_assert_eq!(now.status().is_shipped(), shipped == wanted);
        }
    }
}
