//! `dockside backup`: one file with the database, the files and the keys of a store, taken while its server runs.

mod draft;
mod make;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::backup_archive::MISSING;
use crate::failure::Failure;
use crate::geo::counted;
use crate::postgres_backup;
use crate::settings::StoreSettings;

use make::{Made, Wishes, make};

#[derive(Args)]
pub struct Backup {
    /// The file to write.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leave the keys (secrets.toml) out. Keep them elsewhere: without them, secrets in the database can't be read.
    #[arg(long)]
    without_secrets: bool,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
    /// Make the backup although files that the database names are missing or too short, and list them in it.
    #[arg(long)]
    allow_missing_files: bool,
    #[command(flatten)]
    settings: Box<StoreSettings<false>>,
}

pub fn run(arguments: Backup) -> Result<(), Failure> {
    let Backup { file, without_secrets, force, allow_missing_files, settings } = arguments;
    let settings = settings.resolve()?;
    if settings.store.is_postgres() {
        let commands = postgres_backup::backup_commands(&file, &settings)?;
        std::io::stdout().write_all(commands.as_bytes())?;
        return Err(Failure(
            "nothing is backed up yet: the database is in PostgreSQL, whose own programs back it up. Run the commands above"
                .to_owned(),
        ));
    }
    let made = make(&settings, &Wishes { file, without_secrets, force, allow_missing_files })?;
    std::io::stdout().write_all(summary(&made).as_bytes())?;
    Ok(())
}

/// Returns what is in the archive, and what is not.
fn summary(made: &Made) -> String {
    let files = counted(made.files as usize, "file");
    let contents = match (made.has_files, made.has_keys) {
        (true, true) => format!("the database, {files} and the keys"),
        (true, false) => format!("the database and {files}"),
        (false, true) => "the database and the keys".to_owned(),
        (false, false) => "the database".to_owned(),
    };
    let mut text = format!(
        "{} has {contents}: {}, read again and verified.\n",
        made.file.display(),
        counted(made.bytes as usize, "byte")
    );
    if made.has_keys {
        text.push_str(
            "Keep it where only you can read it: its keys open the carriers' credentials in its database.\n",
        );
    } else {
        text.push_str(
            "The keys are not in it. Keep secrets.toml, or signing_key and encryption_key, elsewhere: without them the \
             backup can't be used.\n",
        );
    }
    if !made.has_files {
        text.push_str("The files are in a bucket and not in it: back the bucket up too, after this.\n");
    }
    if made.missing > 0 {
        let missing = counted(made.missing as usize, "file");
        text.push_str(&format!(
            "{missing} that the database names could not be copied: see {MISSING} in it.\n"
        ));
    }
    text
}
