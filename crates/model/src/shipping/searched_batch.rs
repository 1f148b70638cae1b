//! What a search finds a batch by.

use serde::Deserialize;

use crate::platform::search_text::{Form, Searched};

/// The fields of a batch's details that a search compares.
#[derive(Deserialize, Default, Debug)]
#[serde(default)]
pub struct SearchedBatch {
    name: Option<String>,
}

impl SearchedBatch {
    /// Returns what a search compares and shows of the batch.
    pub fn searched(&self) -> Searched {
        let mut searched = Searched { title: self.name.clone(), ..Searched::default() };
        searched.add("/name", Form::Text, self.name.as_deref());
        searched
    }
}
