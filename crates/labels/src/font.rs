//! The fonts: two compiled in, which are always available, and those of a directory, for the scripts that these lack.
//!
//! DejaVu Sans Condensed (regular and bold, 1.3 MB together; Bitstream Vera's free licence) is compiled in. It has
//! Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic, its narrow letters suit a label, and its manual
//! hinting keeps small text sharp on a printer of 203 dpi. Latin text is always set in it, so that a label's lines
//! break the same on every machine. Other scripts use Noto if a directory has it.

use crate::face::{Bytes, Face};
use crate::glyph_bitmap::GlyphBitmaps;
use crate::latin::{LatinTables, is_listed};
use crate::pdf_font::Subset;
use model::CountryCode;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The directories of Debian's packages `fonts-noto-core` and `fonts-noto-cjk`.
pub const DEBIAN_DIRECTORIES: [&str; 2] =
    ["/usr/share/fonts/truetype/noto", "/usr/share/fonts/opentype/noto"];

/// The Noto fonts that are loaded, by script. Those for Latin, for screens and for ornament are not.
const SCRIPTS: [&str; 19] = [
    "CJK",
    "Arabic",
    "Armenian",
    "Bengali",
    "Devanagari",
    "Ethiopic",
    "Georgian",
    "Gujarati",
    "Gurmukhi",
    "Hebrew",
    "Kannada",
    "Khmer",
    "Lao",
    "Malayalam",
    "Myanmar",
    "Sinhala",
    "Tamil",
    "Telugu",
    "Thai",
];

/// The last character of Latin, Greek and Cyrillic, which are set in the compiled-in fonts.
const LAST_COMPILED_IN: char = '\u{52f}';

/// Maximum depth of the search for fonts in a directory.
const MAX_DEPTH: usize = 8;

/// A font with the data that is computed from it once for the whole process.
pub(crate) struct CachedFace {
    pub face: Face,
    /// The subsets that most labels need in a PDF, created for the first of them.
    pub shared_subsets: OnceLock<Vec<Subset>>,
    pub bitmaps: GlyphBitmaps,
    /// Its tables for Latin-1; only used if it is compiled in.
    pub latin: LatinTables,
}

impl CachedFace {
    fn new(face: Face) -> Self {
        let (bitmaps, latin) = (GlyphBitmaps::default(), LatinTables::default());
        Self { face, shared_subsets: OnceLock::new(), bitmaps, latin }
    }
}

/// All fonts that a label may use. Cloning is cheap.
#[derive(Clone)]
pub struct Fonts(Arc<Vec<CachedFace>>);

/// The properties of text that determine its font.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    pub is_bold: bool,
    /// Han characters differ between countries that share them.
    pub country: Option<CountryCode>,
}

impl Fonts {
    /// Returns the compiled-in fonts only.
    pub fn compiled_in() -> Self {
        Self(Arc::new(compiled_in()))
    }

    /// Returns the compiled-in fonts and the Noto fonts in these directories and below. This reads files. A missing
    /// directory has no fonts, and a file that is not a font is skipped.
    pub fn load<P: AsRef<Path>>(directories: &[P]) -> Self {
        let mut files = Vec::new();
        for directory in directories {
            find(directory.as_ref(), MAX_DEPTH, &mut files);
        }
        // The font of a character must not depend on the order in which a directory lists its files.
        files.sort();
        let mut faces = compiled_in();
        for (script, is_bold, path) in files {
            let Ok(bytes) = std::fs::read(path) else { continue };
            let bytes = Bytes::Read(Arc::new(bytes));
            let places: &[&[&str]] = if script == "CJK" { &HAN } else { &[&[]] };
            for (index, countries) in (0..).zip(places) {
                let face = Face::new(bytes.clone(), index, is_bold);
                faces.extend(face.map(|face| CachedFace::new(Face { countries, ..face })));
            }
        }
        Self(Arc::new(faces))
    }

    /// Returns the characters of a text that no font has.
    pub fn missing(&self, text: &str) -> Vec<char> {
        let is_missing =
            |c: &char| !is_listed(*c) && !c.is_control() && !self.0.iter().any(|cached| cached.face.has(*c));
        text.chars().filter(is_missing).collect()
    }

    /// Returns the compiled-in font of a weight, in which Latin text is set, and its index.
    pub(crate) fn compiled_in_face(&self, is_bold: bool) -> Option<(usize, &CachedFace)> {
        let index = usize::from(is_bold);
        let is_wanted = |face: &Face| face.is_compiled_in && face.is_bold == is_bold;
        self.cached(index).filter(|cached| is_wanted(&cached.face)).map(|cached| (index, cached))
    }

