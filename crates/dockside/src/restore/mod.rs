//! `dockside restore`: puts the store in a backup into a folder that has none, or in the place of the one that is there.

#[cfg(test)]
mod tests;
mod unpack;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use service::exchange::backups::BackupDatabase;

use crate::backup_archive::{DATABASE, Description};
use crate::data_folder;
use crate::failure::Failure;
use crate::folder_lock::FolderLock;
use crate::geo::counted;
use crate::postgres_backup;
use crate::secrets::{self, Secrets};
use crate::settings::{Settings, Store, StoreSettings};
use crate::store_swap::{self, STAGING};
use unpack::{Places, Unpacked, describe, unpack};

/// What may be in a folder of files without that it has files of a store: what starts and backups leave there.
const NO_FILES: [&str; 4] = ["written-at-start", "backup.lock", STAGING, "replaced"];

#[derive(Args)]
pub struct Restore {
    /// The backup.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the store that is there.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    settings: Box<StoreSettings<false>>,
}

pub fn run(arguments: Restore) -> Result<(), Failure> {
    let Restore { file, force, settings } = arguments;
    let settings = settings.resolve()?;
    if settings.store.is_postgres() {
        let commands = postgres_backup::restore_commands(&file, &settings)?;
        std::io::stdout().write_all(commands.as_bytes())?;
        return Err(Failure(
            "nothing is restored yet: the database is in PostgreSQL, whose own programs restore it. Run the commands above"
                .to_owned(),
        ));
    }
    let archive = File::open(&file).map_err(|error| Failure(format!("{}: {error}", file.display())))?;
    let description = describe(&archive, &file)?;
    let places = places(&settings, &description)?;
    // Before it is locked: a folder that a mistyped command made would be in the way.
    ensure_free(&places, &description, force)?;
    data_folder::prepare(&places.data)?;
    let _lock = FolderLock::take(&places.data)?;
    if store_swap::complete(&places.data)? {
        ensure_free(&places, &description, force)?;
    }
    let prepared = prepare(&archive, &file, &settings, &places);
    let (unpacked, keys) = prepared.map_err(|failure| {
        places.clear();
        Failure(format!("{}. Nothing was changed", failure.0))
    })?;
    store_swap::commit(&places.data, places.files.as_deref())?;
    store_swap::complete(&places.data)?;
    std::io::stdout().write_all(summary(&places, &unpacked, &keys).as_bytes())?;
    Ok(())
}

fn places(settings: &Settings, description: &Description) -> Result<Places, Failure> {
    let folder = settings.files_folder()?;
    if description.has_files && folder.is_none() {
        return Err(Failure(
            "the backup has files, and the setting files names a bucket: restore with --files FOLDER, and copy the files to the \
             bucket from there"
                .to_owned(),
        ));
    }
    let data = settings.store.data();
    Ok(Places { data, files: folder.filter(|_| description.has_files) })
}

/// Refuses to replace anything without being told so.
fn ensure_free(places: &Places, description: &Description, force: bool) -> Result<(), Failure> {
    if force {
        return Ok(());
    }
    let mut taken = vec![places.data.join(DATABASE)];
    if description.has_keys {
        taken.push(places.data.join(secrets::FILE));
    }
    let has_files = |folder: &PathBuf| {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        entries.map(|entry| entry.file_name()).any(|name| !NO_FILES.iter().any(|known| name == *known))
    };
    let there = taken.into_iter().find(|path| path.exists());
    match there.or_else(|| places.files.clone().filter(has_files)) {
        Some(path) => Err(Failure(format!(
            "{} exists: restore into an empty folder (--data), or replace the store that is there with --force",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Unpacks the archive beside the old store, and checks that it is whole.
fn prepare(
    archive: &File,
    file: &Path,
    settings: &Settings,
    places: &Places,
) -> Result<(Unpacked, Keys), Failure> {
    places.make()?;
    let unpacked = unpack(archive, file, places)?;
    let failed = |error| Failure(format!("the database in {} can't be used: {error}", file.display()));
    let mut database = BackupDatabase::open(&places.staged_data().join(DATABASE)).map_err(failed)?;
    database.ensure_sound().map_err(failed)?;
    if let Some(folder) = places.staged_files() {
        ensure_files(&mut database, &folder, &unpacked.missing)?;
    }
    let keys = find_keys(settings, places, &mut database)?;
    drop(database);
    places.sync()?;
    Ok((unpacked, keys))
}

/// Checks that each file that the database names is there, or was missing when the backup was made.
fn ensure_files(
    database: &mut BackupDatabase,
    folder: &Path,
    missing: &BTreeSet<String>,
) -> Result<(), Failure> {
    database.visit_files(|needed| {
        let is_there = fs::metadata(folder.join(&needed.key)).is_ok_and(|file| file.len() >= needed.bytes);
        if is_there || missing.contains(&needed.key) {
            return Ok(());
        }
        Err(Failure(format!("the backup lacks the file {} that its database names", needed.key)))
    })
}

/// Where the keys of the restored store are.
enum Keys {
    InArchive,
    /// In the settings, or in the data folder already.
    InPlace,
    Nowhere,
}

/// Finds the keys with which a server would open the restored store, and refuses those that don't open it.
fn find_keys(settings: &Settings, places: &Places, database: &mut BackupDatabase) -> Result<Keys, Failure> {
    let staged = places.staged_data();
    let (folder, keys) = match staged.join(secrets::FILE).exists() {
        true => (&staged, Keys::InArchive),
        false => (&places.data, Keys::InPlace),
    };
    let store = Store { data: Some(folder.clone()), ..settings.store.clone() };
    if matches!(keys, Keys::InPlace) && !Secrets::are_at(&store) {
        return Ok(Keys::Nowhere);
    }
    if database.is_key(&Secrets::find(&store)?.encryption_key)? {
        return Ok(keys);
    }
    let found = match settings.store.encryption_key {
        Some(_) => "the setting encryption_key".to_owned(),
        None => format!("the encryption_key in {}", folder.join(secrets::FILE).display()),
    };
    Err(Failure(format!("{found} is not the one with which the database in the backup was encrypted")))
}

fn summary(places: &Places, unpacked: &Unpacked, keys: &Keys) -> String {
    let Unpacked { description, files, missing } = unpacked;
    let data = places.data.display();
    let files = counted(*files as usize, "file");
    let contents = match keys {
        Keys::InArchive => format!("the database, {files} and the keys"),
        Keys::InPlace | Keys::Nowhere => format!("the database and {files}"),
    };
    let mut text = format!("{data} has the store of {}: {contents}.\n", description.made_at);
    if !description.has_files {
        text.push_str(
            "The files are not in the backup: they are in a bucket, which the setting files must name.\n",
        );
    }
    if !missing.is_empty() {
        let missing = counted(missing.len(), "file");
        text.push_str(&format!("Missing already when the backup was made: {missing}.\n"));
    }
    if matches!(keys, Keys::Nowhere) {
        text.push_str(&format!(
            "The keys are missing: the backup was made without them. Put the secrets.toml of its server into {data}, or set \
             signing_key and encryption_key, before you start a server.\n"
        ));
    }
    text.push_str(
        "Start the server: it looks up at the carriers what may have been bought since, before it buys anything.\n",
    );
    text
}
