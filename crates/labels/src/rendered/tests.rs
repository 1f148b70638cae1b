//! Labels for printers of every resolution: barcodes stay readable, by the widths of their bars as a scanner measures them.

use super::*;
use crate::barcode::Code128;
use crate::bought::Bought;
use crate::font::Fonts;
use crate::papers::scenes;
use crate::pwg::tests::read;
use crate::scene::{Bars, Item};
use crate::testing::{assert_readable, runs};
use crate::zpl::zpl;
use model::Timestamp;
use model::platform::shape::parse;
use model::shipping::shipment::ShipmentInput;
use proptest::prelude::*;
use serde_json::json;
use std::sync::LazyLock;

static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::compiled_in);
const RESOLUTIONS: [u32; 6] = [203, 254, 300, 406, 600, 1200];

fn at(dpi: u32) -> Resolution {
    Resolution::of_dpi(dpi).unwrap()
}

fn shipment(packages: usize) -> ShipmentInput {
    let party = |city: &str| {
        json!({"address": {"line_1": "1 Quay Street", "city": city, "post_code": "BS1 4DJ", "country_code": "GB"},
               "contact": {"name": "Ana Großmann"}})
    };
    let packages = vec![json!({"geometry": {"mass": 1.2}}); packages];
    parse(json!({"addresses": {"origin": party("Bristol"), "destination": party("Leeds")}, "packages": packages}))
        .unwrap()
}

fn drawn(number: &str, packages: usize) -> Vec<Scene> {
    let (shipment, numbers) = (shipment(packages), [number.to_owned()]);
    let bought = Bought {
        shipment: &shipment,
        carrier: "Sandbox",
        service: "Express",
        tracking_numbers: &numbers,
        is_test: true,
        date: Timestamp::parse("2026-11-15T10:00:00Z").unwrap(),
        reference: "ORD-7",
    };
    scenes(&bought, LabelFormat::Png, "4x6", &FONTS).unwrap()
}

fn bars(scene: &Scene) -> &Bars {
    let bars = |item: &'_ Item| matches!(item, Item::Bars(_));
    match scene.items.iter().find(|item| bars(item)) {
        Some(Item::Bars(bars)) => bars,
        _ => panic!("a label has a barcode"),
    }
}

/// A decoded picture: whether each dot is black, row by row.
struct Dots {
    width: usize,
    height: usize,
    density: u32,
    is_black: Vec<bool>,
}

impl Dots {
    fn read(png: &[u8]) -> Self {
        let mut decoder = ::png::Decoder::new(std::io::Cursor::new(png));
        decoder.set_transformations(::png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().unwrap();
        let mut greys = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut greys).unwrap();
        let info = reader.info();
        Self {
            width: info.width as usize,
            height: info.height as usize,
            density: info.pixel_dims.unwrap().xppu,
            is_black: greys.iter().map(|grey| *grey < 128).collect(),
        }
    }

    /// Returns the row at so many millimetres from the top.
    fn row(&self, mm: f32) -> &[bool] {
        let row = (mm / 1000.0 * self.density as f32) as usize;
        &self.is_black[row * self.width..(row + 1) * self.width]
    }
}

#[test]
fn a_label_is_as_large_and_readable_at_every_resolution() {
    for number in
        ["1Z999AA10123456784", "LX123456785GB", "00376104250021234569", "A-LONGER-NUMBER-OF-31-LETTERS-X"]
    {
        let scene = drawn(number, 1).remove(0);
        let bars = bars(&scene);
        for dpi in RESOLUTIONS {
            let what = format!("{number} at {dpi} dpi");
            let png = rendered(std::slice::from_ref(&scene), PrintFormat::Png, at(dpi)).unwrap();
            let dots = Dots::read(&png);
            let inches = |dots: usize| dots as f32 / dpi as f32;
            assert!((inches(dots.width) - 4.0).abs() < 0.02, "{what}: {}", dots.width);
            assert!((inches(dots.height) - 6.0).abs() < 0.02, "{what}: {}", dots.height);
            assert!((f64::from(dots.density) * 0.0254 - f64::from(dpi)).abs() < 0.5, "{what}");
            let row = dots.row(bars.area.y + bars.area.height / 2.0);
            assert_readable(row, &bars.modules, &what);
            // All modules have the same number of dots.
            let (found, _, _) = runs(row);
            assert_eq!(found.iter().sum::<usize>() % bars.modules.len(), 0, "{what}");
        }
    }
}

