//! The prices that USPS offers.

use model::platform::money::parse_amount;
use model::shipping::shipment::{ErrorCode, ErrorType, Package, ShipmentError, Source};
use serde_json::Value;

use super::answer::{Purpose, read};
use super::options::CURRENCY;
use super::services::{by_class, is_price_of};
use crate::json::{items, text};
use crate::{Answer, Outcome, Quote, Quotes};

/// Prices for parcels that are mailed anywhere. All others are for mailers who bring them to a facility near the recipient.
const MAILED_ANYWHERE: [&str; 2] = ["NONE", "INTERNATIONAL_SERVICE_CENTER"];

/// Reads the answer to a request for prices.
pub fn quoted(answer: Answer, package: &Package) -> Outcome {
    let body = match read(answer, Purpose::Rating) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let mut quotes: Vec<Quote> = Vec::new();
    let pricing = items(&body["pricingOptions"]).iter();
    for shipping in pricing.flat_map(|pricing| items(&pricing["shippingOptions"])) {
        for option in items(&shipping["rateOptions"]) {
            let Some(quote) = quote(option, package) else { continue };
            // A service may have several prices for the parcel, of which the label gets the lowest.
            match quotes.iter_mut().find(|known| known.service == quote.service) {
                Some(known) if known.amount <= quote.amount => {}
                Some(known) => *known = quote,
                None => quotes.push(quote),
            }
        }
    }
    let mut errors = Vec::new();
    if quotes.is_empty() {
        let message = "USPS offers no service for this route, size and mass.";
        let code = ErrorCode::RatesUnavailable;
        errors.push(ShipmentError::new(ErrorType::Rate, code, Source::Carrier, message));
    }
    Outcome::Quoted(Quotes { quotes, errors })
}

fn quote(option: &Value, package: &Package) -> Option<Quote> {
    let rate = items(&option["rates"]).first()?;
    let service = by_class(&text(&rate["mailClass"])?)?;
    let is_ours = is_price_of(service, package, &text(&rate["rateIndicator"])?);
    let facility =
        text(&rate["destinationEntryFacilityType"]).unwrap_or_else(|| MAILED_ANYWHERE[0].to_owned());
    if !is_ours || !MAILED_ANYWHERE.contains(&facility.as_str()) {
        return None;
    }
    // The total is there if extra services were asked for.
    let price = text(&option["totalPrice"]).or_else(|| text(&option["totalBasePrice"]))?;
    Some(Quote {
        service: service.handle.to_owned(),
        amount: parse_amount(&price, CURRENCY).filter(|amount| *amount >= 0)?,
        currency: CURRENCY.to_owned(),
        delivery_days: days(&option["commitment"]),
    })
}

/// The days until delivery, which USPS writes as `3 Days`.
fn days(commitment: &Value) -> Option<i64> {
    let name = text(&commitment["name"])?;
    let first = name.split([' ', '-']).next()?;
    first.parse().ok()
}
