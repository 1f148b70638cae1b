//! Conversion of labels that are pictures: to a page of a PDF, or to dots in ZPL.

use crate::merge::error::MergeError;
use crate::packed::packed;
use crate::pdf_file::{PdfFile, put};
use crate::raster::Bitmap;
use crate::resolution::Resolution;
use crate::zpl::dots_as_label;
use model::shipping::shipment::LabelFormat;
use png::{ColorType, Decoder, Limits, Transformations, Unit};
use std::io::{Cursor, Write as _};

/// Maximum memory of a picture, in bytes: a sheet at 600 dpi, in colour.
const PICTURE_BYTES_MAX: usize = 128 << 20;
/// Longest side of a label, in metres. A picture may declare any size.
const SIDE_METRES_MAX: f64 = 1.0;
/// Most dots of a picture that is scaled: a sheet of A4 at 1,200 dpi.
const DOTS_MAX: f64 = 160e6;
/// Factors that differ by less from 1 leave a picture as it is.
const SAME_SCALE: f64 = 0.01;
/// From this mean grey value on, a dot is white. Edges are often soft, and thin strokes must not break.
const WHITE_MEAN: f32 = 144.0;
/// The compression level of pictures.
const EFFORT: u32 = 4;
/// The density of a picture that declares none: that of most labels.
const DOTS_PER_METRE: f64 = 8_000.0;
/// The width of a label, in metres: four inches. And the widths of pictures of it that usually declare no density.
const LABEL_METRES: f64 = 0.1016;
const UNDECLARED_WIDTHS: [std::ops::RangeInclusive<u32>; 2] = [1_140..=1_260, 2_280..=2_520];
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

/// Converts a PNG to another format if nothing is lost: a page has the same dots in grey, and ZPL the same dots, if all of them are
/// black or white and as large as those of a label printer. Returns `None` if something would be lost, or if the file can't be
/// read.
pub fn converted_exactly(file: &[u8], to: LabelFormat) -> Option<Vec<u8>> {
    let picture = read(file).ok().filter(|picture| picture.is_grey)?;
    let is_exact = match to {
        LabelFormat::Png => return None,
        LabelFormat::Pdf => true,
        LabelFormat::Zpl => {
            let is_of_printer = (picture.scale(Resolution::LABEL) - 1.0).abs() < f64::EPSILON;
            is_of_printer && picture.greys.iter().all(|grey| matches!(grey, 0 | 255))
        }
    };
    converted(file, LabelFormat::Png, to).filter(|_| is_exact)?.ok()
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
    /// Whether all dots were grey and opaque, with at most 256 greys.
    is_grey: bool,
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
    let is_fine = reader.info().bit_depth == png::BitDepth::Sixteen;
    let is_grey = !is_fine && is_grey(info.color_type, &bytes);
    let greys = match info.color_type {
        ColorType::Grayscale | ColorType::Indexed => bytes,
        ColorType::GrayscaleAlpha => bytes.chunks_exact(2).map(|dot| on_white(dot[0], dot[1])).collect(),
        ColorType::Rgb => bytes.chunks_exact(3).map(|dot| grey(dot[0], dot[1], dot[2])).collect(),
        ColorType::Rgba => {
            bytes.chunks_exact(4).map(|dot| on_white(grey(dot[0], dot[1], dot[2]), dot[3])).collect()
        }
    };
    let told = reader.info().pixel_dims.filter(|dims| dims.unit == Unit::Meter && dims.xppu > 0);
    let density = told.map_or_else(|| usual_density(info.width), |dims| f64::from(dims.xppu));
    Ok(Picture { width: info.width, height: info.height, density, greys, is_grey })
}

fn is_grey(colours: ColorType, bytes: &[u8]) -> bool {
    let is_one = |dot: &[u8]| dot[0] == dot[1] && dot[1] == dot[2];
    match colours {
        ColorType::Grayscale | ColorType::Indexed => true,
        ColorType::GrayscaleAlpha => bytes.chunks_exact(2).all(|dot| dot[1] == u8::MAX),
        ColorType::Rgb => bytes.chunks_exact(3).all(is_one),
        ColorType::Rgba => bytes.chunks_exact(4).all(|dot| is_one(dot) && dot[3] == u8::MAX),
    }
}

