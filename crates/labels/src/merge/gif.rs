//! Carriers' labels as GIF: the one picture of the file, as a PNG of the same dots.
//!
//! A few bytes of a GIF can be millions of dots, so the size of the picture is bounded before anything is decoded, and nothing
//! grows beyond it. A file with several pictures is none of a label.

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, PixelDimensions, Unit};

use super::error::MergeError;
use super::lzw::Lzw;
use super::picture::usual_density;

/// Most dots of a picture: a sheet of A4 at 600 dpi.
const DOTS_MAX: usize = 36_000_000;
const SIDE_MAX: usize = 20_000;
const WHITE: [u8; 3] = [255; 3];
/// The rows of an interlaced picture come in four passes: the first row of each, and the distance of its rows.
const PASSES: [(usize, usize); 4] = [(0, 8), (4, 8), (2, 4), (1, 2)];
const EXTENSION: u8 = 0x21;
const PICTURE: u8 = 0x2c;
const END: u8 = 0x3b;
/// The extension that says which colour is transparent, and the flag for it.
const CONTROL: u8 = 0xf9;
const HAS_TRANSPARENT: u8 = 1;
/// Flags of a palette and of a picture.
const HAS_PALETTE: u8 = 0x80;
const IS_INTERLACED: u8 = 0x40;

pub(super) fn is_gif(file: &[u8]) -> bool {
    file.starts_with(b"GIF87a") || file.starts_with(b"GIF89a")
}

/// Converts a GIF to a PNG with the same dots. What is transparent becomes white, as it is on paper.
///
/// # Errors
///
/// Refuses a file that has no picture or several, that is damaged, or whose picture is larger than a sheet of paper.
pub fn gif_as_png(file: &[u8]) -> Result<Vec<u8>, MergeError> {
    let picture = read(file).map_err(|why| MergeError(format!("it is no GIF that can be read: {why}")))?;
    picture.as_png().map_err(|error| MergeError(format!("its picture can't be written: {error}")))
}

type Refusal = &'static str;

/// The bytes of a file that are still to be read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Refusal> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("it ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Refusal> {
        Ok(self.take(1)?[0])
    }

    fn number(&mut self) -> Result<usize, Refusal> {
        let bytes = self.take(2)?;
        Ok(usize::from(u16::from_le_bytes([bytes[0], bytes[1]])))
    }

    /// Returns the next block of data; it is empty after the last.
    fn block(&mut self) -> Result<&'a [u8], Refusal> {
        let length = usize::from(self.byte()?);
        self.take(length)
    }

    fn skip_blocks(&mut self) -> Result<(), Refusal> {
        while !self.block()?.is_empty() {}
        Ok(())
    }

    fn palette(&mut self, flags: u8) -> Result<Vec<[u8; 3]>, Refusal> {
        if flags & HAS_PALETTE == 0 {
            return Ok(Vec::new());
        }
        let colours = 2 << (flags & 7);
        let bytes = self.take(3 * colours)?;
        Ok(bytes.chunks_exact(3).map(|colour| [colour[0], colour[1], colour[2]]).collect())
    }
}

/// A picture, with a palette.
struct Picture {
    width: usize,
    height: usize,
    /// A place in the palette for each dot.
    dots: Vec<u8>,
    /// All 256 colours that a dot may have.
    palette: Vec<[u8; 3]>,
}

fn read(file: &[u8]) -> Result<Picture, Refusal> {
    let mut bytes = Bytes(file);
    if !is_gif(bytes.take(6)?) {
        return Err("its first bytes are others");
    }
    let (width, height) = (bytes.number()?, bytes.number()?);
    let flags = bytes.byte()?;
    bytes.take(2)?;
    let sides = 1..=SIDE_MAX;
    if !sides.contains(&width) || !sides.contains(&height) || width * height > DOTS_MAX {
        return Err("its picture is empty or too large");
    }
    let palette = bytes.palette(flags)?;
    let (mut transparent, mut picture) = (None, None);
    loop {
        match bytes.byte()? {
            EXTENSION => {
                let is_control = bytes.byte()? == CONTROL;
                let block = bytes.block()?;
                if let (true, [flags, _, _, place]) = (is_control, block)
                    && picture.is_none()
                {
                    transparent = (flags & HAS_TRANSPARENT != 0).then_some(*place);
                }
                if !block.is_empty() {
                    bytes.skip_blocks()?;
                }
            }
            PICTURE if picture.is_some() => return Err("it has several pictures"),
            PICTURE => picture = Some(read_picture(&mut bytes, (width, height), &palette, transparent)?),
            END => return picture.ok_or("it has no picture"),
            _ => return Err("it has a part that no GIF has"),
        }
    }
}

