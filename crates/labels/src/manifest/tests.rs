//! The handover list: every parcel is listed once, on pages that have space for it.

use super::*;
use crate::scene::Item;
use model::shipping::shipment::ShipmentInput;
use proptest::prelude::*;

fn origin(country: &str, post_code: &str) -> AddressRecord {
    let body = serde_json::json!({
        "addresses": {"destination": {"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": post_code, "country_code": country}}},
        "packages": [],
    });
    let shipment: ShipmentInput = serde_json::from_value(body).unwrap();
    shipment.addresses.destination
}

fn sheet(rows: usize, services: usize, country: &str) -> Handover {
    let row = |number: usize| HandoverRow {
        tracking_number: format!("SBX{number:09}GB"),
        service: format!("Service {}", number % services.max(1)),
        recipient: "山田 太郎".to_owned(),
        country_code: CountryCode::parse("JP").unwrap(),
        post_code: "100-0001".to_owned(),
        pieces: 1,
        grams: (!number.is_multiple_of(7)).then_some(1234),
    };
    Handover {
        number: "mfst_01jc0000000000000000000000".to_owned(),
        carrier: "Sandbox".to_owned(),
        account: "Main".to_owned(),
        origin: Some(origin(country, "BS1 4DJ")),
        ship_date: "2026-11-15".to_owned(),
        is_test: true,
        shipments: rows as i64,
        rows: (0..rows).map(row).collect(),
    }
}

fn texts(scene: &Scene) -> Vec<String> {
    let text = |item: &Item| match item {
        Item::Text(text) => Some(text.line.text.clone()),
        _ => None,
    };
    scene.items.iter().filter_map(text).collect()
}

#[test]
fn the_number_is_a_barcode_on_the_first_page() {
    let handover = sheet(3, 2, "GB");
    let pages: Vec<Scene> = pages(&handover, &Fonts::compiled_in()).collect();
    let bars = |scene: &Scene| {
        scene
            .items
            .iter()
            .filter(|item| matches!(item, Item::Bars(bars) if bars.data == handover.number))
            .count()
    };
    assert_eq!(pages.iter().map(bars).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_location_s_name_is_not_on_the_list() {
    let mut handover = sheet(3, 2, "GB");
    let mut origin = origin("GB", "BS1 4DJ");
    origin.display_name = Some("SECRET depot".to_owned());
    origin.contact = serde_json::from_value(serde_json::json!({"company": "Acme Ltd"})).unwrap();
    handover.origin = Some(origin);
    let all: Vec<String> = pages(&handover, &Fonts::compiled_in()).flat_map(|scene| texts(&scene)).collect();
    assert!(all.iter().any(|text| text.contains("Acme Ltd")), "{all:?}");
    assert!(!all.iter().any(|text| text.contains("SECRET")), "{all:?}");
}

#[test]
fn paper_is_that_of_the_country() {
    let points = |country: &str| pages(&sheet(1, 1, country), &Fonts::compiled_in()).next().unwrap().points;
    assert_eq!(points("GB"), (595.28, 841.89));
    assert_eq!((points("US"), points("CA")), ((612.0, 792.0), (612.0, 792.0)));
}

#[test]
fn masses_that_are_not_known_are_not_made_up() {
    let rows = sheet(14, 1, "GB").rows;
    assert_eq!(mass(&totals(&rows[1..7])), "7.404 kg");
    assert_eq!(mass(&totals(&rows)), "\u{2265} 14.808 kg");
}

#[test]
fn a_page_without_rows_is_there_to_be_signed() {
    let pages: Vec<_> = pages(&sheet(0, 1, "GB"), &Fonts::compiled_in()).collect();
    assert_eq!(pages.len(), 1);
    assert!(texts(&pages[0]).contains(&"Signature".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_parcel_stands_on_the_list_once_and_the_last_page_is_signed(
        rows in 0usize..160, services in 1usize..20, is_letter: bool,
    ) {
        let handover = sheet(rows, services, if is_letter { "US" } else { "GB" });
        let fonts = Fonts::compiled_in();
        let pages: Vec<Scene> = pages(&handover, &fonts).collect();
        let all: Vec<String> = pages.iter().flat_map(texts).collect();
        for row in &handover.rows {
            prop_assert_eq!(all.iter().filter(|text| **text == row.tracking_number).count(), 1);
        }
        for (number, page) in (1..).zip(&pages) {
            let texts = texts(page);
            let count = |word: &str| texts.iter().filter(|text| *text == word).count();
            prop_assert_eq!(count("Signature"), usize::from(number == pages.len()));
            prop_assert_eq!(count(&format!("Page {number} of {}", pages.len())), 1);
            let has_rows = texts.iter().any(|text| text.starts_with("SBX"));
            prop_assert!(!has_rows || count("Tracking number") == 1, "the heads are repeated");
            let paper = Rect::new(0.0, 0.0, page.width, page.height);
            prop_assert!(page.items.iter().all(|item| paper.contains(&item.area())));
        }
    }
}
