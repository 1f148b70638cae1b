//! Exchange: what spans all other areas. Search, the summary, the cost report, imports of files, exports, and sample data.

pub mod cost_report;
pub mod export;
pub mod import;
pub mod sample_data;
pub mod search;
pub mod search_query;
pub mod summary;
