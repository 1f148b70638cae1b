//! A scene as a PNG: one bit per dot at 203 dpi, as a label printer prints it.

use crate::bilevel::compress;
use crate::raster::{Bitmap, raster};
use crate::scene::Scene;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, PixelDimensions, Unit};

/// 8 dots per millimetre.
const DOTS_PER_METRE: u32 = 8_000;
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// The compression effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Fast, for a request that waits for the file.
    Fast,
    /// A smaller file, at several times the time.
    Small,
}

/// Draws a scene as a PNG.
pub fn png(scene: &Scene, effort: Effort) -> Result<Vec<u8>, EncodingError> {
    let bitmap = raster(scene);
    // A PNG must have at least one dot. For an empty picture, the general encoder returns the error.
    if effort == Effort::Fast && bitmap.width > 0 && bitmap.height > 0 {
        return Ok(fast(&bitmap));
    }
    small(bitmap)
}

fn small(mut bitmap: Bitmap) -> Result<Vec<u8>, EncodingError> {
    // In a PNG in grey, 1 is white.
    bitmap.bytes.iter_mut().for_each(|byte| *byte = !*byte);
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, bitmap.width, bitmap.height);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::One);
    encoder.set_compression(Compression::Balanced);
    encoder.set_pixel_dims(Some(PixelDimensions {
        xppu: DOTS_PER_METRE,
        yppu: DOTS_PER_METRE,
        unit: Unit::Meter,
    }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bitmap.bytes)?;
    writer.finish()?;
    Ok(file)
}

fn fast(bitmap: &Bitmap) -> Vec<u8> {
    let data = compress(bitmap);
    let mut file = Vec::with_capacity(data.len() + 100);
    file.extend_from_slice(&SIGNATURE);
    let size = [bitmap.width.to_be_bytes(), bitmap.height.to_be_bytes()].concat();
    // One bit of grey, and the only defined methods of compression, filtering and order.
    chunk(&mut file, *b"IHDR", &[&size[..], &[1, 0, 0, 0, 0]].concat());
    let density = DOTS_PER_METRE.to_be_bytes();
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
