//! From order to parcel: random sequences of orders, allocations, shipments, purchases, voids and completions against the
//! reference model.
//!
//! A step has a kind in `steps`, is fitted to what exists in `fitting`, becomes HTTP in `requests`, and has its rule in a file of the
//! reference model: `reference` (how orders and shipments follow each other), `making` (plans, and shipments from orders), `changes` (requests
//! about orders and shipments) or `work` (what jobs do). `steps` says where waves and scans are added.

mod changes;
mod fitting;
mod making;
mod preparing;
mod reference;
mod replay;
mod requests;
mod sequences;
pub mod shipment;
mod shown;
pub mod simple_order;
mod states;
mod steps;
mod work;
