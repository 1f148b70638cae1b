//! Exchange: what spans all other areas. Search.

pub(crate) mod search;
pub(crate) mod search_fill;
mod search_page;
