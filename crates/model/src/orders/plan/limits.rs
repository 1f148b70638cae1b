//! The work limits of the planner, in steps.

/// Maximum number of steps for comparing all combinations of several locations. A step examines one item of one
/// location, so this is about a tenth of a second. Single locations are always compared, outside of this limit.
pub(super) const EXACT_STEPS_MAX: u64 = 3_000_000;
/// Steps for accessing another location's stock, which the processor first has to load from memory.
pub(super) const ROW_STEPS: u64 = 8;
/// Maximum number of further steps for building and improving plans without comparing all combinations.
pub(super) const IMPROVE_STEPS_MAX: u64 = 3_000_000;
