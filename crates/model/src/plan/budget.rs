//! How long the planner looks for better. Steps are counted, not seconds, so that equal input gives equal
//! output on a slow machine too.

/// Steps that comparing all combinations of several locations may take. A step is the look at one item of one
/// location, so this is about a tenth of a second. Single locations are compared beside it, always.
pub(super) const EXACT_STEPS_MAX: u64 = 3_000_000;
/// Steps for turning to another location's stock, which the processor has to fetch from memory first.
pub(super) const ROW_STEPS: u64 = 8;
/// Steps that building and improving plans without comparing all may take, on top.
pub(super) const IMPROVE_STEPS_MAX: u64 = 3_000_000;

/// The budget is used up: the search ends with what it has.
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

    /// Called before the work, so that no single piece of work can exceed the budget.
    pub fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                self.used += steps;
                Ok(())
            }
            None => {
                // What is left would only let cheaper work through, and the result would be harder to
                // explain.
                self.left = 0;
                Err(Spent)
            }
        }
    }
}
