//! What one run measures, and how long and how often.

use std::time::Duration;

use clap::ValueEnum;

use crate::harness::load::Turn;

/// The database engine under the product.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// How long and how often to measure.
pub struct Plan {
    pub connections: &'static [usize],
    pub rounds: usize,
    pub turn: Turn,
    /// A turn on PostgreSQL, in whole seconds, as pgbench needs.
    pub postgres_rounds: usize,
    pub postgres_seconds: u64,
    pub starts: usize,
    /// Orders in the larger store.
    pub orders: usize,
    /// Events that are delivered to each endpoint, and how long the lag is measured.
    pub webhook_events: usize,
    pub lag_seconds: usize,
    /// Shipments that are added to a batch and bought at once, that are listed, and that are bought from a slow
    /// carrier.
    pub batch_added: usize,
    pub batch_listed: usize,
    pub batch_bought: usize,
    /// Orders of a small, a usual and a large wave.
    pub wave_orders: [usize; 3],
    /// The only engine to do these two on, if not both.
    pub batch_engine: Option<Engine>,
}

pub const FULL: Plan = Plan {
    connections: &[1, 16, 64, 256],
    rounds: 5,
    turn: Turn { warm: Duration::from_millis(150), time: Duration::from_millis(600) },
    postgres_rounds: 3,
    postgres_seconds: 2,
    starts: 10,
    orders: 1_000_000,
    webhook_events: 2000,
    lag_seconds: 8,
    batch_added: 10_000,
    batch_listed: 110_000,
    batch_bought: 20_000,
    wave_orders: [1000, 10_000, 100_000],
    batch_engine: None,
};
pub const QUICK: Plan = Plan {
    connections: &[1, 64],
    rounds: 3,
    turn: Turn { warm: Duration::from_millis(100), time: Duration::from_millis(350) },
    postgres_rounds: 2,
    postgres_seconds: 1,
    starts: 5,
    orders: 50_000,
    webhook_events: 1000,
    lag_seconds: 4,
    batch_added: 2_000,
    batch_listed: 12_000,
    batch_bought: 2_000,
    wave_orders: [500, 2_000, 5_000],
    batch_engine: None,
};
