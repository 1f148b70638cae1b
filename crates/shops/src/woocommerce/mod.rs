//! WooCommerce: orders, tracking as notes, and stock, by its REST API (`wc/v3`) and its webhooks.
//!
//! WooCommerce has no shipments. A shipment is reported as a note to the customer and as a hidden field of the order,
//! which is written last: so it shows that the note is there. With the last shipment of an order its status becomes
//! `completed`.

mod fulfil;
mod http;
mod name;
mod order;
mod orders;
mod stock;
#[cfg(test)]
pub(crate) mod tests;
mod webhook;

use serde_json::json;

use crate::connector::{Answer, Capabilities, Connector, CredentialField, Step};
use crate::exchanges::{Exchanges, Run, run};
use crate::failure::FailureKind;
use crate::shop::Shop;
use crate::task::{Outcome, ShopDetails, Task};
use crate::webhook::{News, ReceivedWebhook, Signature};

use http::{read, request};

/// The kind of shop.
pub const KIND: &str = "woocommerce";

const CREDENTIALS: &[CredentialField] = &[
    CredentialField {
        name: http::KEY,
        about: "The consumer key of a REST API key with read and write permission (`ck_…`).",
        signs_webhooks: false,
    },
    CredentialField {
        name: http::SECRET,
        about: "The consumer secret of the same key (`cs_…`).",
        signs_webhooks: false,
    },
    CredentialField {
        name: "webhook_secret",
        about: "The secret of the webhooks, as you enter it in WooCommerce.",
        signs_webhooks: true,
    },
];

/// The connector.
pub struct WooCommerce;

impl Connector for WooCommerce {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            can_cancel_fulfilments: false,
            needs_stock_location: false,
            statuses: &["pending", "on-hold", "processing", "completed", "cancelled", "refunded", "failed"],
            statuses_to_import: &["processing"],
        }
    }

    fn credentials(&self) -> &'static [CredentialField] {
        CREDENTIALS
    }

    fn check(&self, shop: &Shop) -> Result<(), String> {
        shop.check(&[http::KEY, http::SECRET])
    }

    fn check_signature(&self, secrets: &[&str], webhook: &ReceivedWebhook<'_>) -> Signature {
        webhook::check_signature(secrets, webhook)
    }

    fn read_webhook(&self, shop: &Shop, webhook: &ReceivedWebhook<'_>) -> News {
        webhook::read(shop, webhook)
    }

    fn step(&self, shop: &Shop, task: &Task<'_>, answers: &[Answer]) -> Step {
        run(answers, |exchanges| {
            crate::failure::refuse_unchecked(self.check(shop))?;
            match task {
                Task::Test => test(shop, exchanges),
                Task::Poll { position, now } => orders::poll(shop, position, *now, exchanges),
                Task::Fetch { order } => orders::fetch(shop, order, exchanges),
                Task::Fulfil(shipped) => fulfil::report(shop, shipped, exchanges),
                Task::CancelFulfilment(shipped) => fulfil::void(shop, shipped, exchanges),
                Task::SetStock { levels, .. } => stock::set(shop, levels, exchanges),
            }
        })
    }
}

/// Reads one order, and makes an empty batch of changes: WooCommerce checks whether the key may write before it finds
/// that there is nothing to do.
fn test(shop: &Shop, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    read(exchanges.ask(request(shop, "GET", "/orders?per_page=1", None))?)?;
    let nothing = request(shop, "POST", "/products/batch", Some(&json!({"update": []})));
    let is_read_only = match read(exchanges.ask(crate::connector::Request { is_write: false, ..nothing })?) {
        Err(failure) => failure.kind == FailureKind::Credentials,
        Ok(_) => false,
    };
    let missing_permissions = if is_read_only { vec!["write".to_owned()] } else { Vec::new() };
    Ok(Outcome::Tested(ShopDetails { missing_permissions, ..ShopDetails::default() }))
}
