//! A scene as dots, black or white: for PNG, and for what a printer can't set itself.

use crate::font::{Face, Fonts};
use crate::scene::{Bars, Item, Rect, Scene, Squares, Text, dots};
use skrifa::MetadataProvider;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, HintingInstance, OutlinePen, Target};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};
use tiny_skia::{FillRule, Mask, Path, PathBuilder, Transform};

/// From which coverage of 255 a dot is black. Below the half: thin strokes must not break.
const THRESHOLD: u8 = 112;

/// Dots, eight to a byte, row by row; 1 is black.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bitmap {
    pub width: u32,
    pub height: u32,
    /// Bytes in a row.
    pub stride: usize,
    pub bytes: Vec<u8>,
}

impl Bitmap {
    pub fn new(width: u32, height: u32) -> Self {
        let stride = width.div_ceil(8) as usize;
        Self { width, height, stride, bytes: vec![0; stride * height as usize] }
    }

    /// Colours a dot; none where there is no such dot.
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
        (top..bottom).for_each(|y| self.span(y, left, right, true));
    }

    /// Colours the dots of a row from `left` to before `right`, as far as there are any.
    fn span(&mut self, row: i32, left: i32, right: i32, is_black: bool) {
        let inside = |x: i32| u32::try_from(x).unwrap_or_default().min(self.width) as usize;
        let (left, right) = (inside(left), inside(right));
        let Ok(row) = u32::try_from(row) else { return };
        if row >= self.height || left >= right {
            return;
        }
        let (first, last) = (left / 8, (right - 1) / 8);
        let start = row as usize * self.stride;
        for (byte, at) in self.bytes[start + first..=start + last].iter_mut().zip(first..) {
            let mut mask = 0xff;
            if at == first {
                mask &= 0xff >> (left % 8);
            }
            if at == last {
                mask &= 0xff << (7 - (right - 1) % 8);
            }
            *byte = if is_black { *byte | mask } else { *byte & !mask };
        }
    }
}

/// A glyph's dots: runs of black, each with its row and where it begins and ends, from the glyph's origin.
type Stamp = Vec<(i32, i32, i32)>;

/// The dots of a font's glyphs, drawn once for all labels. Past these counts what is drawn is not kept.
#[derive(Default)]
pub(crate) struct Stamps {
    /// By glyph and size in dots; none where there is nothing to see.
    stamps: RwLock<HashMap<(u32, i32), Arc<Stamp>>>,
    /// By size. Making one runs a program of the font.
    hints: RwLock<HashMap<i32, Arc<Option<HintingInstance>>>>,
}

const STAMPS_MAX: usize = 8_192;
const HINTS_MAX: usize = 256;

impl Stamps {
    fn get(&self, face: &Face, id: u32, size: i32) -> Arc<Stamp> {
        kept(&self.stamps, (id, size), STAMPS_MAX, || {
            let hint = kept(&self.hints, size, HINTS_MAX, || hinting(face, size));
            let path = outline(face, id, size, hint.as_ref().as_ref());
            path.and_then(|path| stamp(&path)).unwrap_or_default()
        })
    }
}

/// What is kept, or is made and kept as long as there is room.
fn kept<K: Eq + Hash, V>(
    all: &RwLock<HashMap<K, Arc<V>>>,
    key: K,
    max: usize,
    make: impl FnOnce() -> V,
) -> Arc<V> {
    if let Some(found) = all.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Arc::clone(found);
    }
    let made = Arc::new(make());
    let mut all = all.write().unwrap_or_else(PoisonError::into_inner);
    if all.len() < max {
        all.insert(key, Arc::clone(&made));
    }
    made
}

/// What is drawn on.
pub(crate) struct Raster<'f> {
    pub bitmap: Bitmap,
    /// Where the bitmap's top left lies on the page, in dots.
    origin: (i32, i32),
    fonts: &'f Fonts,
}

/// The whole scene.
pub(crate) fn raster(scene: &Scene) -> Bitmap {
    let whole = Rect::new(0.0, 0.0, scene.width, scene.height);
    let mut raster = Raster::new(&scene.fonts, whole);
    scene.items.iter().for_each(|item| raster.draw(item));
    raster.bitmap
}

impl<'f> Raster<'f> {
    pub fn new(fonts: &'f Fonts, area: Rect) -> Self {
        let (left, top, right, bottom) = edges(area);
        let size = |from: i32, to: i32| u32::try_from(to - from).unwrap_or_default();
        let bitmap = Bitmap::new(size(left, right), size(top, bottom));
        Self { bitmap, origin: (left, top), fonts }
    }

