//! Random sequences of steps about orders and their parcels. As in the sequences of stock, a step names a resource by a number
//! that is mapped to an existing one when it is played.

use testkit::random::Random;

use super::packing_steps::{KINDS, PackingAction, packing_action, start_wave};
use super::shipment::{Destination, LOCATION_BARE};
use crate::steps::{
    Action, Amount, Change, Entry, ITEMS, Pick, REST, any_amount, chance, change, number, patch_order,
    quantity, some,
};

const STEPS_MIN: u64 = 8;
const STEPS_MAX: u64 = 24;
const ON_HAND_USUAL: u64 = 8;

#[derive(Clone, Debug)]
pub enum ParcelAction {
    Stock(Action),
    CreateOrder {
        status: &'static str,
        items: Vec<Amount>,
        destination: Option<Destination>,
    },
    Plan {
        order: usize,
    },
    Hold {
        order: usize,
    },
    EndHold {
        order: usize,
    },
    Resolve {
        order: usize,
        exception: usize,
    },
    Redirect {
        order: usize,
        destination: Option<Destination>,
    },
    Ship {
        order: usize,
        what: What,
    },
    DeleteShipment {
        shipment: usize,
    },
    Buy {
        shipment: usize,
        is_other_service: bool,
    },
    BuyBatch {
        shipments: Vec<usize>,
    },
    /// Buys a batch that exists, such as one of a wave.
    BuyKnownBatch {
        batch: usize,
    },
    Void {
        shipment: usize,
    },
    HandOver {
        shipment: usize,
    },
    Manifest {
        location: usize,
    },
    /// Counts the stock of units that are in a shipment, or of any.
    Count {
        allocation: usize,
        on_hand: i64,
    },
    Work {
        hours: i64,
    },
    Packing(PackingAction),
}

/// What a request ships of an order, and how it is packed.
#[derive(Clone, Debug)]
pub enum What {
    /// All that is free, in boxes of the product's choice.
    All,
    /// Some allocations, in boxes of the product's choice.
    Some(Vec<Pick>),
    /// The allocations at the place of one of them, in packages that may hold less.
    Given { at: usize, packages: Vec<Vec<(usize, i64)>>, is_single: bool, is_clamped: bool },
}

#[derive(Clone, Debug)]
pub struct ParcelStep {
    pub action: ParcelAction,
    /// The request has an idempotency key and is sent twice.
    pub is_repeated: bool,
}

/// The sequence that belongs to a seed.
pub fn sequence(seed: u64) -> Vec<ParcelStep> {
    let mut random = Random(seed);
    let mut actions = Vec::new();
    if !chance(&mut random, 8) {
        shipped_order(&mut random, &mut actions);
    }
    let count = STEPS_MIN + random.below(STEPS_MAX - STEPS_MIN + 1);
    for _ in 0..count {
        let kind = random.below(102 + KINDS);
        actions.push(action(&mut random, kind));
    }
    actions.into_iter().map(|action| ParcelStep { action, is_repeated: chance(&mut random, 12) }).collect()
}

/// Adds the steps that mostly make an order, its stock and its shipment, because other steps need them.
fn shipped_order(random: &mut Random, actions: &mut Vec<ParcelAction>) {
    for item in 0..ITEMS {
        if !chance(random, 4) {
            let on_hand = 2 + random.below(ON_HAND_USUAL) as i64;
            let location = usual_location(random);
            actions.push(ParcelAction::Stock(Action::SetLevel { item, location, on_hand }));
        }
    }
    actions.push(create_order(random));
    if chance(random, 3) {
        actions.push(ParcelAction::Packing(start_wave(random)));
    }
    actions.push(if chance(random, 2) { ParcelAction::Plan { order: 1 } } else { allocate(random, 1) });
    actions.push(ship(random, 1));
    if chance(random, 2) {
        actions.push(ParcelAction::Buy { shipment: 1, is_other_service: false });
    }
}

