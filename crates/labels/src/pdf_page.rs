//! Pages of PDFs that Dockside wrote, drawn as greys: for printers that take neither PDF nor ZPL.
//!
//! This reads what [`crate::pdf`] writes and nothing more: rectangles, glyphs of embedded fonts, one logo, and rectangular clips.
//! Any other drawing is refused, so that no page comes out of a printer with a part missing.

use crate::merge::MergeError;
use crate::pdf_program::Program;
use crate::pwg::GreyPage;
use hayro_syntax::Pdf;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Name, Number, Object, Stream};
use hayro_syntax::page::Page;
use std::collections::HashMap;

const POINTS_PER_INCH: f32 = 72.0;
/// The unit of widths and corrections of text, in ems.
const PER_EM: f32 = 1000.0;

/// Draws each page of a file, and passes it on with its size in points. Stops at the first error of `take`.
pub(crate) fn draw_pages(
    file: &[u8],
    dpi: u32,
    mut take: impl FnMut(usize, GreyPage, (f32, f32)) -> Result<(), MergeError>,
) -> Result<(), MergeError> {
    let pdf = Pdf::new(file.to_vec()).map_err(|error| refuse(&format!("it can't be read: {error:?}")))?;
    let pages = pdf.pages();
    for page in pages.iter() {
        let area = page.media_box();
        #[expect(clippy::cast_possible_truncation, reason = "a side of paper has some hundred points")]
        let points = ((area.x1 - area.x0) as f32, (area.y1 - area.y0) as f32);
        take(pages.len(), draw(page, points, dpi)?, points)?;
    }
    Ok(())
}

fn refuse(why: &str) -> MergeError {
    MergeError(why.to_owned())
}

/// A scale and a translation. Nothing that Dockside draws is turned.
#[derive(Clone, Copy)]
struct Matrix {
    scale: (f32, f32),
    origin: (f32, f32),
}

impl Matrix {
    fn of(numbers: [&Number; 6]) -> Result<Self, MergeError> {
        let [a, b, c, d, x, y] = numbers.map(Number::as_f32);
        match b == 0.0 && c == 0.0 {
            true => Ok(Self { scale: (a, d), origin: (x, y) }),
            false => Err(refuse("it has a part that is turned")),
        }
    }

    fn point(self, x: f32, y: f32) -> (f32, f32) {
        (self.scale.0 * x + self.origin.0, self.scale.1 * y + self.origin.1)
    }

    /// Returns the matrix that applies `inner` first.
    fn after(self, inner: Self) -> Self {
        let scale = (self.scale.0 * inner.scale.0, self.scale.1 * inner.scale.1);
        Self { scale, origin: self.point(inner.origin.0, inner.origin.1) }
    }
}

/// Whole dots: left, top, right and bottom.
type Edges = (usize, usize, usize, usize);

/// What `q` saves and `Q` restores.
#[derive(Clone, Copy)]
struct State {
    matrix: Matrix,
    grey: u8,
    clip: Edges,
}

struct Drawing<'p> {
    page: &'p Page<'p>,
    paper: GreyPage,
    state: State,
    saved: Vec<State>,
    /// Rectangles of the path, in dots.
    path: Vec<Edges>,
    is_clipping: bool,
    fonts: HashMap<String, Program>,
    font: Option<(String, f32)>,
    /// Where the next glyph is, and the units of the text.
    text: Matrix,
}

fn draw(page: &Page<'_>, points: (f32, f32), dpi: u32) -> Result<GreyPage, MergeError> {
    let scale = dpi as f32 / POINTS_PER_INCH;
    let (width, height) = (whole(points.0 * scale).max(1), whole(points.1 * scale).max(1));
    let state = State {
        // The y axis of a page points up, that of dots down.
        matrix: Matrix { scale: (scale, -scale), origin: (0.0, points.1 * scale) },
        grey: 0,
        clip: (0, 0, width, height),
    };
    let mut drawing = Drawing {
        page,
        paper: GreyPage::white(width, height),
        state,
        saved: Vec::new(),
        path: Vec::new(),
        is_clipping: false,
        fonts: HashMap::new(),
        font: None,
        text: state.matrix,
    };
    let mut operations = page.typed_operations();
    while let Some(operation) = operations.next() {
        drawing.operate(&operation)?;
    }
    Ok(drawing.paper)
}

/// Returns the nearest whole dot on the paper.
fn whole(dots: f32) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the dots of a page"
    )]
    let dots = dots.round().clamp(0.0, 1e6) as usize;
    dots
}

