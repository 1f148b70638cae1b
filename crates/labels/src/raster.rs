//! Rendering of a scene to black and white dots: for PNG, and for text that a printer cannot set itself.

use crate::font::Fonts;
use crate::glyph_bitmap::GlyphBitmap;
use crate::resolution::Resolution;
use crate::scene::{Bars, Item, Rect, Scene, Squares, Text};

/// Dots, eight per byte, row by row; 1 is black.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bitmap {
    pub width: u32,
    pub height: u32,
    /// Bytes per row.
    pub stride: usize,
    pub bytes: Vec<u8>,
}

impl Bitmap {
    pub fn new(width: u32, height: u32) -> Self {
        let stride = width.div_ceil(8) as usize;
        Self { width, height, stride, bytes: vec![0; stride * height as usize] }
    }

    /// Sets the colour of a dot. Ignores dots outside of the bitmap.
    pub fn set(&mut self, x: i32, y: i32, is_black: bool) {
        let (Ok(column), Ok(row)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if column >= self.width || row >= self.height {
            return;
        }
        let byte = &mut self.bytes[row as usize * self.stride + column as usize / 8];
        let bit = 0x80 >> (column % 8);
        *byte = if is_black { *byte | bit } else { *byte & !bit };
    }

    fn fill(&mut self, left: i32, top: i32, right: i32, bottom: i32) {
        (top..bottom).for_each(|y| self.span(y, left, right));
    }

    /// Blackens the dots of a row from `left` up to, but not including, `right`. Ignores dots outside of the bitmap.
    fn span(&mut self, row: i32, left: i32, right: i32) {
        let inside = |x: i32| u32::try_from(x).unwrap_or_default().min(self.width) as usize;
        let (left, right) = (inside(left), inside(right));
        let Ok(row) = u32::try_from(row) else { return };
        if row >= self.height || left >= right {
            return;
        }
        let (first, last) = (left / 8, (right - 1) / 8);
        let (first_mask, last_mask) = (0xff_u8 >> (left % 8), 0xff_u8 << (7 - (right - 1) % 8));
        let start = row as usize * self.stride;
        let bytes = &mut self.bytes[start + first..=start + last];
        if let [only] = bytes {
            *only |= first_mask & last_mask;
        } else if let [head, middle @ .., tail] = bytes {
            *head |= first_mask;
            middle.fill(0xff);
            *tail |= last_mask;
        }
    }

    /// Blackens, in a range of rows, the dots that are black in a bitmap of one row and the same width.
    fn overlay(&mut self, top: i32, bottom: i32, pattern: &Self) {
        let Some(first) = pattern.bytes.iter().position(|byte| *byte != 0) else { return };
        let last = pattern.bytes.iter().rposition(|byte| *byte != 0).unwrap_or(first);
        let inside = |y: i32| u32::try_from(y).unwrap_or_default().min(self.height) as usize;
        for row in inside(top)..inside(bottom) {
            let start = row * self.stride;
            let bytes = &mut self.bytes[start + first..=start + last];
            bytes.iter_mut().zip(&pattern.bytes[first..=last]).for_each(|(byte, more)| *byte |= more);
        }
    }

    /// Colours the dots of a glyph whose origin is at a position, limited to the clip: left, top, right and bottom.
    fn glyph(&mut self, glyph: &GlyphBitmap, (x, y): (i32, i32), clip: (i32, i32, i32, i32), is_black: bool) {
        let (width, height) = (self.width.cast_signed(), self.height.cast_signed());
        let (left, top) = (clip.0.max(0), clip.1.max(0));
        let (right, bottom) = (clip.2.min(width), clip.3.min(height));
        for strip in &glyph.strips {
            let x = x + strip.left;
            // The bits of a strip's rows that lie within the clip. The first dot is the highest bit.
            let after_left = u64::MAX.checked_shr(u32::try_from(left - x).unwrap_or_default()).unwrap_or(0);
            let from_right = u64::MAX.checked_shr(u32::try_from(right - x).unwrap_or_default()).unwrap_or(0);
            let mask = after_left & !from_right;
            let (column, back) = (x.max(0).unsigned_abs() as usize, x.min(0).unsigned_abs());
            for (row, bits) in (y + strip.top..).zip(&strip.rows) {
                let bits = (bits & mask).checked_shl(back).unwrap_or(0) >> (column % 8);
                if bits != 0 && (top..bottom).contains(&row) {
                    let at = row.unsigned_abs() as usize * self.stride + column / 8;
                    self.colour(at, bits, is_black);
                }
            }
        }
    }

    /// Colours the dots whose bits are set, from the highest bit on, starting at a byte. Bits beyond the row must be
    /// clear.
    fn colour(&mut self, at: usize, bits: u64, is_black: bool) {
        if let Some(Ok(bytes)) = self.bytes.get_mut(at..at + 8).map(<&mut [u8; 8]>::try_from) {
            let before = u64::from_be_bytes(*bytes);
            *bytes = if is_black { before | bits } else { before & !bits }.to_be_bytes();
            return;
        }
        // The last bytes of the bitmap.
        let bytes = self.bytes.get_mut(at..).unwrap_or_default();
        for (byte, more) in bytes.iter_mut().zip(bits.to_be_bytes()) {
            *byte = if is_black { *byte | more } else { *byte & !more };
        }
    }
}

/// The target of drawing.
pub(crate) struct Raster<'f> {
    pub bitmap: Bitmap,
    /// The position of the bitmap's top left corner on the page, in dots.
    origin: (i32, i32),
    fonts: &'f Fonts,
    resolution: Resolution,
}

