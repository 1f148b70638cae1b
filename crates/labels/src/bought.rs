//! From a shipment that was bought to its papers: one label for each package, and what customs want to see.
//!
//! By now the postage is paid, so nothing that a shipment may hold makes this fail: a barcode that can't be is written out
//! in figures, and text that is too long is cut.

use crate::barcode::MatrixKind;
use crate::barcode::check_digit::is_sscc;
use crate::customs_papers::{cn23, commercial_invoice};
use crate::declare;
use crate::font::Fonts;
use crate::label::{Label, Party, Piece, Primary};
use crate::layout::{LayoutError, has_room, has_room_at_foot, layout};
use crate::page::PageSize;
use crate::pdf::{PdfError, pdf};
use crate::png::{Effort, png};
use crate::scene::Scene;
use crate::zpl::zpl;
use model::Timestamp;
use model::document::DocumentType;
use model::shipment::options::CustomData;
use model::shipment::package::Package;
use model::shipment::{AddressRecord, LabelFormat, ShipmentInput};

/// The longest payload of the two-dimensional code, in bytes.
const MATRIX_BYTES_MAX: usize = 150;

/// A shipment with what its carrier said of it.
#[derive(Debug, Clone, Copy)]
pub struct Bought<'a> {
    pub shipment: &'a ShipmentInput,
    /// The carrier's and the service's names, as they are read.
    pub carrier: &'a str,
    pub service: &'a str,
    /// One for each package, in their order. A carrier that has one for all of them gives one.
    pub tracking_numbers: &'a [String],
    pub is_test: bool,
    /// The day of shipping, in UTC, unless the shipment's options name another.
    pub date: Timestamp,
    /// The customer's own number for it; empty for none.
    pub reference: &'a str,
}

/// A file of a shipment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paper {
    pub r#type: DocumentType,
    pub file_name: String,
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

/// Papers could not be made: a fault of the product's, since there is a way to draw every shipment.
#[derive(Debug)]
pub enum PaperError {
    Layout(LayoutError),
    Png(::png::EncodingError),
    Pdf(PdfError),
}

impl std::fmt::Display for PaperError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Layout(error) => write!(f, "the label can't be laid out: {error}"),
            Self::Png(error) => write!(f, "the PNG can't be written: {error}"),
            Self::Pdf(error) => error.fmt(f),
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

/// All papers of a shipment: first its labels, one file for all packages (of PNG one each), then those for customs.
///
/// `size` is the paper where the shipment's own options don't name one; an unknown one means `4x6`.
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

