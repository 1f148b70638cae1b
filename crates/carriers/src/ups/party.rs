//! Senders and recipients, as UPS takes them.

use model::shipping::shipment::AddressRecord;
use serde_json::{Value, json};

use super::json::without_nulls;
use crate::address_lines::address_lines;

/// Characters of a name, of an address line, and address lines.
const NAME_CHARS: usize = 35;
const LINE_CHARS: usize = 35;
const LINES: usize = 3;
/// UPS takes codes of provinces, not names.
const PROVINCE_CHARS: usize = 5;
const PHONE_CHARS: usize = 15;
const EMAIL_CHARS: usize = 50;

/// Returns a party for a shipment.
pub fn party(record: &AddressRecord) -> Value {
    let contact = record.contact.as_ref();
    let company = given(contact.and_then(|contact| contact.company.as_ref()));
    let person = given(contact.and_then(|contact| contact.name.as_ref()));
    let phone = contact.and_then(|contact| contact.phone_number.as_deref()).map(digits);
    let email = given(contact.and_then(|contact| contact.email_address.as_ref()));
    without_nulls(json!({
        "Name": company.or(person).map(|name| start(name, NAME_CHARS)),
        "AttentionName": person.or(company).map(|name| start(name, NAME_CHARS)),
        "Phone": phone.filter(|phone| !phone.is_empty()).map(|number| json!({"Number": number})),
        "EMailAddress": email.filter(|email| email.chars().count() <= EMAIL_CHARS),
        "Address": address(record),
    }))
}

/// Returns an address without a person, as rates need it.
pub fn address(record: &AddressRecord) -> Value {
    let postal = &record.address;
    let province = postal.province.as_deref().filter(|province| province.chars().count() <= PROVINCE_CHARS);
    without_nulls(json!({
        "AddressLine": lines(record).unwrap_or_default(),
        "City": postal.city,
        "StateProvinceCode": province,
        "PostalCode": postal.post_code.as_deref().map(|code| code.replace('-', "")),
        "CountryCode": postal.country_code,
    }))
}

/// Returns why UPS can't take this party, if so.
pub fn unfit(record: &AddressRecord, place: &str) -> Option<String> {
    let is_given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let contact = record.contact.as_ref();
    if !contact.is_some_and(|contact| is_given(&contact.name) || is_given(&contact.company)) {
        return Some(format!("UPS needs a name: set `addresses.{place}.contact.name` or `.company`."));
    }
    if lines(record).is_none() {
        return Some(format!(
            "UPS takes {LINES} address lines of {LINE_CHARS} characters. Shorten those of `addresses.{place}`."
        ));
    }
    None
}

fn lines(record: &AddressRecord) -> Option<Vec<String>> {
    address_lines(&record.address, LINE_CHARS, LINES)
}

/// A text that is not blank.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// The digits of a telephone number.
fn digits(number: &str) -> String {
    number.chars().filter(char::is_ascii_digit).take(PHONE_CHARS).collect()
}

/// The first characters of a text.
pub fn start(text: &str, chars: usize) -> String {
    text.trim().chars().take(chars).collect()
}
