//! Names, and how to reach people.

use model::shipping::shipment::AddressRecord;

pub const NAME_CHARS: usize = 50;
const EMAIL_CHARS: std::ops::RangeInclusive<usize> = 3..=70;

/// Returns the company and the person. `not` is a text that is no name, such as a post number in the place of the company.
pub fn name_lines(record: &AddressRecord, not: Option<&str>) -> (Option<String>, Option<String>) {
    let contact = record.contact.as_ref();
    let is_name = |text: &&str| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        not.is_none_or(|not| digits != not)
    };
    let company = given(contact.and_then(|contact| contact.company.as_ref())).filter(is_name);
    let person = given(contact.and_then(|contact| contact.name.as_ref()));
    let short = |text: &str| start(text, NAME_CHARS);
    // Places at which parcels are fetched have room for the person alone.
    if not.is_some() {
        return (person.or(company).map(short), None);
    }
    match (company, person) {
        (Some(company), person) => (Some(short(company)), person.map(short)),
        (None, person) => (person.map(short), None),
    }
}

pub fn email(record: &AddressRecord) -> Option<&str> {
    let contact = record.contact.as_ref()?;
    given(contact.email_address.as_ref()).filter(|email| EMAIL_CHARS.contains(&email.chars().count()))
}

/// A text that is not blank.
pub fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

pub fn start(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
