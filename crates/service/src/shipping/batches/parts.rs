//! `include_fields`: shows only the named ones of a shipment's seven optional parts.

use model::{Error, Result};
use serde_json::Value;

/// The path of each part.
const PLACES: [(&str, &[&str]); 7] = [
    ("origin_address", &["addresses", "origin"]),
    ("destination_address", &["addresses", "destination"]),
    ("return_address", &["addresses", "return"]),
    ("rates", &["rates"]),
    ("selected_rate", &["service", "rate"]),
    ("documents", &["documents"]),
    ("errors", &["errors"]),
];

/// Returns a shipment without the parts that are not named.
pub fn only(shipment: &str, named: &[String]) -> Result<String> {
    let mut shipment: Value = serde_json::from_str(shipment).map_err(Error::fault)?;
    for (name, place) in PLACES {
        if !named.iter().any(|named| named == name)
            && let [within @ .., last] = place
        {
            let object = within.iter().try_fold(&mut shipment, |object, step| object.get_mut(*step));
            if let Some(object) = object.and_then(Value::as_object_mut) {
                object.shift_remove(*last);
            }
        }
    }
    serde_json::to_string(&shipment).map_err(Error::fault)
}

#[cfg(test)]
mod tests {
    use model::shipping::batch::PARTS;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_part_has_its_place() {
        assert_eq!(PLACES.map(|(name, _)| name), PARTS);
    }

    #[test]
    fn of_the_seven_parts_only_the_named_are_left() {
        let whole = json!({
            "id": "shp_1", "name": null,
            "addresses": {"origin": 1, "destination": 2, "return": 3, "location_configuration_id": "lc_1"},
            "rates": [1], "service": {"rate": "rate_1", "carrier": {}}, "documents": [2], "errors": [3],
        });
        let left = |named: &[&str]| {
            let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
            serde_json::from_str::<Value>(&only(&whole.to_string(), &named).unwrap()).unwrap()
        };
        assert_eq!(left(&PARTS), whole);
        assert_eq!(
            left(&["errors"]),
            json!({"id": "shp_1", "name": null, "addresses": {"location_configuration_id": "lc_1"}, "service": {"carrier": {}}, "errors": [3]})
        );
        assert_eq!(left(&["selected_rate", "return_address"])["service"]["rate"], "rate_1");
        assert_eq!(
            left(&["return_address"])["addresses"],
            json!({"return": 3, "location_configuration_id": "lc_1"})
        );
        let never_chosen = only(&json!({"service": null}).to_string(), &["rates".to_owned()]).unwrap();
        assert_eq!(never_chosen, r#"{"service":null}"#);
    }
}
