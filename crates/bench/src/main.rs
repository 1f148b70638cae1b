//! The benchmark: the product's speed on this machine, as ratios to the least that the same work costs.
//!
//! A figure from another machine or another hour says little. So each rival is measured in the same run, in short
//! turns that alternate with the product's. The product is the real program, `dockside serve`. Rivals and product are
//! processes of their own. This process sends the requests, and costs both sides the same.

mod allocations;
mod bare;
mod batch_rows;
mod batch_shop;
mod batches;
mod broadcast;
mod compare;
mod creates;
mod drawing;
mod growth;
#[cfg(feature = "krilla")]
mod krilla_pages;
mod listeners;
mod load;
mod memory;
mod orders;
mod poster;
mod postgres;
mod process;
mod reads;
mod realtime;
mod report;
mod shipments;
mod sink;
mod webhooks;

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use load::Turn;
use report::Targets;

/// The product's allocator, so that the bare servers have no worse one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The result of a measurement. The error is a sentence for a person.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

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
    /// Buy the large batch on one engine only.
    #[arg(long, value_name = "ENGINE")]
    engine: Option<Engine>,
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

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Sqlite,
    Postgres,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Section {
    Get,
    List,
    CreateSqlite,
    CreatePostgres,
    AllocateSqlite,
    AllocatePostgres,
    Shipments,
    Batches,
    Growth,
    Webhooks,
    Realtime,
    Labels,
    Memory,
}

/// How long and how often to measure.
struct Plan {
    connections: &'static [usize],
    rounds: usize,
    turn: Turn,
    /// A turn on PostgreSQL, in whole seconds, as pgbench needs.
    postgres_rounds: usize,
    postgres_seconds: u64,
    starts: usize,
    /// Orders in the larger store.
    orders: usize,
    /// Events that are delivered to each endpoint, and how long the lag is measured.
    webhook_events: usize,
    lag_seconds: usize,
    /// Shipments that are added to a batch and bought at once, that are listed, and that are bought from a slow
    /// carrier.
    batch_added: usize,
    batch_listed: usize,
    batch_bought: usize,
    /// The only engine to do that on, if not both.
    batch_engine: Option<Engine>,
}

const FULL: Plan = Plan {
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
    batch_engine: None,
};
const QUICK: Plan = Plan {
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
    batch_engine: None,
};

/// The context of all sections.
struct Bench {
    plan: Plan,
    /// The program under test.
    program: PathBuf,
    /// A folder on a real disk, which is deleted at the end. If syncs were free, measurements of writes would be
    /// worthless.
    folder: PathBuf,
    targets: Targets,
    began: Instant,
}

impl Bench {
    /// Shows on the terminal what is being measured.
    fn progress(&self, doing: &str) {
        let seconds = self.began.elapsed().as_secs();
        let mut out = std::io::stderr();
        let line = if out.is_terminal() { format!("\r\x1b[K{seconds:>3} s  {doing}") } else { String::new() };
        let _nobody_watches = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }

    /// Prints a finished table over the progress line.
    fn print(&self, text: &str) -> Outcome<()> {
        let mut out = std::io::stdout();
        if std::io::stderr().is_terminal() {
            std::io::stderr().write_all(b"\r\x1b[K")?;
        }
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    async fn run(&mut self, sections: &[Section]) -> Outcome<()> {
        let is_wanted = |section| sections.is_empty() || sections.contains(&section);
        self.print(&report::heading(&self.plan))?;
        if is_wanted(Section::Get) || is_wanted(Section::List) {
            reads::measure(self, is_wanted(Section::Get), is_wanted(Section::List)).await?;
        }
        if is_wanted(Section::CreateSqlite) {
            creates::sqlite(self).await?;
        }
        if is_wanted(Section::CreatePostgres) {
            creates::postgres(self).await?;
        }
        if is_wanted(Section::AllocateSqlite) {
            allocations::sqlite(self).await?;
        }
        if is_wanted(Section::AllocatePostgres) {
            allocations::postgres(self).await?;
        }
        if is_wanted(Section::Shipments) {
            shipments::measure(self).await?;
        }
        if is_wanted(Section::Batches) {
            batches::measure(self).await?;
        }
        if is_wanted(Section::Growth) {
            growth::measure(self).await?;
        }
        if is_wanted(Section::Webhooks) {
            webhooks::measure(self).await?;
        }
        if is_wanted(Section::Realtime) {
            realtime::measure(self).await?;
        }
        if is_wanted(Section::Labels) {
            drawing::measure(self)?;
        }
        if is_wanted(Section::Memory) {
            memory::measure(self).await?;
        }
        self.print(&self.targets.table())?;
        self.print(&format!("\n{} s in all\n", self.began.elapsed().as_secs()))
    }
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
            folder: folder.path().to_owned(),
            targets: Targets::default(),
            began: Instant::now(),
        };
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        // However this ends, dropping the values ends the servers and deletes the folders.
        tokio::select! {
            done = Box::pin(bench.run(&arguments.sections)) => done,
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
