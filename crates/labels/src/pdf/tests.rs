//! Pages of labels are small, and what they say can be read back.

use super::*;
use crate::font::Fonts;
use crate::label::{Label, Party, Piece, Primary};
use crate::layout::layout;
use crate::packed::packed;
use model::CountryCode;
use std::io::Read as _;

/// A label to one of several recipients.
fn label(n: usize) -> Label {
    let names = ["Ann Leigh", "Jörg Groß", "Σοφία Ρήγα", "محمد علي", "Jack O'Neill"];
    let streets = ["Quay Street", "Große Elbstraße", "Victoria Road", "شارع النيل"];
    let party = |n: usize| Party {
        name: names[n % names.len()].to_owned(),
        company: n.is_multiple_of(3).then(|| "Acme Ltd".to_owned()),
        lines: vec![format!("{} {}", 1 + n % 97, streets[n % streets.len()]), "Floor 2".to_owned()],
        city: "Bristol".to_owned(),
        province: None,
        post_code: Some("BS1 4DJ".to_owned()),
        country_code: CountryCode::parse("GB").unwrap(),
        phone: Some(format!("+44 117 496 {n:04}")),
    };
    let number = format!("LX{:08}5GB", 12_345_678 + 7_919 * n);
    Label {
        from: party(0),
        to: party(n),
        return_to: None,
        carrier: "Sandbox".to_owned(),
        service: "Express 12:00".to_owned(),
        tracking_number: number.clone(),
        reference: Some("ORD-10042".to_owned()),
        ship_date: "2026-11-15".to_owned(),
        mass: "1.2 kg".to_owned(),
        piece: Piece { number: 1, count: 1 },
        custom_lines: vec![format!("PO {}", 4711 + n)],
        custom_barcodes: vec![format!("PO-{}", 4711 + n)],
        matrix: Some((crate::barcode::MatrixKind::Qr, number.clone())),
        primary: Primary::Number(number),
        customs: None,
        is_test: n.is_multiple_of(2),
    }
}

/// Draws a label's page, without compressing it.
fn page(n: usize, fonts: &Fonts) -> Vec<u8> {
    let scenes = [layout(&label(n), fonts).unwrap()];
    let subsets = subsets(&[(&scenes[0], &[][..])]).unwrap();
    drawing(&scenes[0], &[], &mut Embedded { subsets: &subsets, used: BTreeMap::new() })
}

#[test]
fn a_page_is_no_larger_than_a_general_compressor_makes_it() {
    let fonts = Fonts::compiled_in();
    for n in 0..60 {
        let page = page(n, &fonts);
        let (ours, general) = (compress(&page).len(), packed("", &page, 4).1.len());
        assert!(ours <= general, "label {n}: {ours} bytes, and {general} bytes by the general compressor");
    }
}

#[test]
fn a_file_has_the_page_that_was_drawn() {
    let fonts = Fonts::compiled_in();
    for n in 0..10 {
        let file = pdf(&[layout(&label(n), &fonts).unwrap()]).unwrap();
        // The page is the first stream of the file.
        let start = file.windows(8).position(|window| window == b"\nstream\n").unwrap() + 8;
        let mut read = Vec::new();
        flate2::read::ZlibDecoder::new(&file[start..]).read_to_end(&mut read).unwrap();
        assert_eq!(read, page(n, &fonts));
    }
}
