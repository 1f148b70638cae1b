//! Writing and reading an archive: a tar archive whose last entry has a hash over everything before it.
//!
//! A reader therefore notices every changed, missing or added byte: heads must be those that the writer makes, the hash covers
//! heads, contents and zeros up to the last entry, and the last entry and the end are compared byte by byte.

use std::io::{self, ErrorKind, Read, Write};

use sha2::{Digest, Sha256};

use super::head::{BLOCK, END_BYTES, Head, padding};

/// The last entry.
const CHECKSUM: &str = "dockside-backup.sha256";
/// Bytes that are copied at once.
const PIECE_BYTES: usize = 256 << 10;

/// Writes an archive, an entry after the other.
pub struct ArchiveWriter<W> {
    out: W,
    digest: Sha256,
    entries: u64,
    bytes: u64,
    made_at: u64,
}

impl<W: Write> ArchiveWriter<W> {
    /// `made_at` is the time of all entries, in seconds since 1970.
    pub fn new(out: W, made_at: u64) -> Self {
        Self { out, digest: Sha256::new(), entries: 0, bytes: 0, made_at }
    }

    /// Appends an entry of exactly this size.
    pub fn append(&mut self, name: &str, size: u64, content: &mut dyn Read) -> io::Result<()> {
        let head = Head { name: name.to_owned(), size, made_at: self.made_at };
        let head = head.write().ok_or_else(|| io::Error::other(format!("the name {name} is too long")))?;
        self.put(&head)?;
        let mut piece = piece_for(size);
        let mut left = size;
        while left > 0 {
            let room = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let read = content.read(&mut piece[..room])?;
            if read == 0 {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, format!("{name} became shorter")));
            }
            self.put(&piece[..read])?;
            left -= read as u64;
        }
        self.put(&[0; BLOCK][..padding(size)])?;
        self.entries += 1;
        Ok(())
    }

    pub fn append_text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.append(name, text.len() as u64, &mut text.as_bytes())
    }

    /// Writes the last entry. Returns the size of the archive in bytes.
    pub fn finish(mut self) -> io::Result<(W, u64)> {
        let tail = tail(self.digest, self.entries, self.made_at)?;
        self.out.write_all(&tail)?;
        Ok((self.out, self.bytes + tail.len() as u64))
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// Returns a buffer to copy a content of this size with.
fn piece_for(size: u64) -> Vec<u8> {
    vec![0; PIECE_BYTES.min(usize::try_from(size).unwrap_or(PIECE_BYTES))]
}

/// Returns the last entry and what follows it.
fn tail(digest: Sha256, entries: u64, made_at: u64) -> io::Result<Vec<u8>> {
    let hash: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!("sha256 {hash}\nentries {entries}\n");
    let head = Head { name: CHECKSUM.to_owned(), size: text.len() as u64, made_at };
    let head = head.write().ok_or_else(|| io::Error::other("no head for the last entry"))?;
    let zeros = vec![0; padding(text.len() as u64) + END_BYTES];
    Ok([&head[..], text.as_bytes(), &zeros].concat())
}

/// Why an archive can't be read.
#[derive(Debug)]
pub enum Flaw {
    /// The file does not begin as an archive does.
    Foreign,
    /// The file ends at this byte.
    Truncated(u64),
    /// Something before this byte is not as it was written.
    Damaged(u64),
    Read(io::Error),
    /// What was read can't be written elsewhere.
    Write(io::Error),
}

/// Reads an archive, an entry after the other. It is not verified before [`ArchiveReader::next_entry`] has returned `None`.
pub struct ArchiveReader<R> {
    input: R,
    digest: Sha256,
    entries: u64,
    position: u64,
    /// The time of the first entry, which all others have too.
    made_at: Option<u64>,
    /// The size of the entry whose content was not read yet.
    unread: Option<u64>,
}

impl<R: Read> ArchiveReader<R> {
    pub fn new(input: R) -> Self {
        Self { input, digest: Sha256::new(), entries: 0, position: 0, made_at: None, unread: None }
    }

    /// Returns the head of the next entry, or `None` behind the last one: then the whole archive is as it was written. An
    /// entry whose content was not read is skipped.
    pub fn next_entry(&mut self) -> Result<Option<Head>, Flaw> {
        if self.unread.is_some() {
            self.copy_content(&mut io::sink())?;
        }
        let mut block = [0; BLOCK];
        self.fill(&mut block)?;
        let Some(head) = Head::read(&block) else { return Err(self.damaged()) };
        if *self.made_at.get_or_insert(head.made_at) != head.made_at {
            return Err(self.damaged());
        }
        if head.name == CHECKSUM {
            return self.check_tail(&block, head.made_at).map(|()| None);
        }
        self.digest.update(block);
        self.entries += 1;
        self.unread = Some(head.size);
        Ok(Some(head))
    }

    /// Copies the content of the current entry.
    pub fn copy_content(&mut self, out: &mut dyn Write) -> Result<(), Flaw> {
        let Some(size) = self.unread.take() else { return Ok(()) };
        let mut piece = piece_for(size);
        let mut left = size;
        while left > 0 {
            let room = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.fill(&mut piece[..room])?;
            self.digest.update(&piece[..room]);
            out.write_all(&piece[..room]).map_err(Flaw::Write)?;
            left -= room as u64;
        }
        let mut zeros = [0; BLOCK];
        let zeros = &mut zeros[..padding(size)];
        self.fill(zeros)?;
        self.digest.update(&*zeros);
        Ok(())
    }

    fn check_tail(&mut self, head: &[u8], made_at: u64) -> Result<(), Flaw> {
        let expected = tail(self.digest.clone(), self.entries, made_at).map_err(Flaw::Read)?;
        let mut rest = vec![0; expected.len() - head.len()];
        self.fill(&mut rest)?;
        let is_whole = expected[..head.len()] == *head && expected[head.len()..] == *rest;
        let is_end = self.input.read(&mut [0]).map_err(Flaw::Read)? == 0;
        if is_whole && is_end { Ok(()) } else { Err(self.damaged()) }
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Flaw> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.input.read(&mut buffer[filled..]) {
                Ok(0) if self.made_at.is_none() => return Err(Flaw::Foreign),
                Ok(0) => return Err(Flaw::Truncated(self.position)),
                Ok(read) => (filled, self.position) = (filled + read, self.position + read as u64),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Flaw::Read(error)),
            }
        }
        Ok(())
    }

    fn damaged(&self) -> Flaw {
        if self.made_at.is_none() { Flaw::Foreign } else { Flaw::Damaged(self.position) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive() -> Vec<u8> {
        let mut writer = ArchiveWriter::new(Vec::new(), 1_793_664_000);
        writer.append_text("first.json", "{}").unwrap();
        writer.append("dockside.db", 1500, &mut io::repeat(7)).unwrap();
        writer.append("files/org_1/doc_1", 512, &mut io::repeat(8)).unwrap();
        writer.append_text("files/org_1/doc_2", "").unwrap();
        let (bytes, size) = writer.finish().unwrap();
        assert_eq!(bytes.len() as u64, size);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Flaw> {
        let mut reader = ArchiveReader::new(bytes);
        let mut entries = Vec::new();
        while let Some(head) = reader.next_entry()? {
            let mut content = Vec::new();
            reader.copy_content(&mut content)?;
            entries.push((head.name, content));
        }
        Ok(entries)
    }

    #[test]
    fn an_archive_is_read_as_it_was_written() {
        let entries = read(&archive()).unwrap();
        let shown: Vec<_> = entries.iter().map(|(name, content)| (name.as_str(), content.len())).collect();
        let expected =
            [("first.json", 2), ("dockside.db", 1500), ("files/org_1/doc_1", 512), ("files/org_1/doc_2", 0)];
        assert_eq!(shown, expected);
        assert!(entries[1].1.iter().all(|byte| *byte == 7));
        let bytes = archive();
        let mut skipping = ArchiveReader::new(&bytes[..]);
        let mut names = 0;
        while skipping.next_entry().unwrap().is_some() {
            names += 1;
        }
        assert_eq!(names, 4, "contents may be skipped");
    }

    #[test]
    fn an_archive_with_any_other_byte_is_refused() {
        let whole = archive();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x20;
            assert!(read(&damaged).is_err(), "byte {at}");
        }
    }

    #[test]
    fn an_archive_that_ends_early_or_late_is_refused() {
        let whole = archive();
        for end in 0..whole.len() {
            match read(&whole[..end]) {
                Err(Flaw::Foreign) => assert!(end < BLOCK, "at {end}"),
                Err(Flaw::Truncated(at)) => assert_eq!(at, end as u64),
                other => panic!("at {end}: {other:?}"),
            }
        }
        assert!(matches!(read(&[&whole[..], &[0]].concat()), Err(Flaw::Damaged(_))));
        assert!(matches!(read(&[&whole[..], &whole[..]].concat()), Err(Flaw::Damaged(_))));
    }

    #[test]
    fn entries_in_another_order_are_refused() {
        let whole = archive();
        let (first, rest) = whole.split_at(2 * BLOCK);
        let (database, rest) = rest.split_at(BLOCK + 3 * BLOCK);
        assert!(matches!(read(&[database, first, rest].concat()), Err(Flaw::Damaged(_))));
        assert!(matches!(read(&[first, rest].concat()), Err(Flaw::Damaged(_))));
        assert!(matches!(read(b"SQLite format 3\0"), Err(Flaw::Foreign)));
    }

    /// Backups must be readable without Dockside.
    #[test]
    fn tar_reads_an_archive() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.tar"), archive()).unwrap();
        let tar = std::process::Command::new("tar")
            .args(["-xf", "a.tar"])
            .current_dir(folder.path())
            .output()
            .expect("tar runs");
        assert!(tar.status.success(), "{}", String::from_utf8_lossy(&tar.stderr));
        assert_eq!(std::fs::read(folder.path().join("files/org_1/doc_1")).unwrap(), [8; 512]);
    }
}
