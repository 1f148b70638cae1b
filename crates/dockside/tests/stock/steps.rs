//! Random sequences of steps. A step names its resource by a number that is mapped to an existing one when it is played, so
//! any part of a failing sequence is a valid sequence and can be tried alone.

use testkit::random::Random;

/// Items and locations of a sequence; the number after the last names one that does not exist.
pub const ITEMS: usize = 3;
pub const LOCATIONS: usize = 3;
const STEPS_MIN: u64 = 5;
const STEPS_MAX: u64 = 12;
/// Small, so that reservations and levels are soon exhausted.
const QUANTITY_USUAL: u64 = 4;
const ON_HAND_USUAL: u64 = 8;

#[derive(Clone, Copy, Debug)]
pub enum Pick {
    /// One that belongs to the order.
    OfOrder(usize),
    /// Any one that ever existed.
    Any(usize),
}

/// An item, and a quantity of it.
pub type Amount = (Pick, i64);
/// Stands for the quantity that the order still wants, if it wants any.
pub const REST: i64 = i64::MIN;

#[derive(Clone, Debug)]
pub struct Entry {
    pub location: usize,
    pub items: Vec<Amount>,
}

#[derive(Clone, Debug)]
pub struct Change {
    pub allocation: Pick,
    pub location: Option<usize>,
    pub quantity: Option<i64>,
    /// Names another item than the allocation's, if there is a quantity.
    pub is_other_item: bool,
    pub completed: Option<bool>,
}

#[derive(Clone, Debug)]
pub enum Action {
    CreateOrder { status: &'static str, items: Vec<Amount> },
    PatchOrder { order: usize, items: Vec<Amount>, status: Option<&'static str> },
    CommitOrder { order: usize },
    CancelOrder { order: usize },
    DeleteOrder { order: usize },
    Allocate { order: usize, entries: Vec<Entry> },
    Change { order: usize, changes: Vec<Change> },
    Release { order: usize },
    SetLevel { item: usize, location: usize, on_hand: i64 },
    Adjust { item: usize, location: usize, delta: i64, expected: Option<i64> },
    DeleteItem { item: usize },
}

#[derive(Clone, Debug)]
pub struct Step {
    pub action: Action,
    /// The request has an idempotency key and is sent twice.
    pub is_repeated: bool,
}

/// The sequence that belongs to a seed.
pub fn sequence(seed: u64) -> Vec<Step> {
    let mut random = Random(seed);
    let count = STEPS_MIN + random.below(STEPS_MAX - STEPS_MIN + 1);
    let mut steps = if chance(&mut random, 5) { fulfilled(&mut random) } else { Vec::new() };
    steps.extend((steps.len() as u64..count).map(|place| step(&mut random, place)));
    steps
}

/// Returns the steps that make a fulfilled order, because random steps seldom do.
fn fulfilled(random: &mut Random) -> Vec<Step> {
    let items = vec![(Pick::Any(number(random, ITEMS as u64)), 1 + random.below(QUANTITY_USUAL) as i64)];
    let entry = Entry { location: number(random, LOCATIONS as u64), items: vec![(Pick::OfOrder(0), REST)] };
    let completed = Change {
        allocation: Pick::OfOrder(0),
        location: None,
        quantity: None,
        is_other_item: false,
        completed: Some(true),
    };
    let actions = [
        Action::CreateOrder { status: "committed", items },
        Action::Allocate { order: 1, entries: vec![entry] },
        Action::Change { order: 1, changes: vec![completed] },
    ];
    actions.into_iter().map(|action| Step { action, is_repeated: chance(random, 8) }).collect()
}

/// Returns a random step. The first ones mostly make an order and an allocation, because other steps need them.
fn step(random: &mut Random, place: u64) -> Step {
    let kind = match (place, random.below(4)) {
        (0, _) => 0,
        (1, 0..3) | (2, 0) => 28,
        (2, 1) => 86,
        _ => random.below(100),
    };
    Step { action: action(random, kind), is_repeated: chance(random, 8) }
}

fn action(random: &mut Random, kind: u64) -> Action {
    let order = number(random, 32);
    match kind {
        0..8 => create_order(random),
        8..15 => patch_order(random, order),
        15..20 => Action::CommitOrder { order },
        20..24 => Action::CancelOrder { order },
        24..27 => Action::DeleteOrder { order },
        27..56 => Action::Allocate { order, entries: some(random, 2, entry) },
        56..82 => Action::Change { order, changes: some(random, 2, change) },
        82..86 => Action::Release { order },
        86..93 => {
            let on_hand = if chance(random, 30) { -1 } else { random.below(ON_HAND_USUAL) as i64 };
            Action::SetLevel { item: item(random), location: location(random), on_hand }
        }
        93..99 => adjust(random),
        _ => Action::DeleteItem { item: item(random) },
    }
}

fn create_order(random: &mut Random) -> Action {
    let status = match random.below(60) {
        0..8 => "draft",
        8 => "fulfilled",
        _ => "committed",
    };
    Action::CreateOrder { status, items: some(random, 2, any_amount) }
}

pub fn patch_order(random: &mut Random, order: usize) -> Action {
    let status = chance(random, 6).then(|| ["draft", "committed", "fulfilled"][number(random, 3)]);
    Action::PatchOrder { order, items: some(random, 2, amount), status }
}

pub fn adjust(random: &mut Random) -> Action {
    let delta = random.below(2 * ON_HAND_USUAL) as i64 - ON_HAND_USUAL as i64;
    let expected = chance(random, 3).then(|| random.below(ON_HAND_USUAL / 2) as i64);
    Action::Adjust { item: item(random), location: location(random), delta, expected }
}

fn entry(random: &mut Random) -> Entry {
    Entry { location: location(random), items: some(random, 2, amount) }
}

pub fn change(random: &mut Random) -> Change {
    let n = number(random, 6);
    let completed = match random.below(8) {
        0..4 => Some(true),
        4 => Some(false),
        _ => None,
    };
    Change {
        allocation: if chance(random, 12) { Pick::Any(n) } else { Pick::OfOrder(n) },
        location: chance(random, 4).then(|| location(random)),
        quantity: chance(random, 3).then(|| quantity(random)),
        is_other_item: chance(random, 8),
        completed,
    }
}

/// Returns a random quantity, mostly of an item of the order.
pub fn amount(random: &mut Random) -> Amount {
    if chance(random, 10) {
        return any_amount(random);
    }
    let quantity = match random.below(3) {
        0 => REST,
        1 => 1,
        _ => quantity(random),
    };
    (Pick::OfOrder(number(random, 3)), quantity)
}

pub fn any_amount(random: &mut Random) -> Amount {
    (Pick::Any(item(random)), quantity(random))
}

pub fn quantity(random: &mut Random) -> i64 {
    match random.below(120) {
        0 => 0,
        1 => 1_000_001,
        _ => 1 + random.below(QUANTITY_USUAL) as i64,
    }
}

fn item(random: &mut Random) -> usize {
    if chance(random, 40) { ITEMS } else { number(random, ITEMS as u64) }
}

fn location(random: &mut Random) -> usize {
    if chance(random, 40) { LOCATIONS } else { number(random, LOCATIONS as u64) }
}

pub fn some<T>(random: &mut Random, most: u64, make: fn(&mut Random) -> T) -> Vec<T> {
    (0..=random.below(most)).map(|_| make(random)).collect()
}

pub fn number(random: &mut Random, bound: u64) -> usize {
    random.below(bound) as usize
}

/// True once in so many times.
pub fn chance(random: &mut Random, times: u64) -> bool {
    random.below(times) == 0
}
