//! Exchange: the endpoints that span all other areas. Search, the summary, the cost report, imports of files, and sample data.

pub(crate) mod cost_reports;
pub(crate) mod imports;
pub(crate) mod sample_data;
pub(crate) mod search;
pub(crate) mod summary;
