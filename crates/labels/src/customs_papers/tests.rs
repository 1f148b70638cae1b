//! For any number of items and any texts, each item is printed inside its box, and nothing overlaps.

use super::*;
use crate::label::Contents;
use crate::scene::Item;
use model::CountryCode;
use proptest::prelude::*;
use std::sync::LazyLock;

static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::compiled_in);

fn declaration(count: usize, words: &str) -> Declaration {
    let party = Party {
        name: words.into(),
        company: Some(words.into()),
        lines: vec![words.into(), "Line".into()],
        city: "City".into(),
        province: None,
        post_code: Some("12345".into()),
        country_code: CountryCode::parse("DE").unwrap(),
        phone: Some("+49 30 123".into()),
    };
    let item = |n: usize| CustomsItem {
        quantity: 2,
        description: format!("#{n} {words}"),
        mass: "1.25 kg".into(),
        unit_value: "12.50 EUR".into(),
        value: "25.00 EUR".into(),
        hs_code: Some("610910".into()),
        origin: CountryCode::parse("PT"),
    };
    Declaration {
        number: "INV-1".into(),
        date: "2026-11-15".into(),
        tracking_number: "LX123456785GB".into(),
        from: party.clone(),
        to: party,
        contents: Contents::Gift,
        items: (0..count).map(item).collect(),
        total_mass: "12.5 kg".into(),
        total_value: "250.00 EUR".into(),
        postage: Some("12.00 EUR".into()),
        incoterm: Some("DDP".into()),
        identifiers: vec!["IOSS IM1234567890".into(); 8],
        comments: vec![words.into()],
        non_delivery: "return".into(),
        signer: words.into(),
    }
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    const SLACK: f32 = 0.05;
    a.x + SLACK < b.right() && b.x + SLACK < a.right() && a.y + SLACK < b.bottom() && b.y + SLACK < a.bottom()
}

#[test]
fn columns_fill_the_page_between_its_margins() {
    let width = PAGE.width - 2.0 * MARGIN;
    assert!((INVOICE.iter().map(|column| column.1).sum::<f32>() - width).abs() < 0.01);
    assert!((CN23.iter().map(|column| column.1).sum::<f32>() - width).abs() < 0.01);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn every_item_is_told_and_everything_has_its_place(count in 0_usize..40, words in "[A-Za-zäöü ]{0,12}|W{90}|\\PC{0,40}") {
        // The `#` sign marks the items.
        let declaration = declaration(count, &words.replace('#', ""));
        for pages in [commercial_invoice(&declaration, &FONTS), cn23(&declaration, &FONTS)] {
            prop_assert_eq!(pages.len(), count.div_ceil(ROWS).max(1));
            let mut told = 0;
            for scene in &pages {
                for (n, a) in scene.items.iter().enumerate() {
                    prop_assert!(PAGE.contains(&a.area()));
                    told += usize::from(matches!(a, Item::Text(text) if text.line.text.starts_with('#')));
                    for b in scene.items[..n].iter().filter(|_| !matches!(a, Item::Fill(_))) {
                        prop_assert!(matches!(b, Item::Fill(_)) || !overlap(&a.area(), &b.area()), "{:?} {:?}", a, b);
                    }
                }
            }
            prop_assert_eq!(told, count);
        }
    }
}
