//! Post codes that an address may not have.

use model::places::address::PostalAddress;
use model::places::sandbox_address::live_world_issues;
use model::{Owner, Problem, Result, World};

/// Refuses words of the sandbox carrier in the live world, where they are no post codes. Each address comes with its JSON
/// pointer in the body.
pub fn ensure_post_codes<'a>(
    owner: Owner,
    addresses: impl IntoIterator<Item = (&'static str, &'a PostalAddress)>,
) -> Result<()> {
    if owner.world == World::Test {
        return Ok(());
    }
    let issues = live_world_issues(addresses);
    if issues.is_empty() { Ok(()) } else { Err(Problem::body(issues).into()) }
}
