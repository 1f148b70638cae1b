//! Customs papers on A4: the postal declaration CN23 and the commercial invoice. Further items go to further pages.

use crate::address;
use crate::barcode::Code128;
use crate::customs_block::kinds;
use crate::draw::Setting;
use crate::font::Fonts;
use crate::label::{CustomsItem, Declaration, Party};
use crate::scene::{Align, Rect, Scene};

/// A4, in millimetres and in points.
const PAGE: Rect = Rect::new(0.0, 0.0, 210.0, 297.0);
const POINTS: (f32, f32) = (595.28, 841.89);
const MARGIN: f32 = 15.0;
const RULE: f32 = 0.25;

const TEXT: f32 = 3.25;
const SMALL: f32 = 2.5;
const LEAST: f32 = 2.0;

/// The facts beside the barcode: the height of their area, and its number of lines in the smallest size.
const FACTS_HEIGHT: f32 = 22.5;
const FACTS_MAX: usize = 9;

const ROW: f32 = 7.0;
/// Number of items on a page, between the parties and the signature.
const ROWS: usize = 16;

/// A column: its heading, its width in millimetres, whether it contains numbers, and its content.
type Column = (&'static str, f32, bool, fn(&CustomsItem) -> String);

/// The widths add up to the page without its margins, 180 mm.
const INVOICE: [Column; 7] = [
    ("Quantity", 18.0, true, |item| item.quantity.to_string()),
    ("Description of goods", 58.0, false, |item| item.description.clone()),
    ("HS code", 24.0, false, |item| item.hs_code.clone().unwrap_or_default()),
    ("Origin", 14.0, false, origin),
    ("Net mass", 20.0, true, |item| item.mass.clone()),
    ("Unit value", 23.0, true, |item| item.unit_value.clone()),
    ("Value", 23.0, true, |item| item.value.clone()),
];
const CN23: [Column; 6] = [
    ("Detailed description of contents (1)", 70.0, false, |item| item.description.clone()),
    ("Quantity (2)", 20.0, true, |item| item.quantity.to_string()),
    ("Net mass (3)", 24.0, true, |item| item.mass.clone()),
    ("Value (5)", 26.0, true, |item| item.value.clone()),
    ("HS tariff no. (7)", 26.0, false, |item| item.hs_code.clone().unwrap_or_default()),
    ("Origin (8)", 14.0, false, origin),
];

fn origin(item: &CustomsItem) -> String {
    item.origin.map(|code| code.to_string()).unwrap_or_default()
}

/// Draws the commercial invoice, one scene per page.
pub fn commercial_invoice(declaration: &Declaration, fonts: &Fonts) -> Vec<Scene> {
    let mut facts = vec![format!("Invoice no. {}", declaration.number), format!("Date {}", declaration.date)];
    facts.push(format!("Tracking {}", declaration.tracking_number));
    facts.extend(declaration.incoterm.as_ref().map(|incoterm| format!("Incoterm {incoterm}")));
    add_identifiers(&mut facts, &declaration.identifiers);
    let certified = "I certify that the particulars given in this invoice are true and correct, and that the contents are as \
                     described.";
    let form = Form { title: "COMMERCIAL INVOICE", facts, columns: &INVOICE, has_kinds: false, certified };
    form.pages(declaration, fonts)
}

/// Draws the CN23 declaration, one scene per page.
pub fn cn23(declaration: &Declaration, fonts: &Fonts) -> Vec<Scene> {
    let mut facts =
        vec![format!("Item no. {}", declaration.tracking_number), format!("Date {}", declaration.date)];
    facts.extend(declaration.postage.as_ref().map(|postage| format!("Postal charges (9) {postage}")));
    facts.push(format!("If undeliverable: {}", declaration.non_delivery));
    add_identifiers(&mut facts, &declaration.identifiers);
    let certified = "I certify that the particulars given in this declaration are correct and that this item does not contain any \
                     dangerous article or articles prohibited by legislation or by postal or customs regulations.";
    let form = Form { title: "CUSTOMS DECLARATION CN23", facts, columns: &CN23, has_kinds: true, certified };
    form.pages(declaration, fonts)
}

/// Adds the registration numbers; several per line if there are many, so that all fit.
fn add_identifiers(facts: &mut Vec<String>, identifiers: &[String]) {
    let room = FACTS_MAX.saturating_sub(facts.len()).max(1);
    let on_a_line = identifiers.len().div_ceil(room).max(1);
    facts.extend(identifiers.chunks(on_a_line).map(|some| some.join(", ")));
}

/// The differences between the two papers.
struct Form {
    title: &'static str,
    facts: Vec<String>,
    columns: &'static [Column],
    /// Whether the kind of contents is ticked.
    has_kinds: bool,
    /// The statement that the signature certifies.
    certified: &'static str,
}

impl Form {
    fn pages(&self, declaration: &Declaration, fonts: &Fonts) -> Vec<Scene> {
        let mut parts: Vec<&[CustomsItem]> = declaration.items.chunks(ROWS).collect();
        if parts.is_empty() {
            parts.push(&[]);
        }
        let count = parts.len();
        let page = |(index, items): (usize, &&[CustomsItem])| {
            let mut scene = Scene::new(PAGE.width, PAGE.height, POINTS, fonts);
            self.head(&mut scene, declaration, index + 1, count);
            let bottom = self.table(&mut scene, items);
            if index + 1 == count {
                self.foot(&mut scene, declaration, bottom);
            }
            scene
        };
        parts.iter().enumerate().map(page).collect()
    }

    fn head(&self, scene: &mut Scene, declaration: &Declaration, page: usize, count: usize) {
        let width = PAGE.width - 2.0 * MARGIN;
        let (title, number) =
            (Rect::new(MARGIN, MARGIN, 100.0, 9.0), Rect::new(MARGIN + 140.0, MARGIN, 40.0, 5.0));
        scene.text(title, self.title, Setting::new(6.0, 4.0).bold());
        scene.text(
            number,
            &format!("Page {page} of {count}"),
            Setting::new(SMALL, LEAST).aligned(Align::End),
        );
        let half = width / 2.0;
        for (x, caption, party) in [(0.0, "FROM", &declaration.from), (half, "TO", &declaration.to)] {
            party_box(scene, Rect::new(MARGIN + x, 27.0, half, 40.0), caption, party);
        }
        let facts = Rect::new(MARGIN, 70.0, 90.0, FACTS_HEIGHT);
        scene.block(facts, &self.facts, |_| false, Setting::new(TEXT, LEAST));
        barcode(scene, Rect::new(MARGIN + 100.0, 70.0, 80.0, 17.0), &declaration.tracking_number);
        if self.has_kinds {
            kinds(
                scene,
                Rect::new(MARGIN, 93.5, width, 3.0),
                declaration.contents,
                Setting::new(SMALL, LEAST),
            );
        }
    }

    /// Draws the table of items, and returns its bottom edge. Its frame has space for every row, filled or not.
    fn table(&self, scene: &mut Scene, items: &[CustomsItem]) -> f32 {
        let top = 98.0;
        let height = ROW * (ROWS + 1) as f32;
        let mut left = MARGIN;
        for (head, width, is_number, show) in self.columns {
            let cell = |row: usize| Rect::new(left + 1.0, top + row as f32 * ROW, width - 2.0, ROW);
            let align = if *is_number { Align::End } else { Align::Start };
            scene.text(cell(0), head, Setting::new(SMALL, LEAST).bold().aligned(align));
            for (row, item) in items.iter().enumerate() {
                scene.text(cell(row + 1), &show(item), Setting::new(TEXT, LEAST).aligned(align));
            }
            scene.fill(Rect::new(left, top, RULE, height));
            left += width;
        }
        scene.fill(Rect::new(left - RULE, top, RULE, height));
        for y in [top, top + ROW, top + height] {
            scene.fill(Rect::new(MARGIN, y, PAGE.width - 2.0 * MARGIN, RULE));
        }
        top + height
    }

    fn foot(&self, scene: &mut Scene, declaration: &Declaration, top: f32) {
        let right = Rect::new(MARGIN + 90.0, top + 2.0, 90.0, ROW);
        let total = format!("Total {} \u{2013} {}", declaration.total_mass, declaration.total_value);
        scene.text(right, &total, Setting::new(4.0, LEAST).bold().aligned(Align::End));
        let comments = Rect::new(MARGIN, top + 11.0, 180.0, 15.0);
        scene.block(comments, &declaration.comments, |_| false, Setting::new(TEXT, LEAST));
        scene.block(
            Rect::new(MARGIN, top + 28.0, 180.0, 9.0),
            &[self.certified.to_owned()],
            |_| false,
            Setting::new(TEXT, SMALL),
        );
        let signature = Rect::new(MARGIN, top + 46.0, 90.0, 5.0);
        scene.text(
            signature,
            &format!("{}   {}", declaration.date, declaration.signer),
            Setting::new(TEXT, LEAST),
        );
        scene.fill(Rect::new(MARGIN, top + 51.0, 90.0, RULE));
        let under = Rect::new(MARGIN, top + 52.0, 90.0, 4.0);
        scene.text(under, "Date and sender's signature", Setting::new(SMALL, LEAST));
    }
}

fn party_box(scene: &mut Scene, area: Rect, caption: &str, party: &Party) {
    scene.frame(area, RULE);
    let inner = Rect::new(area.x + 2.0, area.y + 1.5, area.width - 4.0, 3.5);
    scene.text(inner, caption, Setting::new(SMALL, LEAST));
    let mut lines = address::lines(party, true);
    lines.extend(party.phone.as_ref().map(|phone| format!("Tel. {phone}")));
    let setting = Setting::new(3.5, LEAST).of_country(party.country_code);
    let body = Rect { y: inner.bottom() + 0.5, height: area.bottom() - inner.bottom() - 1.5, ..inner };
    scene.block(body, &lines, |line| line == address::country_name(party.country_code), setting);
}

/// Draws the tracking number as a barcode. If it cannot be a barcode, only the text of the number is printed.
fn barcode(scene: &mut Scene, area: Rect, number: &str) {
    let bars = Rect { height: area.height - 4.0, ..area };
    let is_drawn = Code128::new(number).is_ok_and(|code| scene.bars(bars, &code, number, false).is_ok());
    if is_drawn {
        let under = Rect { y: bars.bottom() + 0.5, height: 3.5, ..area };
        scene.text(under, number, Setting::new(SMALL, LEAST).aligned(Align::Centre));
    }
}

#[cfg(test)]
mod tests;
