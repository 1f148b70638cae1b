//! The log: which lines are written, how they look, and the thread that writes them (decision 32).
//!
//! The library crates only use the macros of `tracing`. This module installs the subscriber behind them: a filter, a layer that
//! makes one line of each event, and a queue of lines.

mod fields;
mod filter;
mod format;
mod lines;
mod queue;
#[cfg(test)]
mod tests;

use std::panic::PanicHookInfo;
use std::sync::{Arc, OnceLock};

use tracing::error;
use tracing_subscriber::layer::SubscriberExt;

pub use self::filter::{DEFAULT, Filter};
pub use self::format::{Format, name_node};
use self::lines::Lines;
use self::queue::Queue;
use crate::failure::Failure;

static QUEUE: OnceLock<Arc<Queue>> = OnceLock::new();

/// Starts the log. Events before it are not logged. With `None` no line is ever logged, and events cost next to nothing.
pub fn start(format: Option<Format>, filter: Filter) -> Result<(), Failure> {
    let Some(format) = format else { return Ok(()) };
    let queue = Queue::start(std::io::stderr(), format)?;
    let lines = Lines::new(format, Arc::clone(&queue));
    let subscriber = tracing_subscriber::registry().with(filter).with(lines);
    let _already_started = tracing::subscriber::set_global_default(subscriber);
    let _already_started = QUEUE.set(queue);
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Logs where the program panicked, inside the span of the request or entity. The message of a panic is left out: it may quote
/// the text that the program worked on.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("unnamed");
    let location = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
    error!(thread = name, location, "panicked");
    // The process may be about to end. The writing thread itself can't wait for what it writes.
    if name != queue::THREAD {
        flush();
    }
}

/// Waits until every line so far is written: for the end of the process, which ends the writing thread, too.
pub fn flush() {
    if let Some(queue) = QUEUE.get() {
        queue.flush();
    }
}
