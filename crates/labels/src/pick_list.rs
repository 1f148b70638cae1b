//! The pick list of a location: what a person collects from its shelves, in the order of the walk, and for what.

use crate::artwork::Sheet;
use crate::barcode::Code128;
use crate::brand::Brand;
use crate::draw::{Setting, least_width};
use crate::font::Fonts;
use crate::page::PageSize;
use crate::pdf::PdfError;
use crate::scene::{Align, Rect};
use crate::sheet::{Frame, RowSize, paginate, write};

/// Most lines of an item's name, of its SKU, of a bin, and of the shipments that get the units.
const NAME_LINES_MAX: usize = 3;
const SKU_LINES_MAX: usize = 2;
const BIN_LINES_MAX: usize = 3;
const DESTINATION_LINES_MAX: usize = 4;
/// The height of a barcode, in millimetres.
const BARCODE: f32 = 8.0;
/// The side of the box that is ticked.
const BOX: f32 = 4.0;
const RULE: f32 = 0.25;

/// The content of a pick list.
#[derive(Debug, Clone)]
pub struct PickList {
    /// The location's name: a pick list stays in the warehouse.
    pub location: String,
    /// What the list is for, such as the batch.
    pub subject: String,
    pub shipments: usize,
    /// The lines in the order in which they are collected.
    pub lines: Vec<PickLine>,
}

/// Units of one item.
#[derive(Debug, Clone)]
pub struct PickLine {
    /// Where they lie. Empty if the location has no bin for the item.
    pub bin: String,
    pub sku: String,
    pub name: String,
    pub quantity: i64,
    pub destinations: Vec<Destination>,
    /// The number of destinations that are not listed.
    pub more: usize,
}

/// A shipment or a package that gets some of the units.
#[derive(Debug, Clone)]
pub struct Destination {
    pub name: String,
    pub quantity: i64,
}

/// Draws the list as a PDF.
pub fn pick_list(list: &PickList, brand: &Brand, size: PageSize, fonts: &Fonts) -> Result<Vec<u8>, PdfError> {
    let layout = Layout::new(list, brand, size, fonts);
    let pages = layout.pages();
    let count = pages.len();
    write(pages.into_iter().enumerate().map(|(index, range)| layout.sheet(index, count, range)))
}

impl PickLine {
    /// Returns the shipments that get the units, as they are printed.
    fn destinations(&self) -> String {
        let shown = |destination: &Destination| format!("{}\u{d7}{}", destination.quantity, destination.name);
        let mut all: Vec<String> = self.destinations.iter().map(shown).collect();
        if self.more > 0 {
            all.push(format!("and {} more", self.more));
        }
        all.join(", ")
    }
}

struct Layout<'a> {
    list: &'a PickList,
    frame: Frame<'a>,
}

/// The widths of the columns, in millimetres.
struct Columns {
    tick: f32,
    bin: f32,
    item: f32,
    /// None on paper of the size of a label, where a barcode stands below its item.
    barcode: f32,
    quantity: f32,
}

impl<'a> Layout<'a> {
    fn new(list: &'a PickList, brand: &'a Brand, size: PageSize, fonts: &'a Fonts) -> Self {
        Self { list, frame: Frame { size, brand, fonts, title: "Pick list", subtitle: &list.subject } }
    }

    fn columns(&self) -> Columns {
        let inner = self.frame.inner();
        let (tick, bin, barcode, quantity) =
            if self.frame.is_small() { (6.0, 19.0, 0.0, 13.0) } else { (8.0, 28.0, 56.0, 18.0) };
        Columns { tick, bin, item: inner - tick - bin - barcode - quantity, barcode, quantity }
    }

    fn facts(&self) -> String {
        let units: i64 = self.list.lines.iter().map(|line| line.quantity).sum();
        let (lines, shipments) = (self.list.lines.len(), self.list.shipments);
        format!("Lines: {lines}, units: {units}, shipments: {shipments}")
    }

    /// Returns where the table begins on the first page, below the location.
    fn table_top(&self) -> f32 {
        let sizes = self.frame.sizes();
        self.frame.top() + (1.4 * sizes.text + sizes.text) * 1.25 + 3.0
    }

    fn head_height(&self) -> f32 {
        let sizes = self.frame.sizes();
        sizes.small * 1.25 + 2.0 * sizes.gap
    }

    fn pages(&self) -> Vec<std::ops::Range<usize>> {
        let sizes: Vec<RowSize> = self
            .list
            .lines
            .iter()
            .map(|line| RowSize { height: self.parts(line).height, is_heading: false })
            .collect();
        let (bottom, head) = (self.frame.bottom(), self.head_height());
        paginate(&sizes, bottom - self.table_top() - head, bottom - self.frame.top() - head)
    }

