//! Draws the picture in the guide: a dozen labels of several countries and scripts, at half their size.
//!
//!   contact_sheet FILE [FONT_DIRECTORY…]

mod samples;

use labels::{Effort, Fonts, png, scenes};
use model::shipping::shipment::LabelFormat;
use samples::{Numbers, ROWS, Sample};
use std::error::Error;
use std::io::Cursor;

/// The countries of sender and recipient.
const ROUTES: [(&str, &str); 12] = [
    ("GB", "GB"),
    ("DE", "DE"),
    ("US", "US"),
    ("JP", "JP"),
    ("AE", "AE"),
    ("GB", "US"),
    ("DE", "JP"),
    ("US", "FR"),
    ("KR", "KR"),
    ("PL", "GR"),
    ("IN", "IN"),
    ("CH", "AE"),
];
const COLUMNS: usize = 4;
/// The white space between labels, in pixels of the picture.
const GAP: usize = 14;
/// A grey that shows where a label ends.
const AROUND: u8 = 11;

/// A picture with grey values from 0 to 15.
struct Picture {
    width: usize,
    height: usize,
    greys: Vec<u8>,
}

/// Returns a label at half its size. The darkness of each pixel is that of its four dots.
fn halved(file: &[u8]) -> Result<Picture, Box<dyn Error>> {
    let mut reader = ::png::Decoder::new(Cursor::new(file)).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("too large")?];
    let info = reader.next_frame(&mut bytes)?;
    let is_white = |x: usize, y: usize| bytes[y * info.line_size + x / 8] >> (7 - x % 8) & 1;
    let (width, height) = (info.width as usize / 2, info.height as usize / 2);
    let grey = |at: usize| {
        let (x, y) = (2 * (at % width), 2 * (at / width));
        let white = is_white(x, y) + is_white(x + 1, y) + is_white(x, y + 1) + is_white(x + 1, y + 1);
        (15 * white + 2) / 4
    };
    Ok(Picture { width, height, greys: (0..width * height).map(grey).collect() })
}

fn row(country: &str) -> Result<&'static samples::Row, String> {
    ROWS.iter().find(|row| row.6 == country).ok_or_else(|| format!("no sample address in {country}"))
}

fn write(picture: &Picture) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut file = Vec::new();
    let mut encoder =
        ::png::Encoder::new(&mut file, u32::try_from(picture.width)?, u32::try_from(picture.height)?);
    encoder.set_color(::png::ColorType::Grayscale);
    encoder.set_depth(::png::BitDepth::Four);
    encoder.set_compression(::png::Compression::High);
    let pairs = picture.greys.chunks(picture.width).flat_map(|row| row.chunks(2));
    let bytes: Vec<u8> = pairs.map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or_default()).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(file)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let fonts = Fonts::load(&arguments.collect::<Vec<_>>());
    let mut numbers = Numbers(7);
    let mut labels = Vec::new();
    for (from, to) in ROUTES {
        let mut sample = Sample::new(row(from)?, row(to)?, &mut numbers)?;
        sample.shipment.packages.truncate(1);
        sample
            .shipment
            .options
            .as_mut()
            .and_then(|options| options.label.as_mut())
            .ok_or("no options")?
            .size = None;
        let scenes = scenes(&sample.bought()?, LabelFormat::Png, "4x6", &fonts)?;
        labels.push(halved(&png(&scenes[0], Effort::Small)?)?);
    }
    let (width, height) = (labels[0].width + GAP, labels[0].height + GAP);
    let size = (width * COLUMNS + GAP, height * labels.len().div_ceil(COLUMNS) + GAP);
    let mut sheet = Picture { width: size.0, height: size.1, greys: vec![AROUND; size.0 * size.1] };
    for (n, label) in labels.iter().enumerate() {
        let (left, top) = (GAP + n % COLUMNS * width, GAP + n / COLUMNS * height);
        for (y, line) in label.greys.chunks(label.width).enumerate() {
            let at = (top + y) * sheet.width + left;
            sheet.greys[at..at + label.width].copy_from_slice(line);
        }
    }
    std::fs::write(file, write(&sheet)?)?;
    Ok(())
}
