//! The sandbox's prices: by service, distance and chargeable mass.

use model::places::address::Coordinates;
use model::places::country::is_customs_border;
use model::places::geo::{Point, haversine_km};
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, ShipmentInput, Source};

use super::options::surcharge;
use super::word::Word;

/// A service of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    pub handle: &'static str,
    pub name: &'static str,
    /// The price of the first half kilogram in the nearest zone, in pence.
    base: i64,
    /// The price of each further half kilogram begun, per zone.
    step: i64,
    days: i64,
}

/// All services, from the slowest to the fastest.
pub const SERVICES: [Service; 3] = [
    Service { handle: "economy", name: "Economy", base: 280, step: 20, days: 5 },
    Service { handle: "standard", name: "Standard", base: 420, step: 30, days: 3 },
    Service { handle: "express", name: "Express", base: 890, step: 60, days: 1 },
];

/// The largest distance of each zone, in kilometres.
const ZONES_KM: [f64; 4] = [100.0, 300.0, 800.0, 2000.0];
/// The number of zones that a border adds.
const BORDER_ZONES: i64 = 4;
/// The zone of an unknown distance.
const UNKNOWN_ZONE: i64 = 3;
/// Cubic millimetres that count as one gram: 5000 cm³ as a kilogram.
const VOLUME_PER_GRAM: i64 = 5000;
const STEP_GRAMS: i64 = 500;
const GRAMS_MAX: i64 = 30_000;
const LENGTH_MM_MAX: i64 = 1500;
/// The longest side plus the girth around the others.
const GIRTH_MM_MAX: i64 = 3000;
const FUEL_PERCENT: i64 = 12;

/// Why a shipment is not carried.
pub type Refusal = ShipmentError;

impl Service {
    pub fn of_handle(handle: &str) -> Option<Self> {
        SERVICES.into_iter().find(|service| service.handle == handle)
    }

    /// Returns the delivery time at this distance, in days.
    pub fn days(&self, zone: i64) -> i64 {
        self.days + (zone - 1).max(0) / 2
    }
}

/// Returns the price of a shipment with a service, in pence.
pub fn price(shipment: &ShipmentInput, service: Service) -> Result<i64, Refusal> {
    check_customs(shipment)?;
    let zone = zone(shipment);
    let mut amount = 0;
    for (number, package) in (1..).zip(&shipment.packages) {
        let grams = package.geometry.and_then(|geometry| geometry.grams()).unwrap_or(STEP_GRAMS);
        let sides = package.geometry.and_then(|geometry| geometry.millimetres());
        let grams = counted_grams(grams, sides).map_err(|refusal| refusal.about_package(Some(number)))?;
        let steps = (grams + STEP_GRAMS - 1) / STEP_GRAMS;
        amount += service.base + steps * service.step * zone;
    }
    amount += (amount * FUEL_PERCENT + 50) / 100;
    Ok(amount + surcharge(shipment))
}

/// Refuses a shipment that crosses a customs border without a declaration of its contents.
fn check_customs(shipment: &ShipmentInput) -> Result<(), Refusal> {
    let addresses = &shipment.addresses;
    let Some(origin) = &addresses.origin else { return Ok(()) };
    let (from, to) = (origin.address.country_code, addresses.destination.address.country_code);
    let is_declared = shipment.customs.as_ref().is_some_and(|customs| {
        let is_described =
            customs.contents_description.as_deref().is_some_and(|text| !text.trim().is_empty());
        let is_document = customs.contents_type.as_deref() == Some("documents");
        !customs.items.is_empty() || is_document && is_described
    });
    if is_declared || !is_customs_border(from, to) {
        return Ok(());
    }
    let message = format!(
        "`customs.items` must say what is inside: the parcel goes from {from} to {to} and crosses a customs border. For \
         documents, `customs.contents_type` and `customs.contents_description` will do."
    );
    Err(ShipmentError::new(ErrorType::Rate, ErrorCode::CustomsRequired, Source::Carrier, message))
}

/// Returns the chargeable mass: the larger of the actual and the volumetric mass.
fn counted_grams(grams: i64, sides: Option<[i64; 3]>) -> Result<i64, Refusal> {
    let refuse =
        |code, message: &str| Err(ShipmentError::new(ErrorType::Rate, code, Source::Carrier, message));
    if !(0..=GRAMS_MAX).contains(&grams) {
        return refuse(ErrorCode::WeightLimit, "A package may weigh 30 kg.");
    }
    let Some(mut sides) = sides else { return Ok(grams) };
    sides.sort_unstable();
    let [height, width, length] = sides;
    // The request may come from another program, so every value is checked.
    if height < 0 || length > LENGTH_MM_MAX || length + 2 * (width + height) > GIRTH_MM_MAX {
        let message = "A package may be 150 cm long, and 300 cm with the girth around it.";
        return refuse(ErrorCode::DimensionsLimit, message);
    }
    Ok(grams.max((length * width * height + VOLUME_PER_GRAM - 1) / VOLUME_PER_GRAM))
}

/// Returns the distance in zones, from one on.
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

/// Returns whether the shipment has this word.
pub fn picks(shipment: &ShipmentInput, word: Word) -> bool {
    Word::of(shipment) == Some(word)
}

#[cfg(test)]
mod tests {
    use model::platform::shape::parse;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn shipment(mass: f64, side: f64, to: Value) -> ShipmentInput {
        let place = |country: &str, coordinates: Value| json!({"address": {"line_1": "1", "city": "X", "post_code": if country == "FR" { "75001" } else { "BS1 4DJ" }, "country_code": country}, "coordinates": coordinates});
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
    fn what_crosses_a_customs_border_says_what_is_inside() {
        let mut abroad = shipment(1.0, 10.0, json!({"latitude": 48.85, "longitude": 2.35}));
        let refusal = price(&abroad, SERVICES[0]).unwrap_err();
        assert_eq!((refusal.code, refusal.source), (ErrorCode::CustomsRequired, Source::Carrier));
        assert!(refusal.message.contains("`customs.items`") && refusal.message.contains("from GB to FR"));
        let declare = |shipment: &mut ShipmentInput, customs: Value| {
            shipment.customs = serde_json::from_value(customs).unwrap();
            price(shipment, SERVICES[0]).is_ok()
        };
        assert!(!declare(
            &mut abroad,
            json!({"contents_type": "merchandise", "contents_description": "Shirts"})
        ));
        assert!(declare(
            &mut abroad,
            json!({"contents_type": "documents", "contents_description": "Contract"})
        ));
        assert!(declare(
            &mut abroad,
            json!({"items": [{"description": "Shirt", "quantity": 1, "value": 100}]})
        ));
        // Shipments within the European Union need no declaration.
        abroad.customs = None;
        abroad.addresses.origin.as_mut().unwrap().address.country_code =
            model::CountryCode::parse("DE").unwrap();
        assert!(price(&abroad, SERVICES[0]).is_ok());
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