    pub(crate) fn face(&self, index: usize) -> Option<&Face> {
        self.cached(index).map(|cached| &cached.face)
    }

    pub(crate) fn cached(&self, index: usize) -> Option<&CachedFace> {
        self.0.get(index)
    }

    /// Returns the font for a character. `before` is the font of the preceding character, which marks and spaces
    /// keep.
    pub(crate) fn choose(&self, c: char, style: Style, before: Option<usize>) -> usize {
        let is_neutral = !c.is_alphanumeric() && c != '〒';
        if let Some(before) = before.filter(|index| is_neutral && self.0[*index].face.has(c)) {
            return before;
        }
        let rank = |face: &Face| {
            let country = style.country.map_or("", |country| country.as_str());
            let is_at_home = face.countries.is_empty() || face.countries.contains(&country);
            (face.is_compiled_in != (c <= LAST_COMPILED_IN), face.is_bold != style.is_bold, !is_at_home)
        };
        // Looking up a character costs more than ranking a font, so fonts of a lower rank are not searched.
        let mut best = None;
        for (index, CachedFace { face, .. }) in self.0.iter().enumerate() {
            let rank = rank(face);
            if best.is_none_or(|(least, _)| rank < least) && face.has(c) {
                best = Some((rank, index));
                if rank == (false, false, false) {
                    break;
                }
            }
        }
        // If no font has the character, the compiled-in font draws the box for missing glyphs.
        best.map_or_else(|| usize::from(style.is_bold), |(_, index)| index)
    }
}

fn compiled_in() -> Vec<CachedFace> {
    let regular = Face::new(Bytes::Static(dejavu::sans_condensed::regular()), 0, false);
    let bold = Face::new(Bytes::Static(dejavu::sans_condensed::bold()), 0, true);
    regular.into_iter().chain(bold).map(CachedFace::new).collect()
}

/// The fonts of Noto's Han collection, in its order, with the countries that use each.
const HAN: [&[&str]; 5] = [&["JP"], &["KR", "KP"], &["CN", "SG"], &["TW"], &["HK", "MO"]];

/// Collects the needed files below a directory: script, whether bold, and path.
fn find(directory: &Path, depth: usize, files: &mut Vec<(&'static str, bool, std::path::PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && depth > 0 {
            find(&path, depth - 1, files);
        } else if let Some((script, is_bold)) = path.file_name().and_then(|name| wanted(name.to_str()?)) {
            files.push((script, is_bold, path));
        }
    }
}

/// Returns the script and weight of a Noto file, from its name, or `None` if it is not needed.
fn wanted(name: &str) -> Option<(&'static str, bool)> {
    let (stem, extension) = name.rsplit_once('.')?;
    let (family, weight) = stem.strip_prefix("NotoSans")?.split_once('-')?;
    let script = SCRIPTS.iter().find(|script| **script == family)?;
    let is_bold = match weight {
        "Regular" => false,
        "Bold" => true,
        _ => return None,
    };
    matches!(extension, "ttf" | "otf" | "ttc").then_some((*script, is_bold))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_in_has_the_scripts_it_is_there_for() {
        let fonts = Fonts::compiled_in();
        assert_eq!(fonts.0.len(), 2);
        assert_eq!(fonts.missing("Zażółć Ðæþ Ωμέγα Ёлка שלום مرحبا “–…№€"), Vec::<char>::new());
        assert_eq!(fonts.missing("a山b"), ['山']);
        let listed = ('\u{0}'..='\u{52f}').filter(|c| is_listed(*c));
        assert!(fonts.0.iter().all(|cached| listed.clone().all(|c| cached.face.has(c))));
    }

    #[test]
    fn only_upright_fonts_for_scripts_are_wanted() {
        assert_eq!(wanted("NotoSansThai-Bold.ttf"), Some(("Thai", true)));
        assert_eq!(wanted("NotoSansCJK-Regular.ttc"), Some(("CJK", false)));
        for name in [
            "NotoSans-Regular.ttf",
            "NotoSansThai-Light.ttf",
            "NotoSerifThai-Bold.ttf",
            "NotoSansThai-Bold.txt",
        ] {
            assert_eq!(wanted(name), None, "{name}");
        }
    }

    #[test]
    fn a_directory_that_is_not_there_has_no_fonts() {
        assert_eq!(Fonts::load(&["/nonexistent"]).0.len(), 2);
    }
}
