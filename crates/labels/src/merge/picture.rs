//! Conversion of labels that are pictures: to a page of a PDF, or to dots in ZPL.

use crate::merge::error::MergeError;
use crate::packed::packed;
use crate::pdf_file::{PdfFile, put};
use crate::raster::Bitmap;
use crate::zpl::dots_as_label;
use model::shipping::shipment::LabelFormat;
use png::{ColorType, Decoder, Limits, Transformations, Unit};
use std::io::{Cursor, Write as _};

/// Maximum memory of a picture, in bytes: a sheet at 600 dpi, in colour.
const PICTURE_BYTES_MAX: usize = 128 << 20;
/// Longest side of a label, in dots of a printer with 203 dpi: a metre. A picture may declare any size.
const SIDE_DOTS_MAX: f64 = 8_000.0;
/// From this grey value on, a dot is white. Edges are often soft, and thin strokes must not break.
const WHITE: u8 = 144;
/// The density of a picture that declares none: that of most labels.
const DOTS_PER_INCH: f64 = 203.2;
/// The compression level of pictures.
const EFFORT: u32 = 4;
const DOTS_PER_METRE: f64 = 8_000.0;
const POINTS_PER_INCH: f64 = 72.0;
const METRES_PER_INCH: f64 = 0.0254;

/// Converts a label to another format. Returns `None` if there is no conversion to that format.
pub fn converted(file: &[u8], from: LabelFormat, to: LabelFormat) -> Option<Result<Vec<u8>, MergeError>> {
    match (from, to) {
        (LabelFormat::Png, LabelFormat::Pdf) => Some(as_pdf(file)),
        (LabelFormat::Png, LabelFormat::Zpl) => Some(as_zpl(file)),
        _ => None,
    }
}

pub(super) fn is_png(file: &[u8]) -> bool {
    file.starts_with(b"\x89PNG\r\n\x1a\n")
}

/// A picture in grey values, on white.
struct Picture {
    width: u32,
    height: u32,
    /// Dots per metre.
    density: f64,
    greys: Vec<u8>,
}

fn read(file: &[u8]) -> Result<Picture, MergeError> {
    let unreadable =
        |error: png::DecodingError| MergeError(format!("it is no PNG that can be read: {error}"));
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: PICTURE_BYTES_MAX });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(unreadable)?;
    let size = reader.output_buffer_size().filter(|size| *size <= PICTURE_BYTES_MAX);
    let mut bytes = vec![0; size.ok_or_else(|| MergeError("its picture is too large".to_owned()))?];
    let info = reader.next_frame(&mut bytes).map_err(unreadable)?;
    bytes.truncate(info.buffer_size());
    let greys = match info.color_type {
        ColorType::Grayscale | ColorType::Indexed => bytes,
        ColorType::GrayscaleAlpha => bytes.chunks_exact(2).map(|dot| on_white(dot[0], dot[1])).collect(),
        ColorType::Rgb => bytes.chunks_exact(3).map(|dot| grey(dot[0], dot[1], dot[2])).collect(),
        ColorType::Rgba => {
            bytes.chunks_exact(4).map(|dot| on_white(grey(dot[0], dot[1], dot[2]), dot[3])).collect()
        }
    };
    let told = reader.info().pixel_dims.filter(|dims| dims.unit == Unit::Meter && dims.xppu > 0);
    let density = told.map_or(DOTS_PER_METRE, |dims| f64::from(dims.xppu));
    Ok(Picture { width: info.width, height: info.height, density, greys })
}

/// Returns the brightness of a colour, as black-and-white printers compute it.
fn grey(red: u8, green: u8, blue: u8) -> u8 {
    let sum = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    u8::try_from(sum / 1000).unwrap_or(u8::MAX)
}

fn on_white(grey: u8, alpha: u8) -> u8 {
    let sum = u32::from(grey) * u32::from(alpha) + 255 * (255 - u32::from(alpha));
    u8::try_from(sum / 255).unwrap_or(u8::MAX)
}

/// Adds a page that has the size of the picture and is filled by it.
pub(super) fn add_page(file: &mut PdfFile, picture: &[u8]) -> Result<(), MergeError> {
    let picture = read(picture)?;
    let points = |dots: u32| f64::from(dots) / picture.density / METRES_PER_INCH * POINTS_PER_INCH;
    let (width, height) = (points(picture.width), points(picture.height));
    let image = format!(
        "/Type/XObject/Subtype/Image/Width {}/Height {}/ColorSpace/DeviceGray/BitsPerComponent 8",
        picture.width, picture.height
    );
    let (image, bytes) = packed(&image, &picture.greys, EFFORT);
    let image = file.stream(&image, &bytes);
    let drawing = file.stream("", format!("{width} 0 0 {height} 0 0 cm /P Do").as_bytes());
    let mut entries = Vec::new();
    put!(
        entries,
        "/MediaBox[0 0 {width} {height}]/Resources<</XObject<</P {image} 0 R>>>>/Contents {drawing} 0 R"
    );
    file.page(&entries);
    Ok(())
}

fn as_pdf(picture: &[u8]) -> Result<Vec<u8>, MergeError> {
    let mut file = PdfFile::new();
    add_page(&mut file, picture)?;
    Ok(file.finish())
}

/// Converts a picture to dots of a printer with 203 dpi. A picture of another density is scaled by nearest
/// neighbours.
fn as_zpl(picture: &[u8]) -> Result<Vec<u8>, MergeError> {
    let picture = read(picture)?;
    let scale = DOTS_PER_INCH / (picture.density * METRES_PER_INCH);
    if f64::from(picture.width.max(picture.height)) * scale > SIDE_DOTS_MAX {
        return Err(MergeError("it would be more than a metre long".to_owned()));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a picture of bounded size, scaled to be as large on paper"
    )]
    let scaled = |dots: u32| (f64::from(dots) * scale).round().clamp(1.0, SIDE_DOTS_MAX) as u32;
    let mut bitmap = Bitmap::new(scaled(picture.width), scaled(picture.height));
    for y in 0..bitmap.height {
        let row = u64::from(y) * u64::from(picture.height) / u64::from(bitmap.height);
        for x in 0..bitmap.width {
            let column = u64::from(x) * u64::from(picture.width) / u64::from(bitmap.width);
            let at = usize::try_from(row * u64::from(picture.width) + column).unwrap_or(usize::MAX);
            if picture.greys.get(at).is_some_and(|grey| *grey < WHITE) {
                bitmap.set(x.cast_signed(), y.cast_signed(), true);
            }
        }
    }
    Ok(dots_as_label(&bitmap).into_bytes())
}
