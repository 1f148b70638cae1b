//! Writes the papers of shipments from and to many countries, for checks by tools that others wrote.
//!
//!   label_samples COUNT DIRECTORY [FONT_DIRECTORY…]
//!
//! The directory gets the files of each shipment in each format, under its number: `7.label.pdf`, `7.label-1.png`. And
//! `expected.tsv`: the number of a shipment, `label` or the name of a file for customs, the number of the package, the kind
//! of code, and what it must read. `merged.pdf`, `merged.zpl` and `merged.zip` have the labels of all shipments;
//! the first shipments also have labels for finer printers: `7.fine-300-1.png` and `7.fine-300.zpl` are drawn for 300 dpi, and
//! `7.scaled-300-1.png` is scaled to them. `0.manifest.pdf` lists three of the shipments, and `1.manifest.pdf` all. `0.slip-a4.pdf` and the like are packing slips, `0.pick-a4.pdf` and
//! the like a pick list.

mod samples;
mod warehouse;

use labels::{
    Fonts, Handover, HandoverRow, Merger, Paper, Resolution, Scene, files, handover, papers, rendered,
    rescaled, scenes,
};
use model::fulfilment::printer::PrintFormat;
use model::shipping::document::DocumentType;
use model::shipping::shipment::LabelFormat;
use samples::{Numbers, ROWS, Sample};
use std::error::Error;
use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;

/// Shipments whose labels are also made for these resolutions.
const FINE_SHIPMENTS: usize = 24;
const FINE_DPI: [u32; 2] = [300, 600];

/// Returns the customer's own barcodes.
fn barcodes(sample: &Sample) -> &[String] {
    let label = sample.shipment.options.as_ref().and_then(|options| options.label.as_ref());
    let data = label.and_then(|label| label.custom_data.as_ref());
    data.and_then(|data| data.barcodes.as_deref()).unwrap_or_default()
}

/// Appends the texts that a scanner must read on a shipment's labels and papers.
fn expected(n: usize, sample: &Sample, of_customs: &[String], rows: &mut String) -> std::fmt::Result {
    for (package, number) in (1..).zip(&sample.tracking_numbers) {
        let (bars, squares) =
            if number.starts_with("00") { ("GS1-128", "GS1-DataMatrix") } else { ("Code128", "QRCode") };
        writeln!(rows, "{n}\tlabel\t{package}\t{bars}\t{number}")?;
        writeln!(rows, "{n}\tlabel\t{package}\t{squares}\t{number}")?;
        for code in barcodes(sample) {
            writeln!(rows, "{n}\tlabel\t{package}\tCode128\t{code}")?;
        }
    }
    let first = &sample.tracking_numbers[0];
    of_customs.iter().try_for_each(|name| writeln!(rows, "{n}\t{name}\t1\tCode128\t{first}"))?;
    Ok(())
}

/// Writes a shipment's files, and returns the names of its customs papers.
fn write(n: usize, sample: &Sample, fonts: &Fonts, directory: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let bought = sample.bought()?;
    let mut all = papers(&bought, LabelFormat::Pdf, "4x6", fonts)?;
    let is_of_customs = |paper: &&Paper| paper.r#type != DocumentType::Label;
    let of_customs = all.iter().filter(is_of_customs).map(|paper| paper.file_name.clone()).collect();
    // The customs papers do not depend on the label's format, so they are made once.
    for format in [LabelFormat::Png, LabelFormat::Zpl] {
        let scenes = scenes(&bought, format, "4x6", fonts)?;
        if let Some(missing) = scenes.iter().find(|scene| !scene.missing.is_empty()) {
            return Err(format!("shipment {n}: no font has {:?}", missing.missing).into());
        }
        if format == LabelFormat::Png && n < FINE_SHIPMENTS {
            write_fine(n, &scenes, directory)?;
        }
        let mut labels = files(format, &scenes)?;
        if format == LabelFormat::Zpl {
            // The renderer makes one page of each label in a file.
            let bytes = labels.drain(..).flat_map(|paper| paper.bytes).collect::<Vec<u8>>();
            std::fs::write(directory.join(format!("{n}.label.zpl")), bytes)?;
        }
        all.extend(labels);
    }
    for paper in all {
        std::fs::write(directory.join(format!("{n}.{}", paper.file_name)), paper.bytes)?;
    }
    Ok(of_customs)
}

/// Writes labels for printers of finer resolutions.
fn write_fine(n: usize, scenes: &[Scene], directory: &Path) -> Result<(), Box<dyn Error>> {
    for dpi in FINE_DPI {
        let resolution = Resolution::of_dpi(dpi).ok_or("no such resolution")?;
        for (page, scene) in (1..).zip(scenes) {
            let one = std::slice::from_ref(scene);
            let drawn = rendered(one, PrintFormat::Png, resolution)?;
            std::fs::write(directory.join(format!("{n}.fine-{dpi}-{page}.png")), drawn)?;
            let usual = rendered(one, PrintFormat::Png, Resolution::LABEL)?;
            let scaled = rescaled(&usual, PrintFormat::Png, resolution)?;
            std::fs::write(directory.join(format!("{n}.scaled-{dpi}-{page}.png")), scaled)?;
        }
        let zpl = rendered(scenes, PrintFormat::Zpl, resolution)?;
        std::fs::write(directory.join(format!("{n}.fine-{dpi}.zpl")), zpl)?;
    }
    Ok(())
}

