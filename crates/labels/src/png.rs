//! A scene as PNG: one bit a dot at 203 dpi, as a label printer prints it.

use crate::raster::raster;
use crate::scene::Scene;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, PixelDimensions, Unit};

/// 8 dots on a millimetre.
const DOTS_PER_METRE: u32 = 8_000;

/// How much time is spent on a small file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// For somebody who waits.
    Fast,
    /// About a third smaller, at three times the time.
    Small,
}

/// Draws a scene as a PNG.
pub fn png(scene: &Scene, effort: Effort) -> Result<Vec<u8>, EncodingError> {
    let mut bitmap = raster(scene);
    // In a PNG of greys 1 is white.
    bitmap.bytes.iter_mut().for_each(|byte| *byte = !*byte);
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, bitmap.width, bitmap.height);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::One);
    encoder.set_compression(if effort == Effort::Fast { Compression::Fast } else { Compression::Balanced });
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
