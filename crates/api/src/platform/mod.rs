//! Platform: connections, requests and responses, the route table, and the documentation that is made from it.

pub(crate) mod accept;
pub(crate) mod admission;
pub(crate) mod arrivals;
pub(crate) mod call;
pub(crate) mod client_socket;
pub(crate) mod connection;
pub(crate) mod cors;
pub(crate) mod docs;
pub(crate) mod encoding;
pub(crate) mod intake;
pub(crate) mod linger;
pub(crate) mod metrics;
pub mod openapi;
pub(crate) mod pipeline;
pub(crate) mod problem;
pub(crate) mod query;
pub(crate) mod rate;
pub(crate) mod respond;
pub mod route;
pub(crate) mod schema;
pub mod server;
pub(crate) mod system;
pub(crate) mod turns;
pub(crate) mod upload;
