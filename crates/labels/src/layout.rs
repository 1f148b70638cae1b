//! The layout of the label of 4 by 6 inches.
//!
//! ```text
//!   from                    carrier, date, mass
//!   ───────────────────────────────────────────
//!   to                                  2D code
//!   ████ service ██████████████████ 1 of 2 ████
//!   tracking number as a barcode, and in figures
//!   ───────────────────────────────────────────
//!   CN22, for parcels that go abroad
//!   reference, custom lines     custom barcodes
//! ```

use crate::address::{self, country_name};
use crate::barcode::check_digit::{is_s10, is_sscc};
use crate::barcode::{BarcodeError, Code128, Matrix};
use crate::customs_block;
use crate::draw::{Setting, least_width};
use crate::font::Fonts;
use crate::label::{Label, MAX_CUSTOM, Party, Primary};
use crate::scene::{Align, DOTS_PER_MM, HEIGHT_DOTS, Rect, Scene, WIDTH_DOTS};
use crate::text::clean;

/// 4 by 6 inches.
const POINTS: (f32, f32) = (288.0, 432.0);

pub(crate) const MARGIN: f32 = 3.0;
const THICK_RULE: f32 = 0.5;
const GAP: f32 = 1.5;

/// Text sizes, in millimetres per em. 2 is the smallest size that a printer of 203 dpi prints legibly.
const LEAST: f32 = 2.0;
const SMALL: f32 = 2.375;
const CAPTION: f32 = 2.0;

/// Maximum number of lines at the foot: instructions and the customer's own. Further ones are omitted.
const MAX_LINES: usize = 2 * MAX_CUSTOM + 10;
/// The part of the foot's width for barcodes: beside text, and at most.
const CODES_PART: f32 = 0.56;
const CODES_PART_MAX: f32 = 0.8;

/// The heights of the parts, from top to bottom.
struct Heights {
    header: f32,
    to: f32,
    band: f32,
    barcode: f32,
    customs: f32,
}

/// GS1 recommends a barcode of 32 mm. A parcel that goes abroad also needs space for CN22.
const DOMESTIC: Heights = Heights { header: 21.0, to: 42.0, band: 8.0, barcode: 43.0, customs: 0.0 };
const ABROAD: Heights = Heights { header: 19.0, to: 34.0, band: 8.0, barcode: 31.0, customs: 33.0 };

/// The reason why a label cannot be laid out: one of its barcodes cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError {
    Tracking(BarcodeError),
    /// An SSCC has 18 digits, of which the last is a check digit.
    NotAnSscc,
    Matrix(BarcodeError),
    Custom(usize, BarcodeError),
}

impl std::fmt::Display for LayoutError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tracking(error) => write!(f, "the tracking number: {error}"),
            Self::NotAnSscc => f.write_str("the SSCC needs 18 digits, the last of which checks the others"),
            Self::Matrix(error) => write!(f, "the two-dimensional code: {error}"),
            Self::Custom(index, error) => write!(f, "custom barcode {}: {error}", index + 1),
        }
    }
}

impl std::error::Error for LayoutError {}

/// Lays out a label.
pub fn layout(label: &Label, fonts: &Fonts) -> Result<Scene, LayoutError> {
    let (width, height) = (WIDTH_DOTS as f32 / DOTS_PER_MM, HEIGHT_DOTS as f32 / DOTS_PER_MM);
    let mut scene = Scene::new(width, height, POINTS, fonts);
    let heights = heights(label);
    let mut rest = Rect::new(MARGIN, MARGIN, width - 2.0 * MARGIN, height - 2.0 * MARGIN);

    header(&mut scene, take(&mut rest, heights.header), label);
    rule(&mut scene, &mut rest, THICK_RULE);
    recipient(&mut scene, take(&mut rest, heights.to), label)?;
    band(&mut scene, take(&mut rest, heights.band), label);
    take(&mut rest, GAP);
    primary(&mut scene, take(&mut rest, heights.barcode), label)?;
    rule(&mut scene, &mut rest, THICK_RULE);
    if let Some(customs) = &label.customs {
        customs_block::draw(&mut scene, take(&mut rest, heights.customs), customs);
        take(&mut rest, GAP);
    }
    footer(&mut scene, rest, label)?;
    Ok(scene)
}

fn heights(label: &Label) -> Heights {
    match &label.customs {
        None => DOMESTIC,
        // With several custom barcodes, each still needs enough height to be scanned.
        Some(_) if label.custom_barcodes.len() > 1 => Heights { to: 31.0, barcode: 24.0, ..ABROAD },
        Some(_) => ABROAD,
    }
}

