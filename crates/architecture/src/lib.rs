//! Reads the source of the workspace, and finds uses that the architecture forbids.
//!
//! `tests/architecture` runs two checks on every crate:
//!
//! - **Areas**: a module of an area uses only areas at or before its own in [`AREAS`].
//! - **Cycles**: no two modules of a crate use each other, directly or through others.
//!
//! The analysis resolves names as the compiler does, but knows no types: it sees a use of a module where a path names one
//! of its items, and not where a method of one of its types is called. Names that a macro defines belong to the module that
//! calls the macro.

mod areas;
mod cut;
mod cycles;
mod graph;
mod resolve;
mod scan;
mod sources;
mod tree;

pub use areas::{AREAS, OutsideArea, Role, area_violations};
pub use cycles::cycle_violations;
pub use graph::{Component, Edge, Graph, Place};
pub use sources::Sources;
pub use tree::{ReadError, Tree};
