//! PWG raster (PWG 5102.4): pages of dots, as IPP printers take them that do not read PDF.
//!
//! A file is a synchronisation word and pages. A page is a header of 1,796 bytes, in which most fields are numbers of 32 bits,
//! and its rows from top to bottom. Equal rows are written once, with their count, and a row is written as runs of pixels. Pixels
//! are greys of 8 bits, the one kind that every such printer must take.

use crate::raster::Bitmap;

/// The synchronisation word of version 2, whose numbers are big-endian.
const SYNC: &[u8; 4] = b"RaS2";
const HEADER_BYTES: usize = 1796;
/// The most rows, and the most pixels, that one count stands for.
const ROWS_MAX: usize = 256;
const RUN_MAX: usize = 128;
const WHITE: u8 = 255;
const BLACK: u8 = 0;
/// The colour space of greys, by its number.
const SGRAY: u32 = 18;
const POINTS_PER_INCH: f64 = 72.0;

/// Where the fields of the header are that are not zero.
mod field {
    pub const PWG_RASTER: usize = 0;
    pub const HW_RESOLUTION: usize = 276;
    pub const NUM_COPIES: usize = 340;
    pub const PAGE_SIZE: usize = 352;
    pub const WIDTH: usize = 372;
    pub const HEIGHT: usize = 376;
    pub const BITS_PER_COLOR: usize = 384;
    pub const BITS_PER_PIXEL: usize = 388;
    pub const BYTES_PER_LINE: usize = 392;
    pub const COLOR_SPACE: usize = 400;
    pub const NUM_COLORS: usize = 420;
    pub const TOTAL_PAGE_COUNT: usize = 452;
    pub const CROSS_FEED_TRANSFORM: usize = 456;
    pub const FEED_TRANSFORM: usize = 460;
    pub const ALTERNATE_PRIMARY: usize = 480;
    pub const PAGE_SIZE_NAME: usize = 1732;
}

/// The names of usual paper, with its sides in points.
const PAPER: [(&str, u32, u32); 6] = [
    ("na_index-4x6_4x6in", 288, 432),
    ("om_4x8in_4x8in", 288, 576),
    ("iso_a6_105x148mm", 298, 420),
    ("iso_a5_148x210mm", 420, 595),
    ("iso_a4_210x297mm", 595, 842),
    ("na_letter_8.5x11in", 612, 792),
];

/// A page of greys, 255 is white.
pub(crate) struct GreyPage {
    pub width: usize,
    pub height: usize,
    pub greys: Vec<u8>,
}

impl GreyPage {
    pub fn white(width: usize, height: usize) -> Self {
        Self { width, height, greys: vec![WHITE; width * height] }
    }
}

/// A file that grows page by page.
pub(crate) struct PwgFile {
    bytes: Vec<u8>,
    dpi: u32,
    /// How many pages it will have.
    pages: u32,
}

impl PwgFile {
    pub fn new(dpi: u32, pages: usize) -> Self {
        Self { bytes: SYNC.to_vec(), dpi, pages: u32::try_from(pages).unwrap_or(0) }
    }

    /// Returns the size of the file so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds a page of this size on paper, whose dots begin at its top left corner. Paper without dots stays white.
    pub fn add_dots(&mut self, bitmap: &Bitmap, points: (f32, f32)) {
        let (width, height) = (self.side(points.0), self.side(points.1));
        self.header(width, height, points);
        let mut row = vec![WHITE; width];
        let mut rows = Rows::default();
        for y in 0..height {
            row.fill(WHITE);
            let start = y * bitmap.stride;
            let dots = bitmap.bytes.get(start..start + bitmap.stride).unwrap_or_default();
            for (x, grey) in row.iter_mut().enumerate().take(bitmap.width as usize) {
                if dots.get(x / 8).is_some_and(|byte| byte & (0x80 >> (x % 8)) != 0) {
                    *grey = BLACK;
                }
            }
            rows.add(&row, &mut self.bytes);
        }
        rows.flush(&mut self.bytes);
    }

