//! The rates that DHL Express offers.

use model::platform::money::parse_amount;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::answer::DHL_EXPRESS;
use super::services;
use crate::json::{items, text};
use crate::told::Purpose;
use crate::{Answer, Outcome, Quote, Quotes};

/// The price in the currency in which the account is billed.
const BILLED: &str = "BILLC";

/// Reads the answer to a request for rates.
pub fn quoted(answer: Answer) -> Outcome {
    let body = match DHL_EXPRESS.read(answer, Purpose::Rating) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let quotes: Vec<Quote> = items(&body["products"]).iter().filter_map(quote).collect();
    let mut errors = Vec::new();
    if quotes.is_empty() {
        let message = "DHL Express offers no service for this route, size and mass.";
        let code = ErrorCode::RatesUnavailable;
        errors.push(ShipmentError::new(ErrorType::Rate, code, Source::Carrier, message));
    }
    Outcome::Quoted(Quotes { quotes, errors })
}

/// Reads a rate. `None` for a product that is not sold here, or has no price.
fn quote(product: &Value) -> Option<Quote> {
    let service = services::by_code(&text(&product["productCode"])?)?;
    let (amount, currency) = charged(&product["totalPrice"])?;
    let days = text(&product["deliveryCapabilities"]["totalTransitDays"]);
    Some(Quote {
        service: service.handle.to_owned(),
        amount,
        currency,
        delivery_days: days.and_then(|days| days.parse().ok()),
    })
}

/// Returns the price among several that is billed. DHL writes a price of nothing where it has none.
pub fn charged(prices: &Value) -> Option<(i64, String)> {
    let is_billed = |price: &&Value| text(&price["currencyType"]).as_deref() == Some(BILLED);
    let price = items(prices).iter().find(is_billed)?;
    let currency = text(&price["priceCurrency"])?;
    let amount = parse_amount(&text(&price["price"])?, &currency)?;
    (amount > 0).then_some((amount, currency))
}