#[test]
fn at_203_dpi_files_are_those_that_are_stored() {
    let scenes = drawn("1Z999AA10123456784", 1);
    let at_203 = |format| rendered(&scenes, format, Resolution::LABEL).unwrap();
    assert_eq!(at_203(PrintFormat::Zpl), zpl(&scenes[0]).into_bytes());
    assert!(at_203(PrintFormat::Png) == crate::png(&scenes[0], Effort::Fast).unwrap());
    assert!(at_203(PrintFormat::Pdf) == pdf(&scenes).unwrap());
    assert!([0, 100, 202, 1201, 2400].into_iter().all(|dpi| Resolution::of_dpi(dpi).is_none()));
}

#[test]
fn zpl_has_the_dots_of_its_printer() {
    let scenes = drawn("1Z999AA10123456784", 2);
    let zpl = |dpi| String::from_utf8(rendered(&scenes, PrintFormat::Zpl, at(dpi)).unwrap()).unwrap();
    for (dpi, width, height) in [(203, 812, 1218), (300, 1199, 1798), (600, 2398, 3596)] {
        let zpl = zpl(dpi);
        assert_eq!(zpl.matches(&format!("^PW{width}\n^LL{height}\n")).count(), 2, "{dpi}: both labels");
        assert_eq!((zpl.matches("^XA").count(), zpl.matches("^XZ").count()), (2, 2));
    }
    // Printers draw modules of up to ten dots themselves. Wider ones are sent as dots.
    assert!(zpl(300).contains("^BCN") && zpl(300).contains("^BQN"));
    let fine = zpl(600);
    assert!(!fine.contains("^BQN") && fine.contains("^GFA"));
}

#[test]
fn several_labels_are_no_picture() {
    let scenes = drawn("1Z999AA10123456784", 2);
    assert!(matches!(rendered(&scenes, PrintFormat::Png, at(300)), Err(PaperError::SeveralPictures)));
    assert!(rendered(&scenes, PrintFormat::Pdf, at(300)).unwrap().starts_with(b"%PDF-"));
}

/// Returns a picture of dots that declares this resolution.
fn picture(width: u32, is_black: &[bool], dpi: u32) -> Vec<u8> {
    let mut bitmap = crate::raster::Bitmap::new(width, u32::try_from(is_black.len()).unwrap() / width);
    for (place, _) in is_black.iter().enumerate().filter(|(_, is_black)| **is_black) {
        let place = u32::try_from(place).unwrap();
        bitmap.set((place % width).cast_signed(), (place / width).cast_signed(), true);
    }
    dots_as_png(bitmap, at(dpi), Effort::Fast).unwrap()
}

#[test]
fn a_picture_keeps_its_size_and_its_barcodes_at_other_resolutions() {
    let scene = drawn("1Z999AA10123456784", 1).remove(0);
    let bars = bars(&scene);
    for from in [203, 300, 600] {
        let carriers = rendered(std::slice::from_ref(&scene), PrintFormat::Png, at(from)).unwrap();
        for to in RESOLUTIONS {
            let what = format!("{from} to {to} dpi");
            let scaled = rescaled(&carriers, PrintFormat::Png, at(to)).unwrap();
            assert_eq!(scaled == carriers, from == to, "{what}");
            let dots = Dots::read(&scaled);
            assert!((dots.width as f32 / to as f32 - 4.0).abs() < 0.02, "{what}: {}", dots.width);
            assert_readable(dots.row(bars.area.y + bars.area.height / 2.0), &bars.modules, &what);
        }
    }
}

