//! The real binary as a process: killed, stopped, starved and misconfigured, as it will be in the field. The
//! suite `it` shows what the product answers; this one shows that it is still there to answer.
//!
//! It needs a PostgreSQL server that it may crash, and the program of a NATS server: `./test process` has both.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that fails should stop there, and the counts of a crash test are worth seeing"
)]

mod client;
mod contents;
mod database;
mod load;
#[path = "../it/nats.rs"]
mod nats;
mod proxy;
mod random;
mod receiver;
mod server;

mod crash_postgres;
mod crash_sqlite;
mod first_start;
mod geo;
mod guide;
mod hints;
mod limits;
mod listen;
mod nodes;
mod sandbox_carrier;
mod settings;
mod stop;
mod tokens;
mod wire;
