//! Platform: identifiers, owners, time, money, problems, JSON and the shapes of documents. Every other area uses it.

pub(crate) mod digits;
pub mod fair;
pub mod id;
pub mod json;
pub mod money;
pub mod nearest;
pub mod owner;
pub mod pointer;
pub mod problem;
pub mod search_text;
pub mod shape;
pub(crate) mod step_budget;
pub mod time;
pub mod time_zone;
