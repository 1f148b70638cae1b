//! The handover list of a manifest, on A4 or letter: the driver checks and signs it.
//!
//! Pages are drawn and written one after another, so that a list of a hundred thousand parcels needs no more memory
//! than its file.

use crate::address;
use crate::barcode::Code128;
use crate::draw::Setting;
use crate::font::Fonts;
use crate::mass::kilograms;
use crate::merge::Merger;
use crate::party::party;
use crate::pdf::{PdfError, pdf};
use crate::scene::{Align, Rect, Scene, snap};
use model::CountryCode;
use model::shipping::shipment::{AddressRecord, LabelFormat};
use std::collections::BTreeMap;

/// Number of pages that are drawn before they are written.
const PAGES_AT_ONCE: usize = 16;
const MARGIN: f32 = 15.0;
const RULE: f32 = 0.25;
const TEXT: f32 = 3.0;
const SMALL: f32 = 2.5;
const LEAST: f32 = 1.75;
const ROW: f32 = 5.5;
/// The height of the signature and the text around it.
const SIGNATURE: f32 = 40.0;
/// Maximum number of services that are counted separately. The others are counted together.
const SERVICES_MAX: usize = 12;
/// The top of the rows on the first page and on the other pages, below the title.
const HEAD: f32 = 31.0;
const PARTIES: f32 = 42.0;
const BARCODE: f32 = 21.0;
const FOOT: f32 = 6.0;

/// The content of a handover list.
#[derive(Debug, Clone)]
pub struct Handover {
    /// The manifest's number, which is also its barcode.
    pub number: String,
    pub carrier: String,
    pub account: String,
    pub origin: Option<AddressRecord>,
    /// The date as it is printed.
    pub ship_date: String,
    /// Whether this is the test world, in which nothing is handed over.
    pub is_test: bool,
    pub shipments: i64,
    pub rows: Vec<HandoverRow>,
}

/// One tracking number.
#[derive(Debug, Clone)]
pub struct HandoverRow {
    pub tracking_number: String,
    /// The service's name.
    pub service: String,
    pub recipient: String,
    pub country_code: CountryCode,
    pub post_code: String,
    pub pieces: u32,
    /// `None` if one of its packages was not weighed.
    pub grams: Option<i64>,
}

/// A column: its heading, its width in 180ths, whether it contains numbers, and its content.
type Column = (&'static str, f32, bool, fn(usize, &HandoverRow) -> String);

const COLUMNS: [Column; 8] = [
    ("No.", 12.0, true, |number, _| number.to_string()),
    ("Tracking number", 46.0, false, |_, row| row.tracking_number.clone()),
    ("Service", 26.0, false, |_, row| row.service.clone()),
    ("Recipient", 38.0, false, |_, row| row.recipient.clone()),
    ("To", 8.0, false, |_, row| row.country_code.to_string()),
    ("Post code", 21.0, false, |_, row| row.post_code.clone()),
    ("Pieces", 12.0, true, |_, row| row.pieces.to_string()),
    ("Mass", 17.0, true, |_, row| kilograms(row.grams)),
];

/// Draws the list as a PDF.
pub fn handover(handover: &Handover, fonts: &Fonts) -> Result<Vec<u8>, PdfError> {
    let mut pages = pages(handover, fonts).peekable();
    let mut merger = Merger::new(LabelFormat::Pdf);
    let mut file = Vec::new();
    while pages.peek().is_some() {
        // A few pages at a time: a list of a hundred thousand parcels has thousands of pages.
        let some: Vec<Scene> = pages.by_ref().take(PAGES_AT_ONCE).collect();
        let part = merger.add("", &pdf(&some)?).map_err(|error| PdfError(error.to_string()))?;
        file.extend_from_slice(&part);
    }
    file.extend_from_slice(&merger.finish());
    Ok(file)
}

/// Returns the pages of the list. Each is drawn when the iterator reaches it.
fn pages<'a>(handover: &'a Handover, fonts: &'a Fonts) -> impl Iterator<Item = Scene> + 'a {
    let sheet = Sheet::of(handover);
    let parts = sheet.parts();
    let count = parts.len();
    parts.into_iter().enumerate().map(move |(index, part)| sheet.page(&part, index + 1, count, fonts))
}

/// The paper and the content of the whole list.
struct Sheet<'a> {
    handover: &'a Handover,
    /// The size in millimetres and in points.
    height: f32,
    width: f32,
    points: (f32, f32),
    totals: Vec<Total>,
}

