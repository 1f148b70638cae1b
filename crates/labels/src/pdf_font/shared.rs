//! Subsets that all PDFs share.
//!
//! The letters of Latin script, in which most labels are written, are cut out of the compiled-in fonts once for the whole
//! process. Each label uses these subsets unchanged, so they cost nothing to make, and a file of many labels contains
//! them once. Each font has two, a small one and one with letters with accents too, because most labels need no accents.
//! Only glyphs that are in neither are cut out for a single file.

use crate::font::{Fonts, Style};
use crate::pdf_font::Subset;
use crate::text::shape_line;
use std::ops::RangeInclusive;

/// The characters, and the other texts drawn as one glyph, that each shared subset has more than the one before it.
/// Characters outside of them are rare on labels.
const SHARED: [(&[RangeInclusive<char>], &[&str]); 2] = [
    (&[' '..='~'], &["fi", "fl", "ff", "ffi", "ffl"]),
    (&['\u{a1}'..='\u{ac}', '\u{ae}'..='\u{ff}'], &["…", "–", "’", "№"]),
];
/// Returns the subsets of a font that all PDFs share, the smallest first. Only the compiled-in fonts have any.
pub(crate) fn shared_subsets(fonts: &Fonts, index: usize) -> &[Subset] {
    match fonts.cached(index).filter(|cached| cached.face.is_compiled_in) {
        Some(cached) => cached.shared_subsets.get_or_init(|| create(fonts, index)),
        None => &[],
    }
}

/// Creates the shared subsets of a font. Each contains all glyphs of the one before it.
fn create(fonts: &Fonts, index: usize) -> Vec<Subset> {
    let Some(face) = fonts.face(index) else { return Vec::new() };
    let style = Style { is_bold: face.is_bold, country: None };
    let mut glyphs: Vec<(u32, Option<String>)> = Vec::new();
    let mut subsets = Vec::new();
    for (ranges, ligatures) in SHARED {
        let singles = ranges.iter().flat_map(|range| range.clone().map(String::from));
        for text in singles.chain(ligatures.iter().map(ToString::to_string)) {
            let line = shape_line(fonts, &text, style);
            if let [glyph] = line.glyphs.as_slice()
                && glyph.face == index
                && glyphs.iter().all(|(id, _)| *id != glyph.id)
            {
                glyphs.push((glyph.id, Some(text)));
            }
        }
        subsets.extend(Subset::new(face, glyphs.clone()));
    }
    subsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_accents_embeds_none() {
        let fonts = Fonts::compiled_in();
        let [small, large] = shared_subsets(&fonts, 0) else { panic!("two shared subsets") };
        let has = |subset: &Subset, text: &str| {
            subset.signs.all.iter().any(|sign| sign.text.as_deref() == Some(text))
        };
        let texts = small.signs.all.iter().filter_map(|sign| sign.text.as_deref());
        assert!(
            texts.clone().count() > 95 && texts.clone().all(|text| has(large, text)),
            "each has all of the one before it"
        );
        assert!(has(small, "e") && !has(small, "é") && has(large, "é"));
        assert!(small.program.1.len() * 5 < large.program.1.len() * 4);
    }
}
