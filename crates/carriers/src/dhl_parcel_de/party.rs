//! Senders and recipients, as DHL takes them.

use model::shipping::shipment::AddressRecord;
use serde_json::{Value, json};

use super::contact::{NAME_CHARS, email, given, name_lines, start};
use super::country::alpha_3;
use super::drop_point::drop_point;
use super::json::without_nulls;
use super::route::is_home;

const STREET_CHARS: usize = 50;
const ADDITION_CHARS: usize = 60;
const CITY_CHARS: usize = 40;
const STATE_CHARS: usize = 20;
const HOUSE_CHARS: usize = 10;
const PHONE_CHARS: usize = 20;
const POST_CODE_CHARS: std::ops::RangeInclusive<usize> = 3..=10;

/// Returns the sender.
pub fn shipper(record: &AddressRecord) -> Value {
    let mut body = address(record);
    body["email"] = json!(email(record));
    without_nulls(body)
}

/// Returns the recipient: an address, or a place at which the parcel is fetched.
pub fn consignee(record: &AddressRecord) -> Value {
    if let Some(place) = drop_point(record) {
        return place.consignee(record);
    }
    let postal = &record.address;
    let mut body = address(record);
    let additions = lines(record);
    // Within Germany, DHL prints names only.
    let (first, second) = match is_home(record) {
        true => (None, None),
        false => (additions.first(), additions.get(1)),
    };
    if is_home(record) && !additions.is_empty() {
        body["name3"] = json!(start(&additions.join(", "), NAME_CHARS));
    }
    body["additionalAddressInformation1"] = json!(first);
    body["additionalAddressInformation2"] = json!(second);
    body["state"] = json!(postal.province.as_deref().map(|state| start(state, STATE_CHARS)));
    body["email"] = json!(email(record));
    // DHL takes no phone numbers of recipients in Germany.
    body["phone"] = json!(phone(record).filter(|_| !is_home(record)));
    without_nulls(body)
}

/// Returns the customer who sends a parcel back. The interface of returns wants the number of the house by itself.
pub fn returner(record: &AddressRecord) -> Value {
    let (street, house) = street_and_house(&record.address.line_1).unwrap_or_default();
    let mut body = address(record);
    body["addressStreet"] = json!(street);
    body["addressHouse"] = json!(house);
    body["name3"] = json!(lines(record).first().map(|line| start(line, NAME_CHARS)));
    body["country"] = Value::Null;
    body["email"] = json!(email(record));
    body["phone"] = json!(phone(record));
    without_nulls(body)
}

fn address(record: &AddressRecord) -> Value {
    let postal = &record.address;
    let (first, second) = name_lines(record, None);
    json!({
        "name1": first,
        "name2": second,
        "addressStreet": postal.line_1.trim(),
        "postalCode": postal.post_code,
        "city": postal.city.trim(),
        "country": alpha_3(postal.country_code),
    })
}

fn lines(record: &AddressRecord) -> Vec<String> {
    let lines = [record.address.line_2.as_ref(), record.address.line_3.as_ref()];
    lines.into_iter().filter_map(given).map(|line| start(line, ADDITION_CHARS)).collect()
}

fn phone(record: &AddressRecord) -> Option<String> {
    let contact = record.contact.as_ref()?;
    Some(start(given(contact.phone_number.as_ref())?, PHONE_CHARS))
}

/// Splits a line into the street and the number of the house, which is at its end or at its beginning.
fn street_and_house(line: &str) -> Option<(String, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |word: &&str| word.starts_with(|char: char| char.is_ascii_digit());
    let last = words.iter().rposition(is_number);
    let (street, house) = match last {
        Some(place) if place > 0 => (words[..place].join(" "), words[place..].join(" ")),
        Some(_) if words.len() > 1 => (words[1..].join(" "), words[0].to_owned()),
        _ => return None,
    };
    let street = street.trim_end_matches(',').to_owned();
    let house = house.trim_end_matches(',').to_owned();
    (!street.is_empty() && house.chars().count() <= HOUSE_CHARS).then_some((street, house))
}

/// Returns why DHL can't take this party, if so. `is_return`: for a customer who sends something back.
pub fn unfit(record: &AddressRecord, place: &str, is_return: bool) -> Option<String> {
    let postal = &record.address;
    if name_lines(record, None).0.is_none() {
        return Some(format!("DHL needs a name: set `addresses.{place}.contact.name` or `.company`."));
    }
    if alpha_3(postal.country_code).is_none() {
        return Some(format!("DHL carries no parcels to {}.", postal.country_code));
    }
    if postal.city.trim().chars().count() > CITY_CHARS {
        return Some(format!(
            "DHL takes cities of {CITY_CHARS} characters. Shorten `addresses.{place}.address.city`."
        ));
    }
    let code = postal.post_code.as_deref().unwrap_or_default();
    let is_code = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-'))
        && POST_CODE_CHARS.contains(&code.len());
    if !code.is_empty() && !is_code || code.is_empty() && is_home(record) {
        return Some(format!(
            "DHL needs a post code of 3 to 10 letters and digits in `addresses.{place}.address.post_code`."
        ));
    }
    if let Some(point) = drop_point(record) {
        return point.unfit(record, place);
    }
    if postal.line_1.trim().chars().count() > STREET_CHARS {
        return Some(format!(
            "DHL takes streets of {STREET_CHARS} characters. Shorten `addresses.{place}.address.line_1`."
        ));
    }
    let has_no_house = is_return && street_and_house(&postal.line_1).is_none();
    has_no_house.then(|| {
        format!(
            "DHL's returns need the number of the house: write it into `addresses.{place}.address.line_1`."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_the_house_is_at_an_end_of_the_line() {
        for (line, expected) in [
            ("Kurt-Schumacher-Str. 20", Some(("Kurt-Schumacher-Str.", "20"))),
            ("Sträßchensweg 10 a", Some(("Sträßchensweg", "10 a"))),
            ("Straße des 17. Juni 135", Some(("Straße des 17. Juni", "135"))),
            ("10 Downing Street", Some(("Downing Street", "10"))),
            ("Rue Haute, 7", Some(("Rue Haute", "7"))),
            ("Am Markt", None),
            ("12", None),
        ] {
            let expected = expected.map(|(street, house)| (street.to_owned(), house.to_owned()));
            assert_eq!(street_and_house(line), expected, "{line}");
        }
    }
}
