//! For any content of a label, everything stays in its box and on the page, and nothing covers a barcode.

use super::*;
use crate::barcode::MatrixKind;
use crate::label::{Contents, Customs, CustomsItem, Piece};
use crate::raster::Raster;
use crate::scene::Item;
use model::CountryCode;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::sync::LazyLock;

static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::compiled_in);

/// Words of several scripts, letters with many combining marks, very long words, and no words.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-z0-9 ,.-]{0,40}",
        1 => "\\PC{0,60}",
        1 => "[شارعمنىبيت 0-9]{0,40}",
        1 => "W{60,120}",
        1 => "Z[\u{300}-\u{315}]{0,20}algo",
    ]
}

fn party() -> impl Strategy<Value = Party> {
    let country = proptest::sample::select(model::places::country::CODES);
    let optional = || proptest::option::of(words());
    (words(), optional(), proptest::collection::vec(words(), 1..4), words(), optional(), optional(), country)
        .prop_map(|(name, company, lines, city, province, post_code, country)| Party {
            name,
            company,
            lines,
            city,
            province,
            post_code,
            country_code: CountryCode::parse(country).unwrap(),
            phone: Some("+44 117 496 0000".into()),
        })
}

fn customs() -> impl Strategy<Value = Customs> {
    let item = (words(), words(), 1_u32..2000).prop_map(|(description, value, quantity)| CustomsItem {
        quantity,
        description,
        mass: "1.25 kg".into(),
        unit_value: "12.50 EUR".into(),
        value,
        hs_code: Some("610910".into()),
        origin: CountryCode::parse("PT"),
    });
    (proptest::collection::vec(item, 0..8), words()).prop_map(|(items, signer)| Customs {
        contents: Contents::Merchandise,
        items,
        total_mass: "12.5 kg".into(),
        total_value: "1,250.00 EUR".into(),
        signer,
        date: "2026-11-15".into(),
    })
}

fn label() -> impl Strategy<Value = Label> {
    let number = prop_oneof![
        "[A-Z0-9]{8,22}".prop_map(Primary::Number),
        Just(Primary::Sscc("376104250021234569".into())),
        words().prop_map(Primary::Figures),
    ];
    let custom =
        (proptest::collection::vec(words(), 0..5), proptest::collection::vec("[A-Z0-9-]{1,18}", 0..5));
    let codes = (number, proptest::option::of("[ -~]{1,60}"), any::<bool>());
    let kind = |is_qr| if is_qr { MatrixKind::Qr } else { MatrixKind::Gs1DataMatrix };
    (party(), party(), words(), words(), custom, codes, proptest::option::of(customs()), any::<bool>())
        .prop_map(move |(from, to, carrier, service, custom, (primary, payload, is_qr), customs, is_test)| {
            Label {
                return_to: is_test.then(|| from.clone()),
                from,
                to,
                carrier,
                service,
                tracking_number: "1Z999AA10123456784".into(),
                reference: Some("ORD-1".into()),
                ship_date: "15 Nov 2026".into(),
                mass: "1.25 kg".into(),
                piece: Piece { number: 1, count: 12 },
                custom_lines: custom.0,
                custom_barcodes: custom.1,
                primary,
                matrix: payload.map(|payload| (kind(is_qr), payload)),
                customs,
                is_test,
            }
        })
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    const SLACK: f32 = 0.05;
    a.x + SLACK < b.right() && b.x + SLACK < a.right() && a.y + SLACK < b.bottom() && b.y + SLACK < a.bottom()
}

