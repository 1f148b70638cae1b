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

mod certificates;
mod client;
mod commit_proxy;
mod data_folder;
mod receiver;

mod backups;
mod crash_postgres;
mod crash_sqlite;
mod database_tls;
mod examples;
mod exports;
mod first_start;
mod full_disk;
mod geo;
mod guide;
mod health;
mod hints;
mod http_syntax;
mod limits;
mod listen;
mod logs;
mod mail;
mod nats_tls;
mod nats_users;
mod nodes;
mod promotion;
mod sandbox_carrier;
mod settings;
mod stop;
mod stores;
mod tokens;
mod unread_bodies;
