//! What becomes of an order after it was created: holds, notes, exceptions, fulfilment.

use serde::{Deserialize, Serialize};

use crate::orders::fulfilment::{Fulfilment, Quantities};
use crate::orders::hold::{Hold, UNKNOWN_SKU};
use crate::orders::order_exception::OrderException;
use crate::orders::order_line::OrderLine;
use crate::orders::order_note::OrderNote;
use crate::orders::order_status::Status;
use crate::platform::shape::{Kind, Shape};

/// What the server sets, and endpoints of its own change: POST and PATCH of an order ignore it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
#[serde(default)]
pub struct OrderProgress {
    /// The status that a draft gets once each of its lines has an item.
    pub status_when_matched: Option<Status>,
    pub hold: Option<Hold>,
    pub notes: Vec<OrderNote>,
    pub exceptions: Vec<OrderException>,
    pub fulfilment: Fulfilment,
}

/// What became of an order because its lines changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settled {
    pub is_held: bool,
    pub is_released: bool,
    pub is_committed: bool,
}

impl OrderProgress {
    /// Ends the hold of an order that is cancelled, and takes its allocations away.
    pub fn cancel(&mut self) {
        self.hold = None;
        self.status_when_matched = None;
        self.fulfilment = self.fulfilment.with_quantities(Quantities::default());
    }

    /// Puts a draft with unmatched lines on hold. Once all lines are matched, ends that hold, and commits the order if it
    /// was asked for as committed. A hold with another reason stays in both cases.
    pub fn settle(&mut self, status: &mut Status, lines: &[OrderLine]) -> Settled {
        let mut settled = Settled::default();
        if lines.iter().any(OrderLine::is_unmatched) {
            if self.hold.is_none() {
                self.hold = Some(Hold::unknown_sku());
                settled.is_held = true;
            }
            self.status_when_matched.get_or_insert(*status);
            *status = Status::Draft;
            return settled;
        }
        let wanted = self.status_when_matched.take();
        if self.hold.as_ref().is_some_and(|hold| hold.reason == UNKNOWN_SKU) && wanted.is_some() {
            self.hold = None;
            settled.is_released = true;
        }
        if wanted == Some(Status::Committed) && *status == Status::Draft {
            *status = Status::Committed;
            settled.is_committed = true;
        }
        settled
    }
}

pub(crate) static MATCHED_STATUS: Shape = Shape::new(
    Kind::OneOf(&["draft", "committed"]),
    "The status that the order gets once each of its lines has an item: the one that it was asked for. Null if no line waits for an item.",
)
.example(r#""committed""#);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[test]
    fn an_order_waits_for_its_lines_and_then_has_the_status_it_was_asked_for() {
        let line = |item: Option<u128>| OrderLine {
            id: None,
            item_id: item.map(Id::from_bits),
            sku: Some("X".to_owned()),
            name: None,
            quantity: 1,
            unit_price: None,
            external_line_id: None,
            is_shippable: true,
        };
        for asked in [Status::Draft, Status::Committed] {
            let (mut progress, mut status) = (OrderProgress::default(), asked);
            let held = Settled { is_held: true, ..Settled::default() };
            assert_eq!(progress.settle(&mut status, &[line(None), line(Some(1))]), held);
            assert_eq!((status, progress.status_when_matched), (Status::Draft, Some(asked)));
            assert_eq!(progress.settle(&mut status, &[line(None)]), Settled::default(), "still waiting");
            let settled = progress.settle(&mut status, &[line(Some(1))]);
            let is_committed = asked == Status::Committed;
            assert_eq!(settled, Settled { is_held: false, is_released: true, is_committed });
            assert_eq!((status, &progress), (asked, &OrderProgress::default()));
        }
        let hold = Some(Hold { reason: "fraud".to_owned(), until: None });
        let mut progress = OrderProgress { hold, ..OrderProgress::default() };
        let mut status = Status::Committed;
        assert_eq!(progress.settle(&mut status, &[line(None)]), Settled::default());
        let settled = progress.settle(&mut status, &[line(Some(1))]);
        assert_eq!(settled, Settled { is_committed: true, ..Settled::default() });
        assert_eq!(progress.hold.map(|hold| hold.reason).as_deref(), Some("fraud"), "another's hold stays");
    }
}
