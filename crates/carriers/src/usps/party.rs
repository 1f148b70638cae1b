//! Senders and recipients, as USPS takes them.

use model::shipping::shipment::AddressRecord;
use serde_json::{Value, json};

use crate::json::without_nulls;

const NAME_CHARS: usize = 50;
const LINE_CHARS: usize = 50;
const CITY_CHARS: usize = 28;
const PHONE_CHARS: usize = 15;
const PHONE_CHARS_MIN: usize = 6;
/// Addresses that USPS delivers to as within the country.
const DOMESTIC: [&str; 9] = ["US", "PR", "VI", "GU", "AS", "MP", "PW", "FM", "MH"];

/// Returns whether USPS delivers there as within the country.
pub fn is_domestic(record: &AddressRecord) -> bool {
    DOMESTIC.contains(&record.address.country_code.as_str())
}

/// Returns the two-letter code of the state. Territories are states of their own.
fn state(record: &AddressRecord) -> Option<&str> {
    match record.address.country_code.as_str() {
        "US" => record.address.province.as_deref(),
        territory => Some(territory),
    }
}

/// Returns the ZIP code and its four further digits, if they are there.
pub fn zip(record: &AddressRecord) -> Option<(String, Option<String>)> {
    let digits: String = record.address.post_code.as_deref()?.chars().filter(char::is_ascii_digit).collect();
    match digits.len() {
        5 => Some((digits, None)),
        9 => Some((digits[..5].to_owned(), Some(digits[5..].to_owned()))),
        _ => None,
    }
}

/// Returns an address within the country.
pub fn domestic(record: &AddressRecord) -> Value {
    let (zip, plus) = zip(record).unzip();
    let mut body = person(record);
    body["streetAddress"] = json!(record.address.line_1);
    body["secondaryAddress"] = json!(second_line(record));
    body["city"] = json!(record.address.city);
    body["state"] = json!(state(record));
    body["ZIPCode"] = json!(zip);
    body["ZIPPlus4"] = json!(plus.flatten());
    without_nulls(body)
}

/// Returns an address abroad.
pub fn abroad(record: &AddressRecord) -> Value {
    let postal = &record.address;
    let mut body = person(record);
    body["streetAddress"] = json!(postal.line_1);
    body["secondaryAddress"] = json!(second_line(record));
    body["city"] = json!(postal.city);
    body["province"] = json!(postal.province);
    body["postalCode"] = json!(postal.post_code);
    // USPS takes the code for the name and prints the name.
    body["country"] = json!(postal.country_code);
    body["countryISOAlpha2Code"] = json!(postal.country_code);
    without_nulls(body)
}

fn second_line(record: &AddressRecord) -> Option<String> {
    let lines = [&record.address.line_2, &record.address.line_3];
    let lines: Vec<&str> = lines.into_iter().flatten().map(|line| line.trim()).collect();
    let text = lines.join(", ");
    (!text.is_empty()).then_some(text)
}

/// A name in two parts, a company, and how to reach them.
fn person(record: &AddressRecord) -> Value {
    let contact = record.contact.as_ref();
    let name = given(contact.and_then(|contact| contact.name.as_ref()));
    let firm = given(contact.and_then(|contact| contact.company.as_ref()));
    let (first, last) = match name.and_then(|name| name.rsplit_once(' ')) {
        Some((first, last)) => (Some(first), Some(last)),
        None => (name, None),
    };
    let phone = contact.and_then(|contact| contact.phone_number.as_deref()).map(digits);
    without_nulls(json!({
        "firstName": first.map(start),
        // A name of one word is USPS's last name, too: it wants both or a company.
        "lastName": last.or_else(|| first.filter(|_| firm.is_none())).map(start),
        "firm": firm.map(start),
        "phone": phone.filter(|phone| phone.len() >= PHONE_CHARS_MIN),
    }))
}

/// A text that is not blank.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn digits(number: &str) -> String {
    number.chars().filter(char::is_ascii_digit).take(PHONE_CHARS).collect()
}

fn start(text: &str) -> String {
    text.chars().take(NAME_CHARS).collect()
}

/// Returns why USPS can't take this party, if so.
pub fn unfit(record: &AddressRecord, place: &str) -> Option<String> {
    let is_given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let contact = record.contact.as_ref();
    if !contact.is_some_and(|contact| is_given(&contact.name) || is_given(&contact.company)) {
        return Some(format!("USPS needs a name: set `addresses.{place}.contact.name` or `.company`."));
    }
    let is_long = |text: &str| text.chars().count() > LINE_CHARS;
    if is_long(&record.address.line_1) || second_line(record).is_some_and(|line| is_long(&line)) {
        return Some(format!(
            "USPS takes two address lines of {LINE_CHARS} characters. Shorten those of `addresses.{place}`."
        ));
    }
    if record.address.city.chars().count() > CITY_CHARS {
        return Some(format!(
            "USPS takes cities of {CITY_CHARS} characters. Shorten `addresses.{place}.address.city`."
        ));
    }
    if !is_domestic(record) {
        return None;
    }
    if zip(record).is_none() {
        return Some(format!(
            "USPS needs a ZIP code of 5 or 9 digits in `addresses.{place}.address.post_code`."
        ));
    }
    let is_state = state(record).is_some_and(|state| state.len() == 2);
    (!is_state)
        .then(|| format!("USPS needs the two letters of the state in `addresses.{place}.address.province`."))
}
