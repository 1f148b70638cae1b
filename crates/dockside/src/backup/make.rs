//! Makes a backup of a store on SQLite.
//!
//! The order is what makes it whole: first deletions of files are held up, then the database is copied, then the files that the
//! copy names are. A file is durable before its row commits, so what the copy names is there.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

use service::exchange::backups::{BackupDatabase, NeededFile};
use service::platform::crash_point::crash_point;
use service::shipping::documents::DeletionLock;
use service::{Clock, SystemClock};

use super::draft::Draft;
use crate::backup_archive::{
    ArchiveReader, ArchiveWriter, DATABASE, DESCRIPTION, Description, FILES_FOLDER, Flaw, MISSING, is_key,
};
use crate::failure::Failure;
use crate::geo::counted;
use crate::secrets::{self, Secrets};
use crate::serve::no_store;
use crate::settings::Settings;
use crate::store_swap;

/// Missing files that are named.
const MISSING_SHOWN: usize = 3;
const BUFFER_BYTES: usize = 1 << 20;

/// What the operator asks for.
pub struct Wishes {
    pub file: PathBuf,
    pub without_secrets: bool,
    pub force: bool,
    pub allow_missing_files: bool,
}

/// A backup that was made.
pub struct Made {
    pub file: PathBuf,
    pub bytes: u64,
    /// How many files of the file store are in it.
    pub files: u64,
    pub missing: u64,
    pub has_files: bool,
    pub has_keys: bool,
}

pub fn make(settings: &Settings, wishes: &Wishes) -> Result<Made, Failure> {
    let data = settings.store.data();
    let original = data.join(DATABASE);
    store_swap::complete_interrupted(&data)?;
    if !std::fs::metadata(&original).is_ok_and(|file| file.len() > 0) {
        return Err(no_store(settings));
    }
    let secrets = (!wishes.without_secrets).then(|| Secrets::find(&settings.store)).transpose()?;
    let folder = settings.files_folder()?;
    let draft = Draft::begin(&wishes.file, wishes.force)?;
    let held = folder.as_deref().map(hold_deletions).transpose()?.flatten();
    let mut database = copy_database(&original, &draft.database(), secrets.as_ref())?;
    crash_point!("after_backup_copy");
    let mut made = Made {
        file: wishes.file.clone(),
        bytes: 0,
        files: 0,
        missing: 0,
        has_files: folder.is_some(),
        has_keys: secrets.is_some(),
    };
    let mut archive = Archive::begin(&draft, &made)?;
    if let Some(secrets) = &secrets {
        archive.text(secrets::FILE, &secrets.to_text())?;
    }
    archive.file(DATABASE, &draft.database())?;
    if let Some(folder) = &folder {
        database.visit_files(|file| archive.needed(folder, &file))?;
    }
    drop((database, held));
    (made.files, made.missing) = (archive.files, archive.missing.len() as u64);
    made.bytes = archive.finish(wishes.allow_missing_files)?;
    draft.remove_database();
    verify(&draft.file).map_err(|flaw| draft.failed(&flaw_error(flaw)))?;
    crash_point!("before_backup_rename");
    draft.keep()?;
    Ok(made)
}

/// Holds up deletions, if there is a folder in which something could be deleted.
fn hold_deletions(folder: &Path) -> Result<Option<DeletionLock>, Failure> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let failed = |error| Failure(format!("the files in {} can't be locked: {error}", folder.display()));
    DeletionLock::hold(folder).map(Some).map_err(failed)
}

fn copy_database(original: &Path, copy: &Path, secrets: Option<&Secrets>) -> Result<BackupDatabase, Failure> {
    let failed = |error| Failure(format!("the database {} can't be backed up: {error}", original.display()));
    let mut database = BackupDatabase::copy(original, copy).map_err(failed)?;
    database.ensure_sound().map_err(failed)?;
    if let Some(secrets) = secrets
        && !database.is_key(&secrets.encryption_key).map_err(failed)?
    {
        return Err(Failure(
            "the encryption_key is not the one with which the database was encrypted: a backup with it could not be used"
                .to_owned(),
        ));
    }
    Ok(database)
}

