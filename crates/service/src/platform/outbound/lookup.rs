//! Look-up of host names. It is a trait, so that a test can serve an answer that changes.
//!
//! A name whose servers do not answer holds a thread until the machine's resolver gives it up. So organisations share the
//! look-ups fairly: names of one organisation that hang do not delay the deliveries of another.

use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;

use model::platform::fair::Tenant;
use store::FairPermits;

/// Maximum number of look-ups under way. Each holds a thread for as long as the machine's resolver takes, even if its caller
/// no longer waits.
const LOOKUPS_MAX: usize = 64;
/// Look-ups that one organisation may have under way.
const LOOKUPS_EACH_MAX: usize = LOOKUPS_MAX / 4;

/// A future of the addresses of a host.
pub type Addresses<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a host name, for an organisation.
pub trait Lookup: Send + Sync {
    fn addresses<'a>(&'a self, host: &'a str, tenant: Tenant) -> Addresses<'a>;
}

/// Look-ups on threads, by a function that blocks: as a rule, the machine's own, with its hosts file and its name servers.
pub struct SystemLookup {
    permits: FairPermits,
    resolve: Arc<Resolve>,
}

type Resolve = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

impl SystemLookup {
    pub fn new(resolve: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static) -> Self {
        Self { permits: FairPermits::new(LOOKUPS_MAX, LOOKUPS_EACH_MAX), resolve: Arc::new(resolve) }
    }
}

impl Default for SystemLookup {
    fn default() -> Self {
        Self::new(|host| {
            // `to_socket_addrs` requires a port; the port that is connected comes from the URL.
            let found = (host, 0).to_socket_addrs()?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

impl Lookup for SystemLookup {
    fn addresses<'a>(&'a self, host: &'a str, tenant: Tenant) -> Addresses<'a> {
        Box::pin(async move {
            let permit = self.permits.acquire(tenant).await;
            let (host, resolve) = (host.to_owned(), Arc::clone(&self.resolve));
            // The thread holds the permit until it ends, even if the request has timed out.
            let work = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                resolve(&host)
            });
            work.await.map_err(io::Error::other)?
        })
    }
}
