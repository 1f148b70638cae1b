//! A scene as ZPL II, for printers of 203 dpi and more. Text and barcodes use the printer's own fonts and symbologies, so
//! that a label is a kilobyte.
//!
//! Items that printers interpret differently are sent as dots (`^GFA`): text beyond Latin-1, for which font 0 has no
//! glyphs, and barcodes with characters that are commands in ZPL.

use crate::raster::{Bitmap, Raster};
use crate::resolution::{PlacedModules, Resolution};
use crate::scene::{Align, Bars, Item, Rect, Scene, Squares, Text};
use std::fmt::Write;

/// `^BQ` moves a code down by the height of the last `^BY`. This height is set before, and subtracted.
const QR_OFFSET: i32 = 10;
/// Font 0 is narrower than the compiled-in fonts. At this factor, its digits have the same height.
const FONT_SCALE: f32 = 1.0;

/// The widest module of a native barcode, in dots: older printers take no wider one. Wider codes are sent as dots.
const NATIVE_MODULE_MAX: u32 = 10;

/// Writes a scene as one label for a printer of 203 dpi.
pub fn zpl(scene: &Scene) -> String {
    zpl_at(scene, Resolution::LABEL)
}

/// Writes a scene as one label.
pub(crate) fn zpl_at(scene: &Scene, resolution: Resolution) -> String {
    let (width, height) = (resolution.dots(scene.width), resolution.dots(scene.height));
    let zpl = format!("^XA\n^CI28\n^PW{width}\n^LL{height}\n^LH0,0\n");
    let mut label = Commands { zpl, resolution };
    scene.items.iter().for_each(|item| label.item(scene, item));
    label.zpl.push_str("^XZ\n");
    label.zpl
}

/// Formats into a string, which cannot fail.
macro_rules! put {
    ($zpl:expr, $($argument:tt)*) => { _ = writeln!($zpl, $($argument)*) };
}

/// Returns whether data is free of characters that ZPL or its barcodes interpret as commands.
fn is_plain(data: &str) -> bool {
    data.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '.' | '/' | ':' | '+' | '$' | '%'))
}

/// Returns whether font 0 has all characters of the text. `^FB` interprets backslashes.
fn is_native_text(text: &Text) -> bool {
    text.line.text.chars().all(|c| matches!(c, ' '..='~' | '\u{a1}'..='\u{ff}') && c != '\\' && c != '\u{ad}')
}

fn put_hex(data: &mut String, c: char) {
    _ = write!(data, "_{:02X}", u32::from(c));
}

/// The commands of a label for a printer of this resolution.
struct Commands {
    zpl: String,
    resolution: Resolution,
}

impl Commands {
    fn item(&mut self, scene: &Scene, item: &Item) {
        let is_native = |placed: PlacedModules| placed.module <= NATIVE_MODULE_MAX;
        match item {
            Item::Fill(area) => self.fill(*area),
            Item::Text(text) if is_native_text(text) => self.native_text(text),
            Item::Bars(bars) if is_plain(&bars.data) && is_native(self.resolution.bars(bars)) => {
                self.native_bars(bars);
            }
            Item::Squares(squares)
                if is_plain(&squares.matrix.payload.replace('\x1d', ""))
                    && is_native(self.resolution.squares(squares)) =>
            {
                self.native_squares(squares);
            }
            Item::Text(_) | Item::Bars(_) | Item::Squares(_) => self.graphic(scene, item),
        }
    }

    fn dots(&self, mm: f32) -> i32 {
        self.resolution.dots(mm)
    }

    fn fill(&mut self, area: Rect) {
        let (x, y) = (self.dots(area.x), self.dots(area.y));
        let (width, height) = (self.dots(area.width).max(1), self.dots(area.height).max(1));
        put!(self.zpl, "^FO{x},{y}^GB{width},{height},{}^FS", width.min(height));
    }

