//! The papers of a purchased shipment: one label for each package, and customs papers.
//!
//! The postage is already paid, so no valid shipment makes this fail: a number that cannot be a barcode is printed as
//! text, and text that is too long is cut.

use crate::barcode::MatrixKind;
use crate::barcode::check_digit::is_sscc;
use crate::bought::{Bought, ship_date, tracking_number};
use crate::customs_papers::{cn23, commercial_invoice};
use crate::declare;
use crate::font::Fonts;
use crate::instructions;
use crate::label::{Label, Piece, Primary};
use crate::layout::{LayoutError, has_room, has_room_at_foot, layout};
use crate::mass::kilograms;
use crate::page::PageSize;
use crate::party::{recipient, return_to, sender};
use crate::pdf::{PdfError, pdf};
use crate::png::{Effort, png};
use crate::scene::Scene;
use crate::zpl::zpl;
use model::shipping::document::DocumentType;
use model::shipping::shipment::options::CustomData;
use model::shipping::shipment::package::Package;
use model::shipping::shipment::{LabelFormat, ShipmentInput};

/// Longest payload of the two-dimensional code, in bytes.
const MATRIX_BYTES_MAX: usize = 150;

/// A file of a shipment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paper {
    pub r#type: DocumentType,
    /// The number of the package that it is for, starting at 1. `None` if it is not for one package.
    pub package: Option<u32>,
    pub file_name: String,
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

/// The error of papers that could not be made. It is a bug in Dockside, because every valid shipment can be drawn.
#[derive(Debug)]
pub enum PaperError {
    Layout(LayoutError),
    Png(::png::EncodingError),
    Pdf(PdfError),
    /// A PNG is one picture.
    SeveralPictures,
}

impl std::fmt::Display for PaperError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Layout(error) => write!(f, "the label can't be laid out: {error}"),
            Self::Png(error) => write!(f, "the PNG can't be written: {error}"),
            Self::Pdf(error) => error.fmt(f),
            Self::SeveralPictures => f.write_str("several labels can't be one picture"),
        }
    }
}

impl std::error::Error for PaperError {}

impl From<LayoutError> for PaperError {
    fn from(error: LayoutError) -> Self {
        Self::Layout(error)
    }
}

impl From<::png::EncodingError> for PaperError {
    fn from(error: ::png::EncodingError) -> Self {
        Self::Png(error)
    }
}

impl From<PdfError> for PaperError {
    fn from(error: PdfError) -> Self {
        Self::Pdf(error)
    }
}

/// Returns all papers of a shipment: first its labels, as [`files`] writes them, then the customs papers.
///
/// `size` is the paper if the shipment's own options name none; an unknown size means `4x6`.
pub fn papers(
    bought: &Bought<'_>,
    format: LabelFormat,
    size: &str,
    fonts: &Fonts,
) -> Result<Vec<Paper>, PaperError> {
    let mut papers = files(format, &scenes(bought, format, size, fonts)?)?;
    papers.extend(customs_papers(bought, fonts)?);
    Ok(papers)
}

