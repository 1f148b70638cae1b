//! Receiving the file of an import: its bytes go to the file store as they come, and its encoding and delimiter are found meanwhile.

use model::exchange::import::{FILE_BYTES_MAX, Format, ImportFile};
use model::{Code, Error, Id, Import, Owner, Result, ensure};
use tables::{Detected, Detector, Encoding, detect_start};
use tracing::warn;

use super::Imports;
use crate::platform::content::Content;
use crate::shipping::documents::ContentWriter;

/// Random bytes in the name of a file, so that two requests for the same import write to different places.
const NAME_BYTES: usize = 8;

/// A file that was received.
pub(super) struct Received {
    pub place: String,
    pub file: ImportFile,
}

impl Imports {
    /// Stores a file durably. It is found once its place is committed with the import.
    pub(super) async fn store_content(
        &self,
        owner: Owner,
        import: Id<Import>,
        format: Format,
        content: &mut Content,
    ) -> Result<Received> {
        let mut random = [0; NAME_BYTES];
        self.context.fill_random(&mut random);
        let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut writer = self.documents.begin_content(owner, &format!("{import}-{name}")).await?;
        let mut detector = Detector::default();
        if let Err(error) = receive(&mut writer, &mut detector, content).await {
            writer.abort().await;
            return Err(error);
        }
        let (place, size) = writer.finish().await?;
        let size = i64::try_from(size).map_err(Error::fault)?;
        Ok(Received { place, file: described(&detector, size, format) })
    }

    /// Deletes a file that no import has. If that fails, the file only takes space.
    pub(super) async fn discard(&self, received: &Received) {
        let deleted = self.documents.delete_content(&received.place).await;
        deleted.unwrap_or_else(|error| warn!(%error, place = received.place, "unused file not deleted"));
    }
}

async fn receive(writer: &mut ContentWriter, detector: &mut Detector, content: &mut Content) -> Result<()> {
    let mut size = 0;
    while let Some(piece) = content.recv().await {
        let piece = piece?;
        size += piece.len() as u64;
        ensure(size <= FILE_BYTES_MAX, Code::BodyTooLarge)?;
        detector.feed(&piece);
        writer.write(&piece).await?;
    }
    Ok(())
}

/// Returns what the bytes of a file say of it.
fn described(detector: &Detector, size: i64, format: Format) -> ImportFile {
    let encoding = match format {
        Format::Csv => detector.finish().encoding,
        Format::JsonLines => Encoding::Utf8,
    };
    let start = table_start(encoding, detector.head());
    let delimiter = match format {
        Format::Csv => Some(char::from(start.delimiter).to_string()),
        Format::JsonLines => None,
    };
    ImportFile { size, encoding: encoding.as_str().to_owned(), delimiter }
}

/// Where the header of a file begins, in bytes, and what separates its columns.
pub(super) struct TableStart {
    pub delimiter: u8,
    pub header_at: u64,
}

/// Finds the header of a file by its first bytes.
pub(super) fn table_start(encoding: Encoding, head: &[u8]) -> TableStart {
    let mut detector = Detector::default();
    detector.feed(head);
    let Detected { mark_bytes, .. } = detector.finish();
    let start = detect_start(&encoding.decode(&head[mark_bytes..]));
    let unit = if matches!(encoding, Encoding::Utf16Le | Encoding::Utf16Be) { 2 } else { 1 };
    TableStart { delimiter: start.delimiter, header_at: (mark_bytes + start.header_at * unit) as u64 }
}
