//! Unpacks an archive beside the store that is in place.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{BufReader, Seek};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::backup_archive::{
    ArchiveReader, DATABASE, DESCRIPTION, Description, FILES_FOLDER, Flaw, MISSING, is_key,
};
use crate::failure::Failure;
use crate::secrets;
use crate::store_swap::{self, STAGING};

const BUFFER_BYTES: usize = 1 << 20;
/// The most bytes of an entry that is read into memory.
const TEXT_BYTES_MAX: u64 = 256 << 20;

/// Where a store is restored to.
pub struct Places {
    pub data: PathBuf,
    /// The folder of the files, if the archive has files.
    pub files: Option<PathBuf>,
}

impl Places {
    pub fn staged_data(&self) -> PathBuf {
        self.data.join(STAGING)
    }

    pub fn staged_files(&self) -> Option<PathBuf> {
        self.files.as_ref().map(|folder| folder.join(STAGING))
    }

    /// Makes the staging folders, without what a killed restore has left there.
    pub fn make(&self) -> Result<(), Failure> {
        for folder in [Some(self.staged_data()), self.staged_files()].into_iter().flatten() {
            store_swap::remove(&folder).map_err(|error| unwritable(&folder, &error))?;
            make_folder(&folder)?;
        }
        Ok(())
    }

    /// Deletes the staging folders.
    pub fn clear(&self) {
        for folder in [Some(self.staged_data()), self.staged_files()].into_iter().flatten() {
            // They only take space, and the next restore deletes them.
            let _left = store_swap::remove(&folder);
        }
    }

    /// Makes the names of all staged files durable. Their contents are already.
    pub fn sync(&self) -> Result<(), Failure> {
        for folder in [Some(self.staged_data()), self.staged_files()].into_iter().flatten() {
            sync_folders(&folder).map_err(|error| unwritable(&folder, &error))?;
            let above = folder.parent().map_or(Ok(()), sync_folder);
            above.map_err(|error| unwritable(&folder, &error))?;
        }
        Ok(())
    }
}

/// What was in an archive.
pub struct Unpacked {
    pub description: Description,
    pub files: u64,
    /// The files that were missing when it was made.
    pub missing: BTreeSet<String>,
}

/// Reads what an archive says of itself, without verifying the rest.
pub fn describe(archive: &File, name: &Path) -> Result<Description, Failure> {
    let mut reader = open(archive, name)?;
    first(&mut reader, name)
}

/// Unpacks an archive into the staging folders. Once this returns, each byte of it is verified, and what is staged survives a power
/// failure but for its names.
pub fn unpack(archive: &File, name: &Path, places: &Places) -> Result<Unpacked, Failure> {
    let mut reader = open(archive, name)?;
    let description = first(&mut reader, name)?;
    let mut unpacked = Unpacked { description, files: 0, missing: BTreeSet::new() };
    let mut has_database = false;
    while let Some(head) = reader.next_entry().map_err(|flaw| said(name, flaw))? {
        let target = match head.name.as_str() {
            DATABASE => {
                has_database = true;
                places.staged_data().join(DATABASE)
            }
            secrets::FILE => places.staged_data().join(secrets::FILE),
            MISSING => {
                let list = text(&mut reader, head.size, name)?;
                unpacked.missing = String::from_utf8_lossy(&list).lines().map(str::to_owned).collect();
                continue;
            }
            other => {
                unpacked.files += 1;
                target_of(other, places).ok_or_else(|| {
                    Failure(format!("{} has an entry {other:?}, which no backup has", name.display()))
                })?
            }
        };
        write(&mut reader, &target).map_err(|flaw| match flaw {
            Flaw::Write(error) => unwritable(&target, &error),
            flaw => said(name, flaw),
        })?;
    }
    if !has_database {
        return Err(Failure(format!("{} has no database", name.display())));
    }
    Ok(unpacked)
}

/// Returns where an entry of the file store is unpacked to, or `None` if it is none.
fn target_of(entry: &str, places: &Places) -> Option<PathBuf> {
    let key = entry.strip_prefix(FILES_FOLDER)?.strip_prefix('/').filter(|key| is_key(key))?;
    Some(places.staged_files()?.join(key))
}

type Reader<'a> = ArchiveReader<BufReader<&'a File>>;

fn open<'a>(mut archive: &'a File, name: &Path) -> Result<Reader<'a>, Failure> {
    archive.rewind().map_err(|error| said(name, Flaw::Read(error)))?;
    Ok(ArchiveReader::new(BufReader::with_capacity(BUFFER_BYTES, archive)))
}

fn first(reader: &mut Reader<'_>, name: &Path) -> Result<Description, Failure> {
    let head = reader.next_entry().map_err(|flaw| said(name, flaw))?;
    let Some(head) = head.filter(|head| head.name == DESCRIPTION) else {
        return Err(said(name, Flaw::Foreign));
    };
    let text = text(reader, head.size, name)?;
    Description::read(&text).map_err(|failure| Failure(format!("{}: {}", name.display(), failure.0)))
}

fn text(reader: &mut Reader<'_>, size: u64, name: &Path) -> Result<Vec<u8>, Failure> {
    if size > TEXT_BYTES_MAX {
        return Err(Failure(format!("{} has a text of {size} bytes, which no backup has", name.display())));
    }
    let mut text = Vec::new();
    reader.copy_content(&mut text).map_err(|flaw| said(name, flaw))?;
    Ok(text)
}

fn write(reader: &mut Reader<'_>, target: &Path) -> Result<(), Flaw> {
    if let Some(folder) = target.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Flaw::Write)?;
    }
    let options = OpenOptions::new().write(true).create_new(true).mode(0o600).open(target);
    let mut file = options.map_err(Flaw::Write)?;
    reader.copy_content(&mut file)?;
    file.sync_all().map_err(Flaw::Write)
}

fn make_folder(folder: &Path) -> Result<(), Failure> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| unwritable(folder, &error))
}

fn sync_folders(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    sync_folder(folder)
}

fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Says what is wrong with an archive.
fn said(name: &Path, flaw: Flaw) -> Failure {
    let name = name.display();
    Failure(match flaw {
        Flaw::Foreign => format!("{name} is no backup of Dockside, or its beginning is damaged"),
        Flaw::Truncated(at) => {
            format!("{name} is truncated: it ends after {at} bytes, and is longer when it is whole")
        }
        Flaw::Damaged(at) => {
            format!("{name} is damaged: something in its first {at} bytes is not as it was written")
        }
        Flaw::Read(error) | Flaw::Write(error) => format!("{name} can't be read: {error}"),
    })
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure(format!("{} can't be written: {error}", path.display()))
}
