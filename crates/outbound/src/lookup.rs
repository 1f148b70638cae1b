//! Look-up of host names. It is a trait, so that a test can serve an answer that changes.
//!
//! A name whose servers do not answer holds a thread until the machine's resolver gives it up. So look-ups need permits, and
//! a program that sends for several parties grants the permits fairly ([`LookupPermits`]): names of one party that hang do not
//! delay the requests of another.

use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Semaphore;

/// Maximum number of look-ups that are in progress for all parties. Each holds a thread for as long as the machine's resolver
/// takes, even if its caller no longer waits.
pub const LOOKUPS_MAX: usize = 64;
/// Maximum number of look-ups that are in progress for one party.
pub const LOOKUPS_EACH_MAX: usize = LOOKUPS_MAX / 4;

/// The party that requests are sent for. The number has a meaning only for the program that sends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Party(pub u128);

/// A future of the addresses of a host.
pub type Addresses<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a host name, for a party, or for the program itself.
pub trait Lookup: Send + Sync {
    fn addresses<'a>(&'a self, host: &'a str, party: Option<Party>) -> Addresses<'a>;
}

/// A future of a permit, which is held until it is dropped.
pub type GrantedPermit<'a> = Pin<Box<dyn Future<Output = Box<dyn Send>> + Send + 'a>>;

/// Grants permits for look-ups, for a party, or for the program itself.
pub trait LookupPermits: Send + Sync {
    fn acquire(&self, party: Option<Party>) -> GrantedPermit<'_>;
}

/// Look-ups on threads, by a function that blocks: as a rule, the machine's own, with its hosts file and its name servers.
pub struct SystemLookup {
    permits: Box<dyn LookupPermits>,
    resolve: Arc<Resolve>,
}

type Resolve = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

impl SystemLookup {
    /// Look-ups by the machine's resolver with these permits.
    pub fn new(permits: impl LookupPermits + 'static) -> Self {
        Self::with_resolver(permits, |host| {
            // `to_socket_addrs` requires a port; the port that is connected comes from the URL.
            let found = (host, 0).to_socket_addrs()?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }

    /// As [`SystemLookup::new`], with another function that resolves names.
    pub fn with_resolver(
        permits: impl LookupPermits + 'static,
        resolve: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static,
    ) -> Self {
        Self { permits: Box::new(permits), resolve: Arc::new(resolve) }
    }
}

/// Look-ups of a program that sends for itself alone.
impl Default for SystemLookup {
    fn default() -> Self {
        Self::new(OwnPermits(Arc::new(Semaphore::new(LOOKUPS_EACH_MAX))))
    }
}

/// Permits in the order of arrival.
struct OwnPermits(Arc<Semaphore>);

impl LookupPermits for OwnPermits {
    fn acquire(&self, _party: Option<Party>) -> GrantedPermit<'_> {
        // The semaphore is never closed, so the result is always a permit.
        Box::pin(async { Box::new(Arc::clone(&self.0).acquire_owned().await) as Box<dyn Send> })
    }
}

impl Lookup for SystemLookup {
    fn addresses<'a>(&'a self, host: &'a str, party: Option<Party>) -> Addresses<'a> {
        Box::pin(async move {
            let permit = self.permits.acquire(party).await;
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