/// Cuts a strip from the top of the remaining area.
fn take(rest: &mut Rect, height: f32) -> Rect {
    let strip = Rect { height, ..*rest };
    rest.y += height;
    rest.height -= height;
    strip
}

/// Draws a line across, with space around it.
fn rule(scene: &mut Scene, rest: &mut Rect, thickness: f32) {
    take(rest, GAP / 2.0);
    let line = take(rest, thickness);
    scene.fill(line);
    take(rest, GAP);
}

fn caption(scene: &mut Scene, area: Rect, text: &str) {
    scene.text(Rect { height: CAPTION * 1.25, ..area }, text, Setting::new(CAPTION, CAPTION));
}

fn below_caption(area: Rect) -> Rect {
    let taken = CAPTION * 1.25 + 0.5;
    Rect { y: area.y + taken, height: area.height - taken, ..area }
}

fn is_abroad(label: &Label) -> bool {
    label.from.country_code.as_str() != label.to.country_code.as_str()
}

/// Returns an address with its telephone number.
fn lines_of(party: &Party, is_abroad: bool) -> Vec<String> {
    let mut lines = address::lines(party, is_abroad);
    lines.extend(party.phone.as_ref().map(|phone| format!("Tel. {phone}")));
    lines
}

fn header(scene: &mut Scene, area: Rect, label: &Label) {
    let right_width = 38.0;
    let left = Rect { width: area.width - right_width - GAP, ..area };
    caption(scene, left, "FROM");
    let setting = Setting::new(SMALL, LEAST).of_country(label.from.country_code);
    scene.block(below_caption(left), &lines_of(&label.from, is_abroad(label)), |_| false, setting);

    let right = Rect { x: area.right() - right_width, width: right_width, ..area };
    let (name, facts) =
        (Rect { height: 8.0, ..right }, Rect { y: right.y + 8.5, height: area.height - 8.5, ..right });
    scene.text(name, &label.carrier, Setting::new(6.0, 3.0).bold().aligned(Align::End));
    let facts_lines = [label.ship_date.clone(), label.mass.clone()];
    scene.block(facts, &facts_lines, |_| false, Setting::new(3.0, LEAST).aligned(Align::End));
}

fn recipient(scene: &mut Scene, area: Rect, label: &Label) -> Result<(), LayoutError> {
    let code_side = if label.matrix.is_some() { 27.0 } else { 0.0 };
    let left = Rect { width: area.width - code_side, height: area.height - GAP, ..area };
    caption(scene, left, "TO");
    let setting = Setting::new(4.75, 2.5).of_country(label.to.country_code);
    // A sorter looks for the recipient and the country.
    let is_bold = |line: &str| {
        line == clean(&label.to.name) || is_abroad(label) && line == country_name(label.to.country_code)
    };
    scene.block(below_caption(left), &lines_of(&label.to, is_abroad(label)), is_bold, setting);
    if let Some((kind, payload)) = &label.matrix {
        let matrix = Matrix::new(*kind, payload).map_err(LayoutError::Matrix)?;
        let square = Rect::new(area.right() - code_side, area.y, code_side, code_side);
        scene.squares(square, matrix).map_err(LayoutError::Matrix)?;
    }
    Ok(())
}

/// Draws the service, white on black: people who sort by hand look for it.
fn band(scene: &mut Scene, area: Rect, label: &Label) {
    scene.fill(area);
    let inner = Rect { x: area.x + GAP, width: area.width - 2.0 * GAP, ..area };
    let piece = format!("{} of {}", label.piece.number, label.piece.count);
    let piece_width = 24.0;
    let service = Rect { width: inner.width - piece_width - GAP, ..inner };
    scene.text(service, &label.service, Setting::new(5.5, 2.5).bold().inverse());
    let piece_area = Rect { x: inner.right() - piece_width, width: piece_width, ..inner };
    scene.text(piece_area, &piece, Setting::new(5.5, 2.5).bold().inverse().aligned(Align::End));
}

fn primary(scene: &mut Scene, area: Rect, label: &Label) -> Result<(), LayoutError> {
    // The quiet zones may extend into the margins of the page.
    let page = scene.width;
    let top = if label.is_test { test_mark(scene, area) } else { 0.0 };
    let figures_height = 6.0;
    let bars = Rect::new(0.0, area.y + top, page, area.height - figures_height - top - 0.5);
    if let Primary::Figures(number) = &label.primary {
        let room = Rect { y: area.y + top, height: area.height - top, ..area };
        scene.text(room, number, Setting::new(8.0, LEAST).bold().aligned(Align::Centre));
        return Ok(());
    }
    let (code, data, figures, is_gs1) = match &label.primary {
        Primary::Number(number) | Primary::Figures(number) => {
            (Code128::new(number), number.clone(), spaced(number), false)
        }
        Primary::Sscc(digits) if is_sscc(digits) => {
            (Code128::sscc(digits), format!("00{digits}"), format!("(00) {}", spaced(digits)), true)
        }
        Primary::Sscc(_) => return Err(LayoutError::NotAnSscc),
    };
    scene.bars(bars, &code.map_err(LayoutError::Tracking)?, &data, is_gs1).map_err(LayoutError::Tracking)?;
    let figures_area = Rect { y: area.bottom() - figures_height, height: figures_height, ..area };
    scene.text(figures_area, &figures, Setting::new(4.25, LEAST).bold().aligned(Align::Centre));
    Ok(())
}

