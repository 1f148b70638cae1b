//! The interface of all connectors: requests, answers, steps, and what a shop system can do.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::shop::Shop;
use crate::task::{Outcome, Task};
use crate::webhook::{News, ReceivedWebhook, Signature};

/// What a kind of shop can do, and what its settings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether a reported shipment can be taken back at the shop. Where it can't, a note says so, or the task is refused.
    pub can_cancel_fulfilments: bool,
    /// Whether the shop keeps stock at several locations, so that setting it needs [`Shop::stock_location`].
    pub needs_stock_location: bool,
    /// The words that [`crate::ShopOrder::status`] may have. A shop may have further ones, of its own or of extensions.
    pub statuses: &'static [&'static str],
    /// Those of the statuses in which an order is usually ready to be shipped.
    pub statuses_to_import: &'static [&'static str],
}

/// A secret that a kind of shop needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CredentialField {
    pub name: &'static str,
    /// What it is, for the person who enters it.
    pub about: &'static str,
    /// Whether it is the secret that webhooks are signed with. Without it, orders come by polling alone.
    pub signs_webhooks: bool,
}

/// What to do next.
#[derive(Debug)]
pub enum Step {
    Send(Request),
    Done(Outcome),
}

/// A request to a shop.
#[derive(Clone, PartialEq)]
pub struct Request {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Bytes,
    /// Whether it changes something at the shop. If its answer is lost, the change may have been made.
    pub is_write: bool,
}

/// Leaves out headers, which have credentials, and the body, which has addresses.
impl fmt::Debug for Request {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = out.debug_struct("Request");
        shown.field("method", &self.method).field("url", &self.url).field("is_write", &self.is_write);
        shown.finish_non_exhaustive()
    }
}

/// The answer to a request, or why there is none.
#[derive(Clone, Debug)]
pub enum Answer {
    Response {
        status: u16,
        /// The header `Retry-After`, if it is a number of seconds.
        retry_after: Option<Duration>,
        /// The header `X-WP-Total`, with which WooCommerce counts what a list has on all pages.
        total: Option<u64>,
        body: Bytes,
    },
    /// It provably never reached the shop.
    Unsent(String),
    /// It may have reached the shop.
    Lost(String),
}

/// What a kind of shop is told and what it says. Pure: the same arguments give the same result.
pub trait Connector: Send + Sync {
    /// The kind of shop, as settings name it.
    fn kind(&self) -> &'static str;

    fn capabilities(&self) -> Capabilities;

    /// The secrets that an order source of this kind has.
    fn credentials(&self) -> &'static [CredentialField];

    /// Checks that a shop has everything that is needed; else returns a sentence for the client that wrote it.
    fn check(&self, shop: &Shop) -> Result<(), String>;

    /// Checks the signature of a webhook, before anything of it is parsed. Several secrets are valid while one replaces
    /// another.
    fn check_signature(&self, secrets: &[&str], webhook: &ReceivedWebhook<'_>) -> Signature;

    /// Says what a webhook tells. Call it only if the signature is [`Signature::Valid`].
    fn read_webhook(&self, shop: &Shop, webhook: &ReceivedWebhook<'_>) -> News;

    /// Says what to do next for a task, given the answers to all requests since it was begun, in their order.
    fn step(&self, shop: &Shop, task: &Task<'_>, answers: &[Answer]) -> Step;
}
