//! From order to parcel: random sequences of orders, allocations, shipments, purchases, voids, completions, waves, scans and
//! short picks against the reference model.
//!
//! A step has a kind in `steps` or `packing_steps`, is fitted to what exists in `fitting` or `packing_fitting`, becomes HTTP in
//! `requests`, and has its rule in a file of the reference model: `reference` (how orders and shipments follow each other),
//! `planning` (plans), `making` (shipments from orders), `changes` (requests about orders and shipments), `work` (what jobs do),
//! `waves` and `wave_work` (requests about waves, and what waves do), `scans` or `shorts`.

mod changes;
mod fitting;
mod making;
mod packing_fitting;
mod packing_replay;
mod packing_steps;
mod planning;
mod preparing;
mod reference;
mod replay;
mod requests;
mod scan;
mod scans;
mod sequences;
pub mod shipment;
pub mod short;
mod shorts;
mod shown;
pub mod simple_order;
mod states;
mod steps;
pub mod wave;
mod wave_replay;
mod wave_work;
mod waves;
mod work;
