//! The table as a file: its lines, and what was wrong with some of them.

use std::io::{self, BufRead, Read, Write};

use model::places::geo::{PostalAreas, PostalRow};

use super::progress::{Progress, counted};

/// The longest line, in bytes. GeoNames' fields allow about half of it; without a limit, a file that is no table
/// would be read into memory whole.
const LINE_BYTES_MAX: u64 = 8192;
/// Lines that are named one by one; beyond it they are only counted, because then the file is something else.
const NAMED_MAX: usize = 20;
/// The first bytes of packed files that a user might take for the table, and the command that unpacks each.
const PACKED: [(&[u8], &str); 2] =
    [(b"PK\x03\x04", "unzip -p FILE.zip FILE.txt"), (b"\x1f\x8b", "zcat FILE.gz")];
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What was read.
#[derive(Default)]
pub struct Table {
    pub areas: PostalAreas,
    lines: usize,
    faults: usize,
    first_fault: Option<(usize, &'static str)>,
}

/// Reads a table to its end, naming on standard error the lines that can't be used.
pub fn read(input: &mut impl BufRead, progress: &mut Progress) -> io::Result<Table> {
    ensure_unpacked(input.fill_buf()?)?;
    let mut table = Table::default();
    let (mut line, mut bytes) = (Vec::new(), 0);
    loop {
        line.clear();
        let length = input.take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? as u64;
        if length == 0 {
            return Ok(table);
        }
        bytes += length;
        let is_cut = length == LINE_BYTES_MAX && !line.ends_with(b"\n");
        if is_cut {
            bytes += input.skip_until(b'\n')? as u64;
        }
        if let Err(fault) = table.take_line(&line, is_cut)
            && table.faults <= NAMED_MAX
        {
            progress.end();
            let more = if table.faults == NAMED_MAX { "; further ones are counted only" } else { "" };
            // If standard error can't be written, the summary still names the first fault.
            let _unseen = writeln!(io::stderr(), "line {}: {fault}{more}", table.lines);
        }
        progress.reach(bytes);
    }
}

/// Says what to do with a packed file, which otherwise would be a file without one good line.
fn ensure_unpacked(beginning: &[u8]) -> io::Result<()> {
    match PACKED.iter().find(|(magic, _)| beginning.starts_with(magic)) {
        None => Ok(()),
        Some((_, unpack)) => Err(io::Error::other(format!(
            "it is packed; unpack it first, as in `{unpack} | dockside geo import -`"
        ))),
    }
}

impl Table {
    fn take_line(&mut self, line: &[u8], is_cut: bool) -> Result<(), &'static str> {
        self.lines += 1;
        let outcome = if is_cut { Err("the line is longer than 8192 bytes") } else { self.take_text(line) };
        if let Err(fault) = outcome {
            self.faults += 1;
            self.first_fault.get_or_insert((self.lines, fault));
        }
        outcome
    }

    fn take_text(&mut self, line: &[u8]) -> Result<(), &'static str> {
        let text = str::from_utf8(line).map_err(|_| "the line is not UTF-8 text")?;
        let text = text.trim_start_matches(BYTE_ORDER_MARK);
        if !text.trim().is_empty() {
            self.areas.add(PostalRow::parse(text)?);
        }
        Ok(())
    }

    /// The end of the summary: how many lines were passed over, and what was wrong with the first.
    pub fn complaints(&self) -> String {
        let Some((line, fault)) = self.first_fault else { return ".".to_owned() };
        let were = if self.faults == 1 { "was" } else { "were" };
        let lines = counted(self.faults, "line");
        format!("; {lines} {were} not understood: first at line {line}: {fault}.")
    }

    /// Why there is nothing to import.
    pub fn nothing_understood(&self) -> String {
        match self.first_fault {
            None => "nothing was imported: the table is empty".to_owned(),
            Some(_) => {
                let complaints = self.complaints();
                let lines = counted(self.lines, "line");
                format!("nothing was imported, out of {lines}{}", complaints.trim_end_matches('.'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "GB\tBS1\tBristol\tEngland\tENG\t\t\t\t\t51.45\t-2.59\t4\n";

    fn table(bytes: impl AsRef<[u8]>) -> Table {
        read(&mut bytes.as_ref(), &mut Progress::new("reading", 0)).unwrap()
    }

    #[test]
    fn rows_of_one_post_code_are_one_area_and_blank_lines_are_nothing() {
        let table = table(format!("\u{feff}{GOOD}\r\n{GOOD}\n"));
        assert_eq!((table.areas.len(), table.faults, table.lines), (1, 0, 4));
        assert_eq!(table.complaints(), ".");
    }

    #[test]
    fn a_bad_line_is_counted_and_the_first_is_named() {
        let table = table(format!("{GOOD}GB\tBS2\n{GOOD}UK\tBS3\t\t\t\t\t\t\t\t51\t-2\n"));
        assert_eq!((table.areas.len(), table.faults), (1, 2));
        let says = "; 2 lines were not understood: first at line 2: the line has fewer than 11 fields.";
        assert_eq!(table.complaints(), says);
    }

    #[test]
    fn a_line_without_an_end_a_line_that_is_no_text_and_a_line_too_long_do_no_harm() {
        let long = "x".repeat(3 * LINE_BYTES_MAX as usize);
        let bytes = [long.as_bytes(), b"\n\xff\xfe\n", GOOD.trim_end().as_bytes()].concat();
        let table = table(bytes);
        assert_eq!((table.areas.len(), table.faults, table.lines), (1, 2, 3));
        assert_eq!(table.first_fault, Some((1, "the line is longer than 8192 bytes")));
    }

    #[test]
    fn a_line_of_exactly_the_longest_length_is_whole() {
        let name = "x".repeat(LINE_BYTES_MAX as usize - GOOD.len());
        let table = table(format!("{}{GOOD}", GOOD.replace("Bristol", &format!("Bristol{name}"))));
        assert_eq!((table.faults, table.lines), (0, 2));
    }

    #[test]
    fn a_packed_file_is_refused_with_the_way_to_unpack_it() {
        for (magic, unpack) in PACKED {
            let error = read(&mut &*magic.to_vec(), &mut Progress::new("reading", 0)).err().unwrap();
            assert!(error.to_string().contains(unpack), "{error}");
        }
    }

    #[test]
    fn nothing_understood_says_what_there_was() {
        assert_eq!(table("").nothing_understood(), "nothing was imported: the table is empty");
        let says = "nothing was imported, out of 1 line; 1 line was not understood: first at line 1: the line has fewer than 11 fields";
        assert_eq!(table("id,name\n").nothing_understood(), says);
    }
}
