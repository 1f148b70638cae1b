//! Which price a package has, and which cards are refused.

use model::platform::shape::parse;
use model::shipping::shipment::{AddressRecord, ShipmentInput};
use model::{CarrierAccount, Id};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

const SERVICES: [&str; 2] = ["c.parcel", "c.small"];

fn read(card: Value) -> Result<Option<RateCard>, String> {
    let configuration = json!({ RATE_CARD: card });
    let configuration = configuration.as_object().cloned().unwrap_or_default();
    let account = Account::new(Id::<CarrierAccount>::from_bits(1), configuration, Map::new());
    RateCard::read(&account, &SERVICES)
}

fn card(prices: Value) -> RateCard {
    read(json!({"currency_code": "EUR", "prices": prices})).unwrap().unwrap()
}

fn to(country: &str, code: &str) -> AddressRecord {
    let address =
        json!({"address": {"line_1": "1", "city": "X", "post_code": code, "country_code": country}});
    let details: ShipmentInput = parse(json!({
        "addresses": {"origin": address, "destination": address}, "packages": [{"geometry": {"mass": 1}}],
    }))
    .unwrap();
    details.addresses.destination
}

fn price(card: &RateCard, to: &AddressRecord, day: Option<&str>, grams: i64) -> Option<i64> {
    let ship_on = day.map(|day| Day::parse(day).unwrap());
    card.total("c.parcel", Lane { to: &to.address, ship_on }, [grams]).map(|total| total.amount)
}

#[test]
fn an_account_needs_no_card() {
    assert_eq!(read(Value::Null), Ok(None));
}

#[test]
fn the_first_price_that_fits_is_the_price() {
    let card = card(json!([
        {"service": "c.small", "rate": 1},
        {"service": "c.parcel", "countries": ["GB"], "post_codes": ["bs 1", "BA"], "mass_max": 2, "rate": 450},
        {"service": "c.parcel", "countries": ["GB"], "mass_max": 2, "rate": 500},
        {"service": "c.parcel", "countries": ["DE", "GB"], "mass_max": 31.5, "rate": 900},
    ]));
    let (bristol, bath, leeds, bonn) =
        (to("GB", "BS1 4DJ"), to("GB", "ba1 1dn"), to("GB", "LS1 4DY"), to("DE", "53113"));
    for (place, grams, expected) in [
        (&bristol, 2000, Some(450)),
        (&bristol, 2001, Some(900)),
        (&bath, 1, Some(450)),
        (&leeds, 1, Some(500)),
        (&bonn, 1, Some(900)),
        (&bonn, 31_500, Some(900)),
        (&bonn, 31_501, None),
        (&to("FR", "75001"), 1, None),
    ] {
        assert_eq!(price(&card, place, None, grams), expected, "{:?} {grams}", place.address.post_code);
    }
    let lane = Lane { to: &bonn.address, ship_on: None };
    let small = Total { amount: 1, delivery_days: None };
    assert_eq!(card.total("c.small", lane, [99_999]), Some(small), "what is left out fits everything");
    assert_eq!(card.total("c.other", lane, [1]), None);
    assert_eq!(card.total("c.small", lane, []), None, "nothing has no price");
}

#[test]
fn a_price_applies_on_its_days_of_mailing() {
    let card = card(json!([
        {"service": "c.parcel", "until": "2026-12-31", "rate": 400},
        {"service": "c.parcel", "from": "2027-01-01", "until": "2027-06-30", "rate": 430},
    ]));
    let bonn = to("DE", "53113");
    for (day, expected) in [
        ("2026-12-31", Some(400)),
        ("2027-01-01", Some(430)),
        ("2027-06-30", Some(430)),
        ("2027-07-01", None),
    ] {
        assert_eq!(price(&card, &bonn, Some(day), 1), expected, "{day}");
    }
}

#[test]
fn a_price_by_kilogram_is_rounded_up() {
    let card = card(json!([{"service": "c.parcel", "rate": 1000, "rate_per_kg": 85}]));
    let bonn = to("DE", "53113");
    for (grams, expected) in [(0, 1000), (1, 1001), (1000, 1085), (1001, 1086), (2500, 1213)] {
        assert_eq!(price(&card, &bonn, None, grams), Some(expected), "{grams}");
    }
    assert_eq!(price(&card, &bonn, None, i64::MAX), None, "no price is better than a wrong one");
}

#[test]
fn packages_are_priced_one_by_one() {
    let card = card(json!([
        {"service": "c.parcel", "mass_max": 2, "rate": 400, "delivery_days": 1},
        {"service": "c.parcel", "mass_max": 10, "rate": 700, "delivery_days": 2},
        {"service": "c.small", "mass_max": 1, "rate": 100, "delivery_days": 1},
        {"service": "c.small", "rate": 200},
    ]));
    let bonn = to("DE", "53113");
    let total = |service, grams: &[i64]| {
        let lane = Lane { to: &bonn.address, ship_on: None };
        card.total(service, lane, grams.iter().copied()).map(|total| (total.amount, total.delivery_days))
    };
    assert_eq!(total("c.parcel", &[2000, 2000]), Some((800, Some(1))));
    assert_eq!(total("c.parcel", &[2000, 5000]), Some((1100, Some(2))));
    assert_eq!(total("c.parcel", &[2000, 10_001]), None, "one package has no price");
    assert_eq!(total("c.small", &[1000, 1001]), Some((300, None)));
}

#[test]
fn a_card_that_can_t_be_read_is_refused_with_a_sentence() {
    let price = |changes: Value| {
        let mut price = json!({"service": "c.parcel", "rate": 1});
        for (name, value) in changes.as_object().unwrap() {
            price[name] = value.clone();
        }
        json!({"currency_code": "EUR", "prices": [{"service": "c.small", "rate": 1}, price]})
    };
    for (card, word) in [
        (json!([]), "rate_card"),
        (json!({"currency_code": "EUR"}), "prices"),
        (json!({"currency_code": "EUR", "prices": []}), "1 to 2000"),
        (json!({"currency_code": "XXX", "prices": [{"service": "c.parcel", "rate": 1}]}), "XXX"),
        (
            price(json!({"service": "c.pigeon"})),
            "price 2: there is no service \"c.pigeon\". The services are c.parcel",
        ),
        (price(json!({"rate": -1})), "price 2: `rate`"),
        (price(json!({"rate": 1.5})), "1.5"),
        (price(json!({"rate_per_kg": -1})), "`rate_per_kg`"),
        (price(json!({"mass_max": 0})), "`mass_max`"),
        (price(json!({"delivery_days": -1})), "`delivery_days`"),
        (price(json!({"post_codes": [" "]})), "`post_codes`"),
        (price(json!({"from": "2027-01-01", "until": "2026-01-01"})), "`until`"),
        (price(json!({"from": "tomorrow"})), "not a day"),
        (price(json!({"countries": ["XX"]})), "XX"),
        (price(json!({"weight": 1})), "weight"),
    ] {
        let message = read(card).unwrap_err();
        assert!(message.contains(word), "{message}");
    }
}

proptest! {
    #[test]
    fn a_heavier_package_never_costs_less(grams in 0i64..40_000, more in 0i64..40_000, rate in 0i64..100_000, by_kg in 0i64..10_000) {
        let card = card(json!([{"service": "c.parcel", "rate": rate, "rate_per_kg": by_kg}]));
        let bonn = to("DE", "53113");
        prop_assert!(price(&card, &bonn, None, grams) <= price(&card, &bonn, None, grams + more));
    }
}