#[test]
fn a_whole_factor_repeats_dots() {
    let is_black = [true, false, true, true, false, false];
    let doubled = Dots::read(&rescaled(&picture(3, &is_black, 300), PrintFormat::Png, at(600)).unwrap());
    let expected = [true, true, false, false, true, true, true, true, false, false, false, false];
    assert_eq!((doubled.width, doubled.height), (6, 4));
    for (row, expected) in
        [(0, &expected[..6]), (1, &expected[..6]), (2, &expected[6..]), (3, &expected[6..])]
    {
        assert_eq!(&doubled.is_black[row * 6..(row + 1) * 6], expected, "row {row}");
    }
}

#[test]
fn a_picture_becomes_zpl_and_pdf_in_its_size() {
    let carriers = rendered(&drawn("1Z999AA10123456784", 1), PrintFormat::Png, at(300)).unwrap();
    let zpl = String::from_utf8(rescaled(&carriers, PrintFormat::Zpl, at(600)).unwrap()).unwrap();
    assert!(zpl.starts_with("^XA\n^PW2398\n^LL3596\n"), "{}", &zpl[..40]);
    assert!(rescaled(&carriers, PrintFormat::Pdf, at(300)).unwrap().starts_with(b"%PDF-"));
    for format in [PrintFormat::Pdf, PrintFormat::Zpl, PrintFormat::Png] {
        assert!(rescaled(b"no picture", format, at(300)).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn bars_of_a_picture_are_read_at_any_resolution(text in "[ -~]{1,20}", dots in 2_usize..5, dpi in 203_u32..=1200) {
        let modules = Code128::new(&text).unwrap().modules();
        let white = std::iter::repeat_n(false, 10 * dots);
        let bars = modules.iter().flat_map(|module| std::iter::repeat_n(*module, dots));
        let row: Vec<bool> = white.clone().chain(bars).chain(white).collect();
        let carriers = picture(u32::try_from(row.len()).unwrap(), &row.repeat(4), 203);
        let scaled = Dots::read(&rescaled(&carriers, PrintFormat::Png, at(dpi)).unwrap());
        assert_readable(&scaled.is_black[..scaled.width], &modules, &format!("{text:?} at {dpi} dpi"));
    }
}

#[test]
fn labels_and_pictures_become_pwg_raster() {
    let scenes = drawn("1Z999AA10123456784", 2);
    let bars = bars(&scenes[0]);
    for dpi in [203, 300, 600] {
        let pages = read(&rendered(&scenes, PrintFormat::Pwg, at(dpi)).unwrap());
        let png = rendered(&scenes[..1], PrintFormat::Png, at(dpi)).unwrap();
        let scaled = read(&rescaled(&png, PrintFormat::Pwg, at(dpi)).unwrap());
        assert_eq!((pages.len(), scaled.len()), (2, 1));
        for page in pages.iter().chain(&scaled) {
            let what = format!("{dpi} dpi");
            assert_eq!(page.dpi, (dpi, dpi));
            assert!(
                page.width.abs_diff(4 * dpi as usize) <= 2 && page.height.abs_diff(6 * dpi as usize) <= 4
            );
            let row = ((bars.area.y + bars.area.height / 2.0) / 25.4 * dpi as f32) as usize;
            let row = &page.greys[row * page.width..(row + 1) * page.width];
            let row: Vec<bool> = row.iter().map(|grey| *grey < 128).collect();
            assert_readable(&row, &bars.modules, &what);
        }
        assert_eq!((pages[0].paper, pages[0].paper_name.as_str()), ((288, 432), "na_index-4x6_4x6in"));
    }
}

#[test]
fn papers_become_pwg_raster_unless_they_are_too_large() {
    let file = pdf(&drawn("1Z999AA10123456784", 3)).unwrap();
    let pwg = pages_as_pwg(&file, at(300), 64 << 20).unwrap();
    let pages = read(&pwg);
    assert_eq!(pages.len(), 3);
    assert!(pages.iter().all(|page| (page.width, page.height, page.dpi) == (1200, 1800, (300, 300))));
    assert!(pages.iter().all(|page| page.greys.contains(&0)));
    let refused = pages_as_pwg(&file, at(300), pwg.len() / 2).unwrap_err();
    assert!(refused.to_string().contains("too many pages"), "{refused}");
}