/// Returns the number of black dots outside of an item's box, when it is drawn alone on paper that is a centimetre
/// larger.
fn dots_outside(scene: &Scene, item: &Item) -> u32 {
    let drawn = match item {
        Item::Text(text) => Item::Text(crate::scene::Text { is_inverse: false, ..text.clone() }),
        other => other.clone(),
    };
    let black = |paper: Rect| {
        let mut raster = Raster::new(&scene.fonts, paper, crate::Resolution::LABEL);
        raster.draw(&drawn);
        raster.bitmap.bytes.iter().map(|byte| byte.count_ones()).sum::<u32>()
    };
    let Rect { x, y, width, height } = item.area();
    black(Rect::new(x - 10.0, y - 10.0, width + 20.0, height + 20.0)) - black(item.area())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn all_that_is_drawn_lies_in_its_box_and_on_the_page(label in label()) {
        let scene = layout(&label, &FONTS).unwrap();
        let page = Rect::new(0.0, 0.0, scene.width, scene.height);
        for item in &scene.items {
            prop_assert!(page.contains(&item.area()), "{:?}", item);
            prop_assert_eq!(dots_outside(&scene, item), 0, "{:?}", item.area());
        }
    }

    #[test]
    fn on_any_paper_it_stays_on_the_page(label in label()) {
        let scene = layout(&label, &FONTS).unwrap();
        for size in crate::PageSize::ALL {
            let scene = scene.clone().on(size);
            let page = Rect::new(0.0, 0.0, scene.width, scene.height);
            for item in &scene.items {
                prop_assert!(page.contains(&item.area()), "{:?} {:?}", size, item.area());
            }
        }
    }

    #[test]
    fn boxes_of_text_and_barcodes_do_not_overlap(label in label()) {
        let scene = layout(&label, &FONTS).unwrap();
        for (n, a) in scene.items.iter().enumerate() {
            for b in &scene.items[..n] {
                // Text may be on the band and inside frames. Nothing may be on a barcode, and no text on other text.
                let is_allowed = matches!((a, b), (Item::Fill(_), _) | (_, Item::Fill(_)))
                    && !matches!((a, b), (Item::Bars(_) | Item::Squares(_), _) | (_, Item::Bars(_) | Item::Squares(_)));
                prop_assert!(is_allowed || !overlap(&a.area(), &b.area()), "{:?} {:?}", a.area(), b.area());
            }
        }
    }

    #[test]
    fn every_label_becomes_a_file_of_each_kind(label in label()) {
        let scene = layout(&label, &FONTS).unwrap();
        let png = crate::png(&scene, crate::Effort::Fast).unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().unwrap();
        let info = reader.info();
        prop_assert_eq!((info.width, info.height, info.bit_depth), (812, 1218, png::BitDepth::One));
        prop_assert_eq!(info.pixel_dims.map(|dims| dims.xppu), Some(8000));
        let zpl = crate::zpl(&scene);
        prop_assert!(zpl.starts_with("^XA") && zpl.ends_with("^XZ\n"));
        // Text cannot end another label or start a command: it is not interpreted as ZPL.
        prop_assert_eq!(zpl.matches("^XA").count() + zpl.matches("^XZ").count(), 2);
        prop_assert_eq!(zpl.matches('~').count(), 0);
        prop_assert!(crate::pdf(&[scene]).unwrap().starts_with(b"%PDF-"));
    }
}

#[test]
fn the_same_label_gives_the_same_bytes() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let label = label().new_tree(&mut runner).unwrap().current();
    let make = || {
        let scene = layout(&label, &FONTS).unwrap();
        (crate::png(&scene, crate::Effort::Fast).unwrap(), crate::zpl(&scene), crate::pdf(&[scene]).unwrap())
    };
    assert!(make() == make());
}

#[test]
fn what_cannot_be_a_barcode_is_refused_in_words() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let label = label().new_tree(&mut runner).unwrap().current();
    let refusal =
        |label: Label| layout(&label, &FONTS).err().map(|error| error.to_string()).unwrap_or_default();
    let sscc = refusal(Label { primary: Primary::Sscc("376104250021234568".into()), ..label.clone() });
    assert!(sscc.contains("18 digits"), "{sscc}");
    let custom = refusal(Label { custom_barcodes: vec!["A".into(), "é".into()], ..label.clone() });
    assert!(custom.contains("custom barcode 2") && custom.contains("ASCII"), "{custom}");
    let long = refusal(Label { primary: Primary::Number("X".repeat(60)), ..label });
    assert!(long.contains("too long"), "{long}");
}
