//! The outline of a glyph, and how much of each dot it covers.

use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use tiny_skia::{FillRule, Mask, Path, PathBuilder, Transform};

/// The coverage of the dots of a glyph, and where they are from its origin.
#[derive(Default)]
pub(crate) struct GlyphMask {
    pub left: i32,
    pub top: i32,
    pub width: usize,
    /// From 0 to 255, row by row.
    pub rows: Vec<u8>,
}

impl GlyphMask {
    /// Returns the coverage of a glyph with these settings, or `None` if it has no outline.
    pub fn of(font: &FontRef<'_>, glyph: u32, settings: DrawSettings<'_>) -> Option<Self> {
        Self::fill(&outline(font, glyph, settings)?)
    }

    fn fill(path: &Path) -> Option<Self> {
        let bounds = path.bounds();
        #[expect(clippy::cast_possible_truncation, reason = "a glyph is some hundred dots wide")]
        let outward = |value: f32, by: i32| value.floor() as i32 + by;
        let (left, top) = (outward(bounds.left(), 0), outward(bounds.top(), 0));
        let (right, bottom) = (outward(bounds.right(), 1), outward(bounds.bottom(), 1));
        let (width, height) = (u32::try_from(right - left).ok()?, u32::try_from(bottom - top).ok()?);
        let mut mask = Mask::new(width, height)?;
        mask.fill_path(path, FillRule::Winding, true, Transform::from_translate(-left as f32, -top as f32));
        Some(Self { left, top, width: width as usize, rows: mask.take() })
    }
}

fn outline(font: &FontRef<'_>, glyph: u32, settings: DrawSettings<'_>) -> Option<Path> {
    let glyph = font.outline_glyphs().get(GlyphId::new(glyph))?;
    let mut pen = Pen(PathBuilder::new());
    glyph.draw(settings, &mut pen).ok()?;
    pen.0.finish()
}

/// Font coordinates increase upwards, dot coordinates downwards.
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
