//! An order of a shop as the body of a request that creates an order: what the model can take of it, within the model's
//! limits.

use model::platform::money::decimals;
use serde_json::{Map, Value, json};

use crate::order::{ShopAddress, ShopLine, ShopOrder};
use crate::text::line;

/// Limits of the model's shapes, in characters.
const LINE_CHARS_MAX: usize = 255;
const SKU_CHARS_MAX: usize = 100;
const TAG_CHARS_MAX: usize = 50;
const URL_CHARS_MAX: usize = 2000;
const NOTE_CHARS_MAX: usize = 2000;
const TAGS_MAX: usize = 50;

impl ShopOrder {
    /// Returns the fields of an order that a shop decides. The caller adds its own: the status, the reference, the
    /// channel, the items that SKUs stand for.
    ///
    /// The model accepts all of it but perhaps `destination`: an address in a shop may break the rules of its country.
    /// Then create the order without one, and raise an exception.
    ///
    /// The model refuses an order without lines: nothing of it is to be shipped.
    pub fn body(&self) -> Map<String, Value> {
        let mut body = Map::new();
        let currency = self.currency.as_deref().filter(|currency| decimals(currency).is_some());
        put(
            &mut body,
            "destination",
            self.destination.as_ref().and_then(|place| self.destination_body(place)),
        );
        let lines: Vec<Value> = self.lines.iter().map(|line| line.body(currency.is_some())).collect();
        put(&mut body, "lines", Some(lines.into()));
        put(&mut body, "customer", self.customer_body());
        put(&mut body, "source", Some(self.source_body()));
        put(&mut body, "placed_at", self.placed_at.map(|time| time.to_string().into()));
        put(&mut body, "requested_service", one_line(self.requested_service.as_deref()));
        put(&mut body, "currency_code", currency.map(Value::from));
        put(&mut body, "tags", Some(tags(&self.tags).into()));
        body
    }

    /// Returns what the customer wrote, as the text of a note.
    pub fn note_text(&self) -> Option<String> {
        line(self.note.as_deref()?, NOTE_CHARS_MAX)
    }

    fn destination_body(&self, place: &ShopAddress) -> Option<Value> {
        let mut address = Map::new();
        put(&mut address, "line_1", Some(one_line(place.line_1.as_deref())?));
        put(&mut address, "line_2", one_line(place.line_2.as_deref()));
        put(&mut address, "city", Some(one_line(place.city.as_deref())?));
        put(&mut address, "province", one_line(place.province.as_deref()));
        put(&mut address, "post_code", one_line(place.post_code.as_deref()));
        put(&mut address, "country_code", Some(one_line(place.country_code.as_deref())?));
        let mut contact = Map::new();
        put(&mut contact, "name", one_line(place.name.as_deref()));
        put(&mut contact, "company", one_line(place.company.as_deref()));
        put(&mut contact, "email_address", email(self.customer.email_address.as_deref()));
        let phone = place.phone_number.as_deref().or(self.customer.phone_number.as_deref());
        put(&mut contact, "phone_number", one_line(phone));
        Some(json!({"address": address, "contact": contact}))
    }

    fn customer_body(&self) -> Option<Value> {
        let mut customer = Map::new();
        put(&mut customer, "name", one_line(self.customer.name.as_deref()));
        put(&mut customer, "company", one_line(self.customer.company.as_deref()));
        put(&mut customer, "email_address", email(self.customer.email_address.as_deref()));
        put(&mut customer, "phone_number", one_line(self.customer.phone_number.as_deref()));
        (!customer.is_empty()).then(|| customer.into())
    }

    fn source_body(&self) -> Value {
        let mut source = Map::new();
        put(&mut source, "external_id", one_line(Some(&self.external_id)));
        put(&mut source, "external_number", one_line(self.number.as_deref()));
        let url = self.url.as_deref().filter(|url| is_link(url));
        put(&mut source, "url", url.map(Value::from));
        source.into()
    }
}

impl ShopLine {
    /// Returns the SKU by which an item is looked up. A product without one gets a text that is the same for all its
    /// lines, so that a person can create an item with it, or match it by hand.
    pub fn sku_or_product(&self) -> String {
        let sku = self.sku.as_deref().and_then(|sku| line(sku, SKU_CHARS_MAX));
        sku.unwrap_or_else(|| {
            let name = match &self.product_id {
                Some(product) => format!("product:{product}"),
                None => format!("line:{}", self.external_id),
            };
            line(&name, SKU_CHARS_MAX).unwrap_or_default()
        })
    }

    fn body(&self, has_currency: bool) -> Value {
        let mut fields = Map::new();
        put(&mut fields, "sku", Some(self.sku_or_product().into()));
        put(&mut fields, "name", one_line(self.name.as_deref()));
        put(&mut fields, "quantity", Some(self.quantity.into()));
        put(&mut fields, "unit_price", self.unit_price.filter(|_| has_currency).map(Value::from));
        put(&mut fields, "external_line_id", one_line(Some(&self.external_id)));
        put(&mut fields, "is_shippable", Some(self.is_shippable.into()));
        fields.into()
    }
}

fn put(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        fields.insert(name.to_owned(), value);
    }
}

fn one_line(text: Option<&str>) -> Option<Value> {
    line(text?, LINE_CHARS_MAX).map(Value::from)
}

/// Returns an e-mail address, unless the model would refuse it.
fn email(text: Option<&str>) -> Option<Value> {
    let text = line(text?, LINE_CHARS_MAX)?;
    let (user, host) = text.split_once('@')?;
    let is_word =
        |part: &str| !part.is_empty() && !part.contains(|char: char| char == '@' || char.is_whitespace());
    (is_word(user) && is_word(host)).then(|| text.into())
}

/// Returns whether the model takes a text for a link. A link that is cut leads elsewhere.
fn is_link(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain = |rest: &str| !rest.contains(|char: char| char.is_whitespace() || char.is_control());
    text.chars().count() <= URL_CHARS_MAX && rest.is_some_and(|rest| !rest.is_empty() && is_plain(rest))
}

/// Writes tags as the model has them: `Gift wrap` becomes `gift_wrap`. What has no letter or digit is left out.
fn tags(tags: &[String]) -> Vec<String> {
    let mut written: Vec<String> = Vec::new();
    for tag in tags {
        let lower = tag.trim().to_lowercase();
        let plain = lower.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' });
        let tag: String = plain.take(TAG_CHARS_MAX).collect();
        let is_new = tag.bytes().any(|byte| byte != b'_') && !written.contains(&tag);
        if is_new && written.len() < TAGS_MAX {
            written.push(tag);
        }
    }
    written
}
