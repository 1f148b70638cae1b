//! Scenes as PDF, one page each. Text stays text, in subsets of its fonts that all pages share; bars are one path.
//!
//! A page is drawn in dots from its top left, so that most numbers are whole and short.

use crate::artwork::{Art, Sheet};
use crate::line::Glyph;
use crate::lz77::compress;
use crate::pdf_file::{Number, PdfFile, put};
use crate::pdf_font::shared::shared_subsets;
use crate::pdf_font::{Subset, SubsetGlyph, utf16};
use crate::pdf_number::real;
use crate::scene::{Bars, DOTS_PER_MM, Item, Rect, Scene, Squares, Text};
use std::collections::BTreeMap;
use std::io::Write as _;

const POINTS_PER_DOT: f32 = 72.0 / 25.4 / DOTS_PER_MM;

/// Up to here no letter reaches out of its line; marks of other scripts may.
const LAST_LOW: char = '\u{24f}';
/// How far a glyph may be from its position, in thousandths of an em, before a correction is written.
const SLACK: f32 = 0.5;

/// A PDF could not be written: a font or a measure in it is broken.
#[derive(Debug)]
pub struct PdfError(pub(crate) String);

impl std::fmt::Display for PdfError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the PDF can't be written: {}", self.0)
    }
}

impl std::error::Error for PdfError {}

/// Writes scenes into one file, a page each.
pub fn pdf(scenes: &[Scene]) -> Result<Vec<u8>, PdfError> {
    write(&scenes.iter().map(|scene| (scene, &[][..])).collect::<Vec<_>>())
}

/// Writes sheets into one file, a page each, with what they have in colour.
pub(crate) fn pdf_of_sheets(sheets: &[Sheet]) -> Result<Vec<u8>, PdfError> {
    write(&sheets.iter().map(|sheet| (&sheet.scene, &sheet.art[..])).collect::<Vec<_>>())
}

fn write(pages: &[(&Scene, &[Art])]) -> Result<Vec<u8>, PdfError> {
    if pages.is_empty() {
        return Err(PdfError("it would have no page".to_owned()));
    }
    if let Some((odd, _)) = pages.iter().find(|(scene, _)| !(scene.points.0 > 0.0 && scene.points.1 > 0.0)) {
        return Err(PdfError(format!("no page of {}×{}", odd.points.0, odd.points.1)));
    }
    let subsets = subsets(pages)?;
    let mut file = PdfFile::new();
    file.reserve(subsets.iter().map(Subset::file_bytes).sum());
    let mut embedded = Embedded { subsets: &subsets, used: BTreeMap::new() };
    let drawings: Vec<(u32, u32, Number)> = pages
        .iter()
        .map(|(scene, art)| {
            let bytes = compress(&drawing(scene, art, &mut embedded));
            let number = file.stream("/Filter/FlateDecode", &bytes);
            (scene.points.0.to_bits(), scene.points.1.to_bits(), number)
        })
        .collect();
    let mut resources = b"<</Font<<".to_vec();
    for (font, name) in std::mem::take(&mut embedded.used) {
        let number = embedded.subset(font).map(|subset| subset.write(&mut file));
        number.into_iter().for_each(|number| put!(resources, "/F{name} {number} 0 R"));
    }
    resources.extend_from_slice(b">>");
    write_logo(&mut file, pages, &mut resources);
    resources.extend_from_slice(b">>");
    let resources = file.add(&resources);
    for (width, height, drawing) in drawings {
        let (width, height) = (f32::from_bits(width), f32::from_bits(height));
        let page =
            format!("/MediaBox[0 0 {width} {height}]/Resources {resources} 0 R/Contents {drawing} 0 R");
        file.page(page.as_bytes());
    }
    Ok(file.finish())
}

/// Writes the logo of the pages once, if they have one, and adds it to their resources.
fn write_logo(file: &mut PdfFile, pages: &[(&Scene, &[Art])], resources: &mut Vec<u8>) {
    let logo = pages.iter().flat_map(|(_, art)| art.iter()).find_map(|art| match art {
        Art::Logo(_, logo) => Some(logo),
        Art::Tint(..) => None,
    });
    if let Some(logo) = logo {
        let number = file.stream(&logo.entries, &logo.bytes);
        put!(resources, "/XObject<</L {number} 0 R>>");
    }
}

/// A font of the file: which face, and whether it is a shared subset of it.
type FontKey = (usize, bool);

/// What a file needs of its fonts.
struct Subsets<'a> {
    /// The smallest shared subset of each face that has all glyphs that are needed of them.
    shared: BTreeMap<usize, &'a Subset>,
    /// Subsets with the glyphs that the shared ones lack.
    extra: BTreeMap<usize, Subset>,
}

