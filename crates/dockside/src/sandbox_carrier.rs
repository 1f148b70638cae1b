//! `dockside sandbox-carrier`: the sandbox as a carrier of its own, in a process that can be killed, with a ledger that
//! outlives it. What it answers is decided by `carriers::sandbox::desk`; here are its socket, its clock and its memory.

mod carrier;
mod ledger;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use carriers::sandbox::Mode;
use carriers::sandbox::desk::{Desk, Fault, Faults};
use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;
use crate::geo::counted;
use crate::settings::ListenAddress;
use carrier::Carrier;
use ledger::Ledger;

#[derive(Args)]
pub struct SandboxCarrier {
    /// Where to listen: an address, or a port alone; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4010")]
    listen: ListenAddress,
    /// The file that has a line for everything the carrier did. It is made where it does not exist.
    #[arg(long, value_name = "FILE", default_value = "sandbox-ledger.jsonl")]
    ledger: PathBuf,
    /// What becomes of a purchase that is repeated under its reference: idempotent (it is made once), look_up (it is made
    /// again, but can be looked up) or neither.
    #[arg(long, value_name = "MODE", default_value = "idempotent", value_parser = mode)]
    mode: Mode,
    /// Milliseconds that every answer takes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    latency_ms: u64,
    /// Milliseconds that a purchase stays invisible to look-ups.
    #[arg(long, value_name = "N", default_value_t = 0)]
    visibility_delay_ms: u64,
    /// Something that goes wrong by chance, such as lost-after=0.1; may be given several times. There are slow, rejected,
    /// rates-unavailable, lost-before, lost-after, error-before, error-after and doubled.
    #[arg(long = "fault", value_name = "NAME=PROBABILITY", value_parser = Faults::parse)]
    faults: Vec<(Fault, f64)>,
    /// Chance begins with this number: the same number and the same requests meet the same faults.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn mode(text: &str) -> Result<Mode, String> {
    let names = Mode::ALL.map(Mode::as_str).join(", ");
    Mode::parse(text).ok_or_else(|| {
        let meant = model::platform::nearest::suggestion(text, Mode::ALL.map(Mode::as_str));
        format!("there is no mode {text:?}; there are {names}.{meant}")
    })
}

impl SandboxCarrier {
    fn desk(&self) -> Desk {
        let faults = self
            .faults
            .iter()
            .fold(Faults::default(), |faults, (fault, probability)| faults.with(*fault, *probability));
        Desk {
            mode: self.mode,
            latency: Duration::from_millis(self.latency_ms),
            visibility_delay: Duration::from_millis(self.visibility_delay_ms),
            faults,
            seed: self.seed,
        }
    }
}

pub async fn run(arguments: SandboxCarrier) -> Result<(), Failure> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let (ledger, opened) = Ledger::open(&arguments.ledger)?;
    let listener = TcpListener::bind(arguments.listen.0)
        .await
        .map_err(|error| Failure(format!("--listen {}: {error}", arguments.listen)))?;
    let mut screen = std::io::stderr();
    if let Some(torn) = opened.torn {
        writeln!(screen, "the ledger's last line was not finished and is dropped: {torn}")?;
    }
    let (address, mode) = (listener.local_addr()?, arguments.mode.as_str());
    let (path, count) = (arguments.ledger.display(), counted(opened.entries.len(), "line"));
    writeln!(screen, "listening on http://{address} ({mode})\nledger       {path} ({count})")?;
    let carrier = Arc::new(Carrier::new(arguments.desk(), ledger, opened.entries));
    // What is under way is cut off, as it would be by a kill: the ledger has all that was done.
    tokio::select! {
        () = carrier::serve(listener, carrier) => Ok(()),
        failure = opened.failed => {
            let why = failure.map_or_else(|_| "its writer ended".to_owned(), |error| error.to_string());
            Err(Failure(format!("the ledger {path} can't be written: {why}")))
        }
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}
