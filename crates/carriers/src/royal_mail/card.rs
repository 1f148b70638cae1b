//! The rate card in an account's configuration: Royal Mail's API has no prices.
//!
//! ```json
//! {"trading_name": "Quay Goods", "services": [
//!   {"handle": "tracked_24", "name": "Tracked 24", "service_code": "TPN24", "delivery_days": 1, "is_tracked": true,
//!    "extras": {"signature": 120}, "rates": [
//!      {"countries": ["GB"], "formats": ["large_letter"], "rate": 290},
//!      {"countries": ["GB"], "mass_max": 2, "rate": 385}]}]}
//! ```
//!
//! The first row that fits is the price, in pence; the extras that a shipment asks for are added to it.

use model::CountryCode;
use model::platform::shape::is_visible;
use model::shipping::shipment::options::ShippingOptions;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, ShipmentInput, Source};
use serde::Deserialize;

use super::format::Format;
use crate::price_row::PriceRow;
use crate::{Account, Quote, Quotes};

/// The currency of Royal Mail's prices.
pub const CURRENCY: &str = "GBP";
/// Characters of Royal Mail's code of a service, and of a trading name.
const CODE_CHARS: usize = 10;
const TRADING_NAME_CHARS: usize = 250;
/// The highest price of a row or an extra, in pence.
const RATE_MAX: i64 = 10_000_000;

/// A rate card.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The sender's name on labels, if it is another one than that of the account at Click & Drop.
    pub trading_name: Option<String>,
    pub services: Vec<CardService>,
}

/// A service of the merchant's contract with Royal Mail.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct CardService {
    pub handle: String,
    pub name: String,
    /// Royal Mail's own code of it.
    pub service_code: String,
    pub delivery_days: Option<i64>,
    #[serde(default)]
    pub is_tracked: bool,
    #[serde(default)]
    pub extras: Extras,
    pub rates: Vec<CardRate>,
}

/// What the service offers beyond carrying, with its price in pence. An extra that is left out is not offered.
#[derive(Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Extras {
    pub signature: Option<i64>,
    pub saturday_delivery: Option<i64>,
    pub local_collect: Option<i64>,
}

/// A price, and the shipments that it applies to.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct CardRate {
    #[serde(default)]
    pub countries: Vec<CountryCode>,
    /// Prefixes of post codes.
    #[serde(default)]
    pub post_codes: Vec<String>,
    #[serde(default)]
    pub formats: Vec<Format>,
    /// The most kilograms.
    pub mass_max: Option<f64>,
    /// In pence.
    pub rate: i64,
}

impl Card {
    /// Parses a configuration. The error is a sentence for the person who wrote it.
    pub fn read(account: &Account) -> Result<Self, String> {
        let value = serde_json::Value::Object(account.configuration.clone());
        let card: Card = serde_json::from_value(value).map_err(|error| format!("The rate card: {error}."))?;
        let trading_name = card.trading_name.as_deref().unwrap_or("x");
        if !is_printable(trading_name, TRADING_NAME_CHARS) {
            return Err(format!(
                "The `trading_name` must have 1 to {TRADING_NAME_CHARS} visible characters."
            ));
        }
        if card.services.is_empty() {
            return Err("The rate card has no service.".to_owned());
        }
        for (place, service) in card.services.iter().enumerate() {
            service.check()?;
            if card.services[..place].iter().any(|other| other.handle == service.handle) {
                return Err(format!("The rate card has two services {:?}.", service.handle));
            }
        }
        Ok(card)
    }

    pub fn service(&self, handle: &str) -> Option<&CardService> {
        self.services.iter().find(|service| service.handle == handle)
    }

    /// Returns the prices for a shipment, or why there is none.
    pub fn quotes(&self, shipment: &ShipmentInput) -> Quotes {
        let quote = |service: &CardService| {
            Some(Quote {
                service: service.handle.clone(),
                amount: service.price(shipment)?,
                currency: CURRENCY.to_owned(),
                delivery_days: service.delivery_days,
            })
        };
        let quotes: Vec<Quote> = self.services.iter().filter_map(quote).collect();
        let mut errors = Vec::new();
        if quotes.is_empty() {
            let message = "No row of the rate card fits this destination, format, mass and options. Add one to the account.";
            let code = ErrorCode::RatesUnavailable;
            errors.push(ShipmentError::new(ErrorType::Rate, code, Source::Service, message));
        }
        Quotes { quotes, errors }
    }
}

impl CardService {
    fn check(&self) -> Result<(), String> {
        let is_word = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        if !is_word(&self.handle) || !is_printable(&self.name, TRADING_NAME_CHARS) {
            return Err(format!(
                "The rate card: a service needs a `handle` of letters, digits, `.`, `_` and `-`, and a visible `name`; {:?} \
                 has not.",
                self.handle
            ));
        }
        let is_code = self.service_code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if self.service_code.is_empty() || self.service_code.len() > CODE_CHARS || !is_code {
            return Err(format!(
                "The rate card: the `service_code` of {} must be Royal Mail's, of up to {CODE_CHARS} letters and digits.",
                self.handle
            ));
        }
        let extras = [self.extras.signature, self.extras.saturday_delivery, self.extras.local_collect];
        let mut amounts = self.rates.iter().map(|row| row.rate).chain(extras.into_iter().flatten());
        if !amounts.all(|amount| (0..=RATE_MAX).contains(&amount)) {
            return Err(format!(
                "The rate card: prices of {} must be pence from 0 to {RATE_MAX}.",
                self.handle
            ));
        }
        Ok(())
    }

    /// Returns the price of a shipment in pence, or `None` if the service is not for it.
    pub fn price(&self, shipment: &ShipmentInput) -> Option<i64> {
        let [package] = shipment.packages.as_slice() else { return None };
        let (to, grams) = (&shipment.addresses.destination.address, package.geometry?.grams()?);
        let format = Format::of(package)?;
        let fits = |row: &&CardRate| {
            let (countries, post_codes) = (&row.countries, &row.post_codes);
            (row.formats.is_empty() || row.formats.contains(&format))
                && PriceRow { countries, post_codes, mass_max: row.mass_max }.applies(to, grams)
        };
        let rate = self.rates.iter().find(fits).map(|row| row.rate)?;
        let options = shipment.options.as_ref().and_then(|options| options.shipping.as_ref());
        match options {
            Some(options) => Some(rate + self.extra(options)?),
            None => Some(rate),
        }
    }

    /// Returns what the wanted extras cost, or `None` if the service does not offer one of them.
    fn extra(&self, options: &ShippingOptions) -> Option<i64> {
        let is_tracking_wanted =
            options.tracked_service == Some(true) || options.delivery_confirmation == Some(true);
        if is_tracking_wanted && !self.is_tracked {
            return None;
        }
        let wanted = [
            (options.signature().is_some(), self.extras.signature),
            (options.saturday_delivery == Some(true), self.extras.saturday_delivery),
            (options.hold_for_pickup == Some(true), self.extras.local_collect),
        ];
        wanted.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, price)| price).sum()
    }
}

fn is_printable(text: &str, chars: usize) -> bool {
    text.chars().any(is_visible) && !text.chars().any(char::is_control) && text.chars().count() <= chars
}
