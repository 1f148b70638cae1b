//! A scene as dots, black or white: for PNG, and for what a printer can't set itself.

use crate::font::{Face, Fonts};
use crate::scene::{Bars, Item, Rect, Scene, Squares, Text, dots};
use skrifa::MetadataProvider;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, HintingInstance, OutlinePen, Target};
use std::collections::HashMap;
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
        for y in top..bottom {
            for x in left..right {
                self.set(x, y, true);
            }
        }
    }
}

/// A glyph's dots, and where they lie from its origin.
struct Stamp {
    left: i32,
    top: i32,
    width: i32,
    dots: Vec<bool>,
}

/// What is drawn on, with the glyphs drawn so far.
pub(crate) struct Raster<'f> {
    pub bitmap: Bitmap,
    /// Where the bitmap's top left lies on the page, in dots.
    origin: (i32, i32),
    fonts: &'f Fonts,
    stamps: HashMap<(usize, u32, i32), Option<Stamp>>,
    hints: HashMap<(usize, i32), Option<HintingInstance>>,
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
        Self { bitmap, origin: (left, top), fonts, stamps: HashMap::new(), hints: HashMap::new() }
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
            self.stamp(glyph.face, glyph.id, size);
            let Some(Some(stamp)) = self.stamps.get(&(glyph.face, glyph.id, size)) else { continue };
            let (left, top) = (x + stamp.left, y + stamp.top);
            for (row, line) in (top..).zip(stamp.dots.chunks(stamp.width.unsigned_abs() as usize)) {
                for (column, _) in (left..).zip(line).filter(|(_, is_black)| **is_black) {
                    let is_inside = (clip.0..clip.2).contains(&column) && (clip.1..clip.3).contains(&row);
                    if is_inside {
                        self.bitmap.set(column - self.origin.0, row - self.origin.1, !text.is_inverse);
                    }
                }
            }
        }
    }

    /// Draws a glyph once for all its uses.
    fn stamp(&mut self, index: usize, id: u32, size: i32) {
        if self.stamps.contains_key(&(index, id, size)) {
            return;
        }
        let Some(face) = self.fonts.face(index) else { return };
        let hint = self.hints.entry((index, size)).or_insert_with(|| hinting(face, size));
        self.stamps
            .insert((index, id, size), outline(face, id, size, hint.as_ref()).and_then(|path| stamp(&path)));
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
    let dots = mask.data().iter().map(|coverage| *coverage >= THRESHOLD).collect();
    Some(Stamp { left, top, width: right - left, dots })
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
