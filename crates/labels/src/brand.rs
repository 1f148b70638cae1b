//! What an organisation puts on its papers: name, colour, footer and logo.
//!
//! A logo comes from a client, and may be broken or hostile. Its sides are read and bounded before memory is allocated
//! for its picture, and it is scaled down once, so that each paper that shows it stays small.

use crate::packed::packed;
use png::{ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Longest side of a logo, in pixels.
pub const LOGO_SIDE_PIXELS_MAX: u32 = 4_096;
/// Largest area of a logo, in pixels.
pub const LOGO_PIXELS_MAX: u64 = 4_000_000;
/// Memory that reading a logo may take, in bytes.
const LOGO_MEMORY_MAX: usize = 64 << 20;
/// The largest logo on a paper, in pixels: 60 by 24 mm at 400 dpi.
const DRAWN_WIDTH_MAX: u32 = 945;
const DRAWN_HEIGHT_MAX: u32 = 378;
/// The compression level of a logo.
const EFFORT: u32 = 6;

/// What an organisation puts on its papers. Everything may be empty.
#[derive(Debug, Clone, Default)]
pub struct Brand {
    pub name: String,
    /// Red, green and blue.
    pub colour: Option<[u8; 3]>,
    /// A text at the foot of each page.
    pub footer: String,
    pub logo: Option<Arc<Logo>>,
}

/// A logo, ready to be written into a PDF.
#[derive(Debug)]
pub struct Logo {
    /// The size in pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The entries of its stream in a PDF, and the stream's bytes.
    pub(crate) entries: String,
    pub(crate) bytes: Vec<u8>,
}

/// The reason why a logo cannot be used. Its text is for the client that sent it.
#[derive(Debug, PartialEq, Eq)]
pub struct LogoError(String);

impl LogoError {
    pub fn new(why: &str) -> Self {
        Self(why.to_owned())
    }
}

impl std::fmt::Display for LogoError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LogoError {}

/// A picture with three bytes for each pixel.
struct Colours {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Logo {
    /// Reads a logo from a PNG. Transparent pixels become white, as paper is.
    pub fn read(file: &[u8]) -> Result<Self, LogoError> {
        // The decoder is a third-party library. If it panics, the file is refused.
        let read = catch_unwind(AssertUnwindSafe(|| decode(file)));
        let colours = scaled(read.unwrap_or_else(|_| Err(LogoError("The PNG is broken.".to_owned())))?);
        let Colours { width, height, bytes } = colours;
        let entries = format!(
            "/Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/DeviceRGB/BitsPerComponent 8"
        );
        let (entries, bytes) = packed(&entries, &bytes, EFFORT);
        Ok(Self { width, height, entries, bytes })
    }
}

fn decode(file: &[u8]) -> Result<Colours, LogoError> {
    let unreadable = |error: png::DecodingError| LogoError(format!("Is no PNG that can be read: {error}."));
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: LOGO_MEMORY_MAX });
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let (width, height) = decoder.read_header_info().map_err(unreadable)?.size();
    let is_small =
        width.max(height) <= LOGO_SIDE_PIXELS_MAX && u64::from(width) * u64::from(height) <= LOGO_PIXELS_MAX;
    if !is_small {
        let message = format!(
            "Has {width} by {height} pixels. A side may have {LOGO_SIDE_PIXELS_MAX}, and the picture {LOGO_PIXELS_MAX}."
        );
        return Err(LogoError(message));
    }
    let mut reader = decoder.read_info().map_err(unreadable)?;
    let size = reader.output_buffer_size().filter(|size| *size <= LOGO_MEMORY_MAX);
    let mut bytes = vec![0; size.ok_or_else(|| LogoError("The picture is too large.".to_owned()))?];
    let info = reader.next_frame(&mut bytes).map_err(unreadable)?;
    bytes.truncate(info.buffer_size());
    let bytes = match info.color_type {
        ColorType::Grayscale | ColorType::Indexed => bytes.iter().flat_map(|grey| [*grey; 3]).collect(),
        ColorType::GrayscaleAlpha => {
            bytes.chunks_exact(2).flat_map(|dot| [on_white(dot[0], dot[1]); 3]).collect()
        }
        ColorType::Rgb => bytes,
        ColorType::Rgba => {
            let on_paper = |dot: &[u8]| [0, 1, 2].map(|channel| on_white(dot[channel], dot[3]));
            bytes.chunks_exact(4).flat_map(on_paper).collect()
        }
    };
    Ok(Colours { width, height, bytes })
}

fn on_white(value: u8, alpha: u8) -> u8 {
    let sum = u32::from(value) * u32::from(alpha) + 255 * (255 - u32::from(alpha));
    u8::try_from(sum / 255).unwrap_or(u8::MAX)
}