    /// Returns the places of the parts of a line.
    fn parts(&self, line: &PickLine) -> Parts {
        let (sizes, columns) = (self.frame.sizes(), self.columns());
        let frame = &self.frame;
        let width = columns.item - 2.0;
        let sku = frame.height(&line.sku, sizes.text, width, SKU_LINES_MAX);
        let name = frame.height(&line.name, sizes.text, width, NAME_LINES_MAX);
        let bin = frame.height(&line.bin, sizes.text * 1.2, columns.bin - 2.0, BIN_LINES_MAX);
        let code = Code128::new(&line.sku).ok();
        let least = code.as_ref().map(least_width);
        let wide = columns.item + columns.barcode;
        let is_beside = least.is_some_and(|least| least <= columns.barcode);
        let is_below = !is_beside && least.is_some_and(|least| least <= wide);
        let below = if is_below { BARCODE + 1.0 } else { 0.0 };
        let beside = if is_beside { BARCODE } else { 0.0 };
        let text = (sku + name).max(bin).max(beside).max(sizes.text * 1.5);
        let destinations = line.destinations();
        let to = frame.height(&destinations, sizes.small, wide - 2.0, DESTINATION_LINES_MAX);
        let height = text + below + to + 2.0 * sizes.gap + 0.5;
        Parts {
            sku,
            text,
            code: code.filter(|_| is_beside || is_below),
            is_beside,
            below,
            to,
            destinations,
            height,
        }
    }

    fn sheet(&self, index: usize, count: usize, range: std::ops::Range<usize>) -> Sheet {
        let sizes = self.frame.sizes();
        let mut sheet = self.frame.page(index + 1, count);
        let mut y = self.frame.top();
        if index == 0 {
            let area = Rect::new(sizes.margin, y, self.frame.inner(), 1.4 * sizes.text * 1.25);
            sheet.scene.text(area, &self.list.location, Setting::new(1.4 * sizes.text, sizes.small).bold());
            let below = Rect::new(sizes.margin, area.bottom(), self.frame.inner(), sizes.text * 1.25);
            sheet.scene.text(below, &self.facts(), Setting::new(sizes.text, sizes.small * 0.8));
            y = self.table_top();
        }
        y = self.head(&mut sheet, y);
        for line in &self.list.lines[range] {
            y = self.line(&mut sheet, y, line);
        }
        sheet
    }

    /// Draws the heads of the columns, and returns where the lines begin.
    fn head(&self, sheet: &mut Sheet, y: f32) -> f32 {
        let (sizes, columns) = (self.frame.sizes(), self.columns());
        let height = self.head_height();
        let setting = Setting::new(sizes.small, 1.5).bold();
        let bin = sizes.margin + columns.tick;
        let cell = |x: f32, width: f32| Rect::new(x, y, width, height);
        sheet.scene.text(cell(bin, columns.bin), "Bin", setting);
        sheet.scene.text(cell(bin + columns.bin, columns.item), "Item", setting);
        let quantity = cell(sizes.margin + self.frame.inner() - columns.quantity, columns.quantity);
        sheet.scene.text(quantity, "Quantity", setting.aligned(Align::End));
        sheet.rule(sizes.margin, y + height, self.frame.inner());
        y + height
    }

    fn line(&self, sheet: &mut Sheet, y: f32, line: &PickLine) -> f32 {
        let (sizes, columns, parts) = (self.frame.sizes(), self.columns(), self.parts(line));
        let top = y + sizes.gap;
        let (bin, item) = (sizes.margin + columns.tick, sizes.margin + columns.tick + columns.bin);
        sheet.scene.frame(Rect::new(sizes.margin, top, BOX, BOX), RULE);
        let large = Setting::new(1.2 * sizes.text, 1.2 * sizes.text).bold();
        sheet.wrapped(Rect::new(bin, top, columns.bin - 2.0, parts.text + 0.05), &line.bin, large);
        let text = Setting::new(sizes.text, sizes.text);
        let width = columns.item - 2.0;
        sheet.wrapped(Rect::new(item, top, width, parts.sku + 0.05), &line.sku, text.bold());
        let name = Rect::new(item, top + parts.sku, width, parts.text - parts.sku + 0.05);
        sheet.wrapped(name, &line.name, text);
        let right = sizes.margin + self.frame.inner() - columns.quantity;
        let quantity = Rect::new(right, top, columns.quantity, sizes.text * 1.5 * 1.25);
        let setting = Setting::new(1.5 * sizes.text, 1.5).bold().aligned(Align::End);
        sheet.scene.text(quantity, &line.quantity.to_string(), setting);
        if let Some(code) = &parts.code {
            let wide = columns.item + columns.barcode;
            let area = match parts.is_beside {
                true => Rect::new(item + columns.item, top, columns.barcode, BARCODE),
                false => Rect::new(item, top + parts.text + 0.5, wide, BARCODE),
            };
            // The area was chosen so that the code fits.
            let _is_drawn = sheet.scene.bars(area, code, &line.sku, false).is_ok();
        }
        let to_top = top + parts.text + parts.below + 0.5;
        let wide = columns.item + columns.barcode - 2.0;
        let small = Setting::new(sizes.small, sizes.small);
        sheet.wrapped(Rect::new(item, to_top, wide, parts.to + 0.05), &parts.destinations, small);
        sheet.rule(sizes.margin, y + parts.height, self.frame.inner());
        y + parts.height
    }
}

/// The places of the parts of a line: heights in millimetres.
struct Parts {
    sku: f32,
    /// The height of the bin, the SKU with the name, and the barcode beside them.
    text: f32,
    code: Option<Code128>,
    is_beside: bool,
    /// The height of a barcode that stands below the text.
    below: f32,
    to: f32,
    destinations: String,
    height: f32,
}

#[cfg(test)]
mod tests;
