//! The binary: settings and subcommands. Everything else lives in the other crates.

mod backup;
mod backup_archive;
mod commands;
mod data_folder;
mod descriptors;
mod failure;
mod folder_lock;
mod geo;
mod health;
mod listen;
mod log;
mod postgres_backup;
mod print_agent;
mod restore;
mod sandbox_carrier;
mod secrets;
mod serve;
mod settings;
mod store_swap;
mod toml_error;
mod user;
mod welcome;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use settings::{Settings, StoreSettings};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Self-hosted shipping and fulfilment: stock allocation, rates, labels, batches, events.
#[derive(Parser)]
#[command(name = "dockside", version, arg_required_else_help = true, after_long_help = cli::EXIT_STATUS)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server.
    Serve(Box<Settings>),
    /// Make, list and revoke access tokens.
    Token {
        #[command(subcommand)]
        command: commands::Token,
    },
    /// Invite users, who sign in to the console, and list them.
    User {
        #[command(subcommand)]
        command: user::User,
    },
    /// Import where post codes are, for plans to measure distances with.
    Geo {
        #[command(subcommand)]
        command: geo::Geo,
    },
    #[command(flatten)]
    Client(cli::Command),
    /// Forward events to a receiver on your machine, while you develop it.
    ///
    /// Follows the log of a running server through its API, and posts each event to the address, signed as the server
    /// signs webhooks: the headers, the body and the signature are those that an endpoint would get. In order, one at a
    /// time; what fails is shown and not retried.
    Listen(listen::Listen),
    /// Start a carrier to rehearse with: it costs nothing, keeps a ledger, and goes wrong as it is told.
    ///
    /// Carrier accounts of `sandbox` whose configuration has its address as `url` buy from it. The words that pick what goes
    /// wrong with a shipment are in the guide (sandbox.md).
    SandboxCarrier(sandbox_carrier::SandboxCarrier),
    /// Print in a network that the server does not reach.
    ///
    /// Claims the jobs of printers whose connection is `agent` through the API of a running server, sends them to the printers
    /// itself, and reports what came of them. It needs no open port: start it in the warehouse.
    PrintAgent(print_agent::PrintAgent),
    /// Say something to every client that follows events live, on the channel system:announcements.
    Announce {
        /// What to say.
        message: String,
        #[command(flatten)]
        settings: Box<StoreSettings<true>>,
    },
    /// Back up a store into one file: its database, its files and its keys, while its server runs.
    ///
    /// The file is a tar archive. It is read again and verified before it gets its name. With PostgreSQL, the commands that make a
    /// backup are printed.
    Backup(backup::Backup),
    /// Restore the store of a backup into a folder that has none.
    ///
    /// Everything is unpacked and verified before anything is replaced, and a restore that is interrupted leaves the old store
    /// or the new one. No server may use the folder. With PostgreSQL, the commands that restore a backup are printed.
    Restore(restore::Restore),
    /// After a backup was restored: tell every client that follows events live to load anew what it shows.
    RenewEpoch(Box<StoreSettings<true>>),
    /// After a backup was restored: look everything up at the carriers that may have been bought since it was made.
    ///
    /// Servers find that out by themselves, as a rule. Run it before they are started where the whole machine was put back,
    /// or where a dump was loaded into the database that was there.
    Restored(Box<StoreSettings<true>>),
    /// Bring the database's schema up to date, and stop.
    Migrate(Box<StoreSettings<false>>),
    /// Ask a running server whether it can serve requests; fails if it can't.
    Health(health::Health),
    /// Print the API's contract (OpenAPI 3.1).
    Openapi,
}

/// Tasks that a worker thread polls before it looks for events of sockets and timers, if more tasks are ready. With tokio's 61, an
/// organisation that keeps all threads busy delays another's requests by up to 61 steps before the server knows of them.
const EVENT_INTERVAL: u32 = 4;

fn main() -> ExitCode {
    data_folder::restrict_new_files();
    let arguments = Arguments::parse();
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let runtime = match threads.enable_all().event_interval(EVENT_INTERVAL).build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&Failure(error.to_string())),
    };
    let outcome = runtime.block_on(async {
        match arguments.command {
            Command::Client(command) => return Ok(Box::pin(cli::run(command, Arguments::command())).await),
            Command::Serve(settings) => Box::pin(serve::run(*settings)).await,
            Command::Token { command } => Box::pin(commands::token(command)).await,
            Command::User { command } => Box::pin(user::run(command)).await,
            Command::Geo { command } => Box::pin(geo::run(command)).await,
            Command::Listen(arguments) => Box::pin(listen::run(arguments)).await,
            Command::SandboxCarrier(arguments) => Box::pin(sandbox_carrier::run(arguments)).await,
            Command::PrintAgent(arguments) => Box::pin(print_agent::run(arguments)).await,
            Command::Announce { message, settings } => {
                Box::pin(commands::announce(&message, *settings)).await
            }
            Command::Backup(arguments) => backup::run(arguments),
            Command::Restore(arguments) => restore::run(arguments),
            Command::RenewEpoch(settings) => Box::pin(commands::renew_epoch(*settings)).await,
            Command::Restored(settings) => Box::pin(commands::restored(*settings)).await,
            Command::Migrate(settings) => Box::pin(commands::migrate(*settings)).await,
            Command::Health(arguments) => Box::pin(health::run(arguments)).await,
            Command::Openapi => commands::openapi(),
        }
        .map(|()| ExitCode::SUCCESS)
    });
    outcome.unwrap_or_else(|failure| fail(&failure))
}

fn fail(failure: &Failure) -> ExitCode {
    // Nowhere is left to complain to.
    let _lost = writeln!(std::io::stderr(), "dockside: {}", failure.0);
    ExitCode::FAILURE
}
