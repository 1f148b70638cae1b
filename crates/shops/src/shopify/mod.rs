//! Shopify: orders, fulfilments and stock by its GraphQL Admin API, and orders from its webhooks.
//!
//! A shipment is a fulfilment of the shop's fulfilment orders, which say what is still to be shipped from which
//! location. It is recognised by its tracking number: what was fulfilled under it is counted, and only the rest is
//! created.

mod cancel;
mod fulfil;
mod fulfilment_orders;
mod graphql;
mod ids;
mod name;
mod order_graphql;
mod order_webhook;
mod orders;
mod queries;
mod stock;
#[cfg(test)]
pub(crate) mod tests;
mod webhook;

use serde_json::json;

use crate::connector::{Answer, Capabilities, Connector, CredentialField, Step};
use crate::exchanges::{Exchanges, Run, run};
use crate::failure::refuse_unchecked;
use crate::json::{items, text};
use crate::shop::Shop;
use crate::signature;
use crate::task::{Outcome, ShopDetails, Task};
use crate::url::host_of;
use crate::webhook::{News, ReceivedWebhook, Signature};

/// The kind of shop.
pub const KIND: &str = "shopify";
/// The end of the names under which Shopify's API is reached. A shop's own domain only leads to its pages.
const HOST_SUFFIX: &str = ".myshopify.com";
const SIGNATURE: &str = "X-Shopify-Hmac-Sha256";
/// The permissions that the tasks need.
const PERMISSIONS: [&str; 4] =
    ["read_orders", "read_products", "write_inventory", "write_merchant_managed_fulfillment_orders"];

const CREDENTIALS: &[CredentialField] = &[
    CredentialField {
        name: graphql::TOKEN,
        about: "The Admin API access token of a custom app (`shpat_…`).",
        signs_webhooks: false,
    },
    CredentialField {
        name: "webhook_secret",
        about: "The client secret of the app, or the secret that the shop shows below its webhooks.",
        signs_webhooks: true,
    },
];

/// The connector.
pub struct Shopify;

impl Connector for Shopify {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            can_cancel_fulfilments: true,
            needs_stock_location: true,
            statuses: &[
                "pending",
                "authorized",
                "partially_paid",
                "paid",
                "partially_refunded",
                "refunded",
                "voided",
                "expired",
            ],
            statuses_to_import: &["paid", "partially_refunded"],
        }
    }

    fn credentials(&self) -> &'static [CredentialField] {
        CREDENTIALS
    }

    fn check(&self, shop: &Shop) -> Result<(), String> {
        shop.check(&[graphql::TOKEN])?;
        let (is_https, host) = host_of(&shop.url)?;
        if is_https && !host.to_ascii_lowercase().ends_with(HOST_SUFFIX) && !shop.allows_plain_http {
            return Err("`url` must be the shop's address at Shopify, such as `https://name.myshopify.com`."
                .to_owned());
        }
        match &shop.stock_location {
            Some(location) if ids::gid("Location", location).is_none() => {
                Err("The stock location must be the number of a location at Shopify.".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn check_signature(&self, secrets: &[&str], webhook: &ReceivedWebhook<'_>) -> Signature {
        signature::check(secrets, webhook, SIGNATURE)
    }

    fn read_webhook(&self, shop: &Shop, webhook: &ReceivedWebhook<'_>) -> News {
        webhook::read(shop, webhook)
    }

    fn step(&self, shop: &Shop, task: &Task<'_>, answers: &[Answer]) -> Step {
        run(answers, |exchanges| {
            refuse_unchecked(self.check(shop))?;
            match task {
                Task::Test => test(shop, exchanges),
                Task::Poll { position, now } => orders::poll(shop, position, *now, exchanges),
                Task::Fetch { order } => orders::fetch(shop, order, exchanges),
                Task::Fulfil(shipped) => fulfil::report(shop, shipped, exchanges),
                Task::CancelFulfilment(shipped) => cancel::cancel(shop, shipped, exchanges),
                Task::SetStock { key, levels } => stock::set(shop, key, levels, exchanges),
            }
        })
    }
}

fn test(shop: &Shop, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let data = graphql::ask(shop, queries::TEST, json!({}), exchanges)?;
    let scopes = items(&data["currentAppInstallation"]["accessScopes"]);
    let has = |wanted: &str| {
        // Permission to write includes permission to read.
        let writing = wanted.replacen("read_", "write_", 1);
        scopes.iter().any(|scope| scope["handle"] == *wanted || scope["handle"] == writing)
    };
    let missing = PERMISSIONS.into_iter().filter(|wanted| !has(wanted));
    Ok(Outcome::Tested(ShopDetails {
        name: text(&data["shop"]["name"]),
        currency: text(&data["shop"]["currencyCode"]),
        missing_permissions: missing.map(str::to_owned).collect(),
    }))
}
