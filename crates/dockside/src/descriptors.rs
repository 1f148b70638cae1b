//! File descriptors: the limit is raised when the server starts, and some are kept for the server's own work.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors kept for files, carriers, webhooks and other servers.
const RESERVE: usize = 256;
/// Descriptors that a connection to the database may need: SQLite has files beside the database.
const PER_DATABASE_CONNECTION: usize = 4;

/// Raises the limit as far as the system allows. Returns how many sockets of clients fit beside the reserve.
pub fn raise(database_connections: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // If it can't be raised, the server works within the limit that it has.
    let _as_before = setrlimit(Resource::Nofile, raised);
    let reserve = RESERVE.saturating_add(database_connections.saturating_mul(PER_DATABASE_CONNECTION));
    sockets(getrlimit(Resource::Nofile).current, reserve)
}

/// Returns how many descriptors are for clients. If there are few, half of them are kept.
fn sockets(limit: Option<u64>, reserve: usize) -> usize {
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    limit - reserve.min(limit / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_descriptors_are_kept_whatever_the_limit() {
        assert_eq!(sockets(Some(10_000), 300), 9_700);
        assert_eq!(sockets(Some(256), 300), 128);
        assert_eq!(sockets(None, 300), usize::MAX - 300);
    }
}