/// Writes every n-th shipment, and returns the texts that a scanner must read.
fn write_some(
    samples: &[Sample],
    first: usize,
    step: usize,
    fonts: &Fonts,
    directory: &Path,
) -> Result<String, String> {
    let mut rows = String::new();
    for (n, sample) in samples.iter().enumerate().skip(first).step_by(step) {
        let of_customs = write(n, sample, fonts, directory).map_err(|error| error.to_string())?;
        expected(n, sample, &of_customs, &mut rows).map_err(|error| error.to_string())?;
    }
    Ok(rows)
}

/// Writes the manifest of some shipments, and returns the texts that a scanner must read on it.
fn write_manifest(
    n: usize,
    samples: &[Sample],
    fonts: &Fonts,
    directory: &Path,
) -> Result<String, Box<dyn Error>> {
    let row = |sample: &Sample| {
        let destination = &sample.shipment.addresses.destination;
        let contact = destination.contact.as_ref();
        let grams = sample.shipment.packages.iter().map(|package| package.geometry?.grams());
        HandoverRow {
            tracking_number: sample.tracking_numbers[0].clone(),
            service: sample.service.to_owned(),
            recipient: contact.and_then(|contact| contact.name.clone()).unwrap_or_default(),
            country_code: destination.address.country_code,
            post_code: destination.address.post_code.clone().unwrap_or_default(),
            pieces: u32::try_from(sample.shipment.packages.len()).unwrap_or(u32::MAX),
            grams: grams.sum(),
        }
    };
    let number = format!("mfst_01jc00000000000000000000{n:02}");
    let sheet = Handover {
        number: number.clone(),
        carrier: "Sandbox".to_owned(),
        account: "Main account".to_owned(),
        origin: samples[n].shipment.addresses.origin.clone(),
        ship_date: "2026-11-15".to_owned(),
        is_test: n == 0,
        shipments: i64::try_from(samples.len())?,
        rows: samples.iter().map(row).collect(),
    };
    std::fs::write(directory.join(format!("{n}.manifest.pdf")), handover(&sheet, fonts)?)?;
    Ok(format!("{n}\tmanifest.pdf\t1\tCode128\t{number}\n"))
}

/// Merges the labels of all shipments into one file of each format.
fn merge(samples: &[Sample], directory: &Path) -> Result<(), Box<dyn Error>> {
    for format in LabelFormat::ALL {
        let ending = format.as_str();
        let mut merger = Merger::new(format);
        let mut merged = std::fs::File::create(directory.join(format!("merged.{}", Merger::kind(format).0)))?;
        for (n, sample) in samples.iter().enumerate() {
            let count = sample.tracking_numbers.len();
            let names: Vec<String> = match format {
                LabelFormat::Png if count > 1 => {
                    (1..=count).map(|page| format!("{n}.label-{page}")).collect()
                }
                _ => vec![format!("{n}.label")],
            };
            for name in names {
                let file = std::fs::read(directory.join(format!("{name}.{ending}")))?;
                merged.write_all(&merger.add(&name, &file)?)?;
            }
        }
        merged.write_all(&merger.finish())?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().ok_or("how many shipments?")?.parse()?;
    let directory = PathBuf::from(arguments.next().ok_or("which directory?")?);
    let fonts = Fonts::load(&arguments.collect::<Vec<_>>());
    let mut numbers = Numbers(1);
    let sample = |n: usize| {
        let to = &ROWS[n % ROWS.len()];
        let from = if numbers.next(2) == 0 { to } else { numbers.pick(ROWS) };
        Sample::new(from, to, &mut numbers)
    };
    let samples: Vec<Sample> = (0..count).map(sample).collect::<Result<_, _>>()?;
    let threads = std::thread::available_parallelism()?.get();
    let rows = std::thread::scope(|scope| {
        let start = |first| {
            scope.spawn({
                let (samples, fonts, directory) = (&samples, &fonts, &directory);
                move || write_some(samples, first, threads, fonts, directory)
            })
        };
        let running: Vec<_> = (0..threads).map(start).collect();
        let join = |thread: ScopedJoinHandle<'_, Result<String, String>>| {
            thread.join().unwrap_or_else(|_| Err("drawing ended in a panic".to_owned()))
        };
        running.into_iter().map(join).collect::<Result<String, String>>()
    })?;
    let few = write_manifest(0, &samples[..count.min(3)], &fonts, &directory)?;
    let all = write_manifest(1.min(count - 1), &samples, &fonts, &directory)?;
    let papers = warehouse::write(&samples, &fonts, &directory)?;
    std::fs::write(directory.join("expected.tsv"), [few, all, papers, rows].concat())?;
    merge(&samples, &directory)?;
    Ok(())
}
