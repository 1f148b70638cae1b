//! A scene as a PNG: one bit per dot, as a label printer prints it.

use crate::bilevel::compress;
use crate::raster::{Bitmap, raster};
use crate::resolution::Resolution;
use crate::scene::Scene;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, PixelDimensions, Unit};

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// The compression effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Fast, for a request that waits for the file.
    Fast,
    /// A smaller file, at several times the time.
    Small,
}

/// Draws a scene as a PNG of 203 dpi.
pub fn png(scene: &Scene, effort: Effort) -> Result<Vec<u8>, EncodingError> {
    dots_as_png(raster(scene, Resolution::LABEL), Resolution::LABEL, effort)
}

/// Writes the dots of a printer as a PNG.
pub(crate) fn dots_as_png(
    bitmap: Bitmap,
    resolution: Resolution,
    effort: Effort,
) -> Result<Vec<u8>, EncodingError> {
    let density = density(resolution);
    // A PNG must have at least one dot. For an empty picture, the general encoder returns the error.
    if effort == Effort::Fast && bitmap.width > 0 && bitmap.height > 0 {
        return Ok(fast(&bitmap, density));
    }
    small(bitmap, density)
}

/// Returns the dots per metre that a PNG declares.
fn density(resolution: Resolution) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 8,000 to some ten thousands"
    )]
    let density = resolution.dots_per_metre().round() as u32;
    density
}

fn small(mut bitmap: Bitmap, density: u32) -> Result<Vec<u8>, EncodingError> {
    // In a PNG in grey, 1 is white.
    bitmap.bytes.iter_mut().for_each(|byte| *byte = !*byte);
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, bitmap.width, bitmap.height);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::One);
    encoder.set_compression(Compression::Balanced);
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: density, yppu: density, unit: Unit::Meter }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bitmap.bytes)?;
    writer.finish()?;
    Ok(file)
}

fn fast(bitmap: &Bitmap, density: u32) -> Vec<u8> {
    let data = compress(bitmap);
    let mut file = Vec::with_capacity(data.len() + 100);
    file.extend_from_slice(&SIGNATURE);
    let size = [bitmap.width.to_be_bytes(), bitmap.height.to_be_bytes()].concat();
    // One bit of grey, and the only defined methods of compression, filtering and order.
    chunk(&mut file, *b"IHDR", &[&size[..], &[1, 0, 0, 0, 0]].concat());
    let density = density.to_be_bytes();
    chunk(&mut file, *b"pHYs", &[&density[..], &density, &[1]].concat());
    chunk(&mut file, *b"IDAT", &data);
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    file.extend_from_slice(&u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    let start = file.len();
    file.extend_from_slice(&kind);
    file.extend_from_slice(data);
    let sum = crc32fast::hash(&file[start..]);
    file.extend_from_slice(&sum.to_be_bytes());
}