/// Renders the whole scene.
pub(crate) fn raster(scene: &Scene, resolution: Resolution) -> Bitmap {
    let whole = Rect::new(0.0, 0.0, scene.width, scene.height);
    let mut raster = Raster::new(&scene.fonts, whole, resolution);
    scene.items.iter().for_each(|item| raster.draw(item));
    raster.bitmap
}

impl<'f> Raster<'f> {
    pub fn new(fonts: &'f Fonts, area: Rect, resolution: Resolution) -> Self {
        let (left, top, right, bottom) = edges(area, resolution);
        let size = |from: i32, to: i32| u32::try_from(to - from).unwrap_or_default();
        let bitmap = Bitmap::new(size(left, right), size(top, bottom));
        Self { bitmap, origin: (left, top), fonts, resolution }
    }

    pub fn draw(&mut self, item: &Item) {
        match item {
            Item::Fill(area) => {
                let (left, top, right, bottom) = edges(*area, self.resolution);
                self.fill(left, top, right.max(left + 1), bottom.max(top + 1));
            }
            Item::Text(text) => self.text(text),
            Item::Bars(bars) => self.bars(bars),
            Item::Squares(squares) => self.squares(squares),
        }
    }

    fn fill(&mut self, left: i32, top: i32, right: i32, bottom: i32) {
        let (x, y) = self.origin;
        self.bitmap.fill(left - x, top - y, right - x, bottom - y);
    }

    /// Draws bars. Modules are whole dots, so they are never scaled or blurred. All rows of bars are equal, so one is
    /// drawn and copied.
    pub fn bars(&mut self, bars: &Bars) {
        let (_, top, _, bottom) = edges(bars.area, self.resolution);
        let placed = self.resolution.bars(bars);
        self.modules(placed.x, placed.module.cast_signed(), &bars.modules, top, bottom);
    }

    pub fn squares(&mut self, squares: &Squares) {
        let placed = self.resolution.squares(squares);
        let side = placed.module.cast_signed();
        let rows = squares.matrix.modules().chunks(squares.matrix.side.max(1));
        for (top, row) in (0..).map(|n| placed.y + n * side).zip(rows) {
            self.modules(placed.x, side, row, top, top + side);
        }
    }

    /// Draws modules side by side.
    fn modules(&mut self, left: i32, width: i32, modules: &[bool], top: i32, bottom: i32) {
        let mut pattern = Bitmap::new(self.bitmap.width, 1);
        let mut at = left - self.origin.0;
        for run in modules.chunk_by(|a, b| a == b) {
            let end = at + width * i32::try_from(run.len()).unwrap_or_default();
            if run[0] {
                pattern.span(0, at, end);
            }
            at = end;
        }
        self.bitmap.overlay(top - self.origin.1, bottom - self.origin.1, &pattern);
    }

    pub fn text(&mut self, text: &Text) {
        let (left, top) = self.origin;
        let clip = edges(text.area, self.resolution);
        let clip = (clip.0 - left, clip.1 - top, clip.2 - left, clip.3 - top);
        let resolution = self.resolution;
        let dots = |mm: f32| resolution.dots(mm);
        let size = dots(text.size);
        for glyphs in text.line.glyphs.chunk_by(|a, b| a.face == b.face) {
            let Some(cached) = self.fonts.cached(glyphs[0].face) else { continue };
            let bitmaps = cached.bitmaps.of_size(&cached.face, size);
            for glyph in glyphs {
                let x = dots(text.x + glyph.x * text.size) - left;
                let y = dots(text.baseline) - dots(glyph.y * text.size) - top;
                bitmaps.with(glyph.id, |bitmap| self.bitmap.glyph(bitmap, (x, y), clip, !text.is_inverse));
            }
        }
    }
}

/// Returns left, top, right and bottom in dots.
fn edges(area: Rect, resolution: Resolution) -> (i32, i32, i32, i32) {
    let dots = |mm: f32| resolution.dots(mm);
    (dots(area.x), dots(area.y), dots(area.right()), dots(area.bottom()))
}