/// Returns the customs papers of a shipment, if it needs any.
pub fn customs_papers(bought: &Bought<'_>, fonts: &Fonts) -> Result<Vec<Paper>, PaperError> {
    let mut papers = Vec::new();
    let needed = declare::needed(bought);
    if let Some(declaration) = declare::declaration(bought) {
        let file = |r#type, name: &str, scenes: &[Scene]| {
            let (file_name, media_type) = (format!("{name}.pdf"), LabelFormat::Pdf.media_type());
            pdf(scenes).map(|bytes| Paper { r#type, package: None, file_name, media_type, bytes })
        };
        if needed.has_cn23 {
            papers.push(file(DocumentType::Cn23, "cn23", &cn23(&declaration, fonts))?);
        }
        if needed.has_invoice {
            let pages = commercial_invoice(&declaration, fonts);
            papers.push(file(DocumentType::CommercialInvoice, "commercial-invoice", &pages)?);
        }
    }
    Ok(papers)
}

/// Draws the labels of a shipment without writing files: the labels of a whole batch may go into one file.
pub fn scenes(
    bought: &Bought<'_>,
    format: LabelFormat,
    size: &str,
    fonts: &Fonts,
) -> Result<Vec<Scene>, PaperError> {
    let size = page_size(bought.shipment, format, size);
    let labels = labels(bought);
    labels.iter().map(|label| Ok(layout(label, fonts)?.on(size))).collect()
}

/// Writes labels into files, one per package. A PDF contains all of them, one per page, so that they share their
/// fonts.
pub fn files(format: LabelFormat, scenes: &[Scene]) -> Result<Vec<Paper>, PaperError> {
    let file = |package: Option<u32>, bytes| {
        let number =
            package.filter(|_| scenes.len() > 1).map(|number| format!("-{number}")).unwrap_or_default();
        Paper {
            r#type: DocumentType::Label,
            package,
            file_name: format!("label{number}.{}", format.as_str()),
            media_type: format.media_type(),
            bytes,
        }
    };
    let each = (1..).zip(scenes);
    match format {
        LabelFormat::Pdf => Ok(vec![file((scenes.len() == 1).then_some(1), pdf(scenes)?)]),
        LabelFormat::Zpl => {
            Ok(each.map(|(number, scene)| file(Some(number), zpl(scene).into_bytes())).collect())
        }
        LabelFormat::Png => {
            each.map(|(number, scene)| Ok(file(Some(number), png(scene, Effort::Fast)?))).collect()
        }
    }
}

/// Returns the shipment's own paper size, else the caller's. Sheets are for sheet printers, which do not read ZPL.
fn page_size(shipment: &ShipmentInput, format: LabelFormat, size: &str) -> PageSize {
    let options = shipment.options.as_ref().and_then(|options| options.label.as_ref());
    let own = options.and_then(|options| options.size.as_deref());
    match PageSize::parse(own.unwrap_or(size)).unwrap_or(PageSize::Inches4x6) {
        PageSize::A5 | PageSize::A4 | PageSize::Letter if format == LabelFormat::Zpl => PageSize::Inches4x6,
        size => size,
    }
}

fn labels(bought: &Bought<'_>) -> Vec<Label> {
    let packages = &bought.shipment.packages;
    let count = u32::try_from(packages.len()).unwrap_or(u32::MAX);
    let (own_lines, custom_barcodes) = custom(bought.shipment);
    let custom_lines: Vec<String> =
        instructions::lines(bought.shipment).into_iter().chain(own_lines).collect();
    let (from, to) = (sender(bought.shipment), recipient(bought.shipment));
    let customs = declare::customs(bought).filter(|_| declare::needed(bought).has_cn22);
    let label = |(number, package): (u32, &Package)| {
        let tracking_number = tracking_number(bought, number as usize - 1);
        let primary = primary(tracking_number);
        Label {
            from: from.clone(),
            to: to.clone(),
            return_to: return_to(bought.shipment),
            carrier: bought.carrier.to_owned(),
            service: bought.service.to_owned(),
            tracking_number: tracking_number.to_owned(),
            reference: (!bought.reference.is_empty()).then(|| bought.reference.to_owned()),
            ship_date: ship_date(bought),
            mass: kilograms(package.geometry.and_then(|geometry| geometry.grams())),
            piece: Piece { number, count },
            custom_lines: custom_lines.clone(),
            custom_barcodes: custom_barcodes.clone(),
            matrix: matrix(tracking_number, &primary),
            primary,
            customs: customs.clone(),
            is_test: bought.is_test,
        }
    };
    (1..).zip(packages).map(label).collect()
}

/// Returns the main barcode. A serial shipping container code includes its application identifier 00; other numbers
/// are used unchanged.
fn primary(number: &str) -> Primary {
    match number.strip_prefix("00").filter(|digits| is_sscc(digits)) {
        Some(digits) => Primary::Sscc(digits.to_owned()),
        None if has_room(number) => Primary::Number(number.to_owned()),
        None => Primary::Figures(number.to_owned()),
    }
}

/// Returns the same number as a two-dimensional code, for camera scanners.
fn matrix(number: &str, primary: &Primary) -> Option<(MatrixKind, String)> {
    let kind = match primary {
        Primary::Sscc(_) => MatrixKind::Gs1DataMatrix,
        Primary::Number(_) | Primary::Figures(_) => MatrixKind::Qr,
    };
    (1..=MATRIX_BYTES_MAX).contains(&number.len()).then(|| (kind, number.to_owned()))
}

/// Returns the customer's own lines, each after its code, and the custom barcodes. A text that cannot be a barcode
/// becomes a line.
fn custom(shipment: &ShipmentInput) -> (Vec<String>, Vec<String>) {
    let label = shipment.options.as_ref().and_then(|options| options.label.as_ref());
    let Some(data) = label.and_then(|label| label.custom_data.as_ref()) else { return Default::default() };
    let CustomData { text_lines, line_codes, barcodes } = data;
    let [texts, codes] = [text_lines, line_codes].map(|list| list.as_deref().unwrap_or_default());
    let at = |list: &[String], place: usize| list.get(place).cloned().unwrap_or_default();
    let line = |place: usize| format!("{} {}", at(codes, place), at(texts, place)).trim().to_owned();
    let lines = (0..texts.len().max(codes.len())).map(line);
    let (barcodes, unfit): (Vec<_>, Vec<_>) =
        barcodes.iter().flatten().cloned().partition(|data| has_room_at_foot(data));
    (lines.chain(unfit).filter(|line| !line.is_empty()).collect(), barcodes)
}

#[cfg(test)]
mod tests;