/// Returns the grey of a colour, as black-and-white printers compute it.
fn grey(red: &Number, green: &Number, blue: &Number) -> u8 {
    let sum = 0.299 * red.as_f32() + 0.587 * green.as_f32() + 0.114 * blue.as_f32();
    u8::try_from(whole(sum * 255.0)).unwrap_or(u8::MAX)
}

impl Drawing<'_> {
    fn operate(&mut self, operation: &TypedInstruction<'_, '_>) -> Result<(), MergeError> {
        match operation {
            TypedInstruction::SaveState(_) => self.saved.push(self.state),
            TypedInstruction::RestoreState(_) => self.state = self.saved.pop().unwrap_or(self.state),
            TypedInstruction::Transform(m) => {
                let inner = Matrix::of([&m.0, &m.1, &m.2, &m.3, &m.4, &m.5])?;
                self.state.matrix = self.state.matrix.after(inner);
            }
            TypedInstruction::NonStrokeColorDeviceGray(colour) => {
                self.state.grey = grey(&colour.0, &colour.0, &colour.0);
            }
            TypedInstruction::NonStrokeColorDeviceRgb(colour) => {
                self.state.grey = grey(&colour.0, &colour.1, &colour.2);
            }
            TypedInstruction::RectPath(rect) => {
                let [x, y, width, height] = [&rect.0, &rect.1, &rect.2, &rect.3].map(Number::as_f32);
                self.path.push(self.edges((x, y), (x + width, y + height)));
            }
            TypedInstruction::FillPathNonZero(_) => self.fill(),
            TypedInstruction::ClipNonZero(_) => self.is_clipping = true,
            TypedInstruction::EndPath(_) => self.end_path(),
            TypedInstruction::XObject(name) => self.picture(name.0)?,
            TypedInstruction::TextFont(font) => {
                self.font = Some((font.0.as_str().to_owned(), font.1.as_f32()))
            }
            TypedInstruction::SetTextMatrix(m) => {
                self.text = Matrix::of([&m.0, &m.1, &m.2, &m.3, &m.4, &m.5])?;
            }
            TypedInstruction::ShowTexts(texts) => {
                for part in texts.0.iter::<Object<'_>>() {
                    self.show(&part)?;
                }
            }
            TypedInstruction::BeginText(_)
            | TypedInstruction::EndText(_)
            | TypedInstruction::BeginMarkedContentWithProperties(_)
            | TypedInstruction::EndMarkedContent(_) => {}
            _ => return Err(refuse("Dockside did not write it as it is")),
        }
        Ok(())
    }

    /// Returns the dots between two corners, at least one in each direction.
    fn edges(&self, one: (f32, f32), other: (f32, f32)) -> Edges {
        let (a, b) = (self.state.matrix.point(one.0, one.1), self.state.matrix.point(other.0, other.1));
        let span = |a: f32, b: f32| {
            let start = whole(a.min(b));
            (start, whole(a.max(b)).max(start + 1))
        };
        let ((left, right), (top, bottom)) = (span(a.0, b.0), span(a.1, b.1));
        (left, top, right, bottom)
    }

    fn clipped(&self, edges: Edges) -> Edges {
        let clip = self.state.clip;
        (edges.0.max(clip.0), edges.1.max(clip.1), edges.2.min(clip.2), edges.3.min(clip.3))
    }

    fn fill(&mut self) {
        for edges in std::mem::take(&mut self.path) {
            let (left, top, right, bottom) = self.clipped(edges);
            for y in top..bottom.max(top) {
                let start = y * self.paper.width;
                self.paper.greys[start + left..start + right.max(left)].fill(self.state.grey);
            }
        }
    }

    fn end_path(&mut self) {
        if std::mem::take(&mut self.is_clipping)
            && let Some(edges) = self.path.first()
        {
            self.state.clip = self.clipped(*edges);
        }
        self.path.clear();
    }

    /// Draws a picture in colours, with the nearest of its pixels at each dot.
    fn picture(&mut self, name: &Name<'_>) -> Result<(), MergeError> {
        let stream = self.page.resources().get_x_object(name);
        let (picture, stream) = stream
            .and_then(|stream| Some((Rgb::of(&stream)?, stream)))
            .ok_or_else(|| refuse("it has a picture that Dockside did not write"))?;
        let pixels = stream.decoded_data().map_err(|_| refuse("its picture is broken"))?;
        let (left, top, right, bottom) = self.clipped(self.edges((0.0, 0.0), (1.0, 1.0)));
        let matrix = self.state.matrix;
        for y in top..bottom.max(top) {
            for x in left..right.max(left) {
                let across = (x as f32 + 0.5 - matrix.origin.0) / matrix.scale.0;
                let up = (y as f32 + 0.5 - matrix.origin.1) / matrix.scale.1;
                self.paper.greys[y * self.paper.width + x] = picture.grey(&pixels, across, 1.0 - up);
            }
        }
        Ok(())
    }

    /// Shows glyphs, or moves the next ones.
    fn show(&mut self, part: &Object<'_>) -> Result<(), MergeError> {
        let Some((name, size)) = self.font.clone() else { return Err(refuse("it has text without a font")) };
        let glyphs = match part {
            Object::Number(back) => {
                self.advance(-back.as_f32(), size);
                return Ok(());
            }
            Object::String(glyphs) => glyphs.as_bytes().to_vec(),
            _ => return Err(refuse("it has text that is no text")),
        };
        if !self.fonts.contains_key(&name) {
            let font = self.page.resources().get_font(&Name::new_unescaped(name.as_bytes()));
            let program = font.and_then(|font| Program::read(&font));
            let program = program.ok_or_else(|| refuse("it has a font that Dockside did not embed"))?;
            self.fonts.insert(name.clone(), program);
        }
        for glyph in glyphs.chunks_exact(2) {
            let glyph = u16::from_be_bytes([glyph[0], glyph[1]]);
            let width = self.draw_glyph(&name, glyph, size);
            self.advance(width, size);
        }
        Ok(())
    }

    /// Moves the next glyph by so many thousandths of an em.
    fn advance(&mut self, thousandths: f32, size: f32) {
        self.text.origin.0 += thousandths / PER_EM * size * self.text.scale.0;
    }

    /// Draws a glyph where the next one is, and returns its width.
    fn draw_glyph(&mut self, name: &str, glyph: u16, size: f32) -> f32 {
        let at = self.state.matrix.after(self.text);
        let clip = self.state.clip;
        let Some(font) = self.fonts.get_mut(name) else { return 0.0 };
        let (mask, width) = font.glyph(glyph, size * at.scale.0.abs());
        let place = |origin: f32, offset: i32, position: usize| {
            let start = i64::try_from(whole(origin.max(0.0))).unwrap_or(i64::MAX) + i64::from(offset);
            usize::try_from(start + i64::try_from(position).unwrap_or(i64::MAX)).ok()
        };
        for (row, coverage) in mask.rows.chunks_exact(mask.width.max(1)).enumerate() {
            let Some(y) = place(at.origin.1, mask.top, row).filter(|y| (clip.1..clip.3).contains(y)) else {
                continue;
            };
            for (column, part) in coverage.iter().enumerate().filter(|(_, part)| **part > 0) {
                let Some(x) = place(at.origin.0, mask.left, column).filter(|x| (clip.0..clip.2).contains(x))
                else {
                    continue;
                };
                let dot = &mut self.paper.greys[y * self.paper.width + x];
                let mixed =
                    u16::from(*dot) * u16::from(255 - part) + u16::from(self.state.grey) * u16::from(*part);
                *dot = u8::try_from(mixed / 255).unwrap_or(u8::MAX);
            }
        }
        width
    }
}

/// The size of a picture with three bytes for each pixel.
struct Rgb {
    width: usize,
    height: usize,
}

impl Rgb {
    fn of(stream: &Stream<'_>) -> Option<Self> {
        let dict = stream.dict();
        let side = |name: &str| dict.get::<Number>(name).and_then(|side| usize::try_from(side.as_i64()).ok());
        let is_rgb = dict.get::<Name<'_>>("ColorSpace").is_some_and(|space| space.as_str() == "DeviceRGB");
        let is_eight = side("BitsPerComponent") == Some(8);
        (is_rgb && is_eight).then_some(Self { width: side("Width")?, height: side("Height")? })
    }

    /// Returns the grey of the pixel at these parts of the width and the height.
    fn grey(&self, pixels: &[u8], across: f32, down: f32) -> u8 {
        let place = |part: f32, side: usize| whole(part * side as f32 - 0.5).min(side.saturating_sub(1));
        let at = 3 * (place(down, self.height) * self.width + place(across, self.width));
        match pixels.get(at..at + 3) {
            Some(&[red, green, blue]) => {
                let sum = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
                u8::try_from(sum / 1000).unwrap_or(u8::MAX)
            }
            _ => u8::MAX,
        }
    }
}

#[cfg(test)]
mod tests;
