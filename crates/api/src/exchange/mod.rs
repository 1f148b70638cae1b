//! Exchange: the endpoints that span all other areas. Search, the summary, the cost report, imports of files, exports, and sample data.

pub(crate) mod cost_reports;
mod export_filters;
pub(crate) mod exports;
pub(crate) mod imports;
pub(crate) mod sample_data;
pub(crate) mod search;
pub(crate) mod summary;
