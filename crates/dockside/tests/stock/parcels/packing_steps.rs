//! Random steps of a warehouse: waves, scans and short picks.

use testkit::random::Random;

use super::wave::{WaveStep, WaveTerms};
use crate::steps::{chance, number, some};

/// How many of the units that are missing.
#[derive(Clone, Copy, Debug)]
pub enum Share {
    One,
    All,
    TooMany,
}

/// Under which name a scan is made.
#[derive(Clone, Copy, Debug)]
pub enum ScanName {
    New,
    /// An earlier scan is made again.
    Again(usize),
    /// Another scan has the name, or had it.
    Taken(usize),
}

#[derive(Clone, Debug)]
pub struct ScanWish {
    pub shipment: usize,
    pub item: usize,
    /// Scans an item that the shipment may not have, or none.
    pub is_other: bool,
    pub package: Option<usize>,
    pub share: Share,
    pub name: ScanName,
    pub is_buying: bool,
}

#[derive(Clone, Debug)]
pub enum PackingAction {
    Scan(ScanWish),
    /// Scans all that is missing.
    ScanAll {
        shipment: usize,
        is_buying: bool,
    },
    UndoScan {
        shipment: usize,
        scan: usize,
    },
    Short {
        shipment: usize,
        item: usize,
        is_other: bool,
        share: Share,
        is_adjusting: bool,
    },
    StartWave {
        orders: Vec<usize>,
        /// Takes the orders with this item instead.
        item: Option<usize>,
        terms: WaveTerms,
        /// The wave waits for a later step.
        is_waiting: bool,
    },
    WorkWaves,
    CancelWave {
        wave: usize,
    },
    RetryWave {
        wave: usize,
        is_waiting: bool,
    },
}

/// The number of kinds that `packing_action` knows.
pub const KINDS: u64 = 40;

pub fn packing_action(random: &mut Random, kind: u64) -> PackingAction {
    let (shipment, wave) = (number(random, 32), number(random, 32));
    match kind {
        0..10 => start_wave(random),
        10..12 => PackingAction::WorkWaves,
        12..14 => PackingAction::CancelWave { wave },
        14..18 => PackingAction::RetryWave { wave, is_waiting: chance(random, 4) },
        18..26 => scan(random, shipment),
        26..31 => PackingAction::ScanAll { shipment, is_buying: !chance(random, 3) },
        31..34 => PackingAction::UndoScan { shipment, scan: number(random, 6) },
        _ => {
            let (item, is_other, is_adjusting) = (number(random, 3), chance(random, 8), chance(random, 2));
            PackingAction::Short { shipment, item, is_other, share: share(random), is_adjusting }
        }
    }
}

pub fn start_wave(random: &mut Random) -> PackingAction {
    use WaveStep::{Batch, Plan, Purchase, Rate, Ship};
    let steps: &[WaveStep] = match random.below(16) {
        0 => &[Plan],
        1 => &[Ship],
        2 => &[Plan, Ship],
        3 => &[Ship, Batch],
        4 => &[Plan, Ship, Rate],
        5 => &[Ship, Rate, Batch, Purchase],
        6 => &[Plan, Ship, Batch, Purchase],
        7..9 => &[Plan, Ship, Batch],
        9..11 => &[Plan, Ship, Rate, Batch],
        _ => &[Plan, Ship, Rate, Batch, Purchase],
    };
    let places = if chance(random, 6) { vec![number(random, 2)] } else { Vec::new() };
    let (is_partial, is_by_place) = (chance(random, 3), !chance(random, 3));
    PackingAction::StartWave {
        orders: some(random, 5, |random| number(random, 32)),
        item: chance(random, 4).then(|| number(random, 3)),
        terms: WaveTerms { steps: steps.to_vec(), places, is_partial, is_by_place },
        is_waiting: chance(random, 4),
    }
}

fn scan(random: &mut Random, shipment: usize) -> PackingAction {
    let name = match random.below(8) {
        0 => ScanName::Again(number(random, 6)),
        1 => ScanName::Taken(number(random, 6)),
        _ => ScanName::New,
    };
    PackingAction::Scan(ScanWish {
        shipment,
        item: number(random, 8),
        is_other: chance(random, 6),
        package: chance(random, 3).then(|| number(random, 16)),
        share: share(random),
        name,
        is_buying: chance(random, 3),
    })
}

fn share(random: &mut Random) -> Share {
    match random.below(8) {
        0 => Share::TooMany,
        1..5 => Share::One,
        _ => Share::All,
    }
}
