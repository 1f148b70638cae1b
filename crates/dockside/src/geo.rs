//! `dockside geo import`: reads GeoNames' table of post codes into the store, so that plans can measure distances.
//!
//! A line that can't be used is named and passed over: a table of a million lines, gathered from ninety countries, is
//! never without one.

mod progress;
mod table;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use model::places::geo::PostalArea;

use crate::failure::Failure;
use crate::serve::open;
use crate::settings::StoreSettings;
use progress::Progress;
pub use progress::counted;
use table::{Table, read};

/// The file's name that means standard input.
const STANDARD_INPUT: &str = "-";

#[derive(Subcommand)]
pub enum Geo {
    /// Import a table of post codes in GeoNames' format, also while the server runs.
    ///
    /// Known post codes get their new place, all others stay. Importing again changes nothing.
    Import {
        /// The table, unpacked; `-` reads standard input.
        file: PathBuf,
        #[command(flatten)]
        settings: Box<StoreSettings<false>>,
    },
}

pub async fn run(command: Geo) -> Result<(), Failure> {
    let Geo::Import { file, settings } = command;
    let settings = settings.resolve()?;
    // All of it is read before any is written, because rows of one post code need not follow each other.
    let table = read_file(&file)?;
    if table.areas.is_empty() {
        return Err(Failure(table.nothing_understood()));
    }
    let service = open(&settings).await?;
    let complaints = table.complaints();
    let areas: Vec<PostalArea> = table.areas.into_areas().collect();
    let countries = areas.iter().map(|area| area.country).collect::<BTreeSet<_>>().len();
    let mut progress = Progress::new("writing", areas.len() as u64);
    let count = service.postal_places.import(areas, |written| progress.reach(written as u64)).await?;
    progress.end();
    let (codes, countries) = (counted(count, "post code"), counted_countries(countries));
    writeln!(std::io::stdout(), "{codes} of {countries} imported{complaints}")?;
    Ok(())
}

fn counted_countries(count: usize) -> String {
    if count == 1 { "1 country".to_owned() } else { format!("{count} countries") }
}

fn read_file(path: &Path) -> Result<Table, Failure> {
    let failed = |error: std::io::Error| Failure(format!("{} can't be read: {error}", path.display()));
    if path.as_os_str() == STANDARD_INPUT {
        return read(&mut std::io::stdin().lock(), &mut Progress::new("reading", 0)).map_err(failed);
    }
    let file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let mut progress = Progress::new("reading", bytes);
    let table = read(&mut BufReader::new(file), &mut progress).map_err(failed)?;
    progress.end();
    Ok(table)
}
