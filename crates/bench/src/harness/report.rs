//! The report: aligned tables, and the targets with their results.

use crate::harness::plan::Plan;

/// Returns the introduction: what is compared, and how.
pub fn heading(plan: &Plan) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!(
        "Dockside on {cores} cores, over loopback; the requests come from the same machine and share its cores.\n\
         product: `dockside serve` with its defaults, a token checked on each request, its log as JSON to /dev/null\n\
         bare:    the same connection loop that gives the same bytes from memory; for writes it first puts the\n\
         \x20        same rows through the same writer, and neither parses nor authorises nor decides anything\n\
         pgbench: the same statements, prepared, over as many connections as the product has clients (160 at most)\n\
         Medians of {} turns of {} ms each ({} of {} s on PostgreSQL), taken alternately.\n\
         cpu: what a request cost the server on all its threads and in the kernel, in microseconds.\n",
        plan.rounds,
        plan.turn.time.as_millis(),
        plan.postgres_rounds,
        plan.postgres_seconds
    )
}

/// Formats rows under a heading, each column as wide as necessary. Columns are aligned to the right, except for a
/// last column of words.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let is_figure =
        |row: &Vec<String>| row.last().is_some_and(|cell| cell.starts_with(|c: char| c.is_ascii_digit()));
    let ends_in_words = !rows.iter().skip(1).all(is_figure);
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column + 1 == columns && ends_in_words { cell.clone() } else { format!("{cell:>width$}") }
        });
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// Formats a whole number with separated thousands.
pub fn count(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// The targets of this run.
#[derive(Default)]
pub struct Targets {
    rows: Vec<Vec<String>>,
}

impl Targets {
    /// Records a figure with a lower limit, and returns the result.
    pub fn at_least(&mut self, what: &str, figure: f64, least: f64, show: impl Fn(f64) -> String) -> String {
        self.note(what, &show(figure), &format!(">= {}", show(least)), figure >= least)
    }

    /// Records a figure with an upper limit, and returns the result.
    pub fn below(&mut self, what: &str, figure: f64, limit: f64, show: impl Fn(f64) -> String) -> String {
        self.note(what, &show(figure), &format!("< {}", show(limit)), figure < limit)
    }

    fn note(&mut self, what: &str, figure: &str, target: &str, is_met: bool) -> String {
        let word = if is_met { "met" } else { "NOT MET" };
        self.rows.push([figure, target, word, what].map(str::to_owned).into());
        format!("{target} {word}")
    }

    /// Returns a table of all targets, with the number of connections in the heading.
    pub fn table(&self) -> String {
        let heading = ["figure", "target", "", "at 64 connections"].map(str::to_owned).to_vec();
        let rows: Vec<_> = std::iter::once(heading).chain(self.rows.iter().cloned()).collect();
        format!("\nTargets\n{}", table(&rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([7.0, 999.6, 1234.0, 1_234_567.0].map(count), ["7", "1 000", "1 234", "1 234 567"]);
    }

    #[test]
    fn figures_stand_to_the_right() {
        let rows = [vec!["name".to_owned(), "seconds".to_owned()], vec!["a".to_owned(), "8.7".to_owned()]];
        assert_eq!(table(&rows), "name  seconds\n   a      8.7\n");
    }

    #[test]
    fn a_figure_on_the_line_meets_a_floor_and_misses_a_ceiling() {
        let mut targets = Targets::default();
        assert_eq!(targets.at_least("a", 1.0, 1.0, count), ">= 1 met");
        assert_eq!(targets.below("b", 1.0, 1.0, count), "< 1 NOT MET");
        assert_eq!(
            targets.table(),
            "\nTargets\nfigure  target           at 64 connections\n     1    >= 1      met  a\n     1     < 1  NOT MET  b\n"
        );
    }
}
