//! Search: what it finds, in which order, for whom, and how its index follows what is stored. The summary. Imports of files. Sample data.

pub mod import_types;
pub mod imports;
pub mod sample_data;
pub mod search;
pub mod search_index;
pub mod search_order;
pub mod summary;