/// The papers of a shipment for customs, where it needs any.
pub fn customs_papers(bought: &Bought<'_>, fonts: &Fonts) -> Result<Vec<Paper>, PaperError> {
    let mut papers = Vec::new();
    let needed = declare::needed(bought);
    if let Some(declaration) = declare::declaration(bought) {
        let file = |r#type, name: &str, scenes: &[Scene]| {
            let (file_name, media_type) = (format!("{name}.pdf"), LabelFormat::Pdf.media_type());
            pdf(scenes).map(|bytes| Paper { r#type, file_name, media_type, bytes })
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

/// The labels of a shipment, drawn but not yet written: those of a whole batch may go into one file.
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

/// Writes labels into files: PDF and ZPL take them all, PNG takes one each.
pub fn files(format: LabelFormat, scenes: &[Scene]) -> Result<Vec<Paper>, PaperError> {
    let file = |name: String, bytes| Paper {
        r#type: DocumentType::Label,
        file_name: format!("{name}.{}", format.as_str()),
        media_type: format.media_type(),
        bytes,
    };
    Ok(match format {
        LabelFormat::Pdf => vec![file("label".to_owned(), pdf(scenes)?)],
        LabelFormat::Zpl => {
            vec![file("label".to_owned(), scenes.iter().map(zpl).collect::<String>().into_bytes())]
        }
        LabelFormat::Png if scenes.len() > 1 => {
            let each = (1..).zip(scenes);
            each.map(|(number, scene)| Ok(file(format!("label-{number}"), png(scene, Effort::Fast)?)))
                .collect::<Result<_, PaperError>>()?
        }
        LabelFormat::Png => {
            let all = scenes.iter().map(|scene| Ok(file("label".to_owned(), png(scene, Effort::Fast)?)));
            all.collect::<Result<_, PaperError>>()?
        }
    })
}

/// The shipment's own size, else the caller's. Sheets are for printers of sheets, which read no ZPL.
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
    let (custom_lines, custom_barcodes) = custom(bought.shipment);
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
            mass: declare::kilograms(package.geometry.and_then(|geometry| geometry.grams())),
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

/// A package's number; that of the first where the carrier gave no more; and the customer's own where it gave none.
pub(crate) fn tracking_number<'a>(bought: &Bought<'a>, package: usize) -> &'a str {
    let numbers = bought.tracking_numbers;
    numbers.get(package).or_else(|| numbers.first()).map_or(bought.reference, String::as_str)
}

/// A serial shipping container code comes with its application identifier, 00; other numbers stand for themselves.
fn primary(number: &str) -> Primary {
    match number.strip_prefix("00").filter(|digits| is_sscc(digits)) {
        Some(digits) => Primary::Sscc(digits.to_owned()),
        None if has_room(number) => Primary::Number(number.to_owned()),
        None => Primary::Figures(number.to_owned()),
    }
}

/// The same number for those who scan with a camera.
fn matrix(number: &str, primary: &Primary) -> Option<(MatrixKind, String)> {
    let kind = match primary {
        Primary::Sscc(_) => MatrixKind::Gs1DataMatrix,
        Primary::Number(_) | Primary::Figures(_) => MatrixKind::Qr,
    };
    (1..=MATRIX_BYTES_MAX).contains(&number.len()).then(|| (kind, number.to_owned()))
}

/// The customer's own lines, each after the code that says what it is, and barcodes. What can't be one becomes a line.
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

/// The day of shipping, as `2026-11-15`.
pub(crate) fn ship_date(bought: &Bought<'_>) -> String {
    let shipping = bought.shipment.options.as_ref().and_then(|options| options.shipping.as_ref());
    day(shipping.and_then(|shipping| shipping.date).unwrap_or(bought.date))
}

pub(crate) fn day(moment: Timestamp) -> String {
    moment.to_string().split('T').next().unwrap_or_default().to_owned()
}

pub(crate) fn recipient(shipment: &ShipmentInput) -> Party {
    party(&shipment.addresses.destination)
}

/// Where it comes from. A shipment is bought with its origin; without one, only its country is guessed.
pub(crate) fn sender(shipment: &ShipmentInput) -> Party {
    let addresses = &shipment.addresses;
    let nobody = || Party {
        name: String::new(),
        company: None,
        lines: Vec::new(),
        city: String::new(),
        province: None,
        post_code: None,
        country_code: addresses.destination.address.country_code,
        phone: None,
    };
    addresses.origin.as_ref().or(addresses.r#return.as_ref()).map_or_else(nobody, party)
}

/// Where it goes back to, if not to where it came from.
fn return_to(shipment: &ShipmentInput) -> Option<Party> {
    let to = shipment.addresses.r#return.as_ref().map(party)?;
    let from = sender(shipment);
    let place = |party: &Party| (party.lines.clone(), party.city.clone(), party.post_code.clone());
    (place(&to) != place(&from)).then_some(to)
}

/// Somebody at an address: by the contact's name, else the company's, else what the address is called.
pub(crate) fn party(record: &AddressRecord) -> Party {
    let given = |text: Option<&String>| text.filter(|text| !text.trim().is_empty()).cloned();
    let contact = record.contact.as_ref();
    let name = given(contact.and_then(|contact| contact.name.as_ref()));
    let mut company = given(contact.and_then(|contact| contact.company.as_ref()));
    let name = name.or_else(|| company.take()).or_else(|| given(record.display_name.as_ref()));
    let postal = &record.address;
    let lines = [Some(&postal.line_1), postal.line_2.as_ref(), postal.line_3.as_ref()];
    Party {
        name: name.unwrap_or_default(),
        company,
        lines: lines.into_iter().filter_map(given).collect(),
        city: postal.city.clone(),
        province: given(postal.province.as_ref()),
        post_code: given(postal.post_code.as_ref()),
        country_code: postal.country_code,
        phone: given(contact.and_then(|contact| contact.phone_number.as_ref())),
    }
}

#[cfg(test)]
#[path = "bought_tests.rs"]
mod tests;
