//! Exchange: what spans all other areas. Search.

pub mod search;
pub mod search_query;
