//! Pages that were written as PDF and read again, against the same scenes drawn as dots.

use super::*;
use crate::barcode::Code128;
use crate::brand::{Brand, Logo};
use crate::draw::Setting;
use crate::font::Fonts;
use crate::packing_slip::{PackingSlip, SlipItem, SlipPackage, packing_slip};
use crate::page::PageSize;
use crate::pdf::pdf;
use crate::raster::raster;
use crate::resolution::Resolution;
use crate::scene::{Rect, Scene};
use crate::testing::assert_readable;
use model::platform::shape::parse;
use model::shipping::shipment::ShipmentInput;
use serde_json::json;
use std::sync::{Arc, LazyLock};

static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::compiled_in);

fn drawn(file: &[u8], dpi: u32) -> Vec<GreyPage> {
    let mut pages = Vec::new();
    draw_pages(file, dpi, |count, page, _| {
        assert!(pages.len() < count);
        pages.push(page);
        Ok(())
    })
    .unwrap();
    pages
}

/// Returns a page with text of several scripts, a frame, white text on black, and a barcode.
fn scene() -> Scene {
    let mut scene = Scene::new(100.0, 60.0, (283.46, 170.08), &FONTS);
    scene.text(
        Rect::new(5.0, 3.0, 90.0, 8.0),
        "Großmann & Søn, 1 Quay Street",
        Setting::new(5.0, 3.0).bold(),
    );
    scene.text(Rect::new(5.0, 11.0, 90.0, 8.0), "שלום Привет Ωμέγα", Setting::new(5.0, 3.0));
    scene.frame(Rect::new(5.0, 20.0, 90.0, 10.0), 0.5);
    scene.fill(Rect::new(5.0, 31.0, 90.0, 8.0));
    scene.text(Rect::new(6.0, 31.0, 88.0, 8.0), "EXPRESS", Setting::new(5.0, 3.0).inverse());
    scene
        .bars(Rect::new(5.0, 41.0, 90.0, 15.0), &Code128::new("ORD-1042").unwrap(), "ORD-1042", false)
        .unwrap();
    scene
}

#[test]
fn a_page_looks_as_the_drawing_it_was_written_from() {
    let scene = scene();
    for dpi in [203, 300, 600] {
        let page = drawn(&pdf(std::slice::from_ref(&scene)).unwrap(), dpi).remove(0);
        let dots = raster(&scene, Resolution::of_dpi(dpi).unwrap());
        let is_black = |x: usize, y: usize| {
            let byte = dots.bytes[y * dots.stride + x / 8];
            byte & (0x80 >> (x % 8)) != 0
        };
        let (width, height) = (page.width.min(dots.width as usize), page.height.min(dots.height as usize));
        assert!(
            page.width.abs_diff(dots.width as usize) <= 3 && page.height.abs_diff(dots.height as usize) <= 3
        );
        // Compare the darkness of squares of two millimetres: outlines are hinted in dots, and smooth in greys.
        let side = dpi as usize * 2 / 25;
        let (mut worst, mut marks) = (0.0_f32, 0);
        for top in (0..height - side).step_by(side) {
            for left in (0..width - side).step_by(side) {
                let places = (top..top + side).flat_map(|y| (left..left + side).map(move |x| (x, y)));
                let (mut expected, mut found) = (0.0, 0.0);
                for (x, y) in places {
                    expected += f32::from(u8::from(is_black(x, y)));
                    found += f32::from(255 - page.greys[y * page.width + x]) / 255.0;
                }
                let area = (side * side) as f32;
                marks += usize::from(expected / area > 0.05);
                worst = worst.max((expected - found).abs() / area);
            }
        }
        assert!(marks > 100, "{dpi} dpi: {marks} squares are not white");
        assert!(worst < 0.34, "{dpi} dpi: a square differs by {worst}");
    }
}

#[test]
fn bars_of_a_page_are_read() {
    let scene = scene();
    let modules = Code128::new("ORD-1042").unwrap().modules();
    for dpi in [203, 300, 600] {
        let page = drawn(&pdf(std::slice::from_ref(&scene)).unwrap(), dpi).remove(0);
        let y = (48.0 / 25.4 * dpi as f32) as usize;
        let row: Vec<bool> =
            page.greys[y * page.width..(y + 1) * page.width].iter().map(|grey| *grey < 128).collect();
        assert_readable(&row, &modules, &format!("{dpi} dpi"));
    }
}

/// Returns a logo whose left half is red.
fn logo() -> Arc<Logo> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 40, 20);
    encoder.set_color(png::ColorType::Rgb);
    let pixels: Vec<u8> = (0..800).flat_map(|at| if at % 40 < 20 { [255, 0, 0] } else { [255; 3] }).collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    Arc::new(Logo::read(&file).unwrap())
}

#[test]
fn a_packing_slip_has_all_of_its_pages_its_colours_and_its_logo() {
    let party = json!({"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}});
    let body = json!({"addresses": {"origin": party, "destination": party}, "packages": [{"geometry": {"mass": 1.2}}]});
    let shipment: ShipmentInput = parse(body).unwrap();
    let item = |n: usize| SlipItem { quantity: 1, name: format!("Mug {n}"), sku: format!("MUG-{n}") };
    let slip = PackingSlip {
        shipment: &shipment,
        number: "shp_01jc0000000000000000000000".to_owned(),
        order: Some("ORD-1042".to_owned()),
        date: "2026-11-15".to_owned(),
        packages: vec![SlipPackage { name: None, items: (0..900).map(item).collect() }],
    };
    let brand = Brand {
        name: "Acme".to_owned(),
        colour: Some([0, 0, 255]),
        footer: "Thanks!".to_owned(),
        logo: Some(logo()),
    };
    let file = packing_slip(&slip, &brand, PageSize::A4, &FONTS).unwrap();
    let pages = drawn(&file, 203);
    // More pages than are written at once, so that they went through the merger.
    assert!(pages.len() > 16, "{}", pages.len());
    for page in &pages {
        assert_eq!((page.width, page.height), (1678, 2374));
        for grey in [76_u8, 29, 190] {
            // Red of the logo, blue of the rule below the head, and the light rules between rows.
            assert!(page.greys.iter().filter(|found| found.abs_diff(grey) <= 1).count() > 200, "{grey}");
        }
        assert!(page.greys.iter().filter(|found| **found < 64).count() > 2_000, "there is text");
    }
}

#[test]
fn what_dockside_did_not_write_is_refused() {
    let refusal = |file: &[u8]| draw_pages(file, 203, |_, _, _| Ok(())).map_err(|error| error.to_string());
    assert!(refusal(b"no PDF").is_err());
    for drawing in ["0 0 m 9 9 l S", "0 1 -1 0 0 0 cm", "/G gs", "BT (text) Tj ET", "/P Do", "/Sh sh"] {
        let mut file = crate::pdf_file::PdfFile::new();
        let drawing = file.stream("", drawing.as_bytes());
        file.page(format!("/MediaBox[0 0 100 100]/Resources<<>>/Contents {drawing} 0 R").as_bytes());
        assert!(refusal(&file.finish()).is_err(), "{drawing}");
    }
}
