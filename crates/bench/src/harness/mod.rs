//! What measures: the servers, the load on them, the comparison, and the report.

pub mod compare;
pub mod context;
pub mod listeners;
pub mod load;
pub mod order_store;
pub mod outcome;
pub mod plan;
pub mod poster;
pub mod postgres;
pub mod process;
pub mod report;
pub mod sink;
pub mod store;
pub mod times;
