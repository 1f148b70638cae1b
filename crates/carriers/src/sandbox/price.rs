//! What the sandbox charges: by service, distance and the mass that counts.

use model::geo::{Point, haversine_km};
use model::location::Coordinates;
use model::shipment::{ErrorCode, ErrorType, ShipmentError, ShipmentInput, Source};

use super::word::Word;

/// What the sandbox offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    pub handle: &'static str,
    pub name: &'static str,
    /// For the first half kilogram in the nearest zone, in pence.
    base: i64,
    /// For each half kilogram begun, and each zone.
    step: i64,
    days: i64,
}

/// From the slowest to the fastest.
pub const SERVICES: [Service; 3] = [
    Service { handle: "economy", name: "Economy", base: 280, step: 20, days: 5 },
    Service { handle: "standard", name: "Standard", base: 420, step: 30, days: 3 },
    Service { handle: "express", name: "Express", base: 890, step: 60, days: 1 },
];

/// Kilometres up to which a zone reaches.
const ZONES_KM: [f64; 4] = [100.0, 300.0, 800.0, 2000.0];
/// A border counts as so many zones more.
const BORDER_ZONES: i64 = 4;
/// The zone where nobody knows how far it is.
const UNKNOWN_ZONE: i64 = 3;
/// Cubic millimetres that count as a gram: 5000 cm³ as a kilogram.
const VOLUME_PER_GRAM: i64 = 5000;
const STEP_GRAMS: i64 = 500;
const GRAMS_MAX: i64 = 30_000;
const LENGTH_MM_MAX: i64 = 1500;
/// The longest side and the girth around the others, together.
const GIRTH_MM_MAX: i64 = 3000;
const FUEL_PERCENT: i64 = 12;
const SATURDAY: i64 = 500;
const SIGNATURE: i64 = 150;

/// Why a shipment is not carried.
pub type Refusal = ShipmentError;

impl Service {
    pub fn of_handle(handle: &str) -> Option<Self> {
        SERVICES.into_iter().find(|service| service.handle == handle)
    }

    /// Days that it takes at this distance.
    pub fn days(&self, zone: i64) -> i64 {
        self.days + (zone - 1).max(0) / 2
    }
}

/// What a service takes a shipment for, in pence.
pub fn price(shipment: &ShipmentInput, service: Service) -> Result<i64, Refusal> {
    let zone = zone(shipment);
    let mut amount = 0;
    for package in &shipment.packages {
        let grams = package.geometry.and_then(|geometry| geometry.grams()).unwrap_or(STEP_GRAMS);
        let sides = package.geometry.and_then(|geometry| geometry.millimetres());
        let grams = counted_grams(grams, sides)?;
        let steps = (grams + STEP_GRAMS - 1) / STEP_GRAMS;
        amount += service.base + steps * service.step * zone;
    }
    amount += (amount * FUEL_PERCENT + 50) / 100;
    let options = shipment.options.as_ref().and_then(|options| options.shipping.as_ref());
    let is_wanted = |flag: Option<bool>| i64::from(flag == Some(true));
    if let Some(options) = options {
        amount += SATURDAY * is_wanted(options.saturday_delivery);
        amount += SIGNATURE * is_wanted(options.signature_required);
    }
    Ok(amount)
}

/// The mass that counts: what it weighs, or what its volume stands for.
fn counted_grams(grams: i64, sides: Option<[i64; 3]>) -> Result<i64, Refusal> {
    let refuse =
        |code, message: &str| Err(ShipmentError::new(ErrorType::Rate, code, Source::Carrier, message));
    if !(0..=GRAMS_MAX).contains(&grams) {
        return refuse(ErrorCode::WeightLimit, "A package may weigh 30 kg.");
    }
    let Some(mut sides) = sides else { return Ok(grams) };
    sides.sort_unstable();
    let [height, width, length] = sides;
    // Another program may ask for anything.
    if height < 0 || length > LENGTH_MM_MAX || length + 2 * (width + height) > GIRTH_MM_MAX {
        let message = "A package may be 150 cm long, and 300 cm with the girth around it.";
        return refuse(ErrorCode::DimensionsLimit, message);
    }
    Ok(grams.max((length * width * height + VOLUME_PER_GRAM - 1) / VOLUME_PER_GRAM))
}

