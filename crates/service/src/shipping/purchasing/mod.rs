//! Purchasing: each purchase is stored first, and then carried out once, by the node that holds it.
//!
//! The states of a purchase. Each arrow is a transaction of its own:
//!
//! ```text
//! ready → calling → bought → reported → (tracked)       the carrier sold it; its papers are stored before it is reported
//!            │    ↘ failed                              the carrier refused
//!            │    ↘ ready                               the request provably never reached the carrier
//!            └────→ checking → bought | ready           the carrier may have sold it: it is looked up
//!                        ↘ needs_review                 no look-up can tell: a person must find out
//! ```
//!
//! Architecture Invariant: `calling` is committed before a byte leaves, and a carrier's receipt is committed before anything
//! else is done with it.

mod aside;
mod change;
mod claim;
mod entry;
mod follow;
mod group;
mod job;
mod labels;
mod lanes;
mod late;
mod load;
#[cfg(test)]
mod machine_tests;
mod next;
mod papers;
mod places;
mod prepared;
mod record;
mod request;
mod review;
mod settle;
mod share;
mod state;
mod stored_receipt;
mod turn;
mod void;
mod voiding;

use std::collections::BTreeMap;
use std::sync::Arc;

use outbound::Outbound;

use crate::platform::context::Context;
use crate::platform::nodes::Nodes;
use crate::shipping::carrier_accounts::CarrierAccounts;
use crate::shipping::carrier_calls::CarrierCalls;
use crate::shipping::documents::Documents;
use crate::shipping::drawing::DrawingPermits;
use crate::shipping::shipments::Shipments;

pub(crate) use follow::move_on;
pub(crate) use papers::SIZE as LABEL_SIZE;
pub(crate) use request::choose;
pub(crate) use settle::insist;
pub use state::Counts;
pub(crate) use stored_receipt::StoredReceipt;

/// What an operator may set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long each account may take to give its rates, in seconds.
    pub rate_seconds: u64,
    /// How long a carrier may take for a purchase, a look-up or a void, in seconds.
    pub call_seconds: u64,
    /// How long a request waits for its purchase before it is answered with 202, in seconds.
    pub wait_seconds: u64,
    /// How long it may stay unknown whether something was bought before a person is asked, in seconds.
    pub review_seconds: i64,
    /// Calls to one account at once, from this server.
    pub account_calls_max: usize,
    /// The addresses of carriers that are not at their usual one, by handle.
    pub urls: BTreeMap<String, String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rate_seconds: 10,
            call_seconds: 30,
            wait_seconds: 5,
            review_seconds: 24 * 3600,
            account_calls_max: 8,
            urls: BTreeMap::new(),
        }
    }
}

/// Purchases: each is stored first, and then carried out once. Clones share their state.
#[derive(Clone)]
pub struct Purchasing {
    context: Context,
    settings: Arc<Settings>,
    nodes: Nodes,
    outbound: Outbound,
    calls: CarrierCalls,
    carrier_accounts: CarrierAccounts,
    documents: Documents,
    shipments: Shipments,
    drawing: DrawingPermits,
    state: Arc<state::State>,
}

/// The components that purchases need.
pub(crate) struct Needs<'a> {
    pub nodes: &'a Nodes,
    pub outbound: &'a Outbound,
    pub calls: &'a CarrierCalls,
    pub carrier_accounts: &'a CarrierAccounts,
    pub documents: &'a Documents,
    pub shipments: &'a Shipments,
    pub drawing: &'a DrawingPermits,
}

impl Purchasing {
    pub(crate) fn new(context: &Context, settings: &Settings, needs: &Needs<'_>) -> Self {
        Self {
            context: context.clone(),
            settings: Arc::new(settings.clone()),
            nodes: needs.nodes.clone(),
            outbound: needs.outbound.clone(),
            calls: needs.calls.clone(),
            carrier_accounts: needs.carrier_accounts.clone(),
            documents: needs.documents.clone(),
            shipments: needs.shipments.clone(),
            drawing: needs.drawing.clone(),
            state: Arc::default(),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
