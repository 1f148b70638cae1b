//! Exchange: what spans the tables of all other areas. Search, the summary, the cost report, imports of files, exports, and sample data.

pub mod costs;
pub mod exports;
pub mod import_keys;
pub mod import_rows;
pub mod imports;
pub mod sample_data;
pub mod search;
pub mod search_fill;
pub mod summary;