/// How far it is, in zones from one on.
pub fn zone(shipment: &ShipmentInput) -> i64 {
    let to = &shipment.addresses.destination;
    let Some(from) = &shipment.addresses.origin else { return UNKNOWN_ZONE };
    let near = match (from.coordinates, to.coordinates) {
        (Some(from), Some(to)) => {
            let point = |place: Coordinates| Point { latitude: place.latitude, longitude: place.longitude };
            let km = haversine_km(point(from), point(to));
            1 + ZONES_KM.iter().filter(|reach| km >= **reach).count() as i64
        }
        _ => UNKNOWN_ZONE,
    };
    let is_abroad = from.address.country_code != to.address.country_code;
    near + i64::from(is_abroad) * BORDER_ZONES
}

/// Whether the shipment picks this behaviour.
pub fn picks(shipment: &ShipmentInput, word: Word) -> bool {
    shipment.addresses.destination.sandbox_word().and_then(Word::parse) == Some(word)
}

#[cfg(test)]
mod tests {
    use model::shape::parse;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn shipment(mass: f64, side: f64, to: Value) -> ShipmentInput {
        let place = |country: &str, coordinates: Value| json!({"address": {"line_1": "1", "city": "X", "country_code": country}, "coordinates": coordinates});
        let bristol = json!({"latitude": 51.45, "longitude": -2.6});
        let country =
            if to["latitude"].as_f64().is_some_and(|latitude| latitude < 49.5) { "FR" } else { "GB" };
        parse(json!({
            "addresses": {"origin": place("GB", bristol), "destination": place(country, to)},
            "packages": [{"geometry": {"mass": mass, "length": side, "width": side, "height": side}}],
        }))
        .unwrap()
    }

    fn near() -> Value {
        json!({"latitude": 51.5, "longitude": -2.5})
    }

    #[test]
    fn what_is_far_bulky_or_fast_costs_more() {
        let [economy, standard, express] = SERVICES;
        let of = |mass, side, to| price(&shipment(mass, side, to), economy).unwrap();
        let small = of(0.4, 10.0, near());
        assert_eq!(small, 280 + 20 + 36);
        assert!(of(0.6, 10.0, near()) > small);
        assert!(of(0.4, 40.0, near()) > small, "a large box weighs what its volume stands for");
        assert!(of(0.4, 10.0, json!({"latitude": 55.95, "longitude": -3.2})) > small);
        let paris = json!({"latitude": 48.85, "longitude": 2.35});
        assert_eq!(zone(&shipment(1.0, 10.0, paris)), 3 + BORDER_ZONES);
        let parcel = shipment(1.0, 10.0, near());
        let prices = [economy, standard, express].map(|service| price(&parcel, service).unwrap());
        assert!(prices[0] < prices[1] && prices[1] < prices[2]);
        assert!(economy.days(1) > express.days(1) && express.days(7) > express.days(1));
    }

    #[test]
    fn what_is_too_heavy_or_too_large_is_not_carried() {
        let refused = |mass, side| price(&shipment(mass, side, near()), SERVICES[0]).unwrap_err().code;
        assert_eq!(refused(30.001, 10.0), ErrorCode::WeightLimit);
        assert_eq!(refused(1.0, 61.0), ErrorCode::DimensionsLimit);
        assert!(price(&shipment(30.0, 10.0, near()), SERVICES[0]).is_ok());
    }

    proptest! {
        #[test]
        fn more_never_costs_less(mass in 0.001f64..29.0, more in 0.0f64..1.0, side in 0.1f64..50.0) {
            let price_of = |mass| price(&shipment(mass, side, near()), SERVICES[1]).unwrap();
            prop_assert!(price_of(mass + more) >= price_of(mass));
        }
    }
}
