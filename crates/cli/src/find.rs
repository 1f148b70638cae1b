//! Finds a resource by the word that a person has for it: a number, a SKU or a name instead of an id.

use serde_json::Value;

use crate::failure::Failure;
use crate::list::Pages;
use crate::operation::{
    LIST_INVENTORY_ITEMS, LIST_LOCATIONS, LIST_ORDERS, LIST_PRINTERS, LIST_SHIPMENTS, Operation,
};
use crate::server::Server;

/// Entries that are looked at: a word that names more than one names none.
const ENTRIES: usize = 2;
/// Names that an error lists.
const NAMES_SHOWN: usize = 10;

/// Returns the id of an order, which is given by its id or its number in the shop.
pub async fn order(server: &Server, word: &str) -> Result<String, Failure> {
    by_filter(server, word, "ord_", &LIST_ORDERS, "reference", "order with the number").await
}

/// Returns the id of a shipment, which is given by its id or its name.
pub async fn shipment(server: &Server, word: &str) -> Result<String, Failure> {
    by_filter(server, word, "shp_", &LIST_SHIPMENTS, "reference", "shipment with the name").await
}

/// Returns the id of an inventory item, which is given by its id or its SKU.
pub async fn item(server: &Server, word: &str) -> Result<String, Failure> {
    by_filter(server, word, "inv_", &LIST_INVENTORY_ITEMS, "sku", "inventory item with the SKU").await
}

/// Returns the id of a location, which is given by its id or its name.
pub async fn location(server: &Server, word: &str) -> Result<String, Failure> {
    by_name(server, word, "loc_", &LIST_LOCATIONS, "location").await
}

/// Returns the id of a printer, which is given by its id or its name.
pub async fn printer(server: &Server, word: &str) -> Result<String, Failure> {
    by_name(server, word, "prn_", &LIST_PRINTERS, "printer").await
}

async fn by_filter(
    server: &Server,
    word: &str,
    prefix: &str,
    operation: &'static Operation,
    filter: &'static str,
    what: &str,
) -> Result<String, Failure> {
    if word.starts_with(prefix) {
        return Ok(word.to_owned());
    }
    let mut pages = Pages::new(operation, &[], &[(filter, word.to_owned())]);
    let found = pages.next(server, ENTRIES).await?.unwrap_or_default();
    only(&found, what, word)
}

/// The API has no filter by name for these, and there are few of them.
async fn by_name(
    server: &Server,
    word: &str,
    prefix: &str,
    operation: &'static Operation,
    what: &str,
) -> Result<String, Failure> {
    if word.starts_with(prefix) {
        return Ok(word.to_owned());
    }
    let mut pages = Pages::new(operation, &[], &[]);
    let (mut found, mut names) = (Vec::new(), Vec::new());
    while let Some(page) = pages.next(server, usize::MAX).await? {
        for entry in page {
            let name = entry["name"].as_str().unwrap_or_default();
            if name == word {
                found.push(entry);
            } else if names.len() < NAMES_SHOWN {
                names.push(name.to_owned());
            }
        }
    }
    only(&found, &format!("{what} with the name"), word).map_err(|failure| {
        let known = if found.is_empty() && !names.is_empty() {
            format!(". There are: {}", names.join(", "))
        } else {
            String::new()
        };
        Failure { message: format!("{}{known}", failure.message), ..failure }
    })
}

/// Returns the id of the one entry that was found.
fn only(found: &[Value], what: &str, word: &str) -> Result<String, Failure> {
    match found {
        [entry] => Ok(entry["id"].as_str().unwrap_or_default().to_owned()),
        [] => Err(Failure::refused(format!("there is no {what} {word:?}"))),
        several => {
            let ids: Vec<&str> = several.iter().filter_map(|entry| entry["id"].as_str()).collect();
            Err(Failure::refused(format!(
                "there is more than one {what} {word:?}: {}. Give an id",
                ids.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_word_that_names_several_names_none() {
        let found = [json!({"id": "ord_1"}), json!({"id": "ord_2"})];
        assert_eq!(only(&found[..1], "order", "x").unwrap(), "ord_1");
        assert!(only(&[], "order", "x").unwrap_err().message.contains("there is no order \"x\""));
        assert!(only(&found, "order", "x").unwrap_err().message.contains("ord_1, ord_2"));
    }
}
