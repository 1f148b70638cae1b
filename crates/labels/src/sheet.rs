//! The frame of a warehouse paper: logo or name, title and page number at the top, a footer at the bottom, rules in
//! between; and how the rows of its table are distributed over pages.

use crate::artwork::{Art, Sheet};
use crate::brand::Brand;
use crate::draw::Setting;
use crate::font::{Fonts, Style};
use crate::merge::Merger;
use crate::page::PageSize;
use crate::pdf::{PdfError, pdf_of_sheets};
use crate::scene::{Align, Rect, Scene, snap};
use crate::text::{clean, wrap};
use model::shipping::shipment::LabelFormat;
use std::ops::Range;

/// Number of pages that are drawn before they are written.
const PAGES_AT_ONCE: usize = 16;
/// The distance between baselines, in ems.
const LEADING: f32 = 1.25;
/// Most lines of a footer.
const FOOTER_LINES_MAX: usize = 3;
const BLACK: [u8; 3] = [0; 3];

/// The sizes of a paper's type and spaces, in millimetres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub margin: f32,
    pub title: f32,
    pub text: f32,
    pub small: f32,
    /// The space above and below the text of a row.
    pub gap: f32,
    /// The height of the logo, the title and the page number.
    head: f32,
    logo_width: f32,
    rule: f32,
}

const ON_SHEET: Sizes = Sizes {
    margin: 15.0,
    title: 7.0,
    text: 3.5,
    small: 2.75,
    gap: 1.5,
    head: 17.0,
    logo_width: 60.0,
    rule: 0.75,
};
const ON_LABEL: Sizes = Sizes {
    margin: 5.0,
    title: 4.5,
    text: 3.0,
    small: 2.25,
    gap: 1.0,
    head: 12.0,
    logo_width: 36.0,
    rule: 0.5,
};

/// What all pages of a paper share.
pub(crate) struct Frame<'a> {
    pub size: PageSize,
    pub brand: &'a Brand,
    pub fonts: &'a Fonts,
    pub title: &'a str,
    /// The text below the title, by which a page is found again if the pages are mixed up.
    pub subtitle: &'a str,
}

impl Frame<'_> {
    /// Returns whether the paper has the size of a label.
    pub fn is_small(&self) -> bool {
        !matches!(self.size, PageSize::A4 | PageSize::Letter)
    }

    pub fn sizes(&self) -> Sizes {
        if self.is_small() { ON_LABEL } else { ON_SHEET }
    }

    /// Returns the width between the margins.
    pub fn inner(&self) -> f32 {
        self.size.millimetres().0 - 2.0 * self.sizes().margin
    }

    /// Returns where the content of each page begins and ends.
    pub fn top(&self) -> f32 {
        let sizes = self.sizes();
        sizes.margin + sizes.head + 2.0 * sizes.rule + 2.0
    }

    pub fn bottom(&self) -> f32 {
        let footer = self.lines(&self.brand.footer, self.sizes().small, self.inner(), FOOTER_LINES_MAX);
        let height = if footer == 0 { 0.0 } else { footer as f32 * self.sizes().small * LEADING + 2.0 };
        self.size.millimetres().1 - self.sizes().margin - height
    }

    /// Returns the number of lines that a text takes in a column of this width, at most `max`.
    pub fn lines(&self, text: &str, size: f32, width: f32, max: usize) -> usize {
        wrap(self.fonts, &clean(text), Style::default(), width / size, max).len()
    }

    /// Returns the height of a text in a column of this width, of at most `max` lines.
    pub fn height(&self, text: &str, size: f32, width: f32, max: usize) -> f32 {
        self.lines(text, size, width, max) as f32 * size * LEADING
    }

    /// Draws a page with its head and its footer.
    pub fn page(&self, number: usize, count: usize) -> Sheet {
        let ((width, height), sizes) = (self.size.millimetres(), self.sizes());
        let mut sheet =
            Sheet { scene: Scene::new(width, height, self.size.points(), self.fonts), art: Vec::new() };
        let left = Rect::new(sizes.margin, sizes.margin, sizes.logo_width, sizes.head - 1.0);
        match &self.brand.logo {
            Some(logo) => sheet.logo(left, logo),
            None => {
                let setting = Setting::new(0.8 * sizes.title, sizes.small).bold();
                sheet.scene.block(left, std::slice::from_ref(&self.brand.name), |_| false, setting);
            }
        }
        self.title(&mut sheet, number, count);
        let rule = Rect::new(sizes.margin, snap(sizes.margin + sizes.head), self.inner(), sizes.rule);
        sheet.art.push(Art::Tint(rule, self.brand.colour.unwrap_or(BLACK)));
        self.footer(&mut sheet);
        sheet
    }

    fn title(&self, sheet: &mut Sheet, number: usize, count: usize) {
        let sizes = self.sizes();
        let x = sizes.margin + sizes.logo_width + 3.0;
        let width = sizes.margin + self.inner() - x;
        let mut y = sizes.margin;
        let mut line = |text: &str, size: f32, is_bold: bool| {
            let setting = Setting::new(size, 0.6 * size).aligned(Align::End);
            let setting = if is_bold { setting.bold() } else { setting };
            sheet.scene.text(Rect::new(x, y, width, size * LEADING), text, setting);
            y += size * LEADING;
        };
        line(self.title, sizes.title, true);
        line(self.subtitle, sizes.small, false);
        line(&format!("Page {number} of {count}"), sizes.small, false);
    }

    fn footer(&self, sheet: &mut Sheet) {
        let sizes = self.sizes();
        let (top, bottom) = (self.bottom(), self.size.millimetres().1 - sizes.margin);
        if bottom - top < sizes.small {
            return;
        }
        sheet.rule(sizes.margin, top + 0.5, self.inner());
        let area = Rect::new(sizes.margin, top + 1.75, self.inner(), bottom - top - 1.5);
        let setting = Setting::new(sizes.small, sizes.small).aligned(Align::Centre);
        sheet.scene.block(area, std::slice::from_ref(&self.brand.footer), |_| false, setting);
    }
}

