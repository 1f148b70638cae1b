//! Platform: connections, heads and bodies of requests, responses, and limits.

pub(crate) mod accept;
pub(crate) mod arrivals;
pub(crate) mod client_address;
pub(crate) mod client_socket;
pub(crate) mod cors;
pub(crate) mod encoding;
pub(crate) mod intake;
pub(crate) mod limits;
pub(crate) mod linger;
pub(crate) mod metrics;
pub mod parameter;
pub(crate) mod path;
pub(crate) mod problem;
pub(crate) mod query;
pub(crate) mod rate;
pub(crate) mod response;
pub(crate) mod turns;
pub(crate) mod upload;
pub(crate) mod version;