/// Returns the dots per metre of a picture that declares none. One that is as wide as a label at 300 or 600 dpi is such a label.
pub(super) fn usual_density(width: u32) -> f64 {
    match UNDECLARED_WIDTHS.iter().any(|widths| widths.contains(&width)) {
        true => f64::from(width) / LABEL_METRES,
        false => DOTS_PER_METRE,
    }
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

fn as_zpl(picture: &[u8]) -> Result<Vec<u8>, MergeError> {
    Ok(dots_as_label(&dots(picture, Resolution::LABEL)?).into_bytes())
}

/// Returns a picture as the dots of a printer, as large on paper as it declares to be.
///
/// A dot is black if the mean of the part of the picture that it covers is dark. So each edge of a bar moves by less than half a
/// dot, and thin strokes do not vanish where the picture is finer than the printer. Where a dot of the picture becomes a whole
/// number of dots, the result is that of the nearest neighbour.
pub(crate) fn dots(picture: &[u8], resolution: Resolution) -> Result<Bitmap, MergeError> {
    let picture = read(picture)?;
    let scale = picture.scale(resolution);
    let side_max = SIDE_METRES_MAX * resolution.dots_per_metre();
    let sides = [picture.width, picture.height].map(|dots| f64::from(dots) * scale);
    if sides.iter().any(|side| *side > side_max) {
        return Err(MergeError("it would be more than a metre long".to_owned()));
    }
    if sides[0] * sides[1] > DOTS_MAX {
        return Err(MergeError("it would have too many dots at this resolution".to_owned()));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a picture of bounded size, scaled to be as large on paper"
    )]
    let [width, height] = sides.map(|side| side.round().max(1.0) as u32);
    let (columns, rows) = (spans(picture.width, width), spans(picture.height, height));
    let mut bitmap = Bitmap::new(width, height);
    for (y, row) in (0..).zip(&rows) {
        for (x, column) in (0..).zip(&columns) {
            if picture.mean(column, row) < WHITE_MEAN {
                bitmap.set(x, y, true);
            }
        }
    }
    Ok(bitmap)
}

/// Returns whether a picture has the dots of a printer already.
pub(crate) fn is_at(picture: &[u8], resolution: Resolution) -> Result<bool, MergeError> {
    Ok((read(picture)?.scale(resolution) - 1.0).abs() < f64::EPSILON)
}

/// The dots of a picture that one dot of the result covers in one direction: the first one, and how much of each is covered.
struct Span {
    first: u32,
    weights: Vec<f32>,
}

/// Divides `from` dots of a picture among `to` dots of the result.
fn spans(from: u32, to: u32) -> Vec<Span> {
    let edge = |place: u32| u64::from(place) * u64::from(from);
    let span = |place: u32| {
        let (start, end) = (edge(place), edge(place + 1));
        let unit = u64::from(to.max(1));
        let (first, last) = (start / unit, (end - 1) / unit);
        let weight =
            |dot: u64| (end.min((dot + 1) * unit) - start.max(dot * unit)) as f32 / (end - start) as f32;
        let weights = (first..=last).map(weight).collect();
        Span { first: u32::try_from(first).unwrap_or(u32::MAX), weights }
    };
    (0..to).map(span).collect()
}

impl Picture {
    /// Returns the factor by which the picture is scaled for a printer.
    fn scale(&self, resolution: Resolution) -> f64 {
        let scale = resolution.dots_per_metre() / self.density;
        // 203 dpi are declared as 7,992 or as 8,000 dots per metre.
        if (scale - 1.0).abs() < SAME_SCALE { 1.0 } else { scale }
    }

    /// Returns the mean grey value of a part.
    fn mean(&self, columns: &Span, rows: &Span) -> f32 {
        let mut sum = 0.0;
        for (row, down) in (rows.first..).zip(&rows.weights) {
            let start = row as usize * self.width as usize + columns.first as usize;
            let dots = self.greys.get(start..start + columns.weights.len()).unwrap_or_default();
            let across: f32 =
                dots.iter().zip(&columns.weights).map(|(grey, part)| f32::from(*grey) * part).sum();
            sum += down * across;
        }
        sum
    }
}
