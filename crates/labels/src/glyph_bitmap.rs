//! Glyphs as dots, rasterised once per size and cached for all labels.

use crate::face::Face;
use crate::glyph_mask::GlyphMask;
use skrifa::MetadataProvider;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, HintingInstance, Target};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// The coverage, of 255, from which a dot is black. It is below one half, so that thin strokes do not break.
const THRESHOLD: u8 = 112;
/// Dots in a row of a strip. A row is shifted by up to 7 dots to its position in a byte, and must still fit into 64
/// bits.
const STRIP_DOTS: usize = 56;
/// Maximum number of sizes of a font whose glyphs are cached. Glyphs of further sizes are rasterised each time.
const SIZES_MAX: usize = 96;
/// Glyphs below this number have their own index in a list: Latin-1 in the compiled-in fonts.
const LOW_GLYPHS: usize = 256;
/// Maximum number of other glyphs that are cached per size. Further ones are rasterised each time.
const HIGH_GLYPHS_MAX: usize = 1_024;

/// A glyph's dots.
#[derive(Default)]
pub(crate) struct GlyphBitmap {
    /// The strips from left to right. Most glyphs need one.
    pub strips: Vec<Strip>,
}

/// A part of a glyph that is at most [`STRIP_DOTS`] dots wide.
pub(crate) struct Strip {
    /// The position of its top left corner relative to the glyph's origin.
    pub left: i32,
    pub top: i32,
    /// The rows. The highest bit is the first dot, and 1 is black.
    pub rows: Vec<u64>,
}

/// The bitmaps of a font, by size.
#[derive(Default)]
pub(crate) struct GlyphBitmaps(RwLock<HashMap<i32, Arc<SizeCache>>>);

/// The cached data of one size.
struct SizeCache {
    /// The hinting instructions of the font for this size. Creating them runs a program of the font.
    hint: Option<HintingInstance>,
    low: Vec<OnceLock<GlyphBitmap>>,
    high: RwLock<HashMap<u32, Arc<GlyphBitmap>>>,
}

/// The bitmaps of a font in one size.
pub(crate) struct SizedGlyphBitmaps<'f> {
    face: &'f Face,
    /// The size in dots.
    size: i32,
    cache: Arc<SizeCache>,
}

impl GlyphBitmaps {
    pub fn of_size<'f>(&self, face: &'f Face, size: i32) -> SizedGlyphBitmaps<'f> {
        let found = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&size).map(Arc::clone);
        let cache = found.unwrap_or_else(|| {
            let low = std::iter::repeat_with(OnceLock::new).take(LOW_GLYPHS).collect();
            let made = Arc::new(SizeCache { hint: hinting(face, size), low, high: RwLock::default() });
            let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
            if all.len() < SIZES_MAX {
                all.insert(size, Arc::clone(&made));
            }
            made
        });
        SizedGlyphBitmaps { face, size, cache }
    }
}

impl SizedGlyphBitmaps<'_> {
    /// Calls `draw` with the dots of a glyph.
    pub fn with(&self, id: u32, draw: impl FnOnce(&GlyphBitmap)) {
        match self.cache.low.get(id as usize) {
            Some(place) => draw(place.get_or_init(|| self.make(id))),
            None => draw(&self.high(id)),
        }
    }

    fn high(&self, id: u32) -> Arc<GlyphBitmap> {
        if let Some(found) = self.cache.high.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return Arc::clone(found);
        }
        let made = Arc::new(self.make(id));
        let mut high = self.cache.high.write().unwrap_or_else(PoisonError::into_inner);
        if high.len() < HIGH_GLYPHS_MAX {
            high.insert(id, Arc::clone(&made));
        }
        made
    }

    fn make(&self, id: u32) -> GlyphBitmap {
        let mask = mask(self.face, id, self.size, self.cache.hint.as_ref());
        mask.as_ref().map(strips).unwrap_or_default()
    }
}

/// Returns the instructions with which a font fits its outlines to black and white dots. Only the compiled-in fonts
/// are known to have good ones.
fn hinting(face: &Face, size: i32) -> Option<HintingInstance> {
    let font = face.outlines().filter(|_| face.is_compiled_in)?;
    HintingInstance::new(&font.outline_glyphs(), Size::new(size as f32), LocationRef::default(), Target::Mono)
        .ok()
}

fn mask(face: &Face, id: u32, size: i32, hint: Option<&HintingInstance>) -> Option<GlyphMask> {
    let settings = match hint {
        Some(hint) => DrawSettings::hinted(hint, false),
        None => DrawSettings::unhinted(Size::new(size as f32), LocationRef::default()),
    };
    GlyphMask::of(&face.outlines()?, id, settings)
}

/// Returns the dots that a glyph covers enough to be black.
fn strips(mask: &GlyphMask) -> GlyphBitmap {
    let GlyphMask { left, top, width, rows } = mask;
    let height = rows.len() / width;
    let mut strips: Vec<Strip> = (0..*width)
        .step_by(STRIP_DOTS)
        .zip((*left..).step_by(STRIP_DOTS))
        .map(|(_, left)| Strip { left, top: *top, rows: Vec::with_capacity(height) })
        .collect();
    for line in rows.chunks(*width) {
        for (strip, part) in strips.iter_mut().zip(line.chunks(STRIP_DOTS)) {
            let bits = (0..).zip(part).filter(|(_, coverage)| **coverage >= THRESHOLD);
            strip.rows.push(bits.fold(0, |row, (place, _)| row | 1 << (63 - place)));
        }
    }
    GlyphBitmap { strips }
}
