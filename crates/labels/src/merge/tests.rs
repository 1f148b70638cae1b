//! Tests of merged files: the pages keep their content and order, and equal objects are written once.

use super::*;
use crate::pdf_file::PdfFile;
use hayro_syntax::Pdf;
use hayro_syntax::object::Object;
use proptest::prelude::*;

fn merged(format: LabelFormat, files: &[Vec<u8>]) -> Vec<u8> {
    let mut merger = Merger::new(format);
    let mut bytes = Vec::new();
    for (number, file) in (1..).zip(files) {
        bytes.extend(merger.add(&format!("{number:04}"), file).unwrap());
    }
    bytes.extend(merger.finish());
    bytes
}

/// Returns a PDF with a page for each text, a font that all pages share, and a cycle of references.
fn carriers_pdf(texts: &[&str]) -> Vec<u8> {
    let mut file = PdfFile::new();
    let (font, ring, back) = (file.number(), file.number(), file.number());
    file.object(font, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Odd#20Name(a\\)b)>>");
    file.object(ring, format!("<</Type/ExtGState/LW 2.5/Next {back} 0 R>>").as_bytes());
    file.object(back, format!("[{ring} 0 R true null <ff00>]").as_bytes());
    for text in texts {
        let drawing = format!("/G gs BT /F 12 Tf 9 9 Td ({text}) Tj ET");
        let body = format!("<</Length {}>>\nstream\n{drawing}\nendstream", drawing.len());
        let drawing = file.add(body.as_bytes());
        let resources = format!("<</Font<</F {font} 0 R>>/ExtGState<</G {ring} 0 R>>>>");
        let page = format!(
            "/MediaBox[0 0 288 432]/CropBox[0 1.5 280 400]/Rotate -90/Resources{resources}/Contents {drawing} 0 R"
        );
        file.page(page.as_bytes());
    }
    file.finish()
}

fn drawings(pdf: &Pdf) -> Vec<String> {
    let text =
        |page: &hayro_syntax::page::Page<'_>| String::from_utf8_lossy(page.page_stream().unwrap()).into();
    pdf.pages().iter().map(text).collect()
}

fn count(pdf: &Pdf, is_it: impl Fn(&Object<'_>) -> bool) -> usize {
    pdf.objects().into_iter().filter(is_it).count()
}

fn has_type(object: &Object<'_>, word: &str) -> bool {
    let dict = match object {
        Object::Dict(dict) => dict,
        Object::Stream(stream) => stream.dict(),
        _ => return false,
    };
    dict.get::<hayro_syntax::object::Name<'_>>("Type").is_some_and(|name| name.as_str() == word)
}

#[test]
fn pages_keep_their_order_their_boxes_and_their_turn_and_share_their_font() {
    let files = [carriers_pdf(&["one", "two"]), carriers_pdf(&["three"]), carriers_pdf(&["four"])];
    let pdf = Pdf::new(merged(LabelFormat::Pdf, &files)).unwrap();
    let texts: Vec<String> = drawings(&pdf);
    assert_eq!(texts.len(), 4);
    for (text, word) in texts.iter().zip(["(one)", "(two)", "(three)", "(four)"]) {
        assert!(text.contains(word), "{text}");
    }
    let page = &pdf.pages()[3];
    assert_eq!(page.media_box().x1, 288.0);
    assert_eq!((page.crop_box().y0, page.crop_box().x1), (1.5, 280.0));
    assert!(matches!(page.rotation(), hayro_syntax::page::Rotation::FlippedHorizontal));
    assert_eq!(count(&pdf, |object| has_type(object, "Font")), 1);
    // An object that refers to itself gets its number before its content is known, so it is not shared between files.
    assert_eq!(count(&pdf, |object| has_type(object, "ExtGState")), 3);
    let font = page.resources().fonts.get::<hayro_syntax::object::Dict<'_>>("F").unwrap();
    assert_eq!(font.get::<hayro_syntax::object::String<'_>>("Odd Name").unwrap().as_bytes(), b"a)b");
}

#[test]
fn a_merged_file_may_be_merged_again() {
    let once = merged(LabelFormat::Pdf, &[carriers_pdf(&["one"]), carriers_pdf(&["two"])]);
    let twice = merged(LabelFormat::Pdf, &[once, carriers_pdf(&["three"])]);
    let texts = drawings(&Pdf::new(twice).unwrap());
    assert!(texts.len() == 3 && texts[2].contains("(three)"));
}

#[test]
fn what_can_t_be_read_is_refused_and_leaves_no_page() {
    let mut merger = Merger::new(LabelFormat::Pdf);
    let mut bytes = merger.add("", &carriers_pdf(&["one"])).unwrap();
    for broken in [&b""[..], b"%PDF-1.7\n", b"hello", b"\x89PNG\r\n\x1a\nhello"] {
        assert!(merger.add("", broken).is_err(), "{broken:?}");
    }
    bytes.extend(merger.add("", &carriers_pdf(&["two"])).unwrap());
    bytes.extend(merger.finish());
    assert_eq!(drawings(&Pdf::new(bytes).unwrap()).len(), 2);
}

fn picture(width: u32, height: u32, color: png::ColorType, bytes: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.write_header().unwrap().write_image_data(bytes).unwrap();
    file
}

#[test]
fn a_picture_becomes_a_page_in_its_size() {
    let png = picture(812, 1218, png::ColorType::Rgba, &[0, 0, 0, 255].repeat(812 * 1218));
    let both = Pdf::new(merged(LabelFormat::Pdf, &[carriers_pdf(&["one"]), png.clone()])).unwrap();
    let alone = Pdf::new(converted(&png, LabelFormat::Png, LabelFormat::Pdf).unwrap().unwrap()).unwrap();
    for page in [&both.pages()[1], &alone.pages()[0]] {
        let size = page.media_box();
        // 101.5 by 152.25 millimetres.
        assert!((size.x1 - 287.7).abs() < 0.1 && (size.y1 - 431.6).abs() < 0.1, "{} {}", size.x1, size.y1);
        let image = page.resources().x_objects.get::<hayro_syntax::object::Stream<'_>>("P").unwrap();
        assert_eq!(image.decoded_data().unwrap().len(), 812 * 1218);
    }
}

#[test]
fn a_picture_becomes_dots_of_a_printer() {
    // Black, white, black behind full transparency on white, and a soft edge.
    let dots = [0, 255, 255, 255, 0, 0, 120, 255];
    let png = picture(4, 1, png::ColorType::GrayscaleAlpha, &dots);
    let zpl =
        String::from_utf8(converted(&png, LabelFormat::Png, LabelFormat::Zpl).unwrap().unwrap()).unwrap();
    assert_eq!(zpl, "^XA\n^PW4\n^LL1\n^LH0,0\n^FO0,0^GFA,1,1,1,9,^FS\n^XZ\n");
    assert!(converted(b"", LabelFormat::Pdf, LabelFormat::Zpl).is_none());
}

#[test]
fn zpl_follows_zpl() {
    let files = [b"^XA^XZ".to_vec(), b"^XA\n^XZ\n".to_vec()];
    assert_eq!(merged(LabelFormat::Zpl, &files), b"^XA^XZ\n^XA\n^XZ\n");
}

/// Reads a ZIP by its central directory, as programs do, and returns names and contents.
fn unzip(zip: &[u8]) -> Vec<(String, Vec<u8>)> {
    let int = |at: usize, bytes: usize| (0..bytes).rev().fold(0, |sum, n| sum << 8 | zip[at + n] as usize);
    let end = zip.len() - 22;
    assert_eq!(int(end, 4), 0x0605_4b50);
    let (mut count, mut at) = (int(end + 10, 2), int(end + 16, 4));
    if count == 0xffff {
        let record = int(end - 20 + 8, 8);
        assert_eq!((int(end - 20, 4), int(record, 4)), (0x0706_4b50, 0x0606_4b50));
        (count, at) = (int(record + 32, 8), int(record + 48, 8));
    }
    let mut files = Vec::new();
    for _ in 0..count {
        let (crc, size, name, extra) = (int(at + 16, 4), int(at + 24, 4), int(at + 28, 2), int(at + 30, 2));
        let file = int(at + 42, 4);
        let (head, text) = (file + 30 + int(file + 26, 2), &zip[at + 46..at + 46 + name]);
        assert_eq!(&zip[file + 30..head], text);
        let bytes = zip[head..head + size].to_vec();
        assert_eq!(crc32fast::hash(&bytes) as usize, crc);
        files.push((String::from_utf8(text.to_vec()).unwrap(), bytes));
        at += 46 + name + extra;
    }
    files
}

#[test]
fn a_zip_of_more_files_than_the_old_fields_count_is_whole() {
    let files: Vec<Vec<u8>> = (0..70_000_u32).map(|n| n.to_be_bytes().to_vec()).collect();
    let read = unzip(&merged(LabelFormat::Png, &files));
    assert_eq!(read.len(), files.len());
    assert_eq!((read[69_999].0.as_str(), &read[69_999].1), ("70000.png", &files[69_999]));
}

proptest! {
    #[test]
    fn what_is_zipped_is_unzipped(files in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..50), 0..20)) {
        let read: Vec<Vec<u8>> = unzip(&merged(LabelFormat::Png, &files)).into_iter().map(|file| file.1).collect();
        prop_assert_eq!(read, files);
    }

    #[test]
    fn no_bytes_make_the_reader_of_pdf_panic(
        at in 0_usize..2_000, with in proptest::collection::vec(any::<u8>(), 0..8), is_cut in any::<bool>()
    ) {
        let mut file = carriers_pdf(&["one"]);
        let at = at.min(file.len());
        let end = (at + with.len()).min(file.len());
        file.splice(at..end, with);
        if is_cut {
            file.truncate(at);
        }
        let mut merger = Merger::new(LabelFormat::Pdf);
        let is_added = merger.add("", &file).is_ok();
        let end = merger.finish();
        prop_assert!(is_added || !end.is_empty());
    }
}
