//! The benchmark: the product's speed on this machine, as ratios to the least that the same work costs.
//!
//! A figure from another machine or another hour says little. So each rival is measured in the same run, in short
//! turns that alternate with the product's. The product is the real program, `dockside serve`. Rivals and product are
//! processes of their own. This process sends the requests, and costs both sides the same.

mod harness;
mod rivals;
mod sections;

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use harness::context::Bench;
use harness::outcome::Outcome;
use harness::plan::{Engine, FULL, Plan, QUICK};
use harness::poster;
use harness::report::Targets;
use rivals::{bare, broadcast};
use sections::Section;

/// The product's allocator, so that the bare servers have no worse one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the product against the least that the same work costs on this machine.
#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    /// What to measure. Without it, everything.
    sections: Vec<Section>,
    /// A short run: fewer and shorter turns.
    #[arg(long)]
    quick: bool,
    /// Shipments of the large batch in the section `batches`, such as 100000.
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// Buy the large batch, and run waves, on one engine only.
    #[arg(long, value_name = "ENGINE")]
    engine: Option<Engine>,
    /// An earlier build of the program: measure only how this one compares with it.
    #[arg(long, value_name = "PROGRAM")]
    earlier: Option<PathBuf>,
    /// Be a bare server that gives the answer in this file.
    #[arg(long, hide = true, value_name = "FILE", requires = "listen")]
    bare: Option<PathBuf>,
    #[arg(long, hide = true, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Be a bare client that posts the request in this file to the server at that address.
    #[arg(long, hide = true, value_name = "FILE", requires = "listen")]
    post: Option<PathBuf>,
    /// Be a bare broadcaster of websockets.
    #[arg(long, hide = true, requires = "listen")]
    broadcast: bool,
    #[arg(long, hide = true, default_value_t = 1)]
    connections: usize,
    #[arg(long, hide = true, default_value_t = 1)]
    requests: usize,
    /// As a bare server, write the rows of a create to the SQLite store in this file first.
    #[arg(long, hide = true, value_name = "FILE", requires = "token")]
    store: Option<PathBuf>,
    /// The token of the organisation that owns the rows.
    #[arg(long, hide = true, value_name = "TOKEN")]
    token: Option<String>,
    /// Write allocations instead, like the one of this order, for the orders that requests name.
    #[arg(long, hide = true, value_name = "ORDER", requires = "store")]
    allocation_of: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match (&arguments.bare, &arguments.post, arguments.listen) {
        (_, _, Some(listen)) if arguments.broadcast => broadcast::run(listen),
        (_, Some(file), Some(to)) => poster::run(to, file, arguments.connections, arguments.requests),
        (Some(answer), None, Some(listen)) => {
            let store = arguments.store.as_deref().zip(arguments.token.as_deref());
            bare::run(listen, answer, store, arguments.allocation_of.as_deref())
        }
        _ => measure(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error can't be written either, the message is lost.
            let _lost = writeln!(std::io::stderr(), "\nbench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Outcome<()> {
    if cfg!(debug_assertions) {
        return Err("an unoptimised build measures nothing: cargo run --release -p bench".into());
    }
    // One thread sends all requests. More threads would take processor time from the servers that are measured.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let program = built_program()?;
        let home = program.parent().unwrap_or_else(|| Path::new(".")).to_owned();
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(home)?;
        let mut bench = Bench {
            plan: plan(arguments),
            program,
            earlier: arguments.earlier.clone(),
            folder: folder.path().to_owned(),
            targets: Targets::default(),
            began: Instant::now(),
        };
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        // However this ends, dropping the values ends the servers and deletes the folders.
        tokio::select! {
            done = Box::pin(sections::run(&mut bench, &arguments.sections)) => done,
            _ = tokio::signal::ctrl_c() => Err("stopped".into()),
            _ = terminate.recv() => Err("stopped".into()),
        }
    })
}

fn plan(arguments: &Arguments) -> Plan {
    let plan = if arguments.quick { QUICK } else { FULL };
    let batch_bought = arguments.batch.unwrap_or(plan.batch_bought);
    Plan { batch_bought, batch_engine: arguments.engine, ..plan }
}

/// Returns the program under test next to this one. If cargo started the benchmark, the program is built first.
fn built_program() -> Outcome<PathBuf> {
    if let Some(cargo) = std::env::var_os("CARGO") {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
        let mut build = std::process::Command::new(cargo);
        build.args(["build", "--quiet", "--release", "-p", "dockside", "--manifest-path"]).arg(manifest);
        if !build.status()?.success() {
            return Err("the program could not be built".into());
        }
    }
    let program = std::env::current_exe()?.with_file_name("dockside");
    if program.exists() { Ok(program) } else { Err(format!("{} is missing", program.display()).into()) }
}