impl Subsets<'_> {
    fn iter(&self) -> impl Iterator<Item = &Subset> {
        self.shared.values().copied().chain(self.extra.values())
    }
}

/// The fonts of a file, embedded once however many pages use them.
struct Embedded<'a> {
    subsets: &'a Subsets<'a>,
    /// Those that are used, with the numbers in their names.
    used: BTreeMap<FontKey, usize>,
}

impl<'a> Embedded<'a> {
    fn subset(&self, (face, is_shared): FontKey) -> Option<&'a Subset> {
        if is_shared { self.subsets.shared.get(&face).copied() } else { self.subsets.extra.get(&face) }
    }

    /// The number in a font's name on the pages.
    fn name(&mut self, font: FontKey) -> usize {
        let next = self.used.len();
        *self.used.entry(font).or_insert(next)
    }

    /// Where a glyph is found.
    fn find(&self, glyph: &Glyph) -> Option<(FontKey, &'a SubsetGlyph)> {
        [true, false].into_iter().find_map(|is_shared| {
            let sign = self.subset((glyph.face, is_shared))?.sign(glyph.id)?;
            Some(((glyph.face, is_shared), sign))
        })
    }
}

fn texts(scene: &Scene) -> impl Iterator<Item = &Text> {
    scene.items.iter().filter_map(|item| match item {
        Item::Text(text) => Some(text),
        _ => None,
    })
}

fn subsets<'a>(pages: &[(&'a Scene, &[Art])]) -> Result<Subsets<'a>, PdfError> {
    let mut subsets = Subsets { shared: BTreeMap::new(), extra: BTreeMap::new() };
    let Some(fonts) = pages.first().map(|(first, _)| &first.fonts) else { return Ok(subsets) };
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut lacking: BTreeMap<usize, BTreeMap<u32, Option<String>>> = BTreeMap::new();
    for text in pages.iter().flat_map(|(scene, _)| texts(scene)) {
        for cluster in text.line.glyphs.chunk_by(|a, b| a.range == b.range) {
            for glyph in cluster {
                let mut shared = shared_subsets(fonts, glyph.face).iter();
                if let Some(size) = shared.position(|subset| subset.sign(glyph.id).is_some()) {
                    let needed = sizes.entry(glyph.face).or_default();
                    *needed = size.max(*needed);
                    continue;
                }
                let told = lacking.entry(glyph.face).or_default().entry(glyph.id).or_default();
                if cluster.len() == 1 && told.is_none() {
                    *told = text.line.text.get(glyph.range.clone()).map(str::to_owned);
                }
            }
        }
    }
    let chosen =
        sizes.into_iter().filter_map(|(face, size)| Some((face, shared_subsets(fonts, face).get(size)?)));
    subsets.shared = chosen.collect();
    for (index, glyphs) in lacking {
        let face = fonts.face(index).ok_or_else(|| PdfError(format!("there is no font {index}")))?;
        let subset = Subset::new(face, glyphs.into_iter().collect());
        let subset = subset.ok_or_else(|| PdfError(format!("the font {index} is broken")))?;
        subsets.extra.insert(index, subset);
    }
    Ok(subsets)
}

/// What is drawn on a page.
fn drawing(scene: &Scene, art: &[Art], fonts: &mut Embedded<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 << 10);
    let scale = POINTS_PER_DOT;
    put!(out, "{scale} 0 0 {} 0 {} cm\n", -scale, scene.points.1);
    art.iter().for_each(|art| draw_art(&mut out, art));
    for item in &scene.items {
        match item {
            Item::Text(text) => draw_text(&mut out, text, fonts),
            Item::Fill(area) => fill(&mut out, [*area]),
            Item::Bars(bars) => fill(&mut out, rects_of_bars(bars)),
            Item::Squares(squares) => fill(&mut out, rects_of_squares(squares)),
        }
    }
    out
}

fn draw_art(out: &mut Vec<u8>, art: &Art) {
    match art {
        Art::Tint(area, colour) => {
            colour.iter().for_each(|part| real(out, f32::from(*part) / 255.0));
            out.extend_from_slice(b"rg\n");
            fill(out, [*area]);
            out.extend_from_slice(b"0 g\n");
        }
        // The page's y axis points down, so flip the picture to show it upright.
        Art::Logo(area, _) => {
            let [width, height, x, bottom] =
                [area.width, area.height, area.x, area.bottom()].map(|mm| mm * DOTS_PER_MM);
            put!(out, "q {width} 0 0 {} {x} {bottom} cm /L Do Q\n", -height);
        }
    }
}

fn rect(out: &mut Vec<u8>, rect: Rect) {
    [rect.x, rect.y, rect.width, rect.height].iter().for_each(|mm| real(out, mm * DOTS_PER_MM));
    out.extend_from_slice(b"re\n");
}

