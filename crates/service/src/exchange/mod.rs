//! Exchange: what spans all other areas. Search, the summary, the cost report, imports of files, exports, sample data, and what a backup consists of.

pub mod backups;
pub(crate) mod cost_reports;
pub mod exports;
pub mod imports;
pub(crate) mod sample_data;
pub(crate) mod search;
pub(crate) mod search_fill;
mod search_page;
pub(crate) mod summary;
