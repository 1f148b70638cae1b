//! What the reference model knows of waves: how they are asked for, their orders, and their batches.

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WaveStep {
    Plan,
    Ship,
    Rate,
    Batch,
    Purchase,
}

impl WaveStep {
    pub fn name(self) -> &'static str {
        match self {
            WaveStep::Plan => "plan",
            WaveStep::Ship => "ship",
            WaveStep::Rate => "rate",
            WaveStep::Batch => "batch",
            WaveStep::Purchase => "purchase",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveStatus {
    Queued,
    Running,
    Cancelling,
    Cancelled,
    Completed,
}

impl WaveStatus {
    pub fn name(self) -> &'static str {
        match self {
            WaveStatus::Queued => "queued",
            WaveStatus::Running => "running",
            WaveStatus::Cancelling => "cancelling",
            WaveStatus::Cancelled => "cancelled",
            WaveStatus::Completed => "completed",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowResult {
    Pending,
    Done,
    Exception,
    Cancelled,
}

impl RowResult {
    pub fn name(self) -> &'static str {
        match self {
            RowResult::Pending => "pending",
            RowResult::Done => "done",
            RowResult::Exception => "exception",
            RowResult::Cancelled => "cancelled",
        }
    }
}

/// How the orders of a wave are processed.
#[derive(Clone, Debug)]
pub struct WaveTerms {
    pub steps: Vec<WaveStep>,
    /// The places to plan and ship from. Empty: all.
    pub places: Vec<usize>,
    pub is_partial: bool,
    /// The shipments of a batch leave from one place.
    pub is_by_place: bool,
}

impl WaveTerms {
    pub fn has(&self, step: WaveStep) -> bool {
        self.steps.contains(&step)
    }
}

/// Which orders a wave takes.
#[derive(Clone, Debug)]
pub enum WaveOrders {
    Named(Vec<usize>),
    /// Those with this item that are committed and not held.
    Filtered {
        item: usize,
    },
}

/// A wave as it is asked for.
#[derive(Clone, Debug)]
pub struct WaveRequest {
    pub orders: WaveOrders,
    pub terms: WaveTerms,
}

/// An order of a wave.
#[derive(Clone, Debug)]
pub struct WaveRow {
    pub order: usize,
    pub result: RowResult,
    /// The last step that was done for it.
    pub step: Option<WaveStep>,
    pub code: Option<&'static str>,
    pub shipments: Vec<usize>,
}

/// A batch of a wave, and what its shipments have in common.
#[derive(Clone, Copy, Debug)]
pub struct WaveBatch {
    pub batch: usize,
    pub place: Option<usize>,
    /// The wave has had it bought.
    pub is_begun: bool,
}

#[derive(Clone, Debug)]
pub struct Wave {
    pub terms: WaveTerms,
    pub status: WaveStatus,
    /// In the order of their turns.
    pub rows: Vec<WaveRow>,
    pub batches: Vec<WaveBatch>,
}

impl Wave {
    pub fn count(&self, result: RowResult) -> usize {
        self.rows.iter().filter(|row| row.result == result).count()
    }

    pub fn is_ended(&self) -> bool {
        matches!(self.status, WaveStatus::Cancelled | WaveStatus::Completed)
    }
}
