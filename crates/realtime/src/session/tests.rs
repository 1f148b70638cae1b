//! Sessions with an in-memory log and a test driver. Every sent byte is compared.

mod control;
mod flows;
mod odd_input;
mod race;
mod timers;
mod transports;
