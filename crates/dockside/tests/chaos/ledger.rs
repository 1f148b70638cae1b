//! A carrier's ledger, read while it grows: the charges under each reference, and the faults that really happened.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use carriers::sandbox::desk::{Entry, Event, Fault, Faults, Request};
use testkit::carrier_ledger::{LedgerAccount, LedgerAccounts};

/// Faults that happened, by their names.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Struck {
    pub lost_before: usize,
    pub lost_after: usize,
    pub error_before: usize,
    pub error_after: usize,
    pub slow: usize,
    pub doubled: usize,
}

impl Struck {
    pub fn add(&mut self, other: &Struck) {
        self.lost_before += other.lost_before;
        self.lost_after += other.lost_after;
        self.error_before += other.error_before;
        self.error_after += other.error_after;
        self.slow += other.slow;
        self.doubled += other.doubled;
    }

    pub fn all(&self) -> [usize; 6] {
        [self.lost_before, self.lost_after, self.error_before, self.error_after, self.slow, self.doubled]
    }
}

/// A request, and how many entries the carrier wrote for it so far.
struct Visit {
    request: Request,
    status: Option<u16>,
    deeds: usize,
    is_slow: bool,
}

/// A ledger, as far as it was read.
pub struct Ledger {
    /// The mode of a sandbox carrier, or another carrier's handle.
    pub carrier: &'static str,
    pub accounts: LedgerAccounts,
    pub charges: usize,
    file: PathBuf,
    offset: u64,
    /// How likely a slow answer is, and the seed. The ledger shows every other fault, so this one is computed.
    slow: Faults,
    seed: u64,
    /// Entries under each key.
    counts: HashMap<String, usize>,
    visit: Option<Visit>,
    struck: Struck,
}

impl Ledger {
    pub fn new(carrier: &'static str, file: PathBuf, slow: f64, seed: u64) -> Self {
        Self {
            carrier,
            accounts: LedgerAccounts::new(),
            charges: 0,
            file,
            offset: 0,
            slow: Faults::default().with(Fault::Slow, slow),
            seed,
            counts: HashMap::new(),
            visit: None,
            struck: Struck::default(),
        }
    }

    /// Reads the lines that were completed since the last call.
    pub fn follow(&mut self) {
        let mut file = File::open(&self.file).expect("a ledger");
        file.seek(SeekFrom::Start(self.offset)).expect("a file");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("a file that can be read");
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        self.offset += whole as u64;
        for line in bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            self.note(serde_json::from_slice(line).expect("a line of a ledger"));
        }
    }

    /// Counts no slow answers from now on, because the carrier's faults have ended.
    pub fn heal(&mut self) {
        self.slow = Faults::default();
    }

    pub fn account(&self, reference: &str) -> LedgerAccount {
        self.accounts.get(reference).cloned().unwrap_or_default()
    }

    /// The faults so far.
    pub fn struck(&self) -> Struck {
        let mut struck = self.struck.clone();
        if let Some(visit) = &self.visit {
            visit.judge(&mut struck);
        }
        struck
    }

    pub fn note(&mut self, entry: Entry) {
        let key = entry.key().to_owned();
        let earlier = self.counts.entry(key.clone()).or_default();
        match &entry.event {
            // The entries of a visit follow it directly, so the next visit ends it.
            Event::Visited { request, status } => {
                if let Some(visit) = self.visit.take() {
                    visit.judge(&mut self.struck);
                }
                let is_slow = self.slow.strikes(Fault::Slow, self.seed, &key, *earlier);
                self.visit = Some(Visit { request: *request, status: *status, deeds: 0, is_slow });
            }
            event => {
                self.charges += usize::from(matches!(event, Event::Charged { .. }));
                if let Some(visit) = &mut self.visit {
                    visit.deeds += 1;
                }
            }
        }
        *earlier += 1;
        self.accounts.entry(entry.reference).or_default().note(entry.event);
    }
}

impl Visit {
    fn judge(&self, struck: &mut Struck) {
        struck.slow += usize::from(self.is_slow);
        match (self.status, self.deeds) {
            (_, 2..) if self.request == Request::Buy => struck.doubled += 1,
            (None, 0) => struck.lost_before += 1,
            (None, _) => struck.lost_after += 1,
            (Some(500), 0) => struck.error_before += 1,
            (Some(500), _) => struck.error_after += 1,
            _ => {}
        }
    }
}
