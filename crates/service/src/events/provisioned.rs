//! Whether an organisation is provisioned: only then may it set up receivers of its events.

use model::{Code, Owner, Problem, Result};
use store::Tx;
use store::access::provisions;

/// Refuses an owner that is not provisioned.
pub async fn ensure_provisioned(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    if provisions::exists(tx, owner).await? { Ok(()) } else { Err(refusal()) }
}

/// As [`ensure_provisioned`], for a transaction that sets up a receiver: until it ends, no other transaction deletes the
/// provision or sets up another receiver.
pub async fn hold_provision(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    match provisions::get_for_update(tx, owner).await? {
        Some(_) => Ok(()),
        None => Err(refusal()),
    }
}

fn refusal() -> model::Error {
    let detail = "Call POST /events/provision first: it lets this organisation receive events. The live and the test \
                  world are provisioned apart.";
    Problem::from(Code::NotProvisioned).with_detail(detail).into()
}
