//! What a search finds an inventory item by.

use serde::Deserialize;

use crate::platform::search_text::{Form, Searched};
use crate::stock::barcode::spellings;

/// The fields of an item's document that a search compares.
#[derive(Deserialize, Default, Debug)]
#[serde(default)]
pub struct SearchedItem {
    sku: Option<String>,
    name: Option<String>,
    barcodes: Vec<String>,
}

impl SearchedItem {
    /// Returns what a search compares and shows of the item.
    pub fn searched(&self) -> Searched {
        let (title, subtitle) = (self.name.clone(), self.sku.clone());
        let mut searched = Searched { title, subtitle, fields: Vec::new() };
        searched.add("/sku", Form::Code, self.sku.as_deref());
        searched.add("/name", Form::Text, self.name.as_deref());
        for code in self.barcodes.iter().flat_map(|code| spellings(code)) {
            searched.add("/barcodes", Form::Number, Some(&code));
        }
        searched
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_is_found_by_every_spelling_of_its_barcode() {
        let doc = json!({"sku": "TEE-M", "name": "Blue tee", "barcodes": ["012345678905", "BOX 7"]});
        let searched = SearchedItem::deserialize(&doc).unwrap().searched();
        let terms: Vec<String> = searched.terms().into_iter().collect();
        let expected = [
            "=00012345678905",
            "=0012345678905",
            "=012345678905",
            "=blue tee",
            "=box7",
            "=teem",
            "~m",
            "~tee",
        ];
        assert_eq!(terms, expected);
    }
}
