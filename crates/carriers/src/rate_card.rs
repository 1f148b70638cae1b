//! A rate card: the prices of a contract with a carrier whose interface gives none. The shop writes it into the configuration of
//! the account.
//!
//! ```json
//! {"rate_card": {"currency_code": "EUR", "prices": [
//!   {"service": "carrier.parcel", "countries": ["DE"], "mass_max": 2, "rate": 429},
//!   {"service": "carrier.parcel", "countries": ["DE"], "mass_max": 31.5, "rate": 749},
//!   {"service": "carrier.parcel_abroad", "from": "2027-01-01", "rate": 990, "rate_per_kg": 85}]}}
//! ```
//!
//! The first price that fits a package is its price. A field that is left out fits everything. Prices change on known days, so a
//! price may have a first and a last day; the day is the mailing date, which is stored with the intent to buy.

#[cfg(test)]
mod tests;

use model::places::address::PostalAddress;
use model::platform::money::{AMOUNT_MAX, decimals};
use model::shipping::shipment::package::round_up;
use model::{CountryCode, Day};
use serde::Deserialize;

use crate::Account;

/// The name of the card in an account's configuration.
pub const RATE_CARD: &str = "rate_card";
/// Most prices of a card.
pub const PRICES_MAX: usize = 2000;
/// Most days until delivery.
const DAYS_MAX: i64 = 365;
const GRAMS_PER_KG: i64 = 1000;

/// The prices of a contract.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RateCard {
    pub currency_code: String,
    pub prices: Vec<Price>,
}

/// The price of a package with one service, and the packages that it applies to.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The service's handle.
    pub service: String,
    /// The countries of the destination. Empty: all.
    #[serde(default)]
    pub countries: Vec<CountryCode>,
    /// Prefixes of post codes of the destination. Empty: all.
    #[serde(default)]
    pub post_codes: Vec<String>,
    /// The most kilograms of the package.
    pub mass_max: Option<f64>,
    /// The first day of mailing on which it applies.
    pub from: Option<Day>,
    /// The last day of mailing on which it applies.
    pub until: Option<Day>,
    /// In the smallest unit of the currency.
    pub rate: i64,
    /// What each kilogram costs beside `rate`, in the smallest unit of the currency. A part of a kilogram costs its part, and the
    /// sum is rounded up.
    pub rate_per_kg: Option<i64>,
    /// The usual days until delivery.
    pub delivery_days: Option<i64>,
}

/// What packages cost together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// In the smallest unit of the card's currency.
    pub amount: i64,
    /// Those of the slowest package, if the card has them for all.
    pub delivery_days: Option<i64>,
}

/// Where a package goes to, and when: what its price depends on beside the service and the mass.
#[derive(Clone, Copy, Debug)]
pub struct Lane<'a> {
    pub to: &'a PostalAddress,
    /// The mailing date. If it is unknown, prices of all days fit.
    pub ship_on: Option<Day>,
}

impl RateCard {
    /// Reads the card of an account; `None` if it has none. The error is a sentence for the person who wrote the configuration.
    pub fn read(account: &Account, services: &[&str]) -> Result<Option<Self>, String> {
        let Some(value) = account.configuration.get(RATE_CARD).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let card: Self = Self::deserialize(value).map_err(|error| format!("The `{RATE_CARD}`: {error}."))?;
        card.check(services)?;
        Ok(Some(card))
    }

    fn check(&self, services: &[&str]) -> Result<(), String> {
        if decimals(&self.currency_code).is_none() {
            return Err(format!("The `{RATE_CARD}`: {} is no currency.", self.currency_code));
        }
        if self.prices.is_empty() || self.prices.len() > PRICES_MAX {
            return Err(format!("The `{RATE_CARD}` must have 1 to {PRICES_MAX} prices."));
        }
        let wrong =
            self.prices.iter().zip(1..).find_map(|(price, place)| Some((place, price.wrong(services)?)));
        wrong.map_or(Ok(()), |(place, why)| Err(format!("The `{RATE_CARD}`, price {place}: {why}")))
    }

    /// Returns what packages of these masses cost together; `None` if there is none, or if one of them has no price.
    pub fn total(
        &self,
        service: &str,
        lane: Lane<'_>,
        grams: impl IntoIterator<Item = i64>,
    ) -> Option<Total> {
        let code = plain(lane.to.post_code.as_deref().unwrap_or_default());
        let mut total: Option<Total> = None;
        for grams in grams {
            let fits = |price: &&Price| price.service == service && price.fits(lane, &code, grams);
            let price = self.prices.iter().find(fits)?;
            let Total { amount, delivery_days } =
                total.unwrap_or(Total { amount: 0, delivery_days: price.delivery_days });
            total = Some(Total {
                amount: amount.checked_add(price.amount(grams)?)?,
                delivery_days: delivery_days.zip(price.delivery_days).map(|(one, other)| one.max(other)),
            });
        }
        total
    }
}

impl Price {
    /// Returns why it can't be a price, if so.
    fn wrong(&self, services: &[&str]) -> Option<String> {
        let is_amount = |amount: i64| (0..=AMOUNT_MAX).contains(&amount);
        if !services.contains(&self.service.as_str()) {
            let known = services.join(", ");
            return Some(format!("there is no service {:?}. The services are {known}.", self.service));
        }
        if !is_amount(self.rate) || !self.rate_per_kg.is_none_or(is_amount) {
            return Some("`rate` and `rate_per_kg` must be amounts that are not negative.".to_owned());
        }
        if self.mass_max.is_some_and(|mass| !mass.is_finite() || mass <= 0.0) {
            return Some("`mass_max` must be more than zero.".to_owned());
        }
        if self.post_codes.iter().any(|code| plain(code).is_empty()) {
            return Some("`post_codes` has an empty text.".to_owned());
        }
        if self.delivery_days.is_some_and(|days| !(0..=DAYS_MAX).contains(&days)) {
            return Some(format!("`delivery_days` must be from 0 to {DAYS_MAX}."));
        }
        let is_reversed = self.from.zip(self.until).is_some_and(|(from, until)| until < from);
        is_reversed.then(|| "`until` is before `from`.".to_owned())
    }

    /// `code` is the destination's post code as [`plain`] returns it.
    fn fits(&self, lane: Lane<'_>, code: &str, grams: i64) -> bool {
        let is_there = self.countries.is_empty() || self.countries.contains(&lane.to.country_code);
        let is_near =
            self.post_codes.is_empty() || self.post_codes.iter().any(|start| code.starts_with(&plain(start)));
        let is_then = lane.ship_on.is_none_or(|day| {
            self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day <= until)
        });
        is_there && is_near && is_then && self.mass_max.is_none_or(|mass| grams <= round_up(mass, 3))
    }

    fn amount(&self, grams: i64) -> Option<i64> {
        let by_mass = self.rate_per_kg.unwrap_or_default().checked_mul(grams.max(0))?;
        let rounded = by_mass.checked_add(GRAMS_PER_KG - 1)? / GRAMS_PER_KG;
        self.rate.checked_add(rounded).filter(|amount| *amount <= AMOUNT_MAX)
    }
}

/// Returns a post code in capitals and without spaces.
fn plain(code: &str) -> String {
    code.chars().filter(|char| !char.is_whitespace()).flat_map(char::to_uppercase).collect()
}
