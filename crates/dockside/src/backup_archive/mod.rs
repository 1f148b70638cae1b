//! The archive of a backup: what is in it, and how it is written and read. It is a tar archive, so that one can look into it, and unpack
//! it, without Dockside.

mod contents;
mod head;
mod stream;

pub use contents::{DATABASE, DESCRIPTION, Description, FILES_FOLDER, MISSING, is_key};
pub use stream::{ArchiveReader, ArchiveWriter, Flaw};
