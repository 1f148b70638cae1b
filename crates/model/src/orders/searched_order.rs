//! What a search finds an order by.

use serde::Deserialize;

use crate::platform::search_text::{Form, Searched};

/// The fields of an order's document that a search compares.
#[derive(Deserialize, Default, Debug)]
#[serde(default)]
pub struct SearchedOrder {
    reference: Option<String>,
    source: Option<SearchedSource>,
    customer: Option<SearchedPerson>,
    destination: Option<SearchedDestination>,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedSource {
    external_number: Option<String>,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedPerson {
    name: Option<String>,
    company: Option<String>,
    email_address: Option<String>,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedDestination {
    contact: Option<SearchedPerson>,
    address: SearchedAddress,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct SearchedAddress {
    post_code: Option<String>,
}

impl SearchedOrder {
    /// Returns what a search compares and shows of the order.
    pub fn searched(&self) -> Searched {
        let destination = self.destination.as_ref();
        let number = self.source.as_ref().and_then(|source| source.external_number.as_deref());
        let unnamed = SearchedPerson::default();
        let customer = self.customer.as_ref().unwrap_or(&unnamed);
        let recipient = destination.and_then(|to| to.contact.as_ref()).unwrap_or(&unnamed);
        let names = [&customer.name, &customer.company, &recipient.name, &recipient.company];
        let mut searched = Searched {
            title: self.reference.clone().or_else(|| number.map(str::to_owned)),
            subtitle: names.into_iter().flatten().next().cloned(),
            fields: Vec::new(),
        };
        searched.add("/reference", Form::Code, self.reference.as_deref());
        searched.add("/source/external_number", Form::Code, number);
        searched.add("/customer/name", Form::Text, customer.name.as_deref());
        searched.add("/customer/company", Form::Text, customer.company.as_deref());
        searched.add("/customer/email_address", Form::Text, customer.email_address.as_deref());
        searched.add("/destination/contact/name", Form::Text, recipient.name.as_deref());
        searched.add("/destination/contact/company", Form::Text, recipient.company.as_deref());
        searched.add("/destination/contact/email_address", Form::Text, recipient.email_address.as_deref());
        let post_code = destination.and_then(|to| to.address.post_code.as_deref());
        searched.add("/destination/address/post_code", Form::Number, post_code);
        searched
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_order_is_found_by_its_numbers_its_customer_and_its_recipient() {
        let doc = json!({
            "id": "ord_1", "reference": "SO-7", "source": {"external_number": "#1001"}, "lines": [{"sku": "X"}],
            "customer": {"name": "Zoë Lee", "company": "Acme", "email_address": "z@lee.de", "phone_number": "1"},
            "destination": {"contact": {"name": "Zoë Lee"}, "address": {"line_1": "Quay", "post_code": "LS1 4AP"}},
        });
        let searched = SearchedOrder::deserialize(&doc).unwrap().searched();
        assert_eq!(
            (searched.title.as_deref(), searched.subtitle.as_deref()),
            (Some("SO-7"), Some("Zoë Lee"))
        );
        let terms: Vec<String> = searched.terms().into_iter().collect();
        let expected = ["=1001", "=acme", "=ls14ap", "=so7", "=z lee de", "=zoe lee", "~7", "~de", "~lee"];
        assert_eq!(terms, expected);
    }

    #[test]
    fn an_order_of_items_alone_has_no_terms() {
        let doc =
            json!({"id": "ord_1", "reference": null, "customer": null, "destination": null, "items": []});
        let searched = SearchedOrder::deserialize(&doc).unwrap().searched();
        assert!(searched.terms().is_empty() && searched.title.is_none());
    }
}
