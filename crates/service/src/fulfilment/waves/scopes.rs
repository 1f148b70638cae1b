//! The scopes that a wave needs.

use model::fulfilment::wave::{Step, WaveInput};
use model::{Result, Scope};

use crate::access::caller::Caller;

/// Refuses a caller who could not do the steps of a wave by requests of their own.
pub(super) fn ensure_scopes(caller: &Caller, input: &WaveInput) -> Result<()> {
    let of_steps = [
        (Step::Plan, "allocations:write"),
        (Step::Ship, "shipments:write"),
        (Step::Rate, "shipments:write"),
        (Step::Batch, "batches:write"),
        (Step::Purchase, "batches:purchase"),
    ];
    let needed = of_steps.into_iter().filter(|(step, _)| input.has(*step)).map(|(_, scope)| scope);
    for scope in ["orders:read"].into_iter().chain(needed).filter_map(Scope::parse) {
        caller.require(scope)?;
    }
    Ok(())
}
