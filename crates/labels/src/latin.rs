//! Shapes Latin-1 text in the compiled-in fonts by table look-up. This is most text on most labels.
//!
//! The full shaper takes microseconds per line. In these fonts it places Latin-1 text by three rules only: each
//! character has a glyph, five ligatures replace `f` sequences, and some pairs are kerned. So the tables hold the
//! glyph and advance of each [unit](UNITS), a character or a ligature, and the kerning of each pair of units. The
//! shaper itself fills them: units when a table is first used, pairs when they first occur. A pair that these rules
//! do not explain is marked, and text with such a pair goes to the full shaper. A property test checks that both
//! produce the same glyphs and positions.

use crate::face::Face;
use crate::line::{Glyph, Line};
use harfrust::{Buffer, Direction, Script, ShapeOptions, ShaperFont, shape};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI16, Ordering};

/// Ligatures, longest first: the order in which the fonts replace them.
const LIGATURES: [&str; 5] = ["ffi", "ffl", "ff", "fi", "fl"];
/// `' '..='~'`, then `'\u{a1}'..='\u{ff}'`, then the ligatures.
const UNITS: usize = 95 + 95 + LIGATURES.len();
/// Kerning that has not been computed yet.
const UNKNOWN: i16 = i16::MIN;
/// Marks a pair that only the full shaper can place.
const COMPLEX: i16 = i16::MIN + 1;

/// Returns whether the tables may hold the character. The compiled-in fonts have all of these.
pub(crate) fn is_listed(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{ff}')
}

/// Returns whether a character belongs to the Latin script only.
fn is_latin(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | 'ª' | 'º' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ')
}

/// The glyph of a unit, and its advance in font units.
#[derive(Clone, Copy)]
struct Unit {
    glyph: u32,
    advance: i32,
}

/// The tables of a font for one script.
struct Table {
    /// `None` if the shaper does not make exactly one glyph of the unit.
    units: Vec<Option<Unit>>,
    /// By first and second unit: the change of the first unit's advance before the second, in font units.
    pairs: Vec<AtomicI16>,
}

/// The tables of a font, created at first use: one for text without letters, whose script is unknown, and one for
/// Latin text. Fonts may kern the two differently.
#[derive(Default)]
pub(crate) struct LatinTables([OnceLock<Table>; 2]);

impl LatinTables {
    /// Appends the glyphs of a line's text to it. If the text needs the full shaper, leaves the line unchanged and
    /// returns `false`.
    pub fn shape(&self, face: &Face, index: usize, line: &mut Line) -> bool {
        let has_latin = line.text.chars().any(is_latin);
        let table = self.0[usize::from(has_latin)].get_or_init(|| Table::new(face, has_latin));
        let mut glyphs: Vec<Glyph> = Vec::with_capacity(line.text.len());
        let (mut at, mut width, mut before) = (0, 0.0_f32, None::<(usize, Unit)>);
        let em = |units: i32| units as f32 / face.units_per_em;
        while let Some((place, length)) = next_unit(&line.text[at..]) {
            let Some(unit) = table.units[place] else { return false };
            if let Some((first, unit_before)) = before {
                let Some(kerning) = table.kerning(face, has_latin, first, place) else { return false };
                width += em(unit_before.advance + i32::from(kerning));
                if let Some(glyph) = glyphs.last_mut() {
                    glyph.advance = em(unit_before.advance + i32::from(kerning));
                }
            }
            let range = at..at + length;
            let advance = em(unit.advance);
            glyphs.push(Glyph { face: index, id: unit.glyph, x: width, y: 0.0, advance, range });
            before = Some((place, unit));
            at += length;
        }
        if at < line.text.len() {
            return false;
        }
        if let Some((_, last)) = before {
            width += em(last.advance);
        }
        (line.glyphs, line.width) = (glyphs, width);
        true
    }
}

/// Returns the table index of the unit at the start of a text, and its length in bytes, or `None` if there is none.
fn next_unit(text: &str) -> Option<(usize, usize)> {
    let c = text.chars().next()?;
    if c == 'f'
        && let Some(place) = LIGATURES.iter().position(|ligature| text.starts_with(ligature))
    {
        return Some((190 + place, LIGATURES[place].len()));
    }
    match c {
        ' '..='~' => Some((c as usize - ' ' as usize, 1)),
        _ if is_listed(c) => Some((95 + c as usize - 0xa1, 2)),
        _ => None,
    }
}

/// Returns the text of the unit at an index.
fn text_of(place: usize) -> String {
    let code = match place {
        0..95 => place + 0x20,
        95..190 => place - 95 + 0xa1,
        _ => return LIGATURES.get(place - 190).copied().unwrap_or_default().to_owned(),
    };
    u32::try_from(code)
        .ok()
        .and_then(char::from_u32)
        .filter(|c| is_listed(*c))
        .map(String::from)
        .unwrap_or_default()
}

impl Table {
    fn new(face: &Face, is_latin: bool) -> Self {
        let unit = |place: usize| {
            let shaped = shape_text(face, &text_of(place), is_latin)?;
            match shaped.as_slice() {
                [(unit, true)] if unit.glyph != 0 => Some(*unit),
                _ => None,
            }
        };
        let pairs = std::iter::repeat_with(|| AtomicI16::new(UNKNOWN)).take(UNITS * UNITS).collect();
        Self { units: (0..UNITS).map(unit).collect(), pairs }
    }

    /// Returns the change of the first unit's advance before the second, or `None` if only the full shaper can place
    /// the pair.
    fn kerning(&self, face: &Face, is_latin: bool, first: usize, second: usize) -> Option<i16> {
        // Relaxed ordering is enough: no other data depends on the value, and every thread computes the same one.
        let kept = &self.pairs[first * UNITS + second];
        let mut value = kept.load(Ordering::Relaxed);
        if value == UNKNOWN {
            value = self.kerning_by_shaper(face, is_latin, first, second).unwrap_or(COMPLEX);
            kept.store(value, Ordering::Relaxed);
        }
        (value != COMPLEX).then_some(value)
    }

    fn kerning_by_shaper(&self, face: &Face, is_latin: bool, first: usize, second: usize) -> Option<i16> {
        let (a, b) = (self.units[first]?, self.units[second]?);
        let shaped = shape_text(face, &format!("{}{}", text_of(first), text_of(second)), is_latin)?;
        match shaped.as_slice() {
            [(one, true), (two, true)]
                if one.glyph == a.glyph && two.glyph == b.glyph && two.advance == b.advance =>
            {
                i16::try_from(one.advance - a.advance).ok().filter(|value| *value > COMPLEX)
            }
            _ => None,
        }
    }
}

/// Returns the glyphs of a text from the full shaper, and whether each is at its normal position.
fn shape_text(face: &Face, text: &str, is_latin: bool) -> Option<Vec<(Unit, bool)>> {
    let mut buffer = Buffer::new();
    buffer.push_str(text);
    buffer.set_direction(Direction::LeftToRight);
    buffer.set_script(is_latin.then_some(Script::LATIN));
    shape(&ShaperFont::new(&face.shape), &mut buffer, ShapeOptions::new()).ok()?;
    let glyphs = buffer.glyph_infos().iter().zip(buffer.glyph_positions());
    let unit = glyphs.map(|(info, position)| {
        let is_in_place = position.x_offset == 0 && position.y_offset == 0;
        (Unit { glyph: info.glyph_id, advance: position.x_advance }, is_in_place)
    });
    Some(unit.collect())
}