fn action(random: &mut Random, kind: u64) -> ParcelAction {
    let order = number(random, 32);
    let shipment = number(random, 32);
    match kind {
        0..4 => create_order(random),
        4..8 => allocate(random, order),
        8..12 => ParcelAction::Count { allocation: number(random, 32), on_hand: random.below(4) as i64 },
        12..18 => ParcelAction::Plan { order },
        18..32 => ship(random, order),
        32..46 => ParcelAction::Buy { shipment, is_other_service: chance(random, 8) },
        46..51 => ParcelAction::BuyBatch { shipments: some(random, 3, |random| number(random, 32)) },
        51..63 => ParcelAction::Work { hours: 0 },
        63..66 => ParcelAction::Work { hours: 3 },
        66 => ParcelAction::Work { hours: 31 },
        67..74 => ParcelAction::Void { shipment },
        74..77 => ParcelAction::DeleteShipment { shipment },
        77..80 => ParcelAction::HandOver { shipment },
        80 => ParcelAction::Manifest { location: usual_location(random) },
        81..84 => redirect(random, order),
        84 => ParcelAction::Hold { order },
        85..87 => ParcelAction::EndHold { order },
        87 => ParcelAction::Resolve { order, exception: number(random, 3) },
        88..100 => ParcelAction::Stock(stock_action(random, kind, order)),
        100..102 => ParcelAction::BuyKnownBatch { batch: number(random, 32) },
        _ => ParcelAction::Packing(packing_action(random, kind - 102)),
    }
}

/// Returns a step that the sequences of stock have too.
fn stock_action(random: &mut Random, kind: u64, order: usize) -> Action {
    match kind {
        88..92 => Action::Change { order, changes: some(random, 2, parcel_change) },
        92 => Action::Release { order },
        93 => Action::CancelOrder { order },
        94 => Action::DeleteOrder { order },
        95 => Action::CommitOrder { order },
        96 => patch_order(random, order),
        97 => {
            let delta = random.below(ON_HAND_USUAL) as i64 - ON_HAND_USUAL as i64 / 2;
            let (item, location) = (number(random, ITEMS as u64), usual_location(random));
            Action::Adjust { item, location, delta, expected: None }
        }
        _ => {
            let (item, location) = (number(random, ITEMS as u64), usual_location(random));
            Action::SetLevel { item, location, on_hand: random.below(ON_HAND_USUAL) as i64 }
        }
    }
}

fn create_order(random: &mut Random) -> ParcelAction {
    let status = if chance(random, 10) { "draft" } else { "committed" };
    let destination = (!chance(random, 24)).then(|| destination(random));
    ParcelAction::CreateOrder { status, items: some(random, 2, any_amount), destination }
}

fn allocate(random: &mut Random, order: usize) -> ParcelAction {
    let entry = |random: &mut Random| {
        let quantity = if chance(random, 2) { REST } else { quantity(random) };
        Entry { location: usual_location(random), items: vec![(Pick::OfOrder(number(random, 3)), quantity)] }
    };
    ParcelAction::Stock(Action::Allocate { order, entries: some(random, 3, entry) })
}

fn ship(random: &mut Random, order: usize) -> ParcelAction {
    let pick = |random: &mut Random| {
        let n = number(random, 6);
        if chance(random, 10) { Pick::Any(n) } else { Pick::OfOrder(n) }
    };
    let items =
        |random: &mut Random| some(random, 2, |random| (number(random, 3), 1 + random.below(3) as i64));
    let what = match random.below(8) {
        0..3 => What::All,
        3 => What::Some(some(random, 2, pick)),
        _ => What::Given {
            at: number(random, 6),
            packages: some(random, 3, items),
            is_single: chance(random, 3),
            is_clamped: !chance(random, 10),
        },
    };
    ParcelAction::Ship { order, what }
}

fn redirect(random: &mut Random, order: usize) -> ParcelAction {
    let destination = (!chance(random, 10)).then(|| destination(random));
    ParcelAction::Redirect { order, destination }
}

/// Returns a change that mostly leaves the place as it is.
fn parcel_change(random: &mut Random) -> Change {
    let change = change(random);
    Change { location: change.location.filter(|location| *location != LOCATION_BARE), ..change }
}

fn destination(random: &mut Random) -> Destination {
    match random.below(12) {
        place @ 0..5 => Destination::ALL[place as usize],
        _ => Destination::Usual,
    }
}

/// A location that mostly has a configuration.
fn usual_location(random: &mut Random) -> usize {
    if chance(random, 25) { LOCATION_BARE } else { number(random, LOCATION_BARE as u64) }
}
