//! Fonts in a PDF: subsets that hold the glyphs of a file and no others.
//!
//! The subsets that many files share are in [`shared`].

pub(crate) mod shared;

use crate::face::Face;
use crate::packed::packed;
use crate::pdf_file::{Number, PdfFile, put};
use skrifa::instance::{LocationRef, Size};
use skrifa::raw::TableProvider as _;
use skrifa::string::StringId;
use skrifa::{FontRef, GlyphId, MetadataProvider, Tag};
use std::collections::HashMap;
use std::io::Write as _;
use subsetter::GlyphRemapper;

/// How hard streams that are written once are compressed.
const BEST: u32 = 9;

/// At least the bytes of what surrounds a font's objects in a file, and a label's own.
const OBJECTS_BYTES: usize = 4 << 10;

/// A glyph of a subset.
pub(crate) struct SubsetGlyph {
    /// Its number in the file.
    pub cid: u16,
    /// In thousandths of an em, as it is written.
    pub width: f32,
    /// The text that it represents, or `None` if it represents none alone.
    pub text: Option<String>,
}

/// Glyphs below this number are found by their place in a list: Latin-1 in the compiled-in fonts.
const LOW_GLYPHS: usize = 256;

/// The glyphs of a subset, found by their numbers in the whole font.
#[derive(Default)]
struct GlyphTable {
    all: Vec<SubsetGlyph>,
    /// Indexes in `all` plus one. Zero if the subset lacks the glyph.
    low: Vec<u16>,
    high: HashMap<u32, usize>,
}

impl GlyphTable {
    fn insert(&mut self, glyph: u32, sign: SubsetGlyph) {
        self.low.resize(LOW_GLYPHS, 0);
        let place = self.all.len();
        match (self.low.get_mut(glyph as usize), u16::try_from(place + 1)) {
            (Some(low), Ok(next)) => *low = next,
            _ => _ = self.high.insert(glyph, place),
        }
        self.all.push(sign);
    }

    fn get(&self, glyph: u32) -> Option<&SubsetGlyph> {
        let low = self.low.get(glyph as usize).and_then(|next| usize::from(*next).checked_sub(1));
        let place = low.or_else(|| self.high.get(&glyph).copied())?;
        self.all.get(place)
    }
}

/// A part of a font, ready to be written.
pub(crate) struct Subset {
    signs: GlyphTable,
    /// Of each object the dictionary's entries without references; of streams, the packed bytes too.
    program: (String, Vec<u8>),
    unicode: (String, Vec<u8>),
    descriptor: String,
    cid_font: String,
    font: String,
    is_cff: bool,
}

impl Subset {
    /// Returns a subset with these glyphs, each with the text that it represents.
    pub fn new(face: &Face, glyphs: Vec<(u32, Option<String>)>) -> Option<Self> {
        let font = face.outlines()?;
        let mut remapper = GlyphRemapper::new();
        let widths = font.glyph_metrics(Size::new(1000.0), LocationRef::default());
        let mut signs = GlyphTable::default();
        for (id, text) in glyphs {
            let cid = remapper.remap(u16::try_from(id).ok()?);
            let width = round(widths.advance_width(GlyphId::new(id)).unwrap_or_default());
            signs.insert(id, SubsetGlyph { cid, width, text });
        }
        let cut = subsetter::subset(face.bytes.as_ref(), face.index, &remapper).ok()?;
        let cff = FontRef::new(&cut).ok()?.data_for_tag(Tag::new(b"CFF "));
        let (program, is_cff) = match &cff {
            Some(table) => (packed("/Subtype/CIDFontType0C", table.as_bytes(), BEST), true),
            None => (packed(&format!("/Length1 {}", cut.len()), &cut, BEST), false),
        };
        let name = name(&font, &remapper);
        let kind = if is_cff { "CIDFontType0" } else { "CIDFontType2/CIDToGIDMap/Identity" };
        let all_widths: Vec<String> = remapper
            .remapped_gids()
            .map(|id| round(widths.advance_width(GlyphId::new(id.into())).unwrap_or_default()).to_string())
            .collect();
        let cid_font = format!(
            "/Type/Font/Subtype/{kind}/BaseFont/{name}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>\
             /DW 0/W[0[{}]]",
            all_widths.join(" ")
        );
        let descriptor = descriptor(&font, &name, face.is_bold);
        let suffix = if is_cff { "-Identity-H" } else { "" };
        let whole = format!("/Type/Font/Subtype/Type0/BaseFont/{name}{suffix}/Encoding/Identity-H");
        let unicode = packed("", unicode(&signs).as_bytes(), BEST);
        Some(Self { signs, program, unicode, descriptor, cid_font, font: whole, is_cff })
    }

