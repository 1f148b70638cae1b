//! The command line as a client of the public API. It has no private power: what it does, a program with the same token could do.
//!
//! The operations come from the contract while the crate is built (`operation.rs`), so a command can't call one that does not exist,
//! and the filters of lists are the parameters of their operations.

mod batches;
mod common;
mod connection;
pub mod event_log;
mod events;
mod export;
mod failure;
mod find;
mod import;
mod list;
mod login;
pub mod operation;
mod orders;
mod print;
mod problem;
mod prompt;
mod reference;
mod save;
mod screen;
mod search;
mod server;
mod session;
mod shipments;
mod stock;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod view;
mod waves;

use std::process::ExitCode;

use clap::Subcommand;
pub use failure::{EXIT_STATUS, Exit, Failure};

/// The commands that call a running server, and those about the program itself.
#[derive(Subcommand)]
pub enum Command {
    /// Sign in at a server: asks for an access token and keeps it for the commands below.
    ///
    /// The token is typed without an echo, or read from the standard input. It is kept in a file that only you may read.
    Login(session::SignIn),
    /// Sign out: deletes the token that `login` kept.
    Logout,
    /// List and show orders, and put them on hold.
    Orders {
        #[command(subcommand)]
        command: orders::Orders,
    },
    /// List items and levels, and change what is on hand.
    Stock {
        #[command(subcommand)]
        command: stock::Stock,
    },
    /// List and show shipments, and save their labels.
    Shipments {
        #[command(subcommand)]
        command: shipments::Shipments,
    },
    /// List, show and purchase batches.
    Batches {
        #[command(subcommand)]
        command: batches::Batches,
    },
    /// List and show waves.
    Waves {
        #[command(subcommand)]
        command: waves::Waves,
    },
    /// Find orders, items, shipments, batches and locations by numbers, names and barcodes.
    Search(search::Search),
    /// Follow what happens.
    Events {
        #[command(subcommand)]
        command: events::Events,
    },
    /// Print documents or labels on a printer.
    Print(print::Print),
    /// Import a file: its rows become orders, items, stock levels, locations, package types or shipments.
    ///
    /// Sends the file to a running server, shows how far it is, and lists the rows that were refused. The same file sent twice
    /// makes nothing twice. It fails if a row was refused. The token needs the scopes imports:write and the one to write the rows,
    /// such as orders:write.
    Import(import::Import),
    /// Export what a list has to a file: orders, shipments, stock and more, as CSV or as lines of JSON.
    ///
    /// Asks a running server for everything that passes the filters, as it is at one moment. A download that is incomplete fails, and
    /// leaves no file. The token needs the scope to read the data, such as orders:read.
    Export(export::Export),
    /// Print a script that completes commands in a shell.
    Completions(reference::Completions),
    /// Write manual pages to a folder.
    Man(reference::Man),
}

/// Runs a command, and returns what the process ends with. `program` is the whole command line, for its completions and pages.
pub async fn run(command: Command, program: clap::Command) -> ExitCode {
    // A problem is shown as the output is asked for.
    let is_json = std::env::args_os().any(|word| word.to_str() == Some("--json"));
    let outcome = match command {
        Command::Login(arguments) => Box::pin(session::login(arguments)).await,
        Command::Logout => session::logout(),
        Command::Orders { command } => Box::pin(orders::run(command)).await,
        Command::Stock { command } => Box::pin(stock::run(command)).await,
        Command::Shipments { command } => Box::pin(shipments::run(command)).await,
        Command::Batches { command } => Box::pin(batches::run(command)).await,
        Command::Waves { command } => Box::pin(waves::run(command)).await,
        Command::Search(arguments) => Box::pin(search::run(arguments)).await,
        Command::Events { command } => Box::pin(events::run(command)).await,
        Command::Print(arguments) => Box::pin(print::run(arguments)).await,
        Command::Import(arguments) => Box::pin(import::run(arguments)).await,
        Command::Export(arguments) => Box::pin(export::run(arguments)).await,
        Command::Completions(arguments) => reference::completions(&arguments, program),
        Command::Man(arguments) => reference::man(&arguments, program),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if failure.is_shown() {
                match failure.problem.as_ref().filter(|_| is_json) {
                    Some(problem) => screen::note(&problem.to_string()),
                    None => screen::note(&format!("dockside: {failure}")),
                }
            }
            failure.exit_code()
        }
    }
}
