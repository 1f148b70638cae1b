//! How a document is sent to a printer: as it is stored, or made anew in a format and a resolution that the printer has. Pure.
//!
//! | The document is | and the printer | It is sent |
//! |---|---|---|
//! | in a format that the printer takes, PDF or for 203 dpi | | as it is |
//! | a label that Dockside drew | takes any format | drawn anew |
//! | a PNG of a carrier | takes any format | scaled to its dots |
//! | a paper that Dockside wrote as PDF | takes PWG raster and no PDF | as dots of its pages |
//! | PDF or ZPL of a carrier | lacks the format, or has another resolution | not at all |

use serde::{Deserialize, Serialize};

use crate::fulfilment::printer::{DPI, DRAWN_DPI_MAX, FORMAT, PrintFormat, PrinterInput};
use crate::platform::shape::{Field, Kind, Shape};

/// How one document of a job is sent.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rendition {
    pub format: PrintFormat,
    /// The resolution for which it is drawn or scaled. `None` if it has none, and for a file as it is stored.
    pub dpi: Option<u32>,
    /// Whether it is made when it is sent, and not the stored file.
    pub is_converted: bool,
}

/// Who made a document, and so what can be made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Dockside drew it, and can draw it again.
    Drawn {
        /// Whether it is one page, which fits into a picture.
        is_single: bool,
    },
    /// Pages that Dockside wrote as PDF, and can read again: customs papers, packing slips, pick lists.
    Paper,
    /// A file of a carrier, or one that many shipments share. Only a picture can be converted.
    Given,
}

/// A document that is to be printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printable {
    /// The media type of its file.
    pub media_type: String,
    pub source: Source,
}

/// Why a printer can't print a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unprintable {
    Format(String),
    Dpi(String),
}

impl Rendition {
    /// Returns how a printer gets the document. If the printer takes several formats that it can be converted to, the first one in
    /// its list is used.
    pub fn choose(document: &Printable, printer: &PrinterInput) -> Result<Self, Unprintable> {
        let stored = PrintFormat::of_media_type(&document.media_type);
        if let Some(format) = stored.filter(|format| printer.formats.contains(format)) {
            if is_sent_as_it_is(format, printer) {
                return Ok(Self { format, dpi: None, is_converted: false });
            }
            if let Some(rendition) = converted(document, format, printer) {
                return Ok(rendition);
            }
        }
        let mut formats = printer.formats.iter();
        formats
            .find_map(|format| converted(document, *format, printer))
            .ok_or_else(|| refusal(document, printer))
    }
}

/// Returns whether the printer takes a stored file of this format unchanged. ZPL is made for 203 dpi. A PNG says how large it is, so
/// a printer whose resolution is not drawn for scales it itself.
fn is_sent_as_it_is(format: PrintFormat, printer: &PrinterInput) -> bool {
    match format {
        PrintFormat::Pdf => true,
        PrintFormat::Zpl => printer.dpi == DPI,
        PrintFormat::Png => printer.dpi == DPI || !is_drawn_for(printer),
        // Nothing is stored in it.
        PrintFormat::Pwg => false,
    }
}

/// Returns whether dots are made for the resolution of a printer.
fn is_drawn_for(printer: &PrinterInput) -> bool {
    (DPI..=DRAWN_DPI_MAX).contains(&printer.dpi)
}

/// Returns the document in another format, or for another resolution, if it can be made.
fn converted(document: &Printable, format: PrintFormat, printer: &PrinterInput) -> Option<Rendition> {
    let is_picture = PrintFormat::of_media_type(&document.media_type) == Some(PrintFormat::Png);
    let is_possible = match (document.source, format) {
        (_, PrintFormat::Zpl | PrintFormat::Png | PrintFormat::Pwg) if !is_drawn_for(printer) => false,
        (Source::Drawn { is_single }, PrintFormat::Png) => is_single,
        (Source::Drawn { .. }, _) => true,
        (Source::Paper, format) => format == PrintFormat::Pwg,
        (Source::Given, _) => is_picture,
    };
    let dpi = (format != PrintFormat::Pdf).then_some(printer.dpi);
    is_possible.then_some(Rendition { format, dpi, is_converted: true })
}

/// Returns why nothing that the printer takes can be made of the document.
fn refusal(document: &Printable, printer: &PrinterInput) -> Unprintable {
    let (media_type, dpi) = (&document.media_type, printer.dpi);
    let stored = PrintFormat::of_media_type(media_type);
    let is_given = document.source == Source::Given;
    if stored == Some(PrintFormat::Zpl) && is_given && printer.formats.contains(&PrintFormat::Zpl) {
        return Unprintable::Dpi(format!(
            "It is ZPL that Dockside did not draw, or of many shipments, and is made for {DPI} dpi; the printer has {dpi}. ZPL can't be scaled: print a PDF or a PNG of the label, or use a printer of {DPI} dpi."
        ));
    }
    let is_convertible = match document.source {
        Source::Drawn { .. } => true,
        Source::Paper => printer.formats.contains(&PrintFormat::Pwg),
        Source::Given => stored == Some(PrintFormat::Png),
    };
    if is_convertible && !is_drawn_for(printer) {
        return Unprintable::Dpi(format!(
            "Labels are drawn for {DPI} to {DRAWN_DPI_MAX} dpi, and the printer has {dpi}. Print it as PDF, on a printer that takes it."
        ));
    }
    let formats: Vec<_> = printer.formats.iter().map(|format| format.as_str()).collect();
    let formats = formats.join(", ");
    Unprintable::Format(match document.source {
        Source::Paper => format!(
            "It is a paper in PDF, which can become PWG raster only, and the printer takes {formats}. Use another printer."
        ),
        Source::Given => format!(
            "It is {media_type}, which can't be converted, and the printer takes {formats}. Get the label in one of these formats, or use another printer."
        ),
        Source::Drawn { .. } => format!(
            "It is {media_type} of several packages, which can't be one picture, and the printer takes {formats}. Use another printer."
        ),
    })
}

static RENDITION_DPI: Shape = Shape::new(
    Kind::Integer { min: DPI as i64, max: DRAWN_DPI_MAX as i64 },
    "The resolution for which it is drawn or scaled. Null for a PDF, and for a file that is sent as it is stored.",
)
.example("300");
static IS_CONVERTED: Shape = Shape::new(
    Kind::Boolean,
    "Whether the file is made when the job is sent: a label that Dockside drew is drawn anew, a carrier's PNG is scaled, and a paper becomes PWG raster. `false`: the stored file.",
)
.example("true");
/// How a document is sent.
pub(super) static RENDITION: Shape = Shape::object(
    "PrintRendition",
    &[
        Field::given("format", &FORMAT)
            .about("What the printer gets, by the word that its `formats` have for it."),
        Field::given_or_null("dpi", &RENDITION_DPI),
        Field::given("is_converted", &IS_CONVERTED),
    ],
    "How a document is sent. It is decided when the job is made, by what the printer takes then.",
)
.example(r#"{"format":"zpl","dpi":300,"is_converted":true}"#);
#[cfg(test)]
mod tests;