/// The sum of one service.
struct Total {
    name: String,
    parcels: usize,
    pieces: u64,
    grams: i64,
    has_unknown: bool,
}

/// The rows of one page.
struct Part {
    rows: std::ops::Range<usize>,
    is_signed: bool,
}

impl<'a> Sheet<'a> {
    /// Creates the sheet, on letter paper in countries that use it.
    fn of(handover: &'a Handover) -> Self {
        let country = handover.origin.as_ref().map(|origin| origin.address.country_code);
        let is_letter = country.is_some_and(|code| matches!(code.as_str(), "US" | "CA"));
        let (width, height, points) = match is_letter {
            true => (215.9, 279.4, (612.0, 792.0)),
            false => (210.0, 297.0, (595.28, 841.89)),
        };
        Self { handover, height, width, points, totals: totals(&handover.rows) }
    }

    fn inner(&self) -> f32 {
        self.width - 2.0 * MARGIN
    }

    /// Returns the top of the table on a page.
    fn table_top(&self, is_first: bool) -> f32 {
        let summary = (self.totals.len() + 2) as f32 * (ROW - 0.5);
        if is_first { HEAD + PARTIES + BARCODE + summary + 6.0 } else { HEAD }
    }

    fn bottom(&self) -> f32 {
        self.height - MARGIN - FOOT
    }

