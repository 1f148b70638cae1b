//! Manifests: each is stored first, with its shipments; then the node that holds the manifest asks the carrier.
//!
//! ```text
//! creating → created        the carrier took it, or needs no manifest; the paper is stored
//!     │    ↘ failed         the carrier refused: the list stays, the shipments are free again
//!     └────→ creating       the carrier is working on it, or did not answer: it is asked again under the same reference
//! ```
//!
//! The shipments of a manifest have one account, one origin and one day. The origin is the version of the location that a
//! shipment was made from, or the address that it was given. The day is the one on which it is to be shipped, else the one on
//! which it was bought, and begins at midnight in UTC. None of it changes once a shipment is bought, so a change of the location
//! neither splits a manifest nor empties it.
//!
//! The request is safe to repeat: it contains the manifest's id, and the carrier answers with the state of that manifest.

mod claim;
mod close;
mod closing;
mod group;
mod next;
mod paper;
pub(crate) mod show;
mod turn;

use std::sync::Arc;

use crate::platform::context::Context;
use crate::platform::nodes::Nodes;
use crate::platform::runner::{Counts, Totals};
use crate::platform::signal::Signal;
use crate::shipping::carrier_accounts::CarrierAccounts;
use crate::shipping::carrier_calls::CarrierCalls;
use crate::shipping::documents::Documents;
use crate::shipping::purchasing::Purchasing;

/// The state that all manifests of a node share.
#[derive(Default)]
struct State {
    /// Changes when there may be something to do.
    work: Signal,
    /// Changes when a turn has ended.
    news: Signal,
    counts: Arc<Counts>,
}

/// Manifests: what a carrier collects, and the paper that its driver signs. Clones share their state.
#[derive(Clone)]
pub struct Manifests {
    context: Context,
    nodes: Nodes,
    calls: CarrierCalls,
    carrier_accounts: CarrierAccounts,
    documents: Documents,
    purchasing: Purchasing,
    state: Arc<State>,
}

/// The components that manifests need.
pub(crate) struct Needs<'a> {
    pub nodes: &'a Nodes,
    pub calls: &'a CarrierCalls,
    pub carrier_accounts: &'a CarrierAccounts,
    pub documents: &'a Documents,
    pub purchasing: &'a Purchasing,
}

impl Manifests {
    pub(crate) fn new(context: &Context, needs: &Needs<'_>) -> Self {
        Self {
            context: context.clone(),
            nodes: needs.nodes.clone(),
            calls: needs.calls.clone(),
            carrier_accounts: needs.carrier_accounts.clone(),
            documents: needs.documents.clone(),
            purchasing: needs.purchasing.clone(),
            state: Arc::default(),
        }
    }

    /// Returns the counters of this node's turns.
    pub fn turn_totals(&self) -> Totals {
        self.state.counts.totals()
    }

    /// Notifies the claiming task that there may be a manifest to ask for.
    fn notify(&self) {
        self.state.work.notify();
    }

    /// Notifies waiting requests that a turn has ended.
    fn tell_manifesting(&self) {
        self.state.news.notify();
    }
}
