//! Carriers' labels as they are kept: in the format that was asked for, if nothing is lost on the way.

use ::carriers::FileFormat;
use bytes::Bytes;
use model::shipping::shipment::LabelFormat;
use model::{Error, Result};
use tracing::warn;

use crate::shipping::drawing::DrawingPermits;

/// A carrier's label.
pub type GivenLabel = (FileFormat, Bytes);

/// Returns a carrier's label as it is kept. A GIF becomes a PNG, which can be printed and merged. A PNG becomes a PDF or ZPL if one
/// was asked for and no dot changes; else it stays a PNG, of which each printer's file can be made. What can't be read is kept
/// as it is: it is paid for, and a person may be able to print it.
pub async fn kept_label(
    drawing: &DrawingPermits,
    (format, bytes): GivenLabel,
    wanted: Option<LabelFormat>,
) -> Result<GivenLabel> {
    let is_kept = match format {
        FileFormat::Pdf | FileFormat::Zpl => true,
        FileFormat::Png => matches!(wanted, None | Some(LabelFormat::Png)),
        FileFormat::Gif => false,
    };
    if is_kept {
        return Ok((format, bytes));
    }
    let _core = drawing.acquire().await?;
    let convert = move || converted((format, bytes), wanted);
    tokio::task::spawn_blocking(convert).await.map_err(Error::fault)
}

fn converted((format, bytes): GivenLabel, wanted: Option<LabelFormat>) -> GivenLabel {
    let png = match format {
        FileFormat::Gif => match labels::gif_as_png(&bytes) {
            Ok(png) => Bytes::from(png),
            Err(error) => {
                warn!(%error, "carrier's label kept as GIF");
                return (format, bytes);
            }
        },
        _ => bytes,
    };
    let exact = wanted.and_then(|to| Some((FileFormat::from(to), labels::converted_exactly(&png, to)?)));
    exact.map_or((FileFormat::Png, png), |(format, bytes)| (format, bytes.into()))
}
