//! Scan to pack: what a packer scanned, what it meant, and how far a shipment is packed.

mod contents;
mod printing;
mod result;
mod shapes;
mod short;

use serde::{Deserialize, Serialize};

use crate::access::access_token::User;
use crate::platform::id::Kind as IdKind;
use crate::shipping::shipment::{Shipment, Status};
use crate::{Id, InventoryItem, PrintJob, Problem, Timestamp};

pub use contents::{PackedPart, PackedUnits, PackingProgress};
pub use printing::{Printing, next_printing};
pub use result::ScanResult;
pub use shapes::{SCAN, SCAN_ANSWER, SCAN_CLIENT_ID, SCAN_INPUT};
pub use short::{Repacked, SHORT, SHORT_INPUT, Short, ShortInput, ShortItem, take_out};

/// Maximum number of scans that a shipment keeps.
pub const SCANS_MAX: usize = 10_000;

/// The body of a request that scans a code.
#[derive(Deserialize, Clone, Debug)]
pub struct ScanInput {
    /// Made by the client, unique in the shipment.
    pub scan_id: String,
    pub code: String,
    /// The number of the package, from 1 on.
    pub package: Option<u32>,
    #[serde(default = "one")]
    pub quantity: i64,
    #[serde(default)]
    pub then: Vec<NextStep>,
}

fn one() -> i64 {
    1
}

/// What follows when a scan makes its shipment complete.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    Purchase,
    Print,
}

/// A scan, as it is stored. The API also shows the packages in which its units are counted.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Scan {
    pub id: Id<Scan>,
    pub scan_id: String,
    pub shipment_id: Id<Shipment>,
    pub code: String,
    pub package: Option<u32>,
    pub quantity: i64,
    pub then: Vec<NextStep>,
    pub result: ScanResult,
    pub item_id: Option<Id<InventoryItem>>,
    /// `None` if the scan did not complete its shipment, or asked for no purchase.
    pub purchase: Option<PurchaseStep>,
    /// `None` if the scan did not complete its shipment, or asked for no print.
    pub print: Option<PrintStep>,
    pub user_id: Id<User>,
    pub created_at: Timestamp,
}

impl IdKind for Scan {
    const PREFIX: &'static str = "scan";
}

impl Scan {
    /// Returns whether a request is the one that this scan was made by.
    pub fn is_of(&self, input: &ScanInput) -> bool {
        (&self.code, self.package, self.quantity, &self.then)
            == (&input.code, input.package, input.quantity, &input.then)
    }

    /// Begins the steps that follow when the scan made its shipment complete.
    pub fn begin_steps(&mut self) {
        if self.then.contains(&NextStep::Purchase) {
            self.purchase = Some(PurchaseStep { status: PurchaseStatus::Pending, problem: None });
        }
        if self.then.contains(&NextStep::Print) {
            let status = PrintStatus::Waiting;
            self.print = Some(PrintStep { status, print_job_id: None, problem: None });
        }
    }

    /// Returns whether the purchase was asked for and not tried yet.
    pub fn is_purchase_pending(&self) -> bool {
        self.purchase.as_ref().is_some_and(|step| step.status == PurchaseStatus::Pending)
    }

    /// Returns whether a label is to be printed once there is one.
    pub fn is_print_waiting(&self) -> bool {
        self.print.as_ref().is_some_and(|step| step.status == PrintStatus::Waiting)
    }

    /// Shows how the purchase went on that was under way when the scan was stored.
    pub fn follow(&mut self, shipment: &Shipment) {
        if self.purchase.as_ref().is_some_and(|step| step.status == PurchaseStatus::Purchasing) {
            self.purchase = Some(PurchaseStep::of(shipment));
        }
    }
}

/// What became of the purchase that a scan asked for.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct PurchaseStep {
    pub status: PurchaseStatus,
    pub problem: Option<StepProblem>,
}

/// How far the purchase is that a scan asked for.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum PurchaseStatus {
    /// Not tried yet: the server stopped after it had counted the scan. Repeating the request tries it.
    Pending,
    Purchasing,
    Purchased,
    Failed,
}

impl PurchaseStep {
    /// Returns the step of a purchase that was refused.
    pub fn refused(problem: &Problem) -> Self {
        Self { status: PurchaseStatus::Failed, problem: Some(StepProblem::of(problem)) }
    }

    /// Returns the step of a purchase that was begun, as its shipment shows it.
    pub fn of(shipment: &Shipment) -> Self {
        let status = match shipment.status {
            Status::Purchasing => PurchaseStatus::Purchasing,
            Status::Purchased | Status::Voided => PurchaseStatus::Purchased,
            Status::Draft | Status::Rated | Status::PurchaseFailed => PurchaseStatus::Failed,
        };
        let error = shipment.errors.last().filter(|_| status == PurchaseStatus::Failed);
        let problem = error.map(|error| StepProblem {
            code: error.code.as_str().to_owned(),
            message: error.message.clone(),
        });
        Self { status, problem }
    }
}

/// What became of the label that a scan asked to print.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct PrintStep {
    pub status: PrintStatus,
    pub print_job_id: Option<Id<PrintJob>>,
    pub problem: Option<StepProblem>,
}

/// Whether the label that a scan asked for is printed.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum PrintStatus {
    /// There is no label yet.
    Waiting,
    /// A print job has the label.
    Queued,
    Failed,
}

impl PrintStep {
    pub fn queued(job: Id<PrintJob>) -> Self {
        Self { status: PrintStatus::Queued, print_job_id: Some(job), problem: None }
    }

    pub fn failed(problem: &Problem) -> Self {
        let problem = Some(StepProblem::of(problem));
        Self { status: PrintStatus::Failed, print_job_id: None, problem }
    }
}

/// Why a step that a scan asked for failed.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct StepProblem {
    /// The code of a problem, or of an error of the shipment.
    pub code: String,
    pub message: String,
}

impl StepProblem {
    fn of(problem: &Problem) -> Self {
        let message = problem.detail.clone().unwrap_or_else(|| problem.code.title().to_owned());
        Self { code: problem.code.as_str().to_owned(), message }
    }
}

/// A scan as the API shows it.
#[derive(Serialize)]
pub struct ScanView<'a> {
    #[serde(flatten)]
    pub scan: &'a Scan,
    /// The packages in which its units are counted.
    pub parts: &'a [PackedPart],
}

/// The answer to a scan: the scan, and how far its shipment is packed now.
#[derive(Serialize)]
pub struct ScanAnswer<'a> {
    #[serde(flatten)]
    pub scan: ScanView<'a>,
    pub shipment_status: Status,
    pub packed_at: Option<Timestamp>,
    #[serde(flatten)]
    pub progress: PackingProgress,
}

#[cfg(test)]
mod tests;