/// The archive as it is filled.
struct Archive<'a> {
    writer: ArchiveWriter<BufWriter<&'a File>>,
    draft: &'a Draft,
    files: u64,
    missing: Vec<String>,
}

impl<'a> Archive<'a> {
    fn begin(draft: &'a Draft, made: &Made) -> Result<Self, Failure> {
        let now = SystemClock.now();
        let writer = ArchiveWriter::new(
            BufWriter::with_capacity(BUFFER_BYTES, &draft.file),
            u64::try_from(now.as_seconds()).unwrap_or_default(),
        );
        let mut archive = Self { writer, draft, files: 0, missing: Vec::new() };
        let description = Description::new(now.to_string(), made.has_keys, made.has_files);
        archive.text(DESCRIPTION, &format!("{}\n", serde_json::to_string_pretty(&description)?))?;
        Ok(archive)
    }

    fn text(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        self.writer.append_text(name, text).map_err(|error| self.draft.failed(&error))
    }

    fn file(&mut self, name: &str, path: &Path) -> Result<(), Failure> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        self.writer.append(name, size, &mut file).map_err(|error| self.draft.failed(&error))
    }

    /// Adds a file that the database names, or notes that it is missing.
    fn needed(&mut self, folder: &Path, needed: &NeededFile) -> Result<(), Failure> {
        if !is_key(&needed.key) {
            return Err(Failure(format!("the database names the file {:?}, which can't be one", needed.key)));
        }
        let path = folder.join(&needed.key);
        let unreadable =
            |error: std::io::Error| Failure(format!("{} can't be read: {error}", path.display()));
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.missing.push(needed.key.clone());
                return Ok(());
            }
            file => file.map_err(unreadable)?,
        };
        let size = file.metadata().map_err(unreadable)?.len();
        if size < needed.bytes {
            self.missing.push(needed.key.clone());
            return Ok(());
        }
        let name = format!("{FILES_FOLDER}/{}", needed.key);
        self.files += 1;
        self.writer.append(&name, size, &mut file).map_err(|error| self.draft.failed(&error))
    }

    /// Ends the archive, and returns its size in bytes.
    fn finish(mut self, may_lack_files: bool) -> Result<u64, Failure> {
        if !self.missing.is_empty() {
            if !may_lack_files {
                return Err(lacks(&self.missing));
            }
            self.text(MISSING, &format!("{}\n", self.missing.join("\n")))?;
        }
        let (mut out, bytes) = self.writer.finish().map_err(|error| self.draft.failed(&error))?;
        out.flush().map_err(|error| self.draft.failed(&error))?;
        Ok(bytes)
    }
}

fn lacks(missing: &[String]) -> Failure {
    let shown = missing.iter().take(MISSING_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = if missing.len() > MISSING_SHOWN { " and others" } else { "" };
    Failure(format!(
        "{} that the database names cannot be backed up, because it is missing or too short: {shown}{more}. Put what is missing \
         back, check the setting files, or make a backup without it with --allow-missing-files",
        counted(missing.len(), "file")
    ))
}

/// Reads the archive again, as a restore would.
fn verify(mut file: &File) -> Result<(), Flaw> {
    file.rewind().map_err(Flaw::Read)?;
    let mut reader = ArchiveReader::new(BufReader::with_capacity(BUFFER_BYTES, file));
    while reader.next_entry()?.is_some() {}
    Ok(())
}

fn flaw_error(flaw: Flaw) -> std::io::Error {
    match flaw {
        Flaw::Read(error) | Flaw::Write(error) => error,
        other => std::io::Error::other(format!("what was read back differs ({other:?})")),
    }
}
