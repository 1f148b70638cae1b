//! Tests with files that would exhaust memory or time: each is rejected with a reason, and the others are merged.

use super::*;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::{Read as _, copy, repeat};

fn zeros(bytes: u64) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    copy(&mut repeat(0).take(bytes), &mut encoder).unwrap();
    encoder.finish().unwrap()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    copy(&mut &bytes[..], &mut encoder).unwrap();
    encoder.finish().unwrap()
}

/// Returns a file with these objects, of which the last is the cross-reference stream.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut start = 0;
    for (number, object) in (1..).zip(objects) {
        start = file.len();
        file.extend(format!("{number} 0 obj\n").into_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    file.extend(format!("startxref\n{start}\n%%EOF\n").into_bytes());
    file
}

fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("<<{entries}/Length {}>>\nstream\n", bytes.len());
    [head.as_bytes(), bytes, b"\nendstream"].concat()
}

fn reason(file: &[u8]) -> String {
    let added = Merger::new(LabelFormat::Pdf).add("", file).map(|bytes| bytes.len());
    added.unwrap_err().to_string()
}

#[test]
fn a_cross_reference_behind_two_filters_is_refused() {
    let bomb = deflated(&zeros(64 << 20));
    let entries = "/Type/XRef/Size 9/W[1 2 1]/Root 1 0 R/Filter[/FlateDecode/FlateDecode]";
    let file = pdf(&[stream(entries, &bomb)]);
    assert!(file.len() < 3_000, "{}", file.len());
    assert!(reason(&file).contains("expands to more than"), "{}", reason(&file));
}

#[test]
fn an_object_stream_that_expands_is_refused() {
    // Three objects. The catalogue is claimed to be the first in the object stream, which is a decompression bomb.
    let bomb = stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", &zeros(64 << 20));
    let places = [[0, 0, 0, 0], [1, 0, 9, 0], [2, 0, 1, 0]].concat();
    let references = stream("/Type/XRef/Size 3/W[1 2 1]/Root 2 0 R", &places);
    assert!(reason(&pdf(&[bomb, references])).contains("expands to more than"));
}

#[test]
fn a_cross_reference_of_endless_objects_is_refused() {
    let entries = "/Type/XRef/Size 9000000/W[0 1 0]/Root 1 0 R/Filter/FlateDecode";
    let file = pdf(&[stream(entries, &zeros(9_000_000))]);
    assert!(reason(&file).contains("expands to more than"));
}

#[test]
fn a_predictor_with_endless_columns_takes_no_memory() {
    let entries = "/Type/XRef/Size 9/W[1 2 1]/Root 1 0 R/Filter/FlateDecode\
                   /DecodeParms<</Predictor 12/Columns 2000000000/Colors 16/BitsPerComponent 16>>";
    assert!(reason(&pdf(&[stream(entries, &zeros(4_096))])).contains("columns"));
}

#[test]
fn a_structure_behind_filters_that_are_not_looked_through_is_refused() {
    let bomb = deflated(&zeros(64 << 20));
    let hex: String = bomb.iter().map(|byte| format!("{byte:02x}")).collect();
    for filters in
        ["[/ASCIIHexDecode/FlateDecode/FlateDecode]", "[/ASCII#48exDecode/FlateDecode/FlateDecode]"]
    {
        let entries = format!("/Size 9/W[1 2 1]/Root 1 0 R/Filter{filters}");
        assert!(
            reason(&pdf(&[stream(&entries, hex.as_bytes())])).contains("other than FlateDecode"),
            "{filters}"
        );
    }
}

/// Returns a file with `pages` pages that inherit a dictionary of `bytes` bytes.
fn inheriting(pages: usize, bytes: usize) -> Vec<u8> {
    let kids: String = (0..pages).map(|page| format!("{} 0 R ", page + 3)).collect();
    let fonts: String = (0..bytes / 16).map(|font| format!("/F{font:08}(a b)")).collect();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{kids}]/Resources<</Font<<{fonts}>>>>>>").into_bytes(),
    ];
    objects.resize(pages + 2, b"<</Type/Page>>".to_vec());
    let mut file = pdf(&objects);
    // Without a cross-reference, the parser searches the file for its objects.
    file.extend_from_slice(b"trailer\n<</Root 1 0 R>>\n");
    file
}

#[test]
fn pages_that_share_much_are_refused_before_they_are_written_out() {
    assert!(reason(&inheriting(400, 1 << 18)).contains("come to more than"));
    assert!(reason(&inheriting(501, 16)).contains("pages"));
    assert!(Merger::new(LabelFormat::Pdf).add("", &inheriting(3, 1_600)).is_ok());
}

#[test]
fn objects_in_each_other_are_refused() {
    let deep = ["<</Type/Page/Group".repeat(200), " 1".to_owned(), ">>".repeat(200)].concat();
    let mut file = pdf(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]>>".to_vec(),
        deep.into_bytes(),
    ]);
    file.extend_from_slice(b"trailer\n<</Root 1 0 R>>\n");
    assert!(reason(&file).contains("deep in each other"), "{}", reason(&file));
}

#[test]
fn a_file_that_is_refused_leaves_the_others_as_they_are() {
    let mut merger = Merger::new(LabelFormat::Pdf);
    let mut bytes = merger.add("", &inheriting(1, 16)).unwrap();
    let bomb = deflated(&zeros(64 << 20));
    let entries = "/Type/XRef/Size 9/W[1 2 1]/Root 1 0 R/Filter[/FlateDecode/FlateDecode]";
    assert!(merger.add("", &pdf(&[stream(entries, &bomb)])).is_err());
    bytes.extend(merger.add("", &inheriting(1, 16)).unwrap());
    bytes.extend(merger.finish());
    assert_eq!(hayro_syntax::Pdf::new(bytes).unwrap().pages().len(), 2);
}

/// Returns a white picture that declares this density.
fn picture(side: u32, dots_per_metre: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side, side);
    let (xppu, yppu) = (dots_per_metre, dots_per_metre);
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu, yppu, unit: png::Unit::Meter }));
    let dots = vec![255; side as usize * side as usize];
    encoder.write_header().unwrap().write_image_data(&dots).unwrap();
    file
}

#[test]
fn a_picture_that_says_it_is_a_mile_wide_is_refused() {
    let zpl = |file: &[u8]| converted(file, LabelFormat::Png, LabelFormat::Zpl).unwrap();
    assert!(zpl(&picture(100, 1)).unwrap_err().to_string().contains("more than a metre"));
    assert!(zpl(&picture(100, 8_000)).is_ok());
}

#[test]
fn a_picture_that_takes_too_much_memory_is_refused() {
    // The header of a colour picture with 60,000 by 60,000 dots, without its data.
    let mut file = picture(1, 8_000);
    let side = 60_000_u32.to_be_bytes();
    file[16..20].copy_from_slice(&side);
    file[20..24].copy_from_slice(&side);
    file[25] = 6;
    let checksum = crc32fast::hash(&file[12..29]).to_be_bytes();
    file[29..33].copy_from_slice(&checksum);
    for to in [LabelFormat::Pdf, LabelFormat::Zpl] {
        assert!(converted(&file, LabelFormat::Png, to).unwrap().is_err());
    }
}
