//! The rates that UPS offers.

use model::platform::money::parse_amount;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::answer::{Purpose, read};
use super::json::{items, text};
use super::services;
use crate::{Answer, Outcome, Quote, Quotes};

/// Reads the answer to a request for rates.
pub fn quoted(answer: Answer) -> Outcome {
    let body = match read(answer, Purpose::Rating) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let rated = items(&body["RateResponse"]["RatedShipment"]);
    let quotes: Vec<Quote> = rated.iter().filter_map(quote).collect();
    let mut errors = Vec::new();
    if quotes.is_empty() {
        let message = "UPS offers no service for this route, size and mass.";
        let code = ErrorCode::RatesUnavailable;
        errors.push(ShipmentError::new(ErrorType::Rate, code, Source::Carrier, message));
    }
    Outcome::Quoted(Quotes { quotes, errors })
}

/// Reads a rate. `None` for a service that can't be bought here, such as freight.
fn quote(rated: &Value) -> Option<Quote> {
    let service = services::by_code(&text(&rated["Service"]["Code"])?)?;
    let (amount, currency) = charged(rated, &rated["TotalCharges"])?;
    Some(Quote { service: service.handle.to_owned(), amount, currency, delivery_days: days(rated) })
}

/// Returns the price of the account's contract if it has one, and else the published price.
pub fn charged(rated: &Value, published: &Value) -> Option<(i64, String)> {
    let negotiated = &rated["NegotiatedRateCharges"]["TotalCharge"];
    [negotiated, published].into_iter().find_map(|charge| {
        let currency = text(&charge["CurrencyCode"])?;
        let amount = parse_amount(&text(&charge["MonetaryValue"])?, &currency)?;
        (amount >= 0).then_some((amount, currency))
    })
}

/// The days until delivery: all of them if UPS says so, else the days on which it works.
fn days(rated: &Value) -> Option<i64> {
    let arrival = &rated["TimeInTransit"]["ServiceSummary"]["EstimatedArrival"];
    let told = [
        &arrival["TotalTransitDays"],
        &arrival["BusinessDaysInTransit"],
        &rated["GuaranteedDelivery"]["BusinessDaysInTransit"],
    ];
    told.into_iter().find_map(|days| text(days)?.parse().ok())
}
