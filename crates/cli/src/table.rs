//! Tables whose columns align, whatever the script of their texts and the width of the terminal.

use crate::screen::{Paint, Screen};
use crate::text::{cut, width};

/// Columns of a terminal between two columns of a table.
const GAP: usize = 2;
/// The fewest columns that a text is cut to.
const CUT_COLUMNS_MIN: usize = 6;

/// How a column of a table looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    pub title: &'static str,
    /// Numbers stand at the right, so that their digits are below each other.
    pub is_number: bool,
    /// Whether its texts are cut if the terminal is too narrow. Ids never are: a part of one is of no use.
    pub is_cut: bool,
}

/// A piece of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub text: String,
    pub paint: Paint,
}

impl Cell {
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), paint: Paint::Plain }
    }
}

/// Returns a table with its heading, a line for each row.
pub fn table(screen: &Screen, columns: &[Column], rows: &[Vec<Cell>]) -> String {
    let widths = widths(screen, columns, rows, true);
    let heading: Vec<Cell> =
        columns.iter().map(|column| Cell { text: column.title.to_owned(), paint: Paint::Dim }).collect();
    let lines = std::iter::once(&heading).chain(rows).map(|row| line(screen, columns, &widths, row));
    lines.collect()
}

/// Returns rows of a name and a value, without a heading.
pub fn pairs(screen: &Screen, rows: &[(&str, Cell)]) -> String {
    let columns = [
        Column { title: "", is_number: false, is_cut: false },
        Column { title: "", is_number: false, is_cut: true },
    ];
    let rows: Vec<Vec<Cell>> = rows
        .iter()
        .map(|(name, value)| vec![Cell { text: (*name).to_owned(), paint: Paint::Dim }, value.clone()])
        .collect();
    let widths = widths(screen, &columns, &rows, false);
    rows.iter().map(|row| line(screen, &columns, &widths, row)).collect()
}

/// Returns the width of each column. If the terminal is too narrow, the widest of those that may be cut gives way first.
fn widths(screen: &Screen, columns: &[Column], rows: &[Vec<Cell>], has_heading: bool) -> Vec<usize> {
    let mut widths: Vec<usize> =
        columns.iter().map(|column| if has_heading { width(column.title) } else { 0 }).collect();
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(&cell.text));
        }
    }
    let Some(room) = screen.columns else { return widths };
    let gaps = GAP * columns.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > room {
        let widest = widths
            .iter_mut()
            .zip(columns)
            .filter(|(width, column)| column.is_cut && **width > CUT_COLUMNS_MIN)
            .max_by_key(|(width, _)| **width);
        match widest {
            Some((width, _)) => *width -= 1,
            None => break,
        }
    }
    widths
}

fn line(screen: &Screen, columns: &[Column], widths: &[usize], row: &[Cell]) -> String {
    let mut line = String::new();
    // Blanks are written before a text and never behind the last one: a terminal would wrap them.
    let mut blanks = 0;
    for ((column, width_wanted), cell) in columns.iter().zip(widths).zip(row) {
        let text = if column.is_cut { cut(&cell.text, *width_wanted) } else { cell.text.clone() };
        let padding = width_wanted.saturating_sub(width(&text));
        let (before, after) = if column.is_number { (padding, 0) } else { (0, padding) };
        if !text.is_empty() {
            line.push_str(&" ".repeat(blanks + before));
            line.push_str(&screen.painted(cell.paint, &text));
            blanks = 0;
        } else {
            blanks += before;
        }
        blanks += after + GAP;
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const COLUMNS: [Column; 3] = [
        Column { title: "ID", is_number: false, is_cut: false },
        Column { title: "NAME", is_number: false, is_cut: true },
        Column { title: "ON HAND", is_number: true, is_cut: false },
    ];

    fn rows(texts: &[[&str; 3]]) -> Vec<Vec<Cell>> {
        texts.iter().map(|row| row.iter().map(|text| Cell::plain(*text)).collect()).collect()
    }

    fn screen(columns: Option<usize>) -> Screen {
        Screen { columns, is_coloured: false }
    }

    #[test]
    fn columns_align_whatever_the_script() {
        let rows = rows(&[["a", "Zoë", "5"], ["bcd", "日本語", "12000"], ["e", "📦 box", "-3"]]);
        assert_eq!(
            table(&screen(None), &COLUMNS, &rows),
            "ID   NAME    ON HAND\n\
             a    Zoë           5\n\
             bcd  日本語    12000\n\
             e    📦 box       -3\n"
        );
    }

    #[test]
    fn a_narrow_terminal_cuts_names_and_never_ids() {
        let rows = rows(&[["inv_0123456789", "A very long name of an item", "5"]]);
        assert_eq!(
            table(&screen(Some(36)), &COLUMNS, &rows),
            "ID              NAME         ON HAND\n\
             inv_0123456789  A very lon…        5\n"
        );
        // There is no room at all: the name keeps a few columns, and the line is longer than the terminal.
        assert!(table(&screen(Some(5)), &COLUMNS, &rows).contains("inv_0123456789  A ver…"));
    }

    #[test]
    fn no_line_ends_with_blanks() {
        let rows = rows(&[["a", "", ""], ["b", "x", ""]]);
        assert_eq!(table(&screen(None), &COLUMNS, &rows), "ID  NAME  ON HAND\na\nb   x\n");
    }

    #[test]
    fn colours_do_not_move_columns() {
        let coloured = Screen { columns: None, is_coloured: true };
        let row =
            vec![Cell { text: "ok".to_owned(), paint: Paint::Good }, Cell::plain("x"), Cell::plain("1")];
        let text = table(&coloured, &COLUMNS, &[row]);
        assert!(text.ends_with("\u{1b}[32mok\u{1b}[0m  x           1\n"), "{text:?}");
    }

    #[test]
    fn pairs_align_their_values() {
        let rows = [("Reference", Cell::plain("1001")), ("Status", Cell::plain("committed"))];
        assert_eq!(pairs(&screen(None), &rows), "Reference  1001\nStatus     committed\n");
    }

    proptest! {
        #[test]
        fn every_line_fits_or_nothing_can_be_cut(names in prop::collection::vec("\\PC{0,40}", 1..8), room in 30usize..120) {
            let rows: Vec<Vec<Cell>> = names
                .iter()
                .map(|name| vec![Cell::plain("inv_1"), Cell::plain(crate::text::harmless(name)), Cell::plain("1")])
                .collect();
            for line in table(&screen(Some(room)), &COLUMNS, &rows).lines() {
                prop_assert!(width(line) <= room, "{line:?}");
            }
        }
    }
}
