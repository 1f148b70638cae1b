//! Fonts that Dockside embedded in a PDF, read again: the outlines of their glyphs as dots, and their widths.

use crate::glyph_mask::GlyphMask;
use hayro_syntax::object::{Array, Dict, Number, Object, Stream};
use skrifa::FontRef;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::DrawSettings;
use std::collections::HashMap;

/// The version of a font file that holds a CFF table.
const OPEN_TYPE_CFF: u32 = 0x4f54_544f;
/// Units of an em in CFF, unless its font says otherwise.
const CFF_UNITS: u16 = 1000;
/// The sums that a font file has over its tables are not checked.
const NO_CHECKSUM: u32 = 0;

/// An embedded font.
pub(crate) struct Program {
    file: Vec<u8>,
    /// By glyph, in thousandths of an em.
    widths: Vec<f32>,
    /// By glyph and size in dots. A page has a few sizes.
    masks: HashMap<(u16, u32), GlyphMask>,
}

impl Program {
    /// Reads a font that [`crate::pdf_font`] wrote. Returns `None` for any other.
    pub fn read(font: &Dict<'_>) -> Option<Self> {
        let descendant = font.get::<Array<'_>>("DescendantFonts")?.iter::<Dict<'_>>().next()?;
        let descriptor = descendant.get::<Dict<'_>>("FontDescriptor")?;
        // The list is `[0 [widths]]`.
        let mut lists = descendant.get::<Array<'_>>("W")?.iter::<Object<'_>>();
        let widths: Vec<f32> = match (lists.next()?, lists.next()?) {
            (Object::Number(_), Object::Array(widths)) => {
                widths.iter::<Number>().map(|width| width.as_f32()).collect()
            }
            _ => return None,
        };
        let program = |name: &str| descriptor.get::<Stream<'_>>(name)?.decoded_data().ok();
        let file = match program("FontFile2") {
            Some(file) => file.into_owned(),
            None => wrapped(&program("FontFile3")?, widths.len()),
        };
        FontRef::new(&file).ok()?;
        Some(Self { file, widths, masks: HashMap::new() })
    }

    /// Returns a glyph at a size in dots, and its width in thousandths of an em.
    pub fn glyph(&mut self, glyph: u16, size: f32) -> (&GlyphMask, f32) {
        let width = self.widths.get(usize::from(glyph)).copied().unwrap_or_default();
        let file = &self.file;
        let draw = || mask(file, glyph, size).unwrap_or_default();
        (self.masks.entry((glyph, size.to_bits())).or_insert_with(draw), width)
    }
}

fn mask(file: &[u8], glyph: u16, size: f32) -> Option<GlyphMask> {
    let settings = DrawSettings::unhinted(Size::new(size), LocationRef::default());
    GlyphMask::of(&FontRef::new(file).ok()?, glyph.into(), settings)
}

/// Returns a font file around a bare CFF table, as PDF embeds it: with the tables that outlines need beside it.
fn wrapped(cff: &[u8], glyphs: usize) -> Vec<u8> {
    let count = u16::try_from(glyphs).unwrap_or(u16::MAX);
    let mut head = [0_u8; 54];
    head[..4].copy_from_slice(&[0, 1, 0, 0]);
    head[12..16].copy_from_slice(&0x5f0f_3cf5_u32.to_be_bytes());
    head[18..20].copy_from_slice(&CFF_UNITS.to_be_bytes());
    let mut hhea = [0_u8; 36];
    hhea[..4].copy_from_slice(&[0, 1, 0, 0]);
    hhea[34..36].copy_from_slice(&1_u16.to_be_bytes());
    // One width for all glyphs: the PDF has their own.
    let hmtx = vec![0; 4 + 2 * glyphs.saturating_sub(1)];
    let maxp = [&0x0000_5000_u32.to_be_bytes()[..], &count.to_be_bytes()].concat();
    let tables: [(&[u8; 4], &[u8]); 5] =
        [(b"CFF ", cff), (b"head", &head), (b"hhea", &hhea), (b"hmtx", &hmtx), (b"maxp", &maxp)];
    let mut file = OPEN_TYPE_CFF.to_be_bytes().to_vec();
    // The number of tables, and three numbers by which older readers searched them.
    for number in [tables.len(), 64, 2, 16] {
        file.extend(u16::try_from(number).unwrap_or_default().to_be_bytes());
    }
    let mut at = file.len() + 16 * tables.len();
    for (tag, table) in &tables {
        file.extend_from_slice(*tag);
        for number in [NO_CHECKSUM as usize, at, table.len()] {
            file.extend(u32::try_from(number).unwrap_or_default().to_be_bytes());
        }
        at += table.len().next_multiple_of(4);
    }
    for (_, table) in &tables {
        file.extend_from_slice(table);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    file
}
