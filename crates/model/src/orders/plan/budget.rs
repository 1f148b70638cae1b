//! The work limit of the planner. It counts steps, not seconds, so that equal input gives equal output on a slow
//! machine too.

/// Maximum number of steps for comparing all combinations of several locations. A step examines one item of one
/// location, so this is about a tenth of a second. Single locations are always compared, outside of this limit.
pub(super) const EXACT_STEPS_MAX: u64 = 3_000_000;
/// Steps for accessing another location's stock, which the processor first has to load from memory.
pub(super) const ROW_STEPS: u64 = 8;
/// Maximum number of further steps for building and improving plans without comparing all combinations.
pub(super) const IMPROVE_STEPS_MAX: u64 = 3_000_000;

/// The error of an exhausted budget. The search ends with the plans that it has.
#[derive(Debug)]
pub(super) struct Spent;

pub(super) struct Budget {
    left: u64,
    pub used: u64,
}

impl Budget {
    pub fn new(steps_max: u64) -> Self {
        Self { left: steps_max, used: 0 }
    }

    /// Spends steps. Call it before the work, so that no single piece of work can exceed the budget.
    pub fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                self.used += steps;
                Ok(())
            }
            None => {
                // With the remaining steps only cheaper work could continue, and the result would be harder to
                // explain.
                self.left = 0;
                Err(Spent)
            }
        }
    }
}