    pub fn draw(&mut self, item: &Item) {
        match item {
            Item::Fill(area) => {
                let (left, top, right, bottom) = edges(*area);
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

    /// Modules are whole dots: never scaled, never blurred.
    pub fn bars(&mut self, bars: &Bars) {
        let (_, top, _, bottom) = edges(bars.area);
        let width = bars.module_dots.cast_signed();
        for (left, module) in (0..).map(|n| dots(bars.x) + n * width).zip(&bars.modules) {
            if *module {
                self.fill(left, top, left + width, bottom);
            }
        }
    }

    pub fn squares(&mut self, squares: &Squares) {
        let side = squares.module_dots.cast_signed();
        for (y, row) in
            (0..).map(|n| dots(squares.y) + n * side).zip(squares.matrix.modules.chunks(squares.matrix.side))
        {
            for (x, module) in (0..).map(|n| dots(squares.x) + n * side).zip(row) {
                if *module {
                    self.fill(x, y, x + side, y + side);
                }
            }
        }
    }

    pub fn text(&mut self, text: &Text) {
        let clip = edges(text.area);
        let size = dots(text.size);
        for glyph in &text.line.glyphs {
            let x = dots(text.x + glyph.x * text.size);
            let y = dots(text.baseline) - dots(glyph.y * text.size);
            let Some(face) = self.fonts.face(glyph.face) else { continue };
            for (row, start, end) in face.stamps.get(face, glyph.id, size).iter() {
                let (row, start, end) = (y + row, (x + start).max(clip.0), (x + end).min(clip.2));
                if (clip.1..clip.3).contains(&row) {
                    let (left, top) = self.origin;
                    self.bitmap.span(row - top, start - left, end - left, !text.is_inverse);
                }
            }
        }
    }
}

/// Left, top, right and bottom in dots.
fn edges(area: Rect) -> (i32, i32, i32, i32) {
    (dots(area.x), dots(area.y), dots(area.right()), dots(area.bottom()))
}

/// The instructions with which a font fits its outlines to dots that are black or white; only what is compiled in is
/// known to have good ones.
fn hinting(face: &Face, size: i32) -> Option<HintingInstance> {
    let font = face.outlines().filter(|_| face.is_compiled_in)?;
    HintingInstance::new(&font.outline_glyphs(), Size::new(size as f32), LocationRef::default(), Target::Mono)
        .ok()
}

fn outline(face: &Face, id: u32, size: i32, hint: Option<&HintingInstance>) -> Option<Path> {
    let font = face.outlines()?;
    let glyph = font.outline_glyphs().get(skrifa::GlyphId::new(id))?;
    let mut pen = Pen(PathBuilder::new());
    let settings = match hint {
        Some(hint) => DrawSettings::hinted(hint, false),
        None => DrawSettings::unhinted(Size::new(size as f32), LocationRef::default()),
    };
    glyph.draw(settings, &mut pen).ok()?;
    pen.0.finish()
}

fn stamp(path: &Path) -> Option<Stamp> {
    let bounds = path.bounds();
    #[expect(clippy::cast_possible_truncation, reason = "a glyph is some hundred dots wide")]
    let outward = |value: f32, by: i32| value.floor() as i32 + by;
    let (left, top) = (outward(bounds.left(), 0), outward(bounds.top(), 0));
    let (right, bottom) = (outward(bounds.right(), 1), outward(bounds.bottom(), 1));
    let (width, height) = (u32::try_from(right - left).ok()?, u32::try_from(bottom - top).ok()?);
    let mut mask = Mask::new(width, height)?;
    mask.fill_path(path, FillRule::Winding, true, Transform::from_translate(-left as f32, -top as f32));
    let mut spans = Vec::new();
    for (row, line) in (top..).zip(mask.data().chunks(width as usize)) {
        let mut at = left;
        for run in line.chunk_by(|a, b| (*a >= THRESHOLD) == (*b >= THRESHOLD)) {
            let end = at + i32::try_from(run.len()).unwrap_or_default();
            if run[0] >= THRESHOLD {
                spans.push((row, at, end));
            }
            at = end;
        }
    }
    Some(spans)
}

/// Fonts count upwards, dots downwards.
struct Pen(PathBuilder);

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, -y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, -y);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.0.quad_to(cx, -cy, x, -y);
    }

    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        self.0.cubic_to(ax, -ay, bx, -by, x, -y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}
