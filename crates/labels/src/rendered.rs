//! Labels as one printer takes them: drawn for its resolution, in one of its formats.

use crate::merge::{MergeError, converted, dots, is_at};
use crate::papers::PaperError;
use crate::pdf::pdf;
use crate::pdf_page::draw_pages;
use crate::png::{Effort, dots_as_png};
use crate::pwg::PwgFile;
use crate::raster::raster;
use crate::resolution::Resolution;
use crate::scene::Scene;
use crate::zpl::{dots_as_label, zpl_at};
use model::fulfilment::printer::PrintFormat;
use model::shipping::shipment::LabelFormat;

const POINTS_PER_INCH: f32 = 72.0;

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
        PrintFormat::Pwg => {
            let mut file = PwgFile::new(resolution.dpi(), scenes.len());
            scenes.iter().for_each(|scene| file.add_dots(&raster(scene, resolution), scene.points));
            Ok(file.finish())
        }
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
        PrintFormat::Pwg => {
            let bitmap = dots(png, resolution)?;
            let mut file = PwgFile::new(resolution.dpi(), 1);
            let points = |dots: u32| dots as f32 / resolution.dpi() as f32 * POINTS_PER_INCH;
            file.add_dots(&bitmap, (points(bitmap.width), points(bitmap.height)));
            Ok(file.finish())
        }
    }
}

/// Draws the pages of a PDF that Dockside wrote as PWG raster. Refuses a file of another program, and one that would become larger
/// than `bytes_max`.
pub fn pages_as_pwg(pdf: &[u8], resolution: Resolution, bytes_max: usize) -> Result<Vec<u8>, MergeError> {
    let mut file: Option<PwgFile> = None;
    draw_pages(pdf, resolution.dpi(), |count, page, points| {
        let file = file.get_or_insert_with(|| PwgFile::new(resolution.dpi(), count));
        file.add_greys(&page, points);
        match file.len() <= bytes_max {
            true => Ok(()),
            false => Err(MergeError("it has too many pages for one job".to_owned())),
        }
    })?;
    file.map(PwgFile::finish).ok_or_else(|| MergeError("it has no page".to_owned()))
}

#[cfg(test)]
mod tests;
