//! Exchange: the endpoints that span all other areas. Search.

pub(crate) mod search;