    fn native_text(&mut self, text: &Text) {
        let size = self.dots(text.size * FONT_SCALE);
        let mut data = String::new();
        for c in text.line.text.chars() {
            match c {
                '^' | '~' | '_' => put_hex(&mut data, c),
                _ => data.push(c),
            }
        }
        let reverse = if text.is_inverse { "^FR" } else { "" };
        let font = format!("^A0N,{size},{size}");
        let (left, width) = (self.dots(text.area.x), self.dots(text.area.width));
        let (base, zpl) = (self.dots(text.baseline), &mut self.zpl);
        match text.align {
            Align::Start => put!(zpl, "^FT{left},{base}{font}{reverse}^FH^FD{data}^FS"),
            Align::Centre => put!(zpl, "^FT{left},{base}{font}^FB{width},1,0,C{reverse}^FH^FD{data}^FS"),
            Align::End => put!(zpl, "^FT{left},{base}{font}^FB{width},1,0,R{reverse}^FH^FD{data}^FS"),
        }
    }

    fn native_bars(&mut self, bars: &Bars) {
        let PlacedModules { x, y, module } = self.resolution.bars(bars);
        let height = self.dots(bars.area.height);
        put!(self.zpl, "^BY{module},3,{height}");
        // Digits after FNC1 are in set C from the start. Otherwise the printer chooses the sets.
        if bars.is_gs1 {
            put!(self.zpl, "^FO{x},{y}^BCN,{height},N,N,N,N^FD>;>8{}^FS", bars.data);
        } else {
            put!(self.zpl, "^FO{x},{y}^BCN,{height},N,N,N,A^FD{}^FS", bars.data);
        }
    }

    fn native_squares(&mut self, squares: &Squares) {
        let PlacedModules { x, y, module } = self.resolution.squares(squares);
        let payload = &squares.matrix.payload;
        match squares.matrix.kind {
            crate::barcode::MatrixKind::Qr => {
                put!(self.zpl, "^BY2,3,{QR_OFFSET}");
                put!(self.zpl, "^FO{x},{}^BQN,2,{module}^FDMA,{payload}^FS", y - QR_OFFSET);
            }
            crate::barcode::MatrixKind::Gs1DataMatrix => {
                let escaped = payload.replace('\x1d', "_1");
                put!(self.zpl, "^FO{x},{y}^BXN,{module},200,0,0,6,_^FD_1{escaped}^FS");
            }
        }
    }

    /// Writes an item as dots.
    fn graphic(&mut self, scene: &Scene, item: &Item) {
        let area = item.area();
        let mut raster = Raster::new(&scene.fonts, area, self.resolution);
        match item {
            // Text and background are drawn separately. `^FR` inverts the black dots of the text on a black background.
            Item::Text(text) => raster.text(&Text { is_inverse: false, ..text.clone() }),
            _ => raster.draw(item),
        }
        let reverse = if matches!(item, Item::Text(text) if text.is_inverse) { "^FR" } else { "" };
        let at = (self.dots(area.x), self.dots(area.y));
        put_dots(&mut self.zpl, &raster.bitmap, at, reverse);
    }
}

/// Writes dots as a whole label.
pub(crate) fn dots_as_label(bitmap: &Bitmap) -> String {
    let mut zpl = format!("^XA\n^PW{}\n^LL{}\n^LH0,0\n", bitmap.width, bitmap.height);
    put_dots(&mut zpl, bitmap, (0, 0), "");
    zpl.push_str("^XZ\n");
    zpl
}

/// Writes the black dots of a bitmap whose top left corner is at this position.
fn put_dots(zpl: &mut String, bitmap: &Bitmap, (x, y): (i32, i32), reverse: &str) {
    let Some((left, top, bitmap)) = trimmed(bitmap) else { return };
    let (x, y) = (x + left.cast_signed(), y + top.cast_signed());
    let total = bitmap.bytes.len();
    put!(zpl, "^FO{x},{y}{reverse}^GFA,{total},{total},{},{}^FS", bitmap.stride, hex(&bitmap));
}

