//! The papers of a purchased shipment: one label for each package, and customs papers.
//!
//! The postage is already paid, so no valid shipment makes this fail: a number that cannot be a barcode is printed as
//! text, and text that is too long is cut.

use crate::barcode::MatrixKind;
use crate::barcode::check_digit::is_sscc;
use crate::customs_papers::{cn23, commercial_invoice};
use crate::declare;
use crate::font::Fonts;
use crate::instructions;
use crate::label::{Label, Party, Piece, Primary};
use crate::layout::{LayoutError, has_room, has_room_at_foot, layout};
use crate::page::PageSize;
use crate::pdf::{PdfError, pdf};
use crate::png::{Effort, png};
use crate::scene::Scene;
use crate::zpl::zpl;
use model::Timestamp;
use model::shipping::document::DocumentType;
use model::shipping::shipment::options::CustomData;
use model::shipping::shipment::package::Package;
use model::shipping::shipment::{AddressRecord, LabelFormat, ShipmentInput};

/// Longest payload of the two-dimensional code, in bytes.
const MATRIX_BYTES_MAX: usize = 150;

/// A shipment with its carrier's answer.
#[derive(Debug, Clone, Copy)]
pub struct Bought<'a> {
    pub shipment: &'a ShipmentInput,
    /// The display names of the carrier and the service.
    pub carrier: &'a str,
    pub service: &'a str,
    /// One number per package, in their order. A carrier with one number for all packages gives one.
    pub tracking_numbers: &'a [String],
    pub is_test: bool,
    /// The day of shipping, in UTC, unless the shipment's options name another.
    pub date: Timestamp,
    /// The customer's own reference; empty if there is none.
    pub reference: &'a str,
}

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

/// Returns a package's tracking number; the first package's if the carrier gave only one; the customer's own
/// reference if the carrier gave none.
pub(crate) fn tracking_number<'a>(bought: &Bought<'a>, package: usize) -> &'a str {
    let numbers = bought.tracking_numbers;
    numbers.get(package).or_else(|| numbers.first()).map_or(bought.reference, String::as_str)
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

/// Returns the day of shipping, as `2026-11-15`.
pub(crate) fn ship_date(bought: &Bought<'_>) -> String {
    let shipping = bought.shipment.options.as_ref().and_then(|options| options.shipping.as_ref());
    day(shipping.and_then(|shipping| shipping.date).unwrap_or(bought.date))
}

pub(crate) fn day(moment: Timestamp) -> String {
    moment.to_string().split('T').next().unwrap_or_default().to_owned()
}

/// Returns the recipient.
pub(crate) fn recipient(shipment: &ShipmentInput) -> Party {
    let route = shipment.route();
    if route.is_return { party(route.to) } else { customer(route.to) }
}

/// Returns the sender. A purchased shipment has an origin; without one, only the country is assumed.
pub(crate) fn sender(shipment: &ShipmentInput) -> Party {
    let route = shipment.route();
    let unknown = || Party {
        name: String::new(),
        company: None,
        lines: Vec::new(),
        city: String::new(),
        province: None,
        post_code: None,
        country_code: route.to.address.country_code,
        phone: None,
    };
    route.from.map_or_else(unknown, if route.is_return { customer } else { party })
}

/// Returns the return address, if it differs from the sender's.
fn return_to(shipment: &ShipmentInput) -> Option<Party> {
    let to = shipment.route().undeliverable.map(party)?;
    let from = sender(shipment);
    let place = |party: &Party| (party.lines.clone(), party.city.clone(), party.post_code.clone());
    (place(&to) != place(&from)).then_some(to)
}

/// Returns the party at an address, with the contact's name, else the company's. The address's display name is not
/// printed: if the address was copied from a location, it is the location's internal name.
pub(crate) fn party(record: &AddressRecord) -> Party {
    let given = |text: Option<&String>| text.filter(|text| !text.trim().is_empty()).cloned();
    let contact = record.contact.as_ref();
    let name = given(contact.and_then(|contact| contact.name.as_ref()));
    let mut company = given(contact.and_then(|contact| contact.company.as_ref()));
    let name = name.or_else(|| company.take());
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

/// Returns the customer, who may have only a display name. A location is never a customer.
fn customer(record: &AddressRecord) -> Party {
    let mut party = party(record);
    if party.name.is_empty() {
        party.name = record.display_name.as_deref().unwrap_or_default().trim().to_owned();
    }
    party
}

#[cfg(test)]
mod tests;
