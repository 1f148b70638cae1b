//! The packing slip of a shipment: the paper in the box, which tells its recipient what is inside.
//!
//! It has no prices, because the recipient may not be the buyer, and no name of a location, which is internal.

use crate::address;
use crate::artwork::Sheet;
use crate::barcode::Code128;
use crate::brand::Brand;
use crate::draw::{Setting, least_width};
use crate::font::Fonts;
use crate::page::PageSize;
use crate::party::{recipient, sender};
use crate::pdf::PdfError;
use crate::scene::{Align, Rect};
use crate::sheet::{Frame, RowSize, Sizes, paginate, write};
use model::shipping::shipment::ShipmentInput;

/// Most lines of an item's name and of its SKU.
const NAME_LINES_MAX: usize = 4;
const SKU_LINES_MAX: usize = 3;
/// The height of the barcode with its text, in millimetres.
const BARCODE: f32 = 16.0;
/// The part of the width that the quantity and the SKU take.
const QUANTITY_PART: f32 = 0.13;
const SKU_PART: f32 = 0.28;
/// The space at the left of a cell, and at both sides of a name: text that runs from right to left ends at its right.
const INDENT: f32 = 2.0;
const NAME_INDENTS: f32 = 4.0;

/// The content of a packing slip.
#[derive(Debug, Clone)]
pub struct PackingSlip<'a> {
    pub shipment: &'a ShipmentInput,
    /// The shipment's id.
    pub number: String,
    /// The reference of the shipment's order.
    pub order: Option<String>,
    /// The date as it is printed.
    pub date: String,
    pub packages: Vec<SlipPackage>,
}

/// What one package holds.
#[derive(Debug, Clone)]
pub struct SlipPackage {
    pub name: Option<String>,
    pub items: Vec<SlipItem>,
}

/// Units of one item.
#[derive(Debug, Clone)]
pub struct SlipItem {
    pub quantity: i64,
    pub name: String,
    pub sku: String,
}

/// Draws the slip as a PDF.
pub fn packing_slip(
    slip: &PackingSlip<'_>,
    brand: &Brand,
    size: PageSize,
    fonts: &Fonts,
) -> Result<Vec<u8>, PdfError> {
    let subtitle = slip.subtitle();
    let brand = slip.branded(brand);
    let frame = Frame { size, brand: &brand, fonts, title: "Packing slip", subtitle: &subtitle };
    write(Layout { slip, frame }.sheets().into_iter())
}

impl PackingSlip<'_> {
    /// Returns the text by which a person finds the shipment: the order's reference, the shipment's own, or its id.
    fn subtitle(&self) -> String {
        let own = self.shipment.name.clone().filter(|name| !name.trim().is_empty());
        self.order.clone().or(own).unwrap_or_else(|| self.number.clone())
    }

    /// Returns the brand with a name: the sender's, if the organisation has set none.
    fn branded(&self, brand: &Brand) -> Brand {
        let mut brand = brand.clone();
        if brand.name.trim().is_empty() {
            let from = sender(self.shipment);
            brand.name = from.company.unwrap_or(from.name);
        }
        brand
    }

    /// Returns the barcode and its text: the shipment's own reference if a scanner can read it in this width, and
    /// otherwise its id.
    fn barcode(&self, width: f32) -> Option<(Code128, &str)> {
        let own = self.shipment.name.as_deref().filter(|name| !name.trim().is_empty());
        own.into_iter().chain([self.number.as_str()]).find_map(|text| {
            let code = Code128::new(text).ok()?;
            (least_width(&code) <= width).then_some((code, text))
        })
    }
}

/// A row of the table.
enum Row<'a> {
    /// The number of a package.
    Package(usize),
    Item(&'a SlipItem),
}

struct Layout<'a> {
    slip: &'a PackingSlip<'a>,
    frame: Frame<'a>,
}

