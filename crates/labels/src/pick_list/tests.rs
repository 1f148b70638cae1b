//! A list has every line once, with a barcode where there is room, and nothing lies over something else.

use super::*;
use crate::scene::{Item, Rect, Scene};
use crate::testing::{bars, is_apart, texts};
use proptest::prelude::*;

fn line(n: usize, name: &str, sku: &str) -> PickLine {
    let destination = |n: usize| Destination { name: format!("ORD-{n:05}"), quantity: 1 };
    PickLine {
        bin: format!("A-{n:02}-2"),
        sku: format!("{sku}{n:04}"),
        name: name.to_owned(),
        quantity: 1 + n as i64,
        destinations: (0..n % 30).map(destination).collect(),
        more: n / 30,
    }
}

fn list(lines: usize, name: &str, sku: &str) -> PickList {
    PickList {
        location: "Main warehouse".to_owned(),
        subject: "Monday morning".to_owned(),
        shipments: lines,
        lines: (0..lines).map(|n| line(n, name, sku)).collect(),
    }
}

fn sheets(list: &PickList, size: PageSize) -> Vec<Scene> {
    let (brand, fonts) = (Brand::default(), Fonts::compiled_in());
    let layout = Layout::new(list, &brand, size, &fonts);
    let pages = layout.pages();
    let count = pages.len();
    let sheets = pages.into_iter().enumerate();
    sheets.map(|(index, range)| layout.sheet(index, count, range).scene).collect()
}

#[test]
fn a_sku_is_a_barcode_where_there_is_room() {
    let short = sheets(&list(1, "Mug", "MUG-"), PageSize::A4);
    assert_eq!(bars(&short[0]), ["MUG-0000"]);
    let long = sheets(&list(1, "Mug", &"LONG-".repeat(4)), PageSize::A4);
    assert_eq!(bars(&long[0]), [format!("{}0000", "LONG-".repeat(4))]);
    let too_long = sheets(&list(1, "Mug", &"LONG-".repeat(16)), PageSize::Inches4x6);
    assert!(bars(&too_long[0]).is_empty());
    assert!(bars(&sheets(&list(1, "Mug", "大-"), PageSize::A4)[0]).is_empty());
}

#[test]
fn an_empty_list_has_a_page() {
    assert_eq!(sheets(&list(0, "", ""), PageSize::A4).len(), 1);
}

#[test]
fn destinations_that_are_left_out_are_counted() {
    let mut one = line(3, "Mug", "MUG-");
    one.more = 940;
    assert_eq!(one.destinations(), "1×ORD-00000, 1×ORD-00001, 1×ORD-00002, and 940 more");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_line_is_listed_once_and_nothing_overlaps_or_leaves_the_paper(
        lines in 0usize..70,
        name in "[A-Za-z ]{1,60}|كوب كبير أزرق|大きな青いマグカップ|[a-z]{80,200}",
        sku in "[A-Z]{1,4}-|[A-Z]{20,30}-",
        size in 0usize..3,
    ) {
        let size = [PageSize::A4, PageSize::Letter, PageSize::Inches4x6][size];
        let list = list(lines, &name, &sku);
        let pages = sheets(&list, size);
        let all: Vec<String> = pages.iter().flat_map(texts).collect();
        let count = |text: &str| all.iter().filter(|other| *other == text).count();
        for line in &list.lines {
            prop_assert_eq!(count(&line.bin), 1);
        }
        for (number, page) in (1..).zip(&pages) {
            prop_assert_eq!(count(&format!("Page {number} of {}", pages.len())), 1);
            prop_assert_eq!(texts(page).iter().filter(|text| *text == "Bin").count(), 1);
            let paper = Rect::new(0.0, 0.0, page.width, page.height);
            prop_assert!(page.items.iter().all(|item| paper.contains(&item.area())));
            let ticks = page.items.iter().filter(|item| matches!(item, Item::Fill(_))).count();
            prop_assert_eq!(ticks % 4, 0);
            prop_assert_eq!(is_apart(page), Ok(()));
        }
    }
}
