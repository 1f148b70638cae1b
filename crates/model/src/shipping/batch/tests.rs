//! The rules of batches, as tables of cases.

use super::*;

const UNDER_WAY: Facts = Facts { is_under_way: true, has_unbought: true };
const SOME_LEFT: Facts = Facts { is_under_way: false, has_unbought: true };
const NONE_LEFT: Facts = Facts { is_under_way: false, has_unbought: false };

fn counts(shipments: i64, purchased: i64) -> Counts {
    Counts { shipments, purchased, ..Counts::default() }
}

#[test]
fn a_status_is_written_and_read_as_one_word() {
    for status in Status::ALL {
        assert_eq!(Status::parse(status.as_str()), Some(status));
        assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
    }
    assert_eq!(Status::parse("finalised"), None);
}

#[test]
fn a_batch_changes_until_it_is_bought_and_not_while_it_is() {
    for status in [Status::Open, Status::PartiallyPurchased, Status::PurchaseFailed] {
        assert_eq!(status.ensure_changeable(), Ok(()));
    }
    assert_eq!(Status::Purchasing.ensure_changeable(), Err(Code::BatchPurchasing));
    assert_eq!(Status::Purchased.ensure_changeable(), Err(Code::BatchFinalised));
}

#[test]
fn what_a_batch_becomes_follows_from_what_was_bought() {
    use Status::{Open, PartiallyPurchased, PurchaseFailed, Purchased, Purchasing};
    let table = [
        (Open, counts(2, 2), NONE_LEFT, Open),
        (Open, counts(2, 1), SOME_LEFT, Open),
        (Purchasing, counts(3, 2), UNDER_WAY, Purchasing),
        (Purchasing, counts(3, 3), Facts { is_under_way: true, ..NONE_LEFT }, Purchasing),
        (Purchasing, counts(3, 3), NONE_LEFT, Purchased),
        // One shipment was purchased and voided meanwhile.
        (Purchasing, counts(3, 2), NONE_LEFT, Purchased),
        (Purchasing, counts(3, 2), SOME_LEFT, PartiallyPurchased),
        (Purchasing, counts(3, 0), SOME_LEFT, PurchaseFailed),
        (PartiallyPurchased, counts(2, 2), NONE_LEFT, Purchased),
        (PartiallyPurchased, counts(2, 1), SOME_LEFT, PartiallyPurchased),
        // Its purchased shipments were voided.
        (PartiallyPurchased, counts(2, 0), SOME_LEFT, PartiallyPurchased),
        (PurchaseFailed, counts(2, 0), SOME_LEFT, PurchaseFailed),
        (PurchaseFailed, counts(0, 0), NONE_LEFT, PurchaseFailed),
        (PurchaseFailed, counts(2, 1), SOME_LEFT, PartiallyPurchased),
        (PurchaseFailed, counts(1, 1), NONE_LEFT, Purchased),
        (Purchased, counts(2, 1), NONE_LEFT, Purchased),
        (Purchased, counts(2, 0), NONE_LEFT, Purchased),
    ];
    for (before, counts, facts, after) in table {
        assert_eq!(before.after(counts, facts), after, "{before:?} {counts:?} {facts:?}");
    }
}

#[test]
fn each_end_of_a_purchase_has_its_event() {
    let table = [
        (Status::Open, Status::Open, "batch.updated"),
        (Status::Open, Status::Purchasing, "batch.purchase_started"),
        (Status::Purchasing, Status::Purchasing, "batch.updated"),
        (Status::Purchasing, Status::Purchased, "batch.purchased"),
        (Status::Purchasing, Status::PartiallyPurchased, "batch.purchase_failed"),
        (Status::Purchasing, Status::PurchaseFailed, "batch.purchase_failed"),
        (Status::PartiallyPurchased, Status::Purchased, "batch.purchased"),
        (Status::PurchaseFailed, Status::PartiallyPurchased, "batch.updated"),
        (Status::PurchaseFailed, Status::PurchaseFailed, "batch.updated"),
    ];
    for (before, after, event) in table {
        assert_eq!(after.event(before), event, "{before:?} to {after:?}");
        assert!(crate::events::event::is_known(event));
    }
}

#[test]
fn counts_add_up_and_take_off() {
    let one = Counts { shipments: 1, purchased: 1, errors: 2, packages: 3, labels_pending: 1 };
    let mut sum = one + one;
    assert_eq!(sum, Counts { shipments: 2, purchased: 2, errors: 4, packages: 6, labels_pending: 2 });
    assert_eq!(sum - one, one);
    sum += one - one;
    assert_eq!(sum - one - one, Counts::default());
}

#[test]
fn a_part_is_named_by_its_id_its_handle_or_both() {
    let named = |id: Option<&str>, handle: Option<&str>| {
        let name = PartName { id: id.map(str::to_owned), handle: handle.map(str::to_owned) };
        name.is("car_1", Some("sandbox"))
    };
    assert!(
        named(Some("car_1"), None) && named(None, Some("sandbox")) && named(Some("car_1"), Some("sandbox"))
    );
    assert!(!named(Some("car_2"), None) && !named(None, Some("own")));
    assert!(!named(Some("car_1"), Some("own")) && !named(Some("car_2"), Some("sandbox")));
}
