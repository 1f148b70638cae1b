//! Packstations, post offices and post-office boxes in Germany. An address names them in its lines, as people write them:
//! `Packstation 105`, with the customer's post number (`Postnummer`) in another line or as the company.

use model::shipping::shipment::AddressRecord;
use serde_json::{Value, json};

use super::contact::{email, name_lines};
use super::country::alpha_3;
use super::json::without_nulls;
use super::route::is_home;

/// The numbers of Packstations and of post offices.
const LOCKERS: std::ops::RangeInclusive<u32> = 100..=999;
const OFFICES: std::ops::RangeInclusive<u32> = 401..=999;
const POST_NUMBER_CHARS: std::ops::RangeInclusive<usize> = 6..=10;
const LOCKER_WORDS: [&str; 1] = ["packstation"];
const OFFICE_WORDS: [&str; 4] = ["postfiliale", "post filiale", "filiale", "paketshop"];
const BOX_WORDS: [&str; 1] = ["postfach"];
const POST_NUMBER_WORDS: [&str; 4] = ["postnummer", "postnr", "post nummer", "post nr"];

/// The kind of a place at which a recipient fetches parcels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Locker,
    Office,
    Box,
}

/// A place at which a recipient fetches parcels.
#[derive(Debug, PartialEq, Eq)]
pub struct DropPoint {
    kind: Kind,
    number: u32,
    post_number: Option<String>,
}

/// Returns the place that an address names, if it is one in Germany.
pub fn drop_point(record: &AddressRecord) -> Option<DropPoint> {
    if !is_home(record) {
        return None;
    }
    let postal = &record.address;
    let lines = [Some(&postal.line_1), postal.line_2.as_ref(), postal.line_3.as_ref()];
    let lines: Vec<&String> = lines.into_iter().flatten().collect();
    let (kind, number) = lines.iter().find_map(|line| place(line))?;
    let contact = record.contact.as_ref();
    let company = contact.and_then(|contact| contact.company.as_ref());
    let post_number = lines.into_iter().chain(company).find_map(|line| post_number(line));
    Some(DropPoint { kind, number, post_number })
}

/// Splits a line into lower-case words and the digits at its end.
fn split(line: &str) -> (String, String) {
    let line = line.to_lowercase();
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    let words: String = line.chars().map(|char| if char.is_alphabetic() { char } else { ' ' }).collect();
    let mut words: Vec<&str> = words.split_whitespace().collect();
    // "Nr." before the number, and "DHL" before the place, say nothing.
    words.retain(|word| !matches!(*word, "nr" | "no" | "dhl" | "nummer") || words_are_short(line.as_str()));
    (words.join(" "), digits)
}

/// Whether a line may be that of a post number, in which "Nr." is a part of the word.
fn words_are_short(line: &str) -> bool {
    line.trim_start().starts_with("post n") || line.trim_start().starts_with("post-n")
}

fn place(line: &str) -> Option<(Kind, u32)> {
    let (words, digits) = split(line);
    let number: u32 = digits.parse().ok()?;
    let is = |known: &[&str]| known.contains(&words.as_str());
    if is(&LOCKER_WORDS) && LOCKERS.contains(&number) {
        return Some((Kind::Locker, number));
    }
    if is(&OFFICE_WORDS) && OFFICES.contains(&number) {
        return Some((Kind::Office, number));
    }
    is(&BOX_WORDS).then_some((Kind::Box, number))
}

fn post_number(line: &str) -> Option<String> {
    let (words, digits) = split(line);
    let is_alone = words.is_empty() || POST_NUMBER_WORDS.contains(&words.as_str());
    (is_alone && POST_NUMBER_CHARS.contains(&digits.len())).then_some(digits)
}

impl DropPoint {
    /// Returns the recipient as DHL takes it.
    pub fn consignee(&self, record: &AddressRecord) -> Value {
        let postal = &record.address;
        let (name, second) = name_lines(record, self.post_number.as_deref());
        let place = json!({
            "city": postal.city,
            "postalCode": postal.post_code,
            "country": alpha_3(postal.country_code),
            "email": email(record).filter(|_| self.kind != Kind::Locker),
        });
        let own = match self.kind {
            Kind::Locker => json!({"name": name, "lockerID": self.number, "postNumber": self.post_number}),
            Kind::Office => json!({"name": name, "retailID": self.number, "postNumber": self.post_number}),
            Kind::Box => json!({"name1": name, "name2": second, "poBoxID": self.number}),
        };
        let mut consignee = place;
        if let (Value::Object(fields), Value::Object(own)) = (&mut consignee, own) {
            fields.extend(own);
        }
        without_nulls(consignee)
    }

    /// Returns why DHL can't deliver there, if so.
    pub fn unfit(&self, record: &AddressRecord, place: &str) -> Option<String> {
        let is_known = self.post_number.is_some();
        match self.kind {
            Kind::Locker if !is_known => Some(format!(
                "A Packstation needs the recipient's post number of 6 to 10 digits: write it into \
                 `addresses.{place}.address.line_2`."
            )),
            Kind::Office if !is_known && email(record).is_none() => Some(format!(
                "A post office needs the recipient's post number in `addresses.{place}.address.line_2`, or \
                 `addresses.{place}.contact.email_address`."
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use model::platform::shape::parse;
    use model::shipping::shipment::ShipmentInput;

    use super::*;

    fn record(line_1: &str, line_2: &str, company: &str, country: &str) -> AddressRecord {
        let code = if country == "AT" { "1010" } else { "53113" };
        let address = json!({"line_1": line_1, "line_2": line_2, "city": "Bonn", "post_code": code, "country_code": country});
        let place = json!({"address": address, "contact": {"name": "Jo", "company": company}});
        let details: ShipmentInput = parse(json!({
            "addresses": {"origin": place, "destination": place}, "packages": [{"geometry": {"mass": 1}}],
        }))
        .unwrap();
        details.addresses.destination
    }

    #[test]
    fn places_are_read_as_people_write_them() {
        let point = |kind, number, post_number: Option<&str>| {
            Some(DropPoint { kind, number, post_number: post_number.map(str::to_owned) })
        };
        for (line_1, line_2, company, expected) in [
            ("Packstation 105", "12345678", "X", point(Kind::Locker, 105, Some("12345678"))),
            ("DHL Packstation Nr. 105", "Postnummer: 123456", "X", point(Kind::Locker, 105, Some("123456"))),
            ("Post-Nr. 1234567890", "PACKSTATION 999", "X", point(Kind::Locker, 999, Some("1234567890"))),
            ("Packstation 105", "2. Etage", "12345678", point(Kind::Locker, 105, Some("12345678"))),
            ("Packstation 105", "2. Etage", "X", point(Kind::Locker, 105, None)),
            ("Postfiliale 518", "12345678", "X", point(Kind::Office, 518, Some("12345678"))),
            ("Filiale 518", "X", "X", point(Kind::Office, 518, None)),
            ("Postfach 12 34 56", "X", "X", point(Kind::Box, 123_456, None)),
            ("Packstation 99", "12345678", "X", None),
            ("Postfiliale 400", "12345678", "X", None),
            ("Packstationsweg 105", "12345678", "X", None),
            ("Filialstr. 518", "12345678", "X", None),
        ] {
            let found = drop_point(&record(line_1, line_2, company, "DE"));
            assert_eq!(found, expected, "{line_1}, {line_2}, {company}");
        }
        assert_eq!(
            drop_point(&record("Packstation 105", "12345678", "X", "AT")),
            None,
            "DHL has them in Germany"
        );
    }
}
