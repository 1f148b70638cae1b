//! A rival for PDF labels: krilla writes the same words and bars, without a layout.
//!
//! It is behind a feature, because its crates take longer to compile than all others of the benchmark.

use ::labels::scene::{DOTS_PER_MM, Item, Scene};
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::page::PageSettings;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

use crate::harness::outcome::Outcome;

const POINTS_PER_MM: f32 = 72.0 / 25.4;

/// Writes a page for each label, words glyph by glyph.
pub fn write(scenes: &[Scene]) -> Outcome<Vec<u8>> {
    let mut document = krilla::Document::new();
    let bytes = dejavu::sans_condensed::regular();
    let font = Font::new(bytes.into(), 0).ok_or("no font")?;
    let outlines = FontRef::new(bytes)?;
    let (charmap, metrics) =
        (outlines.charmap(), outlines.glyph_metrics(Size::new(1.0), LocationRef::default()));
    for scene in scenes {
        let (width, height) = scene.points;
        let mut page = document.start_page_with(PageSettings::from_wh(width, height).ok_or("no page")?);
        let mut surface = page.surface();
        for item in &scene.items {
            if let Item::Text(text) = item {
                let glyph = |(at, c): (usize, char)| {
                    let id = charmap.map(c).unwrap_or_default();
                    let advance = metrics.advance_width(id).unwrap_or_default();
                    KrillaGlyph {
                        glyph_id: GlyphId::new(id.to_u32()),
                        text_range: at..at + c.len_utf8(),
                        x_advance: advance,
                        x_offset: 0.0,
                        y_offset: 0.0,
                        y_advance: 0.0,
                        location: None,
                    }
                };
                let glyphs: Vec<_> = text.line.text.char_indices().map(glyph).collect();
                let at = Point::from_xy(text.x * POINTS_PER_MM, text.baseline * POINTS_PER_MM);
                surface.draw_glyphs(
                    at,
                    &glyphs,
                    font.clone(),
                    &text.line.text,
                    text.size * POINTS_PER_MM,
                    false,
                );
            } else if let Some(path) = path(item) {
                surface.draw_path(&path);
            }
        }
        surface.finish();
        page.finish();
    }
    document.finish().map_err(|error| format!("{error:?}").into())
}

fn path(item: &Item) -> Option<krilla::geom::Path> {
    let mut builder = PathBuilder::new();
    let mut rect = |x: f32, y: f32, width: f32, height: f32| {
        let [x, y, width, height] = [x, y, width, height].map(|mm| mm * POINTS_PER_MM);
        Rect::from_xywh(x, y, width, height).into_iter().for_each(|rect| builder.push_rect(rect));
    };
    match item {
        Item::Text(_) => {}
        Item::Fill(area) => rect(area.x, area.y, area.width, area.height),
        Item::Bars(bars) => {
            let module = bars.module_dots as f32 / DOTS_PER_MM;
            let area = bars.area;
            runs(&bars.modules, |at, count| {
                rect(bars.x + at as f32 * module, area.y, count as f32 * module, area.height);
            });
        }
        Item::Squares(squares) => {
            let module = squares.module_dots as f32 / DOTS_PER_MM;
            for (y, row) in squares.matrix.modules().chunks(squares.matrix.side).enumerate() {
                let y = squares.y + y as f32 * module;
                runs(row, |at, count| rect(squares.x + at as f32 * module, y, count as f32 * module, module));
            }
        }
    }
    builder.finish()
}

/// Calls `tell` with the start and the length of each run of dark modules.
fn runs(modules: &[bool], mut tell: impl FnMut(usize, usize)) {
    let mut at = 0;
    for run in modules.chunk_by(|a, b| a == b) {
        if run[0] {
            tell(at, run.len());
        }
        at += run.len();
    }
}
