//! Orders: orders, allocations and plans.

pub mod allocation;
pub mod facet;
pub mod fulfilment;
pub mod hold;
pub mod indexed_order;
pub mod item_quantity;
pub mod order;
pub mod order_details;
pub mod order_exception;
pub mod order_line;
pub mod order_note;
pub mod order_progress;
pub mod order_status;
pub mod plan;
pub mod searched_order;
