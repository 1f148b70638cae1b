//! What came of the tasks of the sample shop.

use std::collections::BTreeMap;

/// What came of a task.
pub(super) enum Made {
    /// This request made it. The id is empty if it has none.
    New(String),
    /// It was there.
    Present(String),
    /// The code with which it was refused.
    Refused(String),
}

impl Made {
    pub fn is_new(&self) -> bool {
        matches!(self, Made::New(_))
    }
}

/// What came of tasks, by their keys. Tasks that wait for others are missing.
pub(super) type Results = BTreeMap<String, Made>;