/// Draws the mark that the label is not valid for shipping, and returns its height.
fn test_mark(scene: &mut Scene, area: Rect) -> f32 {
    let height = 6.0;
    let mark = Rect { height: height - 0.75, ..area };
    scene.frame(mark, THICK_RULE);
    let inner = Rect::new(mark.x + 1.0, mark.y + 0.5, mark.width - 2.0, mark.height - 1.0);
    let words = "TEST: NOT FOR SHIPPING";
    scene.text(inner, words, Setting::new(3.5, LEAST).bold().aligned(Align::Centre));
    height
}

/// Returns a number in groups, for reading aloud: of four digits, or as the Universal Postal Union groups its
/// numbers.
fn spaced(number: &str) -> String {
    if is_s10(number) {
        return [&number[..2], &number[2..5], &number[5..8], &number[8..11], &number[11..]].join(" ");
    }
    let characters: Vec<char> = number.chars().collect();
    characters.chunks(4).map(|chunk| chunk.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

fn footer(scene: &mut Scene, area: Rect, label: &Label) -> Result<(), LayoutError> {
    let codes: Vec<&String> = label.custom_barcodes.iter().take(MAX_CUSTOM).collect();
    let mut lines = Vec::new();
    let (Primary::Number(shown) | Primary::Sscc(shown) | Primary::Figures(shown)) = &label.primary;
    if !label.tracking_number.ends_with(shown) {
        lines.push(format!("Tracking {}", label.tracking_number));
    }
    lines.extend(label.reference.as_ref().map(|reference| format!("Ref. {reference}")));
    lines.extend(label.custom_lines.iter().take(MAX_LINES).cloned());
    if let Some(party) = &label.return_to {
        lines.push(format!(
            "If undelivered, return to: {}",
            address::lines(party, is_abroad(label)).join(", ")
        ));
    }
    let codes_width = match (codes.is_empty(), lines.is_empty()) {
        (true, _) => 0.0,
        (false, true) => area.width,
        (false, false) => codes_width(area.width, &codes),
    };
    let text = Rect { width: area.width - codes_width, ..area };
    scene.block(text, &lines, |_| false, Setting::new(3.0, LEAST));
    let height = area.height / codes.len().max(1) as f32;
    for (index, data) in codes.into_iter().enumerate() {
        let strip =
            Rect::new(area.right() - codes_width, area.y + index as f32 * height, codes_width, height);
        custom_barcode(scene, strip, data).map_err(|error| LayoutError::Custom(index, error))?;
    }
    Ok(())
}

/// Returns the width for barcodes: more than half of the label, and more for long codes, which would not fit
/// otherwise.
fn codes_width(width: f32, codes: &[&String]) -> f32 {
    let needed = codes.iter().filter_map(|code| Code128::new(code).ok()).map(|code| least_width(&code));
    (width * CODES_PART).max(needed.fold(0.0, f32::max)).min(width * CODES_PART_MAX)
}

/// Returns whether a number fits a label as its main barcode.
pub(crate) fn has_room(number: &str) -> bool {
    Code128::new(number).is_ok_and(|code| least_width(&code) <= WIDTH_DOTS as f32 / DOTS_PER_MM)
}

/// Returns whether a custom barcode fits beside the text at the foot of a label.
pub(crate) fn has_room_at_foot(data: &str) -> bool {
    let width = (WIDTH_DOTS as f32 / DOTS_PER_MM - 2.0 * MARGIN) * CODES_PART_MAX;
    Code128::new(data).is_ok_and(|code| least_width(&code) <= width)
}

fn custom_barcode(scene: &mut Scene, strip: Rect, data: &str) -> Result<(), BarcodeError> {
    let figures = 2.5;
    let bars = Rect { height: (strip.height - figures - 0.75).min(12.0), ..strip };
    scene.bars(bars, &Code128::new(data)?, data, false)?;
    let under = Rect { y: bars.bottom() + 0.25, height: figures, ..strip };
    scene.text(under, data, Setting::new(2.0, 1.75).aligned(Align::Centre));
    Ok(())
}

#[cfg(test)]
mod tests;
