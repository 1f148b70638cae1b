//! The body of a request that starts a wave.

use serde::{Deserialize, Serialize};

use crate::orders::fulfilment::FulfilmentStatus;
use crate::shipping::shipment::LabelFormat;
use crate::{Id, Location, Order, Timestamp};

/// What a client says of a wave. It is stored in this form, without the ids of orders.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct WaveInput {
    pub name: Option<String>,
    /// The orders, in no particular order. Each of them is stored by itself.
    pub order_ids: Option<Vec<Id<Order>>>,
    /// Which orders, if they are not named.
    pub filter: Option<WaveFilter>,
    #[serde(default = "usual_steps")]
    pub steps: Vec<Step>,
    /// The locations to plan and ship from. Empty: all.
    #[serde(default)]
    pub location_ids: Vec<Id<Location>>,
    #[serde(default)]
    pub batch: BatchOptions,
    #[serde(default = "usual_groups")]
    pub group_by: Vec<GroupBy>,
    /// Whether an order is processed of which only a part can be.
    #[serde(default)]
    pub allow_partial: bool,
}

/// What is done for each order of a wave, in this order.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Allocates what is not allocated.
    Plan,
    /// Packs, and makes shipments.
    Ship,
    /// Asks carriers for rates where a shipping rule chooses by them.
    Rate,
    /// Puts the shipments into batches.
    Batch,
    /// Buys the batches, once all orders are processed.
    Purchase,
}

/// The words of all steps, in their order.
pub const STEP_WORDS: [&str; 5] = ["plan", "ship", "rate", "batch", "purchase"];

impl Step {
    const ALL: [Step; 5] = [Step::Plan, Step::Ship, Step::Rate, Step::Batch, Step::Purchase];

    pub fn as_str(self) -> &'static str {
        STEP_WORDS[self as usize]
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.as_str() == word)
    }
}

/// What the shipments of one batch have in common.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    Location,
    CarrierAccount,
    Service,
}

/// How the batches of a wave are made.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct BatchOptions {
    pub name: Option<String>,
    pub label_format: Option<LabelFormat>,
}

/// Which orders a wave takes, among those that are committed and not held.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct WaveFilter {
    pub fulfilment_status: Option<FulfilmentStatus>,
    pub customer: Option<String>,
    pub email_address: Option<String>,
    pub channel: Option<String>,
    pub tags: Vec<String>,
    pub placed_after: Option<Timestamp>,
    pub placed_before: Option<Timestamp>,
    pub ship_by_before: Option<Timestamp>,
    pub location_id: Option<Id<Location>>,
    pub sku: Option<String>,
    pub has_exception: Option<bool>,
}

impl WaveInput {
    pub fn has(&self, step: Step) -> bool {
        self.steps.contains(&step)
    }

    /// Returns the name with which the names of batches begin.
    pub fn batch_name(&self) -> Option<&str> {
        self.batch.name.as_deref().or(self.name.as_deref())
    }
}

fn usual_steps() -> Vec<Step> {
    vec![Step::Plan, Step::Ship, Step::Batch]
}

fn usual_groups() -> Vec<GroupBy> {
    vec![GroupBy::Location, GroupBy::CarrierAccount]
}
