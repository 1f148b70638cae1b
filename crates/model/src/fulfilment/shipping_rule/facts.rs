//! Facts: what the conditions of rules are compared with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::platform::time_zone::LocalTime;
use crate::{CountryCode, Id, Location};

/// What is known about something that is to be shipped. Everything may be unknown but the time.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Facts {
    pub origin_location_id: Option<Id<Location>>,
    pub destination_country: Option<CountryCode>,
    pub post_code: Option<String>,
    /// The total, in kilograms.
    pub mass: Option<f64>,
    pub dimensions: Option<Sides>,
    /// The value of the whole order.
    pub order_value: Option<Money>,
    /// The value of what is shipped.
    pub contents_value: Option<Money>,
    pub skus: Vec<String>,
    pub item_tags: Vec<String>,
    pub channel: Option<String>,
    pub requested_service: Option<String>,
    pub order_tags: Vec<String>,
    pub local_time: LocalTime,
    /// Why a fact is not known, by the fact's name.
    pub unknown: BTreeMap<String, String>,
}

/// The sides of the largest package, sorted, in centimetres.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    pub length: f64,
    pub width: f64,
    pub height: f64,
}

/// An amount in the smallest unit of its currency.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Money {
    pub amount: i64,
    pub currency_code: String,
}

impl Facts {
    /// Returns facts of which only the time is known.
    pub fn at(local_time: LocalTime) -> Self {
        Self {
            origin_location_id: None,
            destination_country: None,
            post_code: None,
            mass: None,
            dimensions: None,
            order_value: None,
            contents_value: None,
            skus: Vec::new(),
            item_tags: Vec::new(),
            channel: None,
            requested_service: None,
            order_tags: Vec::new(),
            local_time,
            unknown: BTreeMap::new(),
        }
    }

    /// Returns the reason why a fact is not known, as the end of a sentence with a colon before it, or nothing.
    pub(super) fn why_unknown(&self, fact: &str) -> String {
        self.unknown.get(fact).map(|why| format!(" {why}")).unwrap_or_default()
    }
}
