//! Any bytes as a webhook of any shop, or as its signature: it is checked, it means something or nothing, and an order
//! that it tells is one that the model takes.
#![no_main]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use libfuzzer_sys::fuzz_target;
use model::orders::order::OrderInput;
use ring::hmac;
use serde_json::Map;
use shops::{ALL, News, ReceivedWebhook, Shop, Signature};

const HEADERS: [&str; 3] = ["X-WC-Webhook-Signature", "X-Shopify-Hmac-Sha256", "X-Dockside-Signature"];

fuzz_target!(|bytes: &[u8]| {
    let [which, body @ ..] = bytes else { return };
    let place = usize::from(*which) % ALL.len();
    let (connector, name) = (ALL[place], HEADERS[place]);
    let shop = Shop::new("https://quay.myshopify.com".to_owned(), Map::new());
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"secret");
    let signature = STANDARD.encode(hmac::sign(&key, body));
    let text = String::from_utf8_lossy(body);
    let signed = [(name, signature.as_str())];
    let webhook = ReceivedWebhook { headers: &signed, body };
    assert_eq!(connector.check_signature(&["secret"], &webhook), Signature::Valid);
    for headers in [&[][..], &[(name, text.as_ref())][..], &[(name, "AAAA"), (name, signature.as_str())][..]]
    {
        let found = connector.check_signature(&["secret"], &ReceivedWebhook { headers, body });
        assert_ne!(found, Signature::Valid, "nothing is believed that was not signed");
    }
    if let News::Order(order) = connector.read_webhook(&shop, &webhook) {
        let mut body = order.body();
        body.remove("destination");
        let parsed = model::platform::shape::parse::<OrderInput>(body.into());
        assert!(
            parsed.is_ok() || order.lines.is_empty(),
            "{:?}",
            parsed.err().map(|error| error.to_string())
        );
    }
});
