//! Postal addresses whose post code may be a word of the sandbox carrier, in the test world.

use serde_json::{Map, Value};

use crate::places::address::{self, POSTAL_FIELDS, PostalAddress};
use crate::platform::problem::Issue;
use crate::platform::shape::{Issues, Kind, Path, Shape};

/// Returns whether a text begins like the sandbox carrier's words. Such a word takes the place of a post code, in the
/// test world only.
pub fn is_sandbox_word(text: &str) -> bool {
    text.starts_with("SBX-")
}

/// Checks an address whose post code may be a word of the sandbox carrier. A shape does not know the world of a
/// request; in the live world, [`live_world_issues`] rejects these words.
fn check_postal(address: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let post_code = address.get("post_code").and_then(Value::as_str).unwrap_or_default();
    match address::country_of(address) {
        Some(country) if is_sandbox_word(post_code) => {
            address::check_province(country, address, at, issues);
        }
        _ => address::check_postal(address, at, issues),
    }
}

/// Returns the errors of post codes in the live world, where the sandbox carrier's words are invalid.
pub fn live_world_issues<'a>(
    addresses: impl IntoIterator<Item = (&'static str, &'a PostalAddress)>,
) -> Vec<Issue> {
    let check = |(at, address): (&str, &PostalAddress)| {
        let word = address.post_code.as_deref().filter(|text| is_sandbox_word(text))?;
        address::check_post_code(address.country_code, word, &Path::Root(at)).err().map(|issue| *issue)
    };
    addresses.into_iter().filter_map(check).collect()
}

/// A postal address of an order or a shipment.
pub(crate) static POSTAL: Shape = Shape {
    name: Some("ShipmentPostalAddress"),
    about: "The postal part of an address. In the test world its post code may be a word of the sandbox carrier.",
    kind: Kind::Object { fields: POSTAL_FIELDS, rule: Some(check_postal) },
    example: Some(r#"{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}"#),
};
