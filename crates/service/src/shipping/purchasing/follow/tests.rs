use model::shipping::purchase::State;
use model::shipping::shipment::{ErrorCode, ErrorType, Source};
use model::{Id, Owner, World};

use super::*;

fn purchase(failures: i64, is_follow_up: bool) -> Purchase {
    let now = Timestamp::from_micros(0);
    Purchase {
        owner: Owner { organisation: Id::from_bits(1), world: World::Test },
        id: Id::from_bits(2),
        shipment: Id::from_bits(3),
        account: Id::from_bits(4),
        service: "standard".to_owned(),
        reference: "shp_3".to_owned(),
        state: State::Bought,
        fence: 2,
        sent_fence: 1,
        sent_at: None,
        due_at: None,
        failures,
        unknown_at: None,
        prepared: None,
        receipt: None,
        is_labelled: false,
        is_follow_up,
        earlier: None,
        crashes: 0,
        note: None,
        error: None,
        batch: None,
        label_format: None,
        ship_on: None,
        created_at: now,
        updated_at: now,
    }
}

fn error() -> ShipmentError {
    ShipmentError::new(ErrorType::Label, ErrorCode::ProviderUnavailable, Source::Service, "It failed.")
}

fn pending(error: Option<ShipmentError>) -> Labelled {
    Labelled::Reported { files: Vec::new(), is_label_pending: true, error }
}

fn given_up() -> Labelled {
    Labelled::Reported { files: Vec::new(), is_label_pending: false, error: Some(error()) }
}

/// The decision after so many failures, and whether an attempt follows.
fn decide(papers: Papers, failures: i64, is_follow_up: bool) -> (Labelled, bool) {
    let mut purchase = purchase(failures, is_follow_up);
    let labelled = labelled(&mut purchase, papers, None, Timestamp::from_micros(0));
    assert_eq!(purchase.is_labelled, purchase.due_at.is_none());
    (labelled, purchase.due_at.is_some())
}

#[test]
fn a_label_that_can_t_be_stored_keeps_the_shipment_purchasing_and_is_never_given_up() {
    assert_eq!(decide(Papers::Unstored(error()), 0, false), (Labelled::Unreported(Some(error())), true));
    for failures in [1, LABEL_FAILURES_MAX, 10 * LABEL_FAILURES_MAX] {
        let decided = decide(Papers::Unstored(error()), failures, false);
        assert_eq!(decided, (Labelled::Unreported(None), true));
    }
}

#[test]
fn a_label_that_can_t_be_drawn_is_given_up_so_that_its_batch_ends() {
    let last = LABEL_FAILURES_MAX - 1;
    assert_eq!(decide(Papers::Undrawn(error()), 0, false), (Labelled::Unreported(Some(error())), true));
    assert_eq!(decide(Papers::Undrawn(error()), last - 1, false), (Labelled::Unreported(None), true));
    assert_eq!(decide(Papers::Undrawn(error()), last, false), (given_up(), false));
}

#[test]
fn a_label_that_the_carrier_delivers_later_is_pending_until_it_is_there() {
    assert_eq!(decide(Papers::Later(Vec::new()), 0, false), (pending(None), true));
    assert_eq!(decide(Papers::Unfetched(Vec::new(), error()), 0, false), (pending(Some(error())), true));
    assert_eq!(decide(Papers::Unfetched(Vec::new(), error()), 1, true), (pending(None), true));
    assert_eq!(
        decide(Papers::Unfetched(Vec::new(), error()), LABEL_FAILURES_MAX - 1, true),
        (given_up(), false)
    );
    // The file store failed for long before: that says nothing of the carrier.
    let decided = decide(Papers::Unfetched(Vec::new(), error()), 50, false);
    assert_eq!(decided, (pending(Some(error())), true));
    // A late label that is there and can't be stored is still pending.
    assert_eq!(decide(Papers::Unstored(error()), 50, true), (pending(None), true));
    let ready = Labelled::Reported { files: Vec::new(), is_label_pending: false, error: None };
    assert_eq!(decide(Papers::Ready(Vec::new()), 5, true), (ready, false));
}
