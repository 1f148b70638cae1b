//! Merging of many labels into one file: pages of a PDF, concatenated ZPL, or PNGs in a ZIP. Customs papers, which
//! are PDFs, become pages of a PDF or files of a ZIP. A label printer cannot print them, so ZPL has none.
//!
//! The file is returned in pieces while it is written. Memory holds one label and an index: eight bytes per object
//! for PDF, a hundred bytes per label for ZIP. So a merged file may be larger than the memory.

mod error;
mod expansion;
mod extent;
mod gif;
mod lzw;
mod pdf;
mod picture;
mod zip;

use crate::merge::pdf::PdfMerge;
use crate::merge::zip::Zip;
use model::shipping::shipment::LabelFormat;

pub use error::MergeError;
pub use gif::gif_as_png;
pub use picture::{converted, converted_exactly};
pub(crate) use picture::{dots, is_at};

/// Merges labels of one format into one file.
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

    /// Adds a label file, and returns the bytes that can be written by now. `name` is its name in a ZIP, without the
    /// extension.
    ///
    /// A file that cannot be read adds nothing, except for unreferenced objects of a PDF.
    pub fn add(&mut self, name: &str, file: &[u8]) -> Result<Vec<u8>, MergeError> {
        match &mut self.0 {
            Kind::Pdf(merge) => merge.add(file),
            Kind::Zpl => Ok([file, if file.ends_with(b"\n") { b"" } else { b"\n" }].concat()),
            Kind::Zip(zip) => Ok(zip.add(&format!("{name}.png"), file)),
        }
    }

    /// Adds a paper, which is a PDF. `name` is its name in a ZIP, without the extension.
    pub fn add_paper(&mut self, name: &str, file: &[u8]) -> Result<Vec<u8>, MergeError> {
        match &mut self.0 {
            Kind::Pdf(merge) => merge.add(file),
            Kind::Zpl => Ok(Vec::new()),
            Kind::Zip(zip) => Ok(zip.add(&format!("{name}.pdf"), file)),
        }
    }

    /// Returns whether a merged file of this format can contain papers.
    pub fn takes_papers(format: LabelFormat) -> bool {
        format != LabelFormat::Zpl
    }

    /// Returns the end of the file.
    pub fn finish(self) -> Vec<u8> {
        match self.0 {
            Kind::Pdf(merge) => merge.finish(),
            Kind::Zpl => Vec::new(),
            Kind::Zip(zip) => zip.finish(),
        }
    }

    /// Returns the extension and the media type of a merged file.
    pub fn kind(format: LabelFormat) -> (&'static str, &'static str) {
        match format {
            LabelFormat::Pdf | LabelFormat::Zpl => (format.as_str(), format.media_type()),
            LabelFormat::Png => ("zip", "application/zip"),
        }
    }
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod tests;