fn fill(out: &mut Vec<u8>, rects: impl IntoIterator<Item = Rect>) {
    let start = out.len();
    rects.into_iter().for_each(|area| rect(out, area));
    if out.len() > start {
        out.extend_from_slice(b"f\n");
    }
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
    let rows = squares.matrix.modules().chunks(squares.matrix.side).enumerate();
    rows.flat_map(|(n, row)| runs(row, squares.x, squares.y + n as f32 * module, module, module)).collect()
}

fn draw_text(out: &mut Vec<u8>, text: &Text, fonts: &mut Embedded<'_>) {
    let is_clipped = text.line.text.chars().any(|c| c > LAST_LOW);
    if is_clipped {
        out.extend_from_slice(b"q ");
        rect(out, text.area);
        out.extend_from_slice(b"W n ");
    }
    if text.is_inverse {
        out.extend_from_slice(b"1 g ");
    }
    out.extend_from_slice(b"BT ");
    let mut pen = Pen { out, text, font: None, is_showing: false, is_hex: false, x: 0.0, y: 0.0 };
    for cluster in text.line.glyphs.chunk_by(|a, b| a.range == b.range && a.face == b.face) {
        pen.cluster(cluster, fonts);
    }
    pen.stop();
    out.extend_from_slice(b"ET\n");
    if text.is_inverse {
        out.extend_from_slice(b"0 g\n");
    }
    if is_clipped {
        out.extend_from_slice(b"Q\n");
    }
}

/// Writes glyphs, and tracks where a reader would place the next one without a correction.
struct Pen<'a> {
    out: &'a mut Vec<u8>,
    text: &'a Text,
    font: Option<FontKey>,
    /// Whether the array of shown glyphs is open, and a string in it.
    is_showing: bool,
    is_hex: bool,
    /// In ems from the start of the line.
    x: f32,
    y: f32,
}

impl Pen<'_> {
    /// Writes glyphs that represent one text. If the font does not map them to this text, writes it beside them.
    fn cluster(&mut self, glyphs: &[Glyph], fonts: &mut Embedded<'_>) {
        let text = self.text.line.text.get(glyphs[0].range.clone()).unwrap_or_default();
        if let [glyph] = glyphs {
            let Some((font, sign)) = fonts.find(glyph) else { return };
            if sign.text.as_deref() == Some(text) {
                self.choose(font, fonts);
                self.show(glyph, sign);
                return;
            }
        }
        self.stop();
        put!(self.out, "/Span<</ActualText<FEFF{}>>>BDC ", utf16(text));
        for glyph in glyphs {
            if let Some((font, sign)) = fonts.find(glyph) {
                self.choose(font, fonts);
                self.show(glyph, sign);
            }
        }
        self.stop();
        self.out.extend_from_slice(b"EMC ");
    }

    fn choose(&mut self, font: FontKey, fonts: &mut Embedded<'_>) {
        if self.font != Some(font) {
            self.stop();
            put!(self.out, "/F{} ", fonts.name(font));
            real(self.out, self.text.size * DOTS_PER_MM);
            self.out.extend_from_slice(b"Tf ");
            self.font = Some(font);
        }
    }

    fn show(&mut self, glyph: &Glyph, sign: &SubsetGlyph) {
        if !self.is_showing || glyph.y.to_bits() != self.y.to_bits() {
            self.stop();
            // The page's y axis points down, so flip the letters to show them upright.
            self.out.extend_from_slice(b"1 0 0 -1 ");
            real(self.out, (self.text.x + glyph.x * self.text.size) * DOTS_PER_MM);
            real(self.out, (self.text.baseline - glyph.y * self.text.size) * DOTS_PER_MM);
            self.out.extend_from_slice(b"Tm[");
            (self.x, self.y, self.is_showing) = (glyph.x, glyph.y, true);
        }
        let back = (self.x - glyph.x) * 1000.0;
        if back.abs() > SLACK {
            self.end_string();
            let whole = back.round();
            real(self.out, whole);
            self.x -= whole / 1000.0;
        }
        if !self.is_hex {
            self.out.push(b'<');
            self.is_hex = true;
        }
        const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
        self.out.extend([12, 8, 4, 0].map(|shift| DIGITS[usize::from(sign.cid >> shift & 15)]));
        self.x += sign.width / 1000.0;
    }

    fn end_string(&mut self) {
        if std::mem::take(&mut self.is_hex) {
            self.out.push(b'>');
        }
    }

    fn stop(&mut self) {
        self.end_string();
        if std::mem::take(&mut self.is_showing) {
            self.out.extend_from_slice(b"]TJ ");
        }
    }
}

#[cfg(test)]
mod tests;
