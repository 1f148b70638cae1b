//! Looking up host names. Passed in, so that a test can serve an answer that changes.

use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Semaphore;

/// Look-ups under way at most. Each holds a thread for as long as the machine's resolver takes, also where nobody
/// waits for it any more.
const LOOKUPS_MAX: usize = 64;

/// The addresses of a host, some day.
pub type Addresses<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a host name.
pub trait Lookup: Send + Sync {
    fn addresses<'a>(&'a self, host: &'a str) -> Addresses<'a>;
}

/// The machine's own look-up: its hosts file, its name servers.
pub struct SystemLookup(Arc<Semaphore>);

impl Default for SystemLookup {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(LOOKUPS_MAX)))
    }
}

impl Lookup for SystemLookup {
    fn addresses<'a>(&'a self, host: &'a str) -> Addresses<'a> {
        Box::pin(async move {
            let permit = self.0.clone().acquire_owned().await.map_err(io::Error::other)?;
            let host = host.to_owned();
            let work = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                // The machine's look-up wants a port; the one that is connected comes from the URL.
                let found = (host.as_str(), 0).to_socket_addrs()?;
                Ok(found.map(|address| address.ip()).collect())
            });
            work.await.map_err(io::Error::other)?
        })
    }
}
