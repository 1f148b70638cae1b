//! Senders and recipients, as DHL Express takes them.

use model::shipping::shipment::AddressRecord;
use serde_json::{Value, json};

use crate::address_lines::address_lines;
use crate::json::without_nulls;

const LINE_CHARS: usize = 45;
const LINES: usize = 3;
const CITY_CHARS: usize = 45;
const COMPANY_CHARS: usize = 100;
const NAME_CHARS: usize = 255;
const PHONE_CHARS: usize = 70;
const EMAIL_CHARS: usize = 70;
const PROVINCE_CHARS: usize = 35;

/// Returns a party for a shipment.
pub fn party(record: &AddressRecord) -> Value {
    let contact = record.contact.as_ref();
    let company = given(contact.and_then(|contact| contact.company.as_ref()));
    let person = given(contact.and_then(|contact| contact.name.as_ref()));
    let phone = given(contact.and_then(|contact| contact.phone_number.as_ref()));
    let email = given(contact.and_then(|contact| contact.email_address.as_ref()));
    json!({
        "postalAddress": address(record),
        "contactInformation": without_nulls(json!({
            "companyName": company.or(person).map(|name| start(name, COMPANY_CHARS)),
            "fullName": person.or(company).map(|name| start(name, NAME_CHARS)),
            "phone": phone.map(|phone| start(phone, PHONE_CHARS)),
            "email": email.filter(|email| email.chars().count() <= EMAIL_CHARS),
        })),
    })
}

/// Returns an address without a person, as rates need it.
pub fn address(record: &AddressRecord) -> Value {
    let postal = &record.address;
    let lines = address_lines(postal, LINE_CHARS, LINES).unwrap_or_default();
    let province = given(postal.province.as_ref());
    without_nulls(json!({
        "addressLine1": lines.first(),
        "addressLine2": lines.get(1),
        "addressLine3": lines.get(2),
        "cityName": postal.city,
        "provinceCode": province.filter(|province| province.chars().count() <= PROVINCE_CHARS),
        // DHL wants the field in countries without post codes, too.
        "postalCode": postal.post_code.as_deref().unwrap_or_default(),
        "countryCode": postal.country_code,
    }))
}

/// Returns why DHL can't take this party, if so. Rates need no person.
pub fn unfit(record: &AddressRecord, place: &str) -> Option<String> {
    let contact = record.contact.as_ref();
    let is_given = |text: Option<&String>| given(text).is_some();
    if !is_given(contact.and_then(|contact| contact.name.as_ref()))
        && !is_given(contact.and_then(|contact| contact.company.as_ref()))
    {
        return Some(format!(
            "DHL Express needs a name: set `addresses.{place}.contact.name` or `.company`."
        ));
    }
    if !is_given(contact.and_then(|contact| contact.phone_number.as_ref())) {
        return Some(format!(
            "DHL Express needs a telephone number: set `addresses.{place}.contact.phone_number`."
        ));
    }
    if address_lines(&record.address, LINE_CHARS, LINES).is_none() {
        return Some(format!(
            "DHL Express takes {LINES} address lines of {LINE_CHARS} characters. Shorten those of `addresses.{place}`."
        ));
    }
    (record.address.city.chars().count() > CITY_CHARS).then(|| {
        format!(
            "DHL Express takes cities of {CITY_CHARS} characters. Shorten `addresses.{place}.address.city`."
        )
    })
}

/// A text that is not blank.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn start(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