/// Reads the picture, which fills a part of the screen or all of it. The rest is white.
fn read_picture(
    bytes: &mut Bytes<'_>,
    screen: (usize, usize),
    global: &[[u8; 3]],
    transparent: Option<u8>,
) -> Result<Picture, Refusal> {
    let (left, top) = (bytes.number()?, bytes.number()?);
    let (width, height) = (bytes.number()?, bytes.number()?);
    let flags = bytes.byte()?;
    if width == 0 || height == 0 || left + width > screen.0 || top + height > screen.1 {
        return Err("its picture does not fit into its size");
    }
    let local = bytes.palette(flags)?;
    let mut palette = if local.is_empty() { global.to_vec() } else { local };
    if palette.is_empty() {
        return Err("it has no colours");
    }
    let is_whole = (width, height) == screen;
    // A place for what the picture does not cover. With 256 colours there is none, so then the picture must cover everything.
    let margin = u8::try_from(palette.len()).ok();
    if !is_whole && margin.is_none() {
        return Err("its picture does not cover its size");
    }
    palette.resize(256, WHITE);
    if let Some(place) = transparent {
        palette[usize::from(place)] = WHITE;
    }
    let mut dots = vec![margin.unwrap_or(0); screen.0 * screen.1];
    let mut lzw = Lzw::new(bytes.byte()?).ok_or("its dots are coded in no known way")?;
    let mut decoded = Vec::with_capacity(width * height);
    loop {
        let block = bytes.block()?;
        if block.is_empty() {
            break;
        }
        lzw.decode(block, &mut decoded, width * height)?;
    }
    if decoded.len() < width * height {
        return Err("its picture ends too early");
    }
    let rows = rows(height, flags & IS_INTERLACED != 0);
    for (row, line) in rows.zip(decoded.chunks_exact(width)) {
        let start = (top + row) * screen.0 + left;
        dots[start..start + width].copy_from_slice(line);
    }
    Ok(Picture { width: screen.0, height: screen.1, dots, palette })
}

/// Returns the rows of a picture in the order in which they come.
fn rows(height: usize, is_interlaced: bool) -> impl Iterator<Item = usize> {
    let passes = if is_interlaced { &PASSES[..] } else { &[(0, 1)] };
    passes.iter().flat_map(move |(first, distance)| (*first..height).step_by(*distance))
}

impl Picture {
    /// Writes the dots with the fewest bits that have all their colours.
    fn as_png(&self) -> Result<Vec<u8>, EncodingError> {
        let mut is_used = [false; 256];
        self.dots.iter().for_each(|dot| is_used[usize::from(*dot)] = true);
        let used =
            || self.palette.iter().zip(is_used).filter(|(_, is_used)| *is_used).map(|(colour, _)| colour);
        let is_grey = used().all(|[red, green, blue]| red == green && green == blue);
        let is_black_and_white = is_grey && used().all(|[red, ..]| matches!(red, 0 | 255));
        let (width, height) = (self.width as u32, self.height as u32);
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_compression(Compression::Balanced);
        // A GIF declares no density.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some thousands")]
        let density = usual_density(width).round() as u32;
        encoder.set_pixel_dims(Some(PixelDimensions { xppu: density, yppu: density, unit: Unit::Meter }));
        let data: Vec<u8> = if is_black_and_white {
            encoder.set_color(ColorType::Grayscale);
            encoder.set_depth(BitDepth::One);
            self.dots.chunks_exact(self.width).flat_map(|row| self.packed(row)).collect()
        } else if is_grey {
            encoder.set_color(ColorType::Grayscale);
            self.dots.iter().map(|dot| self.palette[usize::from(*dot)][0]).collect()
        } else {
            encoder.set_color(ColorType::Indexed);
            encoder.set_palette(self.palette.concat());
            self.dots.clone()
        };
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&data)?;
        writer.finish()?;
        Ok(file)
    }

    /// Returns the dots of a row as bits, of which 1 is white.
    fn packed<'a>(&'a self, row: &'a [u8]) -> impl Iterator<Item = u8> + 'a {
        row.chunks(8).map(|dots| {
            let bits = dots.iter().map(|dot| self.palette[usize::from(*dot)][0] >> 7);
            bits.zip((0..8).rev()).fold(0, |byte, (bit, place)| byte | bit << place)
        })
    }
}

#[cfg(test)]
mod tests;
