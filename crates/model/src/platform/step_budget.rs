//! The work limit of a search. It counts steps, not seconds, so that equal input gives equal output on a slow machine too.

/// The error of an exhausted budget. The search ends with what it has found.
#[derive(Debug)]
pub(crate) struct StepsSpent;

/// The steps that a search may still make. What a step is, the search says.
pub(crate) struct StepBudget {
    left: u64,
    pub used: u64,
}

impl StepBudget {
    pub fn new(steps_max: u64) -> Self {
        Self { left: steps_max, used: 0 }
    }

    /// Returns the budget for work that is proportional to the input, which is always done.
    pub fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    pub fn left(&self) -> u64 {
        self.left
    }

    /// Spends steps. Call it before the work, so that no single piece of work can exceed the budget.
    pub fn spend(&mut self, steps: u64) -> Result<(), StepsSpent> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                self.used += steps;
                Ok(())
            }
            None => {
                // With the remaining steps only cheaper work could continue, and the result would be harder to explain.
                self.left = 0;
                Err(StepsSpent)
            }
        }
    }
}