    /// Adds a page of greys.
    pub fn add_greys(&mut self, page: &GreyPage, points: (f32, f32)) {
        self.header(page.width, page.height, points);
        let mut rows = Rows::default();
        page.greys.chunks_exact(page.width.max(1)).for_each(|row| rows.add(row, &mut self.bytes));
        rows.flush(&mut self.bytes);
    }

    /// Returns the dots of a side of the paper.
    pub fn side(&self, points: f32) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a side of paper has some thousand dots"
        )]
        let dots = (f64::from(points) / POINTS_PER_INCH * f64::from(self.dpi)).round().max(1.0) as usize;
        dots
    }

    fn header(&mut self, width: usize, height: usize, points: (f32, f32)) {
        let mut header = [0_u8; HEADER_BYTES];
        let mut text = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
        text(field::PWG_RASTER, "PwgRaster");
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a side of paper has some hundred points"
        )]
        let sides = [points.0, points.1].map(|side| side.round().max(0.0) as u32);
        if let Some((name, _, _)) = PAPER.iter().find(|(_, width, height)| [*width, *height] == sides) {
            text(field::PAGE_SIZE_NAME, name);
        }
        let size = |dots: usize| u32::try_from(dots).unwrap_or(u32::MAX);
        for (at, value) in [
            (field::HW_RESOLUTION, self.dpi),
            (field::HW_RESOLUTION + 4, self.dpi),
            (field::NUM_COPIES, 1),
            (field::PAGE_SIZE, sides[0]),
            (field::PAGE_SIZE + 4, sides[1]),
            (field::WIDTH, size(width)),
            (field::HEIGHT, size(height)),
            (field::BITS_PER_COLOR, 8),
            (field::BITS_PER_PIXEL, 8),
            (field::BYTES_PER_LINE, size(width)),
            (field::COLOR_SPACE, SGRAY),
            (field::NUM_COLORS, 1),
            (field::TOTAL_PAGE_COUNT, self.pages),
            (field::CROSS_FEED_TRANSFORM, 1),
            (field::FEED_TRANSFORM, 1),
            (field::ALTERNATE_PRIMARY, 0x00ff_ffff),
        ] {
            header[at..at + 4].copy_from_slice(&value.to_be_bytes());
        }
        self.bytes.extend_from_slice(&header);
    }
}

/// Equal rows that are not written yet.
#[derive(Default)]
struct Rows {
    row: Vec<u8>,
    count: usize,
}

impl Rows {
    fn add(&mut self, row: &[u8], bytes: &mut Vec<u8>) {
        if self.count > 0 && self.count < ROWS_MAX && self.row == row {
            self.count += 1;
            return;
        }
        self.flush(bytes);
        self.row.clear();
        self.row.extend_from_slice(row);
        self.count = 1;
    }

    fn flush(&mut self, bytes: &mut Vec<u8>) {
        if self.count > 0 {
            bytes.push(u8::try_from(self.count - 1).unwrap_or(u8::MAX));
            write_row(&self.row, bytes);
            self.count = 0;
        }
    }
}

/// Writes a row: a pixel and how often it is repeated, or pixels that follow each other.
fn write_row(row: &[u8], bytes: &mut Vec<u8>) {
    let mut singles: Vec<u8> = Vec::new();
    for run in row.chunk_by(|a, b| a == b) {
        if run.len() == 1 {
            singles.push(run[0]);
            continue;
        }
        write_singles(&mut singles, bytes);
        for part in run.chunks(RUN_MAX) {
            bytes.push(u8::try_from(part.len() - 1).unwrap_or_default());
            bytes.push(part[0]);
        }
    }
    write_singles(&mut singles, bytes);
}

fn write_singles(singles: &mut Vec<u8>, bytes: &mut Vec<u8>) {
    for part in singles.chunks(RUN_MAX) {
        // One pixel is a run of one: 256 would not fit into its byte.
        let count = if part.len() == 1 { 0 } else { u8::try_from(257 - part.len()).unwrap_or_default() };
        bytes.push(count);
        bytes.extend_from_slice(part);
    }
    singles.clear();
}

#[cfg(test)]
pub(crate) mod tests;
