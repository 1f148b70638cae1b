//! What a search finds a location by.

use serde::Deserialize;

use crate::platform::search_text::{Form, Searched};

/// The fields of a location's document that a search compares or shows.
#[derive(Deserialize, Default, Debug)]
#[serde(default)]
pub struct SearchedLocation {
    name: Option<String>,
    address: SearchedRecord,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedRecord {
    address: SearchedCity,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedCity {
    city: Option<String>,
}

impl SearchedLocation {
    /// Returns what a search compares and shows of the location.
    pub fn searched(&self) -> Searched {
        let subtitle = self.address.address.city.clone();
        let mut searched = Searched { title: self.name.clone(), subtitle, fields: Vec::new() };
        searched.add("/name", Form::Text, self.name.as_deref());
        searched
    }
}
