//! Exchange: what spans the tables of all other areas. Search.

pub mod search;
pub mod search_fill;
