//! Webhooks as they arrive, and what they tell.

use crate::order::ShopOrder;

/// A request that arrived at the address of an order source.
#[derive(Clone, Copy)]
pub struct ReceivedWebhook<'a> {
    pub headers: &'a [(&'a str, &'a str)],
    /// The raw body.
    pub body: &'a [u8],
}

impl<'a> ReceivedWebhook<'a> {
    /// Returns the value of a header that may be there once. The error is that it is there several times.
    pub(crate) fn only(&self, name: &str) -> Result<Option<&'a str>, ()> {
        let mut values = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(()),
            (value, None) => Ok(value.map(|(_, value)| *value)),
        }
    }

    /// Returns the value of a header, or an empty text.
    pub(crate) fn header(&self, name: &str) -> &'a str {
        self.only(name).ok().flatten().unwrap_or_default()
    }
}

/// What the signature of a webhook proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// The shop sent it.
    Valid,
    /// It has none.
    Missing,
    /// It has one, of another body or with another secret.
    Wrong,
    /// WooCommerce's first message, which it sends unsigned when a webhook is switched on. Answer it with 200 and do
    /// nothing: without a 2xx answer the webhook counts as failed.
    UnsignedPing,
}

/// What a webhook tells.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// An order, as it is now.
    Order(Box<ShopOrder>),
    /// Something became of an order: fetch it, by its id. It may be gone.
    Changed(String),
    /// It is not about orders.
    Other,
    /// It is signed, and can't be read. The sentence says why.
    Unreadable(String),
}
