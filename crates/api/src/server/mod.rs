//! The server: accepts connections, and takes each request through the pipeline to the handler of its route.

mod app;
mod checks;
pub(crate) mod console;
mod metrics;
mod pipeline;
mod serve;
pub(crate) mod system;

pub use app::App;
pub use serve::serve;
