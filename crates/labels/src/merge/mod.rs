//! Many labels in one file: pages of a PDF, ZPL one after the other, PNGs in a ZIP.
//!
//! A file is given out while it is written. What is kept is one label, and an index: for PDF eight bytes an object, for ZIP
//! a hundred bytes a label. So a merged file may be larger than the memory.

mod pdf;
mod picture;
mod zip;

use crate::merge::pdf::PdfMerge;
use crate::merge::zip::Zip;
use model::shipment::LabelFormat;

pub use picture::converted;

/// A label's file could not be read.
#[derive(Debug)]
pub struct MergeError(String);

impl std::fmt::Display for MergeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the label can't be put into a file with others: {}", self.0)
    }
}

impl std::error::Error for MergeError {}

/// Takes labels of one format, one after the other, and makes one file of them.
pub struct Merger(Kind);

enum Kind {
    Pdf(Box<PdfMerge>),
    Zpl,
    Zip(Zip),
}

impl Merger {
    pub fn new(format: LabelFormat) -> Self {
        Self(match format {
            LabelFormat::Pdf => Kind::Pdf(Box::default()),
            LabelFormat::Zpl => Kind::Zpl,
            LabelFormat::Png => Kind::Zip(Zip::default()),
        })
    }

    /// Adds a label's file; `name` is what it is called in a ZIP, without its ending. Gives what can be written by now.
    ///
    /// A file that can't be read leaves no trace, but for objects of a PDF that nothing refers to.
    pub fn add(&mut self, name: &str, file: &[u8]) -> Result<Vec<u8>, MergeError> {
        match &mut self.0 {
            Kind::Pdf(merge) => merge.add(file),
            Kind::Zpl => Ok([file, if file.ends_with(b"\n") { b"" } else { b"\n" }].concat()),
            Kind::Zip(zip) => Ok(zip.add(&format!("{name}.png"), file)),
        }
    }

    /// The end of the file.
    pub fn finish(self) -> Vec<u8> {
        match self.0 {
            Kind::Pdf(merge) => merge.finish(),
            Kind::Zpl => Vec::new(),
            Kind::Zip(zip) => zip.finish(),
        }
    }

    /// How a merged file ends, and its media type.
    pub fn kind(format: LabelFormat) -> (&'static str, &'static str) {
        match format {
            LabelFormat::Pdf | LabelFormat::Zpl => (format.as_str(), format.media_type()),
            LabelFormat::Png => ("zip", "application/zip"),
        }
    }
}

#[cfg(test)]
mod tests;