    /// Returns the number of rows that fit between the table's heading and a position on the page.
    fn rows_to(&self, is_first: bool, bottom: f32) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some dozens of rows")]
        let rows = ((bottom - self.table_top(is_first)) / ROW).max(1.0) as usize - 1;
        rows
    }

    /// Distributes the rows over pages. The last page has space for the signature.
    fn parts(&self) -> Vec<Part> {
        let (mut parts, mut at, all) = (Vec::new(), 0, self.handover.rows.len());
        loop {
            let is_first = parts.is_empty();
            let with_signature = self.rows_to(is_first, self.bottom() - SIGNATURE);
            if all - at <= with_signature {
                parts.push(Part { rows: at..all, is_signed: true });
                return parts;
            }
            let end = all.min(at + self.rows_to(is_first, self.bottom()).max(1));
            parts.push(Part { rows: at..end, is_signed: false });
            at = end;
        }
    }

    fn page(&self, part: &Part, page: usize, count: usize, fonts: &Fonts) -> Scene {
        let mut scene = Scene::new(self.width, self.height, self.points, fonts);
        self.head(&mut scene, page, count);
        if page == 1 {
            self.parties(&mut scene);
            self.barcode(&mut scene);
            self.summary(&mut scene);
        }
        let bottom = self.table(&mut scene, part, page == 1);
        if part.is_signed {
            self.signature(&mut scene, bottom.max(self.table_top(page == 1)) + 4.0);
        }
        scene
    }

    fn head(&self, scene: &mut Scene, page: usize, count: usize) {
        let title = if self.handover.is_test { "MANIFEST \u{2013} TEST" } else { "MANIFEST" };
        let small = Setting::new(SMALL, LEAST).aligned(Align::End);
        scene.text(Rect::new(MARGIN, MARGIN, 90.0, 9.0), title, Setting::new(6.0, 4.0).bold());
        let right = |y: f32| Rect::new(self.width - MARGIN - 88.0, y, 88.0, 4.0);
        scene.text(right(MARGIN), &format!("Page {page} of {count}"), small);
        scene.text(right(MARGIN + 4.0), &self.handover.number, small);
        let what = format!("{} \u{2013} {}", self.handover.carrier, self.handover.ship_date);
        scene.text(right(MARGIN + 8.0), &what, small);
        if self.handover.is_test {
            let note = Rect::new(MARGIN, MARGIN + 9.0, 90.0, 4.0);
            scene.text(note, "Made in the test world: nothing is handed over.", Setting::new(SMALL, LEAST));
        }
    }

    fn parties(&self, scene: &mut Scene) {
        let half = snap(self.inner() / 2.0);
        let (from, facts) = (Rect::new(MARGIN, HEAD, half, 38.0), Rect::new(MARGIN + half, HEAD, half, 38.0));
        for (area, caption) in [(from, "FROM"), (facts, "HANDED OVER TO")] {
            scene.frame(area, RULE);
            let inner = Rect::new(area.x + 2.0, area.y + 1.5, area.width - 4.0, 3.5);
            scene.text(inner, caption, Setting::new(SMALL, LEAST));
        }
        let body = |area: Rect| Rect::new(area.x + 2.0, area.y + 5.5, area.width - 4.0, area.height - 6.5);
        if let Some(origin) = self.handover.origin.as_ref().map(party) {
            let setting = Setting::new(3.5, LEAST).of_country(origin.country_code);
            scene.block(body(from), &address::lines(&origin, true), |_| false, setting);
        }
        let pieces: u64 = self.totals.iter().map(|total| total.pieces).sum();
        let lines = [
            self.handover.carrier.clone(),
            format!("Account: {}", self.handover.account),
            format!("Ship date: {}", self.handover.ship_date),
            format!("Shipments: {}", self.handover.shipments),
            format!("Pieces: {pieces}"),
            format!("Total mass: {}", mass(&self.totals)),
        ];
        let carrier = &self.handover.carrier;
        scene.block(body(facts), &lines, |line| line == carrier, Setting::new(3.5, LEAST));
    }

    /// Draws the number as a barcode for the driver's scanner, and as text. If it cannot be a barcode, only the text
    /// is drawn.
    fn barcode(&self, scene: &mut Scene) {
        let number = &self.handover.number;
        let area = Rect::new(MARGIN, HEAD + PARTIES, self.inner(), 13.0);
        if let Ok(code) = Code128::new(number) {
            // A number of any other length is printed as text only.
            let _is_drawn = scene.bars(area, &code, number, false).is_ok();
        }
        let under = Rect::new(MARGIN, area.bottom() + 0.5, self.inner(), 4.0);
        scene.text(under, number, Setting::new(TEXT, LEAST).aligned(Align::Centre));
    }

    fn summary(&self, scene: &mut Scene) {
        let height = ROW - 0.5;
        let mut top = HEAD + PARTIES + BARCODE;
        let widths = [0.49, 0.17, 0.17, 0.17].map(|part| part * self.inner());
        let mut line = |cells: [String; 4], is_bold: bool| {
            let mut left = MARGIN;
            for (place, (text, width)) in cells.iter().zip(widths).enumerate() {
                let align = if place == 0 { Align::Start } else { Align::End };
                let setting = Setting::new(TEXT, LEAST).aligned(align);
                let setting = if is_bold { setting.bold() } else { setting };
                scene.text(Rect::new(left + 1.0, top, width - 2.0, height), text, setting);
                left += width;
            }
            top += height;
            scene.fill(Rect::new(MARGIN, snap(top), self.inner(), RULE / 2.0));
        };
        line(["Service", "Tracking numbers", "Pieces", "Mass"].map(str::to_owned), true);
        for total in &self.totals {
            let mass = mass(std::slice::from_ref(total));
            line([total.name.clone(), total.parcels.to_string(), total.pieces.to_string(), mass], false);
        }
        let parcels: usize = self.totals.iter().map(|total| total.parcels).sum();
        let pieces: u64 = self.totals.iter().map(|total| total.pieces).sum();
        line(["Total".to_owned(), parcels.to_string(), pieces.to_string(), mass(&self.totals)], true);
    }

    /// Draws the rows of a page below their headings, and returns their bottom edge.
    fn table(&self, scene: &mut Scene, part: &Part, is_first: bool) -> f32 {
        let top = self.table_top(is_first);
        let rows = part.rows.clone().zip(&self.handover.rows[part.rows.clone()]);
        if part.rows.is_empty() && !is_first {
            return top;
        }
        let mut left = MARGIN;
        for (head, part_of_180, is_number, show) in COLUMNS {
            let width = part_of_180 / 180.0 * self.inner();
            let cell = |row: usize| Rect::new(left + 0.75, top + row as f32 * ROW, width - 1.5, ROW);
            let align = if is_number { Align::End } else { Align::Start };
            scene.text(cell(0), head, Setting::new(SMALL, LEAST).bold().aligned(align));
            for (place, (number, row)) in rows.clone().enumerate() {
                let text = show(number + 1, row);
                let setting = Setting::new(TEXT, LEAST).aligned(align).of_country(row.country_code);
                scene.text(cell(place + 1), &text, setting);
            }
            left += width;
        }
        for row in 1..=part.rows.len() + 1 {
            let thickness = if row == 1 { RULE } else { RULE / 2.0 };
            scene.fill(Rect::new(MARGIN, snap(top + row as f32 * ROW), self.inner(), thickness));
        }
        top + (part.rows.len() + 1) as f32 * ROW
    }

    fn signature(&self, scene: &mut Scene, top: f32) {
        let area = Rect::new(MARGIN, snap(top), self.inner(), SIGNATURE - 6.0);
        scene.frame(area, RULE);
        let pieces: u64 = self.totals.iter().map(|total| total.pieces).sum();
        let taken = format!(
            "Received for {}: {} shipments, {pieces} pieces.",
            self.handover.carrier, self.handover.shipments
        );
        let inner = Rect::new(area.x + 3.0, area.y + 2.0, area.width - 6.0, 5.0);
        scene.text(inner, &taken, Setting::new(TEXT, LEAST));
        let third = inner.width / 3.0;
        for (place, caption) in ["Driver's name", "Signature", "Date and time"].into_iter().enumerate() {
            let left = inner.x + place as f32 * third;
            scene.fill(Rect::new(snap(left), snap(area.bottom() - 8.0), third - 6.0, RULE));
            let under = Rect::new(left, area.bottom() - 6.5, third - 6.0, 4.0);
            scene.text(under, caption, Setting::new(SMALL, LEAST));
        }
    }
}