/// The height of a row of a table, and whether it must stand on one page with the next row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowSize {
    pub height: f32,
    pub is_heading: bool,
}

/// Distributes rows over pages, of which the first and the others have this much room. There is always a page. A row
/// that is higher than a page has a page of its own.
pub(crate) fn paginate(rows: &[RowSize], first: f32, others: f32) -> Vec<Range<usize>> {
    let mut pages = Vec::new();
    let mut start = 0;
    loop {
        let room = if pages.is_empty() { first } else { others };
        let (mut end, mut used) = (start, 0.0);
        while end < rows.len() && (used + rows[end].height <= room || end == start && !pages.is_empty()) {
            used += rows[end].height;
            end += 1;
        }
        while end < rows.len() && end > start + 1 && rows[end - 1].is_heading {
            end -= 1;
        }
        pages.push(start..end);
        start = end;
        if start >= rows.len() {
            return pages;
        }
    }
}

/// Writes pages as a PDF, a few at a time: a paper may have thousands of pages.
pub(crate) fn write(sheets: impl Iterator<Item = Sheet>) -> Result<Vec<u8>, PdfError> {
    let mut sheets = sheets.peekable();
    let first: Vec<Sheet> = sheets.by_ref().take(PAGES_AT_ONCE).collect();
    if sheets.peek().is_none() {
        return pdf_of_sheets(&first);
    }
    let mut merger = Merger::new(LabelFormat::Pdf);
    let mut file = merger.add("", &pdf_of_sheets(&first)?).map_err(|error| PdfError(error.to_string()))?;
    while sheets.peek().is_some() {
        let some: Vec<Sheet> = sheets.by_ref().take(PAGES_AT_ONCE).collect();
        let part = merger.add("", &pdf_of_sheets(&some)?).map_err(|error| PdfError(error.to_string()))?;
        file.extend_from_slice(&part);
    }
    file.extend_from_slice(&merger.finish());
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_row_is_on_one_page_in_order_and_fits(
            rows in proptest::collection::vec((1_u8..30, any::<bool>()), 0..80), first in 0_u8..120, others in 60_u8..120
        ) {
            let row = |(height, is_heading): &(u8, bool)| RowSize { height: f32::from(*height), is_heading: *is_heading };
            let rows: Vec<RowSize> = rows.iter().map(row).collect();
            let (first, others) = (f32::from(first), f32::from(others));
            let pages = paginate(&rows, first, others);
            let all: Vec<usize> = pages.iter().cloned().flatten().collect();
            prop_assert_eq!(all, (0..rows.len()).collect::<Vec<_>>());
            for (number, page) in pages.iter().enumerate() {
                let used: f32 = rows[page.clone()].iter().map(|row| row.height).sum();
                let room = if number == 0 { first } else { others };
                prop_assert!(used <= room);
                prop_assert!(!page.is_empty() || number == 0);
                let ends_in_heading = page.len() > 1 && page.end < rows.len() && rows[page.end - 1].is_heading;
                prop_assert!(!ends_in_heading);
            }
        }
    }
}