/// Returns the part of a bitmap with black dots, and its position: whole bytes from the left, whole rows. Returns
/// `None` if all dots are white.
fn trimmed(bitmap: &Bitmap) -> Option<(u32, u32, Bitmap)> {
    let rows: Vec<&[u8]> = bitmap.bytes.chunks(bitmap.stride.max(1)).collect();
    let is_black = |row: &&[u8]| row.iter().any(|byte| *byte != 0);
    let (top, bottom) = (rows.iter().position(is_black)?, rows.iter().rposition(is_black)?);
    let is_used = |column: &usize| rows.iter().any(|row| row[*column] != 0);
    let (left, right) = ((0..bitmap.stride).find(is_used)?, (0..bitmap.stride).rfind(is_used)?);
    let bytes: Vec<u8> =
        rows[top..=bottom].iter().flat_map(|row| row[left..=right].iter().copied()).collect();
    let stride = right - left + 1;
    let size = |n: usize| u32::try_from(n).unwrap_or_default();
    let part = Bitmap { width: size(stride * 8), height: size(bottom - top + 1), stride, bytes };
    Some((size(left * 8), size(top), part))
}

/// Returns ZPL's compressed hex: letters count repeated digits, `,` fills a row with zeros, `:` repeats the row
/// above.
fn hex(bitmap: &Bitmap) -> String {
    let mut written = String::new();
    let mut above: Option<&[u8]> = None;
    for row in bitmap.bytes.chunks(bitmap.stride.max(1)) {
        if above == Some(row) {
            written.push(':');
        } else {
            hex_row(row, &mut written);
        }
        above = Some(row);
    }
    written
}

fn hex_row(row: &[u8], written: &mut String) {
    let digits: Vec<u8> = row.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
    let end = digits.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
    for run in digits[..end].chunk_by(|a, b| a == b) {
        // `z` to `g` count 400 down to 20, `Y` to `G` 19 down to 1; several add up.
        let mut count = run.len();
        while count >= 20 {
            let twenties = (count / 20).min(20);
            written.push(letter(b'f', twenties));
            count -= 20 * twenties;
        }
        if count > 0 && run.len() > 1 {
            written.push(letter(b'F', count));
        }
        written.push(char::from_digit(u32::from(run[0]), 16).unwrap_or('0').to_ascii_uppercase());
    }
    if end < digits.len() {
        written.push(',');
    }
}

/// Returns the letter this many positions after another.
fn letter(before: u8, by: usize) -> char {
    char::from(before + u8::try_from(by).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Decodes compressed hex as a printer does.
    fn unhex(text: &str, stride: usize) -> Vec<u8> {
        let (mut rows, mut row, mut count): (Vec<Vec<u8>>, Vec<u8>, usize) = (Vec::new(), Vec::new(), 0);
        for c in text.chars() {
            match c {
                'G'..='Y' => count += c as usize - 'F' as usize,
                'g'..='z' => count += 20 * (c as usize - 'f' as usize),
                ',' => row.resize(2 * stride, 0),
                ':' => rows.push(rows.last().unwrap().clone()),
                _ => row.extend(std::iter::repeat_n(
                    c.to_digit(16).unwrap() as u8,
                    std::mem::take(&mut count).max(1),
                )),
            }
            if row.len() == 2 * stride {
                rows.push(std::mem::take(&mut row));
            }
        }
        rows.concat().chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }

    proptest! {
        #[test]
        fn compressed_dots_read_back(
            stride in 1_usize..260,
            rows in proptest::collection::vec(proptest::collection::vec(prop_oneof![3 => Just(0_u8), 2 => Just(255), 1 => any::<u8>()], 260), 1..6)
        ) {
            let bytes: Vec<u8> = rows.iter().flat_map(|row| row[..stride].iter().copied()).collect();
            let bitmap = Bitmap { width: 8, height: 1, stride, bytes };
            prop_assert_eq!(unhex(&hex(&bitmap), stride), bitmap.bytes);
        }
    }
}
