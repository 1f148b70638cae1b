//! One font of one weight: its bytes, and what is read from them.

use harfrust::Font as ShapeFont;
use skrifa::FontRef;
use skrifa::instance::{LocationRef, Size};
use std::sync::Arc;

/// A font's bytes, compiled in or read once.
#[derive(Clone)]
pub(crate) enum Bytes {
    Static(&'static [u8]),
    Read(Arc<Vec<u8>>),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Static(bytes) => bytes,
            Self::Read(bytes) => bytes,
        }
    }
}

/// One font, of one weight.
pub(crate) struct Face {
    pub bytes: Bytes,
    /// Its index in a collection.
    pub index: u32,
    pub is_bold: bool,
    pub is_compiled_in: bool,
    /// The countries whose Han characters this font has; empty if that does not matter.
    pub countries: &'static [&'static str],
    pub shape: ShapeFont,
    pub units_per_em: f32,
}

impl Face {
    pub fn new(bytes: Bytes, index: u32, is_bold: bool) -> Option<Self> {
        let shape = match &bytes {
            Bytes::Static(bytes) => ShapeFont::new(*bytes, index)?,
            Bytes::Read(bytes) => {
                let shared: Arc<dyn AsRef<[u8]> + Send + Sync> = bytes.clone();
                ShapeFont::new(shared, index)?
            }
        };
        let font = FontRef::from_index(bytes.as_ref(), index).ok()?;
        let metrics = skrifa::metrics::Metrics::new(&font, Size::new(1.0), LocationRef::default());
        let units_per_em = f32::from(metrics.units_per_em);
        let is_compiled_in = matches!(bytes, Bytes::Static(_));
        Some(Self { bytes, index, is_bold, is_compiled_in, countries: &[], shape, units_per_em })
    }

    pub fn outlines(&self) -> Option<FontRef<'_>> {
        FontRef::from_index(self.bytes.as_ref(), self.index).ok()
    }

    pub fn has(&self, c: char) -> bool {
        self.shape.charmap().map_unicode(c).is_some()
    }
}
