//! A sandbox carrier in its own process, which a test can kill and restart at the same address with the same ledger.

use std::net::TcpListener;
use std::path::PathBuf;

use carriers::sandbox::Mode;
use tempfile::TempDir;

use crate::carrier_ledger::{self, LedgerAccounts};
use crate::random::Random;
use crate::server::{Server, Starting, program};

const LEDGER: &str = "ledger.jsonl";
/// Ports that the kernel does not assign to other connections while the carrier does not run.
const PORT_FIRST: u64 = 20_000;
const PORTS: u64 = 10_000;

pub struct SandboxCarrier {
    pub mode: Mode,
    pub address: String,
    home: TempDir,
    faults: Vec<String>,
    server: Option<Server>,
}

impl SandboxCarrier {
    /// Starts a carrier with these random faults.
    pub fn start(mode: Mode, faults: &[&str], random: &mut Random) -> Self {
        Self::start_with(mode, faults, &["--seed", &random.below(1 << 32).to_string()], random)
    }

    /// The same, with other arguments too, the seed among them.
    pub fn start_with(mode: Mode, faults: &[&str], more: &[&str], random: &mut Random) -> Self {
        let mut arguments: Vec<_> = more.iter().map(|word| (*word).to_owned()).collect();
        for fault in faults {
            arguments.extend(["--fault".to_owned(), (*fault).to_owned()]);
        }
        let home = tempfile::tempdir().unwrap();
        let address = format!("127.0.0.1:{}", free_port(random));
        let mut carrier = Self { mode, home, address, faults: arguments, server: None };
        carrier.begin();
        carrier
    }

    fn begin(&mut self) {
        let usual =
            ["sandbox-carrier", "--listen", &self.address, "--ledger", LEDGER, "--mode", self.mode.as_str()];
        let faults = self.faults.iter().map(String::as_str);
        let arguments: Vec<_> = usual.into_iter().chain(faults).collect();
        let folder = self.home.path();
        self.server = Some(Starting::command(folder, program(folder, &arguments)).ready());
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn ledger(&self) -> PathBuf {
        self.home.path().join(LEDGER)
    }

    /// Returns the accounts in its ledger as it is now.
    pub fn accounts(&self) -> LedgerAccounts {
        carrier_ledger::read(&self.ledger())
    }

    /// Kills it as `kill -9` does, and starts it again on its ledger.
    pub fn kill(&mut self) {
        self.server.take().expect("a carrier that runs").kill();
        self.begin();
    }

    /// Kills it, and starts it again without faults.
    pub fn heal(&mut self) {
        self.faults.clear();
        self.kill();
    }
}

fn free_port(random: &mut Random) -> u64 {
    loop {
        let port = PORT_FIRST + random.below(PORTS);
        if TcpListener::bind(format!("127.0.0.1:{port}")).is_ok() {
            return port;
        }
    }
}