/// Scales a picture down until it has no more pixels than a printer shows. Each pixel is the mean of those that it
/// replaces.
fn scaled(picture: Colours) -> Colours {
    let shrink = |width: u32, height: u32| {
        let by_width = (DRAWN_WIDTH_MAX, (height * DRAWN_WIDTH_MAX / width).max(1));
        let by_height = ((width * DRAWN_HEIGHT_MAX / height).max(1), DRAWN_HEIGHT_MAX);
        if by_width.1 <= DRAWN_HEIGHT_MAX { by_width } else { by_height }
    };
    if picture.width <= DRAWN_WIDTH_MAX && picture.height <= DRAWN_HEIGHT_MAX {
        return picture;
    }
    let (width, height) = shrink(picture.width, picture.height);
    let mut bytes = Vec::with_capacity(width as usize * height as usize * 3);
    let span = |at: u32, to: u32, from: u32| {
        let start = at * from / to;
        start as usize..((at + 1) * from / to).max(start + 1) as usize
    };
    for y in 0..height {
        for x in 0..width {
            let (rows, columns) = (span(y, height, picture.height), span(x, width, picture.width));
            let mut sums = [0_u64; 3];
            for row in rows.clone() {
                let at = row * picture.width as usize;
                let dots = &picture.bytes[3 * (at + columns.start)..3 * (at + columns.end)];
                for (place, value) in dots.iter().enumerate() {
                    sums[place % 3] += u64::from(*value);
                }
            }
            let count = (rows.len() * columns.len()) as u64;
            bytes.extend(sums.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX)));
        }
    }
    Colours { width, height, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use png::{BitDepth, Encoder};
    use proptest::prelude::*;

    fn file(width: u32, height: u32, colour: ColorType, depth: BitDepth, bytes: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if colour == ColorType::Indexed {
            encoder.set_palette(vec![255, 0, 0, 0, 0, 255]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(bytes).unwrap();
        writer.finish().unwrap();
        file
    }

    /// Replaces the size that the file declares, and corrects the checksum.
    fn declaring(mut file: Vec<u8>, width: u32, height: u32) -> Vec<u8> {
        file[16..20].copy_from_slice(&width.to_be_bytes());
        file[20..24].copy_from_slice(&height.to_be_bytes());
        let sum = crc32fast::hash(&file[12..29]);
        file[29..33].copy_from_slice(&sum.to_be_bytes());
        file
    }

    fn pixels(file: &[u8]) -> Vec<u8> {
        decode(file).unwrap().bytes
    }

    #[test]
    fn every_kind_of_png_is_read_on_white() {
        let eight = BitDepth::Eight;
        assert_eq!(pixels(&file(1, 1, ColorType::Grayscale, eight, &[7])), [7, 7, 7]);
        assert_eq!(pixels(&file(1, 1, ColorType::GrayscaleAlpha, eight, &[7, 0])), [255, 255, 255]);
        assert_eq!(pixels(&file(1, 1, ColorType::Rgb, eight, &[1, 2, 3])), [1, 2, 3]);
        assert_eq!(pixels(&file(1, 1, ColorType::Rgba, eight, &[0, 0, 0, 128])), [127, 127, 127]);
        let sixteen = [200, 1, 100, 2, 50, 3];
        assert_eq!(pixels(&file(1, 1, ColorType::Rgb, BitDepth::Sixteen, &sixteen)), [200, 100, 50]);
        assert_eq!(pixels(&file(2, 1, ColorType::Indexed, eight, &[0, 1])), [255, 0, 0, 0, 0, 255]);
        assert_eq!(pixels(&file(8, 1, ColorType::Grayscale, BitDepth::One, &[0x80])).len(), 24);
    }

    #[test]
    fn a_large_logo_is_scaled_down_and_keeps_its_proportions() {
        let (width, height) = (2_000, 500);
        let half: Vec<u8> = (0..width * height).map(|at| if at % width < 1_000 { 0 } else { 255 }).collect();
        let logo = Logo::read(&file(width, height, ColorType::Grayscale, BitDepth::Eight, &half)).unwrap();
        assert_eq!((logo.width, logo.height), (945, 236));
        let colours =
            scaled(Colours { width, height, bytes: half.iter().flat_map(|grey| [*grey; 3]).collect() });
        assert_eq!((colours.bytes[0], colours.bytes[944 * 3]), (0, 255));
    }

    #[test]
    fn a_logo_that_declares_too_much_is_refused_before_memory_is_taken_for_it() {
        let small = file(1, 1, ColorType::Rgba, BitDepth::Eight, &[0, 0, 0, 0]);
        for (width, height) in [(4_097, 1), (1, 4_097), (4_000, 4_000), (u32::MAX, u32::MAX)] {
            let error = Logo::read(&declaring(small.clone(), width, height)).unwrap_err();
            assert!(!error.to_string().is_empty());
        }
        // It declares an allowed size, and has too few bytes for it.
        assert!(Logo::read(&declaring(small, 1_000, 1_000)).is_err());
    }

    #[test]
    fn other_files_are_refused() {
        for file in [&b""[..], b"GIF89a", b"\x89PNG\r\n\x1a\n", b"<svg/>"] {
            assert!(Logo::read(file).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            noise in proptest::collection::vec(any::<u8>(), 0..200), at in 0_usize..200, value: u8
        ) {
            let _refused = Logo::read(&noise);
            let mut broken = file(4, 4, ColorType::Rgb, BitDepth::Eight, &[9; 48]);
            let place = at % broken.len();
            broken[place] = value;
            let _either = Logo::read(&broken);
        }

        #[test]
        fn a_scaled_logo_fits(width in 1_u32..1_500, height in 1_u32..600) {
            let bytes = vec![80; (width * height * 3) as usize];
            let drawn = scaled(Colours { width, height, bytes });
            prop_assert!(drawn.width <= DRAWN_WIDTH_MAX && drawn.height <= DRAWN_HEIGHT_MAX);
            prop_assert_eq!(drawn.bytes.len(), (drawn.width * drawn.height * 3) as usize);
            prop_assert!(drawn.bytes.iter().all(|value| *value == 80));
        }
    }
}