/// Returns the sums per service, by name. If there are too many services, the others are summed together.
fn totals(rows: &[HandoverRow]) -> Vec<Total> {
    let mut by_name: BTreeMap<&str, Total> = BTreeMap::new();
    for row in rows {
        let total = by_name.entry(&row.service).or_insert_with(|| Total::of(&row.service));
        total.parcels += 1;
        total.pieces += u64::from(row.pieces);
        total.grams += row.grams.unwrap_or_default();
        total.has_unknown |= row.grams.is_none();
    }
    let mut totals: Vec<Total> = by_name.into_values().collect();
    if totals.len() > SERVICES_MAX {
        let mut rest = Total::of("Other services");
        for total in totals.drain(SERVICES_MAX - 1..) {
            rest.parcels += total.parcels;
            rest.pieces += total.pieces;
            rest.grams += total.grams;
            rest.has_unknown |= total.has_unknown;
        }
        totals.push(rest);
    }
    totals
}

impl Total {
    fn of(name: &str) -> Self {
        Self { name: name.to_owned(), parcels: 0, pieces: 0, grams: 0, has_unknown: false }
    }
}

/// Returns the total mass, with `≥` before it if a package was not weighed.
fn mass(totals: &[Total]) -> String {
    let grams: i64 = totals.iter().map(|total| total.grams).sum();
    let has_unknown = totals.iter().any(|total| total.has_unknown);
    format!("{}{}", if has_unknown { "\u{2265} " } else { "" }, kilograms(Some(grams)))
}

#[cfg(test)]
mod tests;
