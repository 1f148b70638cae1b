//! Shops: how orders are read from each, how shipments and stock are reported back, and what its answers mean.
//!
//! Nothing here opens a socket, reads a clock or makes randomness. A [`Connector`] is given a task and the answers so
//! far, and returns what to send next, or the outcome. The caller has the client, the database and the clock: it drives
//! the connector, and decides when to try again.
//!
//! A task may be begun again at any time, also after one of its answers was lost or the server stopped halfway: each
//! task that writes reads first what the shop has. A shop's webhook is checked with [`Connector::check_signature`]
//! before [`Connector::read_webhook`] parses it.

mod address;
mod body;
mod connector;
mod decimal;
mod exchanges;
mod failure;
mod json;
pub mod medusa;
mod moment;
mod order;
mod position;
mod shop;
pub mod shopify;
mod signature;
mod stock;
mod task;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod url;
mod webhook;
pub mod woocommerce;

pub use connector::{Answer, Capabilities, Connector, CredentialField, Request, Step};
pub use exchanges::EXCHANGES_MAX;
pub use failure::{Failure, FailureKind};
pub use order::{Customer, Extent, ShopAddress, ShopLine, ShopOrder};
pub use position::Position;
pub use shop::Shop;
pub use stock::{STOCK_LEVELS_MAX, StockLevel, StockRefusal, StockReport};
pub use task::{Fulfilled, LineQuantity, OrderPage, Outcome, Shipped, ShopDetails, Task, UnreadableOrder};
pub use webhook::{News, ReceivedWebhook, Signature};

/// Every shop system that there is a connector for.
pub const ALL: &[&dyn Connector] = &[&woocommerce::WooCommerce, &shopify::Shopify, &medusa::Medusa];

/// Returns the connector of a kind of shop, such as `woocommerce`.
pub fn connector(kind: &str) -> Option<&'static dyn Connector> {
    ALL.iter().copied().find(|connector| connector.kind() == kind)
}