impl Layout<'_> {
    fn sheets(&self) -> Vec<Sheet> {
        let rows = self.rows();
        let sizes: Vec<RowSize> = rows.iter().map(|row| self.row_size(row)).collect();
        let (top, bottom) = (self.frame.top(), self.frame.bottom());
        let table_top = self.parties_bottom();
        let continued = if self.has_headings() { self.heading_height() } else { 0.0 };
        let first = bottom - table_top - self.heading_height();
        let pages = paginate(&sizes, first, bottom - top - self.heading_height() - continued);
        let count = pages.len();
        let mut package = 0;
        let draw = |(index, range): (usize, std::ops::Range<usize>)| {
            let mut sheet = self.frame.page(index + 1, count);
            if index == 0 {
                self.parties(&mut sheet);
            }
            let mut y = if index == 0 { table_top } else { top };
            y = self.table_head(&mut sheet, y);
            for (place, row) in rows[range].iter().enumerate() {
                match row {
                    Row::Package(number) => package = *number,
                    Row::Item(_) if place == 0 && index > 0 && self.has_headings() => {
                        y = self.heading(&mut sheet, y, package, true);
                    }
                    Row::Item(_) => {}
                }
                y = self.row(&mut sheet, y, row);
            }
            sheet
        };
        pages.into_iter().enumerate().map(draw).collect()
    }

    fn has_headings(&self) -> bool {
        self.slip.packages.len() > 1
    }

    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for (number, package) in (1..).zip(&self.slip.packages) {
            if self.has_headings() {
                rows.push(Row::Package(number));
            }
            rows.extend(package.items.iter().map(Row::Item));
        }
        rows
    }

    /// Returns the widths of the quantity, the name and the SKU.
    fn columns(&self) -> [f32; 3] {
        let inner = self.frame.inner();
        [QUANTITY_PART * inner, (1.0 - QUANTITY_PART - SKU_PART) * inner, SKU_PART * inner]
    }

    fn heading_height(&self) -> f32 {
        let sizes = self.frame.sizes();
        sizes.text * 1.25 + 2.0 * sizes.gap
    }

    fn row_size(&self, row: &Row<'_>) -> RowSize {
        let (sizes, [_, name, sku]) = (self.frame.sizes(), self.columns());
        match row {
            Row::Package(_) => RowSize { height: self.heading_height(), is_heading: true },
            Row::Item(item) => {
                let name = self.frame.height(&item.name, sizes.text, name - NAME_INDENTS, NAME_LINES_MAX);
                let sku = self.frame.height(&item.sku, sizes.text, sku - INDENT, SKU_LINES_MAX);
                let height = name.max(sku).max(sizes.text * 1.25) + 2.0 * sizes.gap;
                RowSize { height, is_heading: false }
            }
        }
    }

    /// Returns the areas of the address, the facts and the barcode. A barcode that is too wide for its half of the page
    /// stands below both.
    fn areas(&self) -> (Rect, Rect, Option<Rect>) {
        let (frame, sizes) = (&self.frame, self.frame.sizes());
        let (top, inner) = (frame.top(), frame.inner());
        let half = if frame.is_small() { inner } else { inner / 2.0 };
        let text = sizes.text * 1.25;
        let address = Rect::new(sizes.margin, top, half - 4.0, if frame.is_small() { 27.0 } else { 38.0 });
        let facts_height = text * self.facts().len() as f32 + 0.5;
        if frame.is_small() {
            let facts = Rect::new(sizes.margin, address.bottom() + 1.0, inner, facts_height);
            // The quiet zones may lie in the margins, which are white.
            let wide = Rect::new(0.5, facts.bottom() + 2.0, frame.size.millimetres().0 - 1.0, BARCODE - 3.0);
            return (address, facts, self.slip.barcode(wide.width).map(|_| wide));
        }
        let right = sizes.margin + half;
        let facts = Rect::new(right, top, half, facts_height);
        let beside = Rect::new(right, facts.bottom() + 2.0, half, BARCODE);
        let below = Rect::new(sizes.margin, address.bottom().max(facts.bottom()) + 1.0, inner, BARCODE);
        let fits =
            |area: Rect| self.slip.barcode(area.width).is_some_and(|(_, text)| text != self.slip.number);
        let id_fits = self.slip.barcode(below.width).is_some();
        let barcode = if fits(beside) { Some(beside) } else { id_fits.then_some(below) };
        (address, facts, barcode)
    }

    fn parties_bottom(&self) -> f32 {
        let (address, facts, barcode) = self.areas();
        address.bottom().max(facts.bottom()).max(barcode.map_or(0.0, |area| area.bottom())) + 3.0
    }

    fn facts(&self) -> Vec<String> {
        let slip = self.slip;
        let own = slip.shipment.name.as_ref().filter(|name| !name.trim().is_empty());
        let mut facts = Vec::new();
        facts.extend(slip.order.iter().map(|order| format!("Order: {order}")));
        facts.extend(own.map(|name| format!("Shipment: {name}")));
        facts.push(format!("Date: {}", slip.date));
        let units: i64 =
            slip.packages.iter().flat_map(|package| &package.items).map(|item| item.quantity).sum();
        let packages = slip.shipment.packages.len().max(1);
        facts.push(format!("Packages: {packages}, items: {units}"));
        facts
    }

    /// Draws the address, the facts and the barcode.
    fn parties(&self, sheet: &mut Sheet) {
        let sizes = self.frame.sizes();
        let (address, facts, barcode) = self.areas();
        let to = recipient(self.slip.shipment);
        let is_abroad = sender(self.slip.shipment).country_code != to.country_code;
        let caption = Rect { height: sizes.small * 1.25, ..address };
        sheet.scene.text(caption, "SHIP TO", Setting::new(sizes.small, sizes.small));
        let body =
            Rect { y: caption.bottom() + 0.5, height: address.height - caption.height - 0.5, ..address };
        let setting = Setting::new(sizes.text * 1.15, sizes.small * 0.8).of_country(to.country_code);
        let name = to.name.clone();
        sheet.scene.block(body, &address::lines(&to, is_abroad), |line| line == name, setting);
        sheet.scene.block(facts, &self.facts(), |_| false, Setting::new(sizes.text, sizes.small * 0.8));
        if let Some(area) = barcode {
            self.barcode(sheet, area, sizes);
        }
    }

    fn barcode(&self, sheet: &mut Sheet, area: Rect, sizes: Sizes) {
        let under = sizes.small * 1.25;
        let bars = Rect { height: area.height - under - 0.5, ..area };
        let Some((code, text)) = self.slip.barcode(area.width) else { return };
        // A code that fits by its least width is always drawn.
        if sheet.scene.bars(bars, &code, text, false).is_ok() {
            let below = Rect { y: bars.bottom() + 0.5, height: under, ..area };
            sheet.scene.text(below, text, Setting::new(sizes.small, 1.5).aligned(Align::Centre));
        }
    }

    /// Draws the heads of the columns, and returns where the rows begin.
    fn table_head(&self, sheet: &mut Sheet, y: f32) -> f32 {
        let (sizes, [quantity, name, sku]) = (self.frame.sizes(), self.columns());
        let height = self.heading_height();
        let setting = Setting::new(sizes.small, 1.5).bold();
        let mut x = sizes.margin;
        for (text, width, align) in
            [("Quantity", quantity, Align::End), ("Item", name, Align::Start), ("SKU", sku, Align::Start)]
        {
            let indent = if align == Align::Start { INDENT } else { 0.0 };
            let cell = Rect::new(x + indent, y, width - indent, height);
            sheet.scene.text(cell, text, setting.aligned(align));
            x += width;
        }
        sheet.rule(sizes.margin, y + height, self.frame.inner());
        y + height
    }

    fn row(&self, sheet: &mut Sheet, y: f32, row: &Row<'_>) -> f32 {
        let item = match row {
            Row::Package(number) => return self.heading(sheet, y, *number, false),
            Row::Item(item) => item,
        };
        let (sizes, [quantity, name, sku]) = (self.frame.sizes(), self.columns());
        let height = self.row_size(row).height;
        let (top, inner) = (y + sizes.gap, height - 2.0 * sizes.gap + 0.05);
        let setting = Setting::new(sizes.text, sizes.text);
        let x = sizes.margin;
        let number = Rect::new(x, top, quantity, sizes.text * 1.25);
        sheet.scene.text(
            number,
            &item.quantity.to_string(),
            Setting::new(sizes.text, 1.5).bold().aligned(Align::End),
        );
        let name_area = Rect::new(x + quantity + INDENT, top, name - NAME_INDENTS, inner);
        sheet.wrapped(name_area, &item.name, setting);
        let sku_area = Rect::new(x + quantity + name + INDENT, top, sku - INDENT, inner);
        sheet.wrapped(sku_area, &item.sku, setting);
        sheet.rule(x, y + height, self.frame.inner());
        y + height
    }

    /// Draws the heading of a package, and returns where its items begin.
    fn heading(&self, sheet: &mut Sheet, y: f32, number: usize, is_continued: bool) -> f32 {
        let (sizes, height, inner) = (self.frame.sizes(), self.heading_height(), self.frame.inner());
        sheet.shade(Rect::new(sizes.margin, y, inner, height));
        let name = self.slip.packages.get(number - 1).and_then(|package| package.name.as_deref());
        let name = name.map(|name| format!(" \u{2013} {name}")).unwrap_or_default();
        let more = if is_continued { " (continued)" } else { "" };
        let text = format!("Package {number} of {}{name}{more}", self.slip.packages.len());
        let area = Rect::new(sizes.margin + 2.0, y, inner - 4.0, height);
        sheet.scene.text(area, &text, Setting::new(sizes.text, 1.5).bold());
        y + height
    }
}

#[cfg(test)]
mod tests;