    /// About how many bytes it takes in a file.
    pub fn file_bytes(&self) -> usize {
        let texts = self.descriptor.len() + self.cid_font.len() + self.font.len();
        self.program.1.len() + self.unicode.1.len() + texts + OBJECTS_BYTES
    }

    pub fn sign(&self, glyph: u32) -> Option<&SubsetGlyph> {
        self.signs.get(glyph)
    }

    /// Writes the font, and returns its number.
    pub fn write(&self, file: &mut PdfFile) -> Number {
        let program = file.stream(&self.program.0, &self.program.1);
        let unicode = file.stream(&self.unicode.0, &self.unicode.1);
        let key = if self.is_cff { "FontFile3" } else { "FontFile2" };
        let descriptor = file.add(format!("<<{}/{key} {program} 0 R>>", self.descriptor).as_bytes());
        let font = file.add(format!("<<{}/FontDescriptor {descriptor} 0 R>>", self.cid_font).as_bytes());
        file.add(format!("<<{}/DescendantFonts[{font} 0 R]/ToUnicode {unicode} 0 R>>", self.font).as_bytes())
    }
}

/// Rounds a width to a hundredth of its unit, which is more precise than any eye sees.
fn round(width: f32) -> f32 {
    (width * 100.0).round() / 100.0
}

/// Returns the font's own name after six letters that distinguish its subsets.
fn name(font: &FontRef<'_>, remapper: &GlyphRemapper) -> String {
    let own = font.localized_strings(StringId::POSTSCRIPT_NAME).english_or_first();
    let own: String =
        own.map(|name| name.chars().filter(char::is_ascii_alphanumeric).collect()).unwrap_or_default();
    let glyphs: Vec<u8> = remapper.remapped_gids().flat_map(u16::to_be_bytes).collect();
    let mut hash = u64::from(crc32fast::hash(&glyphs)) << 32 | u64::from(crc32fast::hash(own.as_bytes()));
    let mut letter = || {
        let letter = char::from(b'A' + u8::try_from(hash % 26).unwrap_or_default());
        hash /= 26;
        letter
    };
    let tag: String = (0..6).map(|_| letter()).collect();
    format!("{tag}+{}", if own.is_empty() { "Font" } else { &own })
}

fn descriptor(font: &FontRef<'_>, name: &str, is_bold: bool) -> String {
    let metrics = font.metrics(Size::new(1000.0), LocationRef::default());
    let [x0, y0, x1, y1] = metrics
        .bounds
        .map_or([0.0, -250.0, 1000.0, 1000.0], |bounds| {
            [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max]
        })
        .map(f32::round);
    let [ascent, descent, cap] =
        [metrics.ascent, metrics.descent, metrics.cap_height.unwrap_or(metrics.ascent)].map(f32::round);
    let stem = if is_bold { 170 } else { 96 };
    format!(
        "/Type/FontDescriptor/FontName/{name}/Flags 4/FontBBox[{x0} {y0} {x1} {y1}]/ItalicAngle 0\
         /Ascent {ascent}/Descent {descent}/CapHeight {cap}/StemV {stem}"
    )
}

/// Returns the map from numbers of glyphs to text.
fn unicode(signs: &GlyphTable) -> String {
    let told = signs.all.iter().filter_map(|sign| Some((sign.cid, sign.text.as_deref()?)));
    let mut entries: Vec<(u16, &str)> = told.filter(|(_, text)| !text.is_empty()).collect();
    entries.sort_unstable();
    let mut map = Vec::new();
    put!(
        map,
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo <</Registry(Adobe)/Ordering(UCS)\
         /Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\n\
         endcodespacerange\n"
    );
    // The format allows a hundred at a time.
    for some in entries.chunks(100) {
        put!(map, "{} beginbfchar\n", some.len());
        some.iter().for_each(|(cid, text)| put!(map, "<{cid:04X}> <{}>\n", utf16(text)));
        put!(map, "endbfchar\n");
    }
    put!(map, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    String::from_utf8(map).unwrap_or_default()
}

/// Text as hexadecimal UTF-16.
pub(crate) fn utf16(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("{unit:04X}")).collect()
}
