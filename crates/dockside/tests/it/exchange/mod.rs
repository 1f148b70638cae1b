//! Search: what it finds, in which order, for whom, and how its index follows what is stored. The summary. The cost report. Imports of files, and exports. Sample data.

pub mod cost_reports;
pub mod export_limits;
pub mod exports;
pub mod import_types;
pub mod imports;
pub mod sample_data;
pub mod search;
pub mod search_index;
pub mod search_order;
pub mod summary;
