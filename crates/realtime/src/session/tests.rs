//! Sessions, driven as a driver would, with a log in memory and every byte compared.

mod flows;
mod odd_input;
mod orders;
mod race;
mod timers;
mod transports;
