//! A slip lists everything once, in columns, on the pages of its paper, with a barcode that says which shipment it is.

use super::*;
use crate::scene::{Item, Rect};
use crate::testing::{bars, is_apart, texts};
use proptest::prelude::*;

fn shipment(packages: usize, name: Option<&str>) -> ShipmentInput {
    let address = |line: &str, country: &str| serde_json::json!({"line_1": line, "city": "Bristol", "post_code": "BS1 4DJ", "country_code": country});
    let body = serde_json::json!({
        "name": name,
        "addresses": {
            "origin": {"display_name": "SECRET depot", "address": address("2 Dock Road", "GB"), "contact": {"company": "Acme Ltd"}},
            "destination": {"address": address("1 Quay Street", "JP"), "contact": {"name": "山田 太郎"}},
        },
        "packages": vec![serde_json::json!({}); packages],
    });
    serde_json::from_value(body).unwrap()
}

fn items(count: usize, name: &str) -> Vec<SlipItem> {
    let item = |n: usize| SlipItem {
        quantity: 1 + n as i64,
        name: format!("{name} {n}"),
        sku: format!("SKU-{n:04}"),
    };
    (0..count).map(item).collect()
}

fn slip(shipment: &ShipmentInput, counts: &[usize], name: &str) -> PackingSlip<'static> {
    let shipment = Box::leak(Box::new(shipment.clone()));
    PackingSlip {
        shipment,
        number: "shp_01jc0000000000000000000000".to_owned(),
        order: Some("ORD-10042".to_owned()),
        date: "2026-11-15".to_owned(),
        packages: counts.iter().map(|count| SlipPackage { name: None, items: items(*count, name) }).collect(),
    }
}

fn sheets(slip: &PackingSlip<'_>, brand: &Brand, size: PageSize) -> Vec<Sheet> {
    let fonts = Fonts::compiled_in();
    let (subtitle, brand) = (slip.subtitle(), slip.branded(brand));
    let frame = Frame { size, brand: &brand, fonts: &fonts, title: "Packing slip", subtitle: &subtitle };
    Layout { slip, frame }.sheets()
}

const SIZES: [PageSize; 3] = [PageSize::A4, PageSize::Letter, PageSize::Inches4x6];

#[test]
fn the_reference_is_the_barcode_and_an_id_where_there_is_none() {
    for size in SIZES {
        let named = sheets(&slip(&shipment(1, Some("ORD-10042")), &[2], "Mug"), &Brand::default(), size);
        assert_eq!(bars(&named[0].scene), ["ORD-10042"], "{size:?}");
        let unnamed = sheets(&slip(&shipment(1, None), &[2], "Mug"), &Brand::default(), size);
        assert_eq!(bars(&unnamed[0].scene), ["shp_01jc0000000000000000000000"], "{size:?}");
        let other =
            sheets(&slip(&shipment(1, Some("Bestellung 山田")), &[2], "Mug"), &Brand::default(), size);
        assert_eq!(bars(&other[0].scene), ["shp_01jc0000000000000000000000"], "{size:?}");
    }
}

#[test]
fn the_name_of_the_location_is_not_on_the_slip_and_the_sender_s_company_is_its_name() {
    let slip = slip(&shipment(1, None), &[2], "Mug");
    let own = sheets(&slip, &Brand::default(), PageSize::A4);
    let all = texts(&own[0].scene).join("\n");
    assert!(all.contains("Acme Ltd") && all.contains("山田 太郎") && !all.contains("SECRET"), "{all}");
    let brand = Brand { name: "Riverside".to_owned(), footer: "Thank you".to_owned(), ..Brand::default() };
    let branded = texts(&sheets(&slip, &brand, PageSize::A4)[0].scene).join("\n");
    assert!(branded.contains("Riverside") && branded.contains("Thank you") && !branded.contains("Acme"));
}

#[test]
fn a_package_that_goes_on_says_so() {
    let slip = slip(&shipment(2, None), &[60, 3], "Mug");
    let pages = sheets(&slip, &Brand::default(), PageSize::A4);
    assert!(pages.len() > 1);
    assert!(texts(&pages[0].scene).contains(&"Package 1 of 2".to_owned()));
    assert!(texts(&pages[1].scene).contains(&"Package 1 of 2 (continued)".to_owned()));
}

#[test]
fn colours_and_a_logo_are_in_the_file() {
    let mut logo = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut logo, 30, 10);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[120; 900]).unwrap();
    let logo = crate::brand::Logo::read(&logo).unwrap();
    let brand = Brand { colour: Some([0, 102, 204]), logo: Some(logo.into()), ..Brand::default() };
    let slip = slip(&shipment(1, None), &[40], "Mug");
    let file = packing_slip(&slip, &brand, PageSize::A4, &Fonts::compiled_in()).unwrap();
    let text = String::from_utf8_lossy(&file);
    assert_eq!(text.matches("/Subtype/Image").count(), 1, "once for all pages");
    assert!(text.contains("/XObject<</L "));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_item_is_listed_once_and_nothing_overlaps_or_leaves_the_paper(
        counts in proptest::collection::vec(1usize..40, 1..4),
        name in "[A-Za-z ]{1,60}|كوب كبير أزرق|大きな青いマグカップ|[a-z]{80,200}",
        footer in "[a-z ]{0,300}",
        size in 0usize..3,
    ) {
        let size = SIZES[size];
        let brand = Brand { footer, ..Brand::default() };
        let slip = slip(&shipment(counts.len(), Some("ORD-1")), &counts, &name);
        let pages = sheets(&slip, &brand, size);
        let all: Vec<String> = pages.iter().flat_map(|page| texts(&page.scene)).collect();
        let count = |text: &str| all.iter().filter(|other| *other == text).count();
        for n in 0..counts.iter().copied().max().unwrap_or_default() {
            let wanted = counts.iter().filter(|count| **count > n).count();
            prop_assert_eq!(count(&format!("SKU-{:04}", n)), wanted);
        }
        for (number, page) in (1..).zip(&pages) {
            prop_assert_eq!(count(&format!("Page {number} of {}", pages.len())), 1);
            let paper = Rect::new(0.0, 0.0, page.scene.width, page.scene.height);
            prop_assert!(page.scene.items.iter().all(|item| paper.contains(&item.area())));
            let heads = texts(&page.scene).iter().filter(|text| *text == "SKU").count();
            prop_assert_eq!(heads, 1, "the heads are repeated");
            let barcodes = page.scene.items.iter().filter(|item| matches!(item, Item::Bars(_))).count();
            prop_assert_eq!(barcodes, usize::from(number == 1));
            prop_assert_eq!(is_apart(&page.scene), Ok(()));
        }
    }
}
