//! Scenes as PDF, one page each. Text stays text, in subsets of its fonts that all pages share; bars are one path.

use crate::font::Bytes;
use crate::scene::{Bars, DOTS_PER_MM, Item, Rect, Scene, Squares, Text};
use crate::text::Glyph;
use krilla::Document;
use krilla::color::luma;
use krilla::geom::{Path, PathBuilder, Point};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule};
use krilla::surface::Surface;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use std::borrow::Borrow;
use std::collections::HashMap;

const POINTS_PER_MM: f32 = 72.0 / 25.4;

/// Up to here no letter reaches out of its line; marks of other scripts may.
const LAST_LOW: char = '\u{24f}';

/// A PDF could not be written: a font or a measure in it is broken.
#[derive(Debug)]
pub struct PdfError(String);

impl std::fmt::Display for PdfError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the PDF can't be written: {}", self.0)
    }
}

impl std::error::Error for PdfError {}

/// Writes scenes into one file, a page each. Scenes that are given away are dropped once their page is written.
pub fn pdf<S: Borrow<Scene>>(scenes: impl IntoIterator<Item = S>) -> Result<Vec<u8>, PdfError> {
    let mut document = Document::new();
    document.set_metadata(Metadata::new().creator("Dockside".to_owned()));
    let mut fonts = HashMap::new();
    for scene in scenes {
        let scene = scene.borrow();
        let (width, height) = scene.points;
        let settings = PageSettings::from_wh(width, height)
            .ok_or_else(|| PdfError(format!("no page of {width}×{height}")))?;
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        for item in &scene.items {
            draw(&mut surface, scene, item, &mut fonts);
        }
        surface.finish();
        page.finish();
    }
    document.finish().map_err(|error| PdfError(format!("{error:?}")))
}

/// Fonts of the file by where their bytes lie, and their place in a collection.
type Embedded = HashMap<(usize, u32), Option<Font>>;

fn draw(surface: &mut Surface<'_>, scene: &Scene, item: &Item, fonts: &mut Embedded) {
    let path = match item {
        Item::Text(text) => return draw_text(surface, scene, text, fonts),
        Item::Fill(area) => path([*area]),
        Item::Bars(bars) => path(rects_of_bars(bars)),
        Item::Squares(squares) => path(rects_of_squares(squares)),
    };
    if let Some(path) = path {
        surface.set_fill(Some(colour(0)));
        surface.draw_path(&path);
    }
}

fn colour(grey: u8) -> Fill {
    Fill { paint: luma::Color::new(grey).into(), opacity: NormalizedF32::ONE, rule: FillRule::NonZero }
}

fn path(rects: impl IntoIterator<Item = Rect>) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for rect in rects {
        let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(|mm| mm * POINTS_PER_MM);
        if let Some(rect) = krilla::geom::Rect::from_xywh(x, y, width, height) {
            builder.push_rect(rect);
        }
    }
    builder.finish()
}

/// Bars that touch are one rectangle: between two of them some viewers would show a hair of white.
fn runs(modules: &[bool], x: f32, y: f32, module: f32, height: f32) -> Vec<Rect> {
    let mut rects = Vec::new();
    let mut at = 0;
    for run in modules.chunk_by(|a, b| a == b) {
        if run[0] {
            rects.push(Rect::new(x + at as f32 * module, y, run.len() as f32 * module, height));
        }
        at += run.len();
    }
    rects
}

fn rects_of_bars(bars: &Bars) -> Vec<Rect> {
    runs(&bars.modules, bars.x, bars.area.y, bars.module_dots as f32 / DOTS_PER_MM, bars.area.height)
}

fn rects_of_squares(squares: &Squares) -> Vec<Rect> {
    let module = squares.module_dots as f32 / DOTS_PER_MM;
    let rows = squares.matrix.modules.chunks(squares.matrix.side).enumerate();
    rows.flat_map(|(n, row)| runs(row, squares.x, squares.y + n as f32 * module, module, module)).collect()
}

fn draw_text(surface: &mut Surface<'_>, scene: &Scene, text: &Text, fonts: &mut Embedded) {
    let clip = path([text.area]).filter(|_| text.line.text.chars().any(|c| c > LAST_LOW));
    if let Some(clip) = &clip {
        surface.push_clip_path(clip, &FillRule::NonZero);
    }
    surface.set_fill(Some(colour(if text.is_inverse { 255 } else { 0 })));
    for run in text.line.glyphs.chunk_by(|a, b| a.face == b.face) {
        let Some(font) = embedded(scene, run[0].face, fonts) else { continue };
        draw_run(surface, text, run, font);
    }
    if clip.is_some() {
        surface.pop();
    }
}

fn draw_run(surface: &mut Surface<'_>, text: &Text, run: &[Glyph], font: Font) {
    // The pen moves by advances, and each glyph is placed from where the pen is.
    let start = run[0].x;
    let mut pen = start;
    let mut glyphs = Vec::with_capacity(run.len());
    for glyph in run {
        glyphs.push(KrillaGlyph {
            glyph_id: GlyphId::new(glyph.id),
            text_range: glyph.range.clone(),
            x_advance: glyph.advance,
            x_offset: glyph.x - pen,
            y_offset: glyph.y,
            y_advance: 0.0,
            location: None,
        });
        pen += glyph.advance;
    }
    let x = (text.x + start * text.size) * POINTS_PER_MM;
    let point = Point::from_xy(x, text.baseline * POINTS_PER_MM);
    surface.draw_glyphs(point, &glyphs, font, &text.line.text, text.size * POINTS_PER_MM, false);
}

/// A font of the file, embedded once however many pages and scenes use it.
fn embedded(scene: &Scene, index: usize, fonts: &mut Embedded) -> Option<Font> {
    let face = scene.fonts.face(index)?;
    let key = (face.bytes.as_ref().as_ptr().addr(), face.index);
    let load = || match &face.bytes {
        Bytes::Static(bytes) => Font::new((*bytes).into(), face.index),
        Bytes::Read(bytes) => Font::new(bytes.clone().into(), face.index),
    };
    fonts.entry(key).or_insert_with(load).clone()
}
