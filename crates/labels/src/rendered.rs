//! Labels as one printer takes them: drawn for its resolution, in one of its formats.

use crate::merge::{MergeError, converted, dots, is_at};
use crate::papers::PaperError;
use crate::pdf::pdf;
use crate::png::{Effort, dots_as_png};
use crate::raster::raster;
use crate::resolution::Resolution;
use crate::scene::Scene;
use crate::zpl::{dots_as_label, zpl_at};
use model::fulfilment::printer::PrintFormat;
use model::shipping::shipment::LabelFormat;

/// Draws scenes as one file. A PDF has no resolution. A PNG is one picture, so several scenes can't be one.
pub fn rendered(
    scenes: &[Scene],
    format: PrintFormat,
    resolution: Resolution,
) -> Result<Vec<u8>, PaperError> {
    match format {
        PrintFormat::Pdf => Ok(pdf(scenes)?),
        PrintFormat::Zpl => {
            let labels = scenes.iter().map(|scene| zpl_at(scene, resolution));
            Ok(labels.collect::<String>().into_bytes())
        }
        PrintFormat::Png => match scenes {
            [only] => Ok(dots_as_png(raster(only, resolution), resolution, Effort::Fast)?),
            _ => Err(PaperError::SeveralPictures),
        },
    }
}

/// Converts a picture, such as a carrier's label, for a printer. It is as large on paper as before: its dots are scaled to those
/// of the printer, and become black or white. A picture of the same resolution stays as it is.
pub fn rescaled(png: &[u8], format: PrintFormat, resolution: Resolution) -> Result<Vec<u8>, MergeError> {
    match format {
        PrintFormat::Pdf => converted(png, LabelFormat::Png, LabelFormat::Pdf)
            .unwrap_or_else(|| Err(MergeError("it can't be a page".to_owned()))),
        PrintFormat::Zpl => Ok(dots_as_label(&dots(png, resolution)?).into_bytes()),
        PrintFormat::Png if is_at(png, resolution)? => Ok(png.to_vec()),
        PrintFormat::Png => dots_as_png(dots(png, resolution)?, resolution, Effort::Fast)
            .map_err(|error| MergeError(format!("it can't be written: {error}"))),
    }
}

#[cfg(test)]
mod tests;
