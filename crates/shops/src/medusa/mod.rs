//! Medusa 2: orders, fulfilments with shipments, and stock, by its Admin API.
//!
//! Medusa sends no webhooks by itself. A subscriber in the shop's code posts its events, signed as `webhook.rs` says,
//! and the order that an event names is fetched.

mod fulfil;
mod http;
mod name;
mod order;
mod orders;
mod stock;
#[cfg(test)]
pub(crate) mod tests;
mod webhook;

use crate::connector::{Answer, Capabilities, Connector, CredentialField, Step};
use crate::exchanges::{Exchanges, Run, run};
use crate::failure::refuse_unchecked;
use crate::json::{is_true, items, text};
use crate::shop::Shop;
use crate::signature;
use crate::task::{Outcome, ShopDetails, Task};
use crate::webhook::{News, ReceivedWebhook, Signature};

use http::{read, request};

/// The kind of shop.
pub const KIND: &str = "medusa";
const SIGNATURE: &str = "X-Dockside-Signature";

const CREDENTIALS: &[CredentialField] = &[
    CredentialField { name: http::KEY, about: "A secret API key (`sk_…`).", signs_webhooks: false },
    CredentialField {
        name: "webhook_secret",
        about: "The secret with which the shop's subscriber signs what it posts.",
        signs_webhooks: true,
    },
];

/// The connector.
pub struct Medusa;

impl Connector for Medusa {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            can_cancel_fulfilments: false,
            needs_stock_location: true,
            statuses: &[
                "not_paid",
                "awaiting",
                "authorized",
                "partially_authorized",
                "captured",
                "partially_captured",
                "partially_refunded",
                "refunded",
                "requires_action",
                "canceled",
            ],
            statuses_to_import: &["authorized", "captured"],
        }
    }

    fn credentials(&self) -> &'static [CredentialField] {
        CREDENTIALS
    }

    fn check(&self, shop: &Shop) -> Result<(), String> {
        shop.check(&[http::KEY])
    }

    fn check_signature(&self, secrets: &[&str], webhook: &ReceivedWebhook<'_>) -> Signature {
        signature::check(secrets, webhook, SIGNATURE)
    }

    fn read_webhook(&self, _shop: &Shop, webhook: &ReceivedWebhook<'_>) -> News {
        webhook::read(webhook)
    }

    fn step(&self, shop: &Shop, task: &Task<'_>, answers: &[Answer]) -> Step {
        run(answers, |exchanges| {
            refuse_unchecked(self.check(shop))?;
            match task {
                Task::Test => test(shop, exchanges),
                Task::Poll { position, now } => orders::poll(shop, position, *now, exchanges),
                Task::Fetch { order } => orders::fetch(shop, order, exchanges),
                Task::Fulfil(shipped) => fulfil::report(shop, shipped, exchanges),
                Task::CancelFulfilment(shipped) => fulfil::cancel(shop, shipped, exchanges),
                Task::SetStock { levels, .. } => stock::set(shop, levels, exchanges),
            }
        })
    }
}

/// Reads the store's name and its usual currency.
fn test(shop: &Shop, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let body = read(exchanges.ask(request(shop, "GET", "/stores?limit=1", None))?)?;
    let store = items(&body["stores"]).first().cloned().unwrap_or_default();
    let mut currencies = items(&store["supported_currencies"]).iter();
    let first = currencies.clone().next();
    let usual = currencies.find(|currency| is_true(&currency["is_default"])).or(first);
    Ok(Outcome::Tested(ShopDetails {
        name: text(&store["name"]),
        currency: usual.and_then(|usual| text(&usual["currency_code"])).map(|code| code.to_ascii_uppercase()),
        missing_permissions: Vec::new(),
    }))
}
