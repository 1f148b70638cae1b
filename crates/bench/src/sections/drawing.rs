//! Labels: how many one core draws per second, compared with the bare encoder of each format.
//!
//! The rivals get the result of our layout: for PNG the same dots, for PDF the same words and bars, for ZPL a text of
//! the same length. So the ratio is the cost of layout, shaping, barcodes and rasterisation.

use std::cell::Cell;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use ::labels::scene::Scene;
use ::labels::{Bought, Fonts, files, scenes};
use model::Timestamp;
use model::platform::shape::parse;
use model::shipping::shipment::{LabelFormat, ShipmentInput};
use serde_json::{Value, json};

use crate::harness::compare::median;
use crate::harness::context::Bench;
use crate::harness::outcome::Outcome;
use crate::harness::report::{count, table};

/// Packages of the shipment whose labels go into one file.
const PACKAGES: usize = 99;
/// Shipments that are drawn in turn, each to another recipient and with another number, so that caches of earlier
/// labels do not distort the result.
const SHIPMENTS: usize = 256;
/// Names and addresses of recipients.
const NAMES: [&str; 8] = [
    "Ann Leigh",
    "Tom Griffin",
    "Wei Zhang",
    "Sofia Rossi",
    "Jack O'Neill",
    "Rafael Costa",
    "Ingrid Olsen",
    "Yusuf Demir",
];
const STREETS: [&str; 7] =
    ["Quay Street", "Church Lane", "Victoria Road", "Park Avenue", "Station Road", "The Green", "West View"];
const CITIES: [&str; 5] = ["Bristol", "London", "Sheffield", "Cardiff", "Glasgow"];

/// A function that makes the bytes of a file repeatedly.
type Make<'a> = Box<dyn Fn() -> Outcome<Vec<u8>> + 'a>;

/// Measures each format, in turns that alternate with its rival's.
pub fn measure(bench: &Bench) -> Outcome<()> {
    let fonts = Fonts::compiled_in();
    let mut rows =
        vec![["label", "labels/s", "bytes", "bare/s", "ratio", "format"].map(str::to_owned).to_vec()];
    for (name, to, packages) in
        [("domestic", "GB", 1), ("abroad, CN22", "DE", 1), ("99 packages", "GB", PACKAGES)]
    {
        let read = |n| parse(shipment(to, packages, n)).map_err(|error| format!("{error:?}"));
        let shipments: Vec<ShipmentInput> = (0..SHIPMENTS).map(read).collect::<Result<_, _>>()?;
        let numbers: Vec<[String; 1]> =
            (0..SHIPMENTS).map(|n| [format!("LX{:08}5GB", 12_345_678 + 7_919 * n)]).collect();
        let boughts = shipments.iter().zip(&numbers).map(|(shipment, numbers)| bought(shipment, numbers));
        let boughts: Vec<Bought<'_>> = boughts.collect::<Outcome<_>>()?;
        for format in LabelFormat::ALL {
            bench.progress(&format!("labels: {name}, {}", format.as_str()));
            let scenes_of_label = scenes(&boughts[0], format, "4x6", &fonts)?;
            let bytes = draw(&boughts[0], format, &fonts)?;
            let next = Cell::new(0);
            let product: Make<'_> =
                Box::new(|| draw(&boughts[next.replace(next.get() + 1) % SHIPMENTS], format, &fonts));
            let rival = rival(format, &scenes_of_label, &bytes)?;
            let (ours, bare, ratio) = match &rival {
                Some(rival) => {
                    let (ours, bare, ratio) = turns(bench, packages, &product, rival)?;
                    (ours, count(bare), format!("{ratio:.2}"))
                }
                None => (rate(bench.plan.turn.time, packages, &product)?, "-".to_owned(), "-".to_owned()),
            };
            let size = count(bytes.len() as f64 / packages as f64);
            rows.push(vec![name.to_owned(), count(ours), size, bare, ratio, format.as_str().to_owned()]);
        }
    }
    bench.print(&format!(
        "\nLabels of 4 by 6 inches, per second of one core; bytes of one label\n{}\
         bare: for PNG its encoder on the same dots, for PDF krilla on the same words and bars (`--features krilla`), \
         for ZPL formatted text\n",
        table(&rows)
    ))
}

fn shipment(to: &str, packages: usize, n: usize) -> Value {
    let address = |country: &str, n: usize| {
        let post_code = if country == "GB" { "BS1 4DJ" } else { "10115" };
        json!({
            "address": {"line_1": format!("{} {}", 1 + n % 97, STREETS[n % STREETS.len()]), "line_2": "Floor 2", "city": CITIES[n % CITIES.len()], "post_code": post_code, "country_code": country},
            "contact": {"name": NAMES[n % NAMES.len()], "company": "Acme Ltd", "phone_number": format!("+44 117 496 {n:04}")},
        })
    };
    let item = |description: &str| {
        json!({"description": description, "quantity": 2, "value": 2500, "currency_code": "EUR", "mass": 0.4,
               "hs_code": "610910", "origin_country_code": "PT"})
    };
    json!({
        "addresses": {"destination": address(to, n), "origin": address("GB", 0)},
        "packages": vec![json!({"geometry": {"mass": 1.2}}); packages],
        "customs": {"contents_type": "gift", "declarant": {"name": "A. Leigh"}, "items": [item("T-shirt"), item("Book")]},
        "options": {"label": {"custom_data": {"text_lines": [format!("PO {}", 4711 + n)], "barcodes": [format!("PO-{}", 4711 + n)]}}},
    })
}

fn bought<'a>(shipment: &'a ShipmentInput, numbers: &'a [String]) -> Outcome<Bought<'a>> {
    Ok(Bought {
        shipment,
        carrier: "Sandbox",
        service: "Express 12:00",
        tracking_numbers: numbers,
        is_test: false,
        date: Timestamp::parse("2026-11-15T09:00:00Z").ok_or("no date")?,
        reference: "ORD-10042",
    })
}

/// Draws the labels of a shipment, from the shipment to the bytes.
fn draw(bought: &Bought<'_>, format: LabelFormat, fonts: &Fonts) -> Outcome<Vec<u8>> {
    let papers = files(format, &scenes(bought, format, "4x6", fonts)?)?;
    Ok(papers.into_iter().flat_map(|paper| paper.bytes).collect())
}

/// Returns what only encodes the same label; none for PDF, unless the benchmark is built with krilla.
fn rival<'a>(format: LabelFormat, scenes: &'a [Scene], bytes: &[u8]) -> Outcome<Option<Make<'a>>> {
    Ok(match format {
        LabelFormat::Png => {
            let image = decode(bytes)?;
            Some(Box::new(move || encode(&image, scenes.len())))
        }
        #[cfg(feature = "krilla")]
        LabelFormat::Pdf => Some(Box::new(|| crate::rivals::krilla_pages::write(scenes))),
        #[cfg(not(feature = "krilla"))]
        LabelFormat::Pdf => None,
        LabelFormat::Zpl => {
            let lines: Vec<String> = std::str::from_utf8(bytes)?.lines().map(str::to_owned).collect();
            Some(Box::new(move || Ok(write_text(&lines))))
        }
    })
}

/// The pixels of a label.
struct Image {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

fn decode(file: &[u8]) -> Outcome<Image> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("too large")?];
    let info = reader.next_frame(&mut bytes)?;
    Ok(Image { width: info.width, height: info.height, bytes })
}

fn encode(image: &Image, times: usize) -> Outcome<Vec<u8>> {
    let mut file = Vec::new();
    for _ in 0..times {
        let mut encoder = png::Encoder::new(&mut file, image.width, image.height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::One);
        encoder.set_compression(png::Compression::Fast);
        encoder.write_header()?.write_image_data(&image.bytes)?;
    }
    Ok(file)
}

/// Writes as many lines of about the same length, with formatted coordinates.
fn write_text(lines: &[String]) -> Vec<u8> {
    let mut text = String::new();
    for line in lines {
        let rest = line.get("^FO000,000".len()..).unwrap_or_default();
        _ = writeln!(text, "^FO{},{}{rest}", 100 + rest.len() % 900, 100 + line.len() % 900);
    }
    text.into_bytes()
}

/// Returns labels per second of both sides, and their ratio: the medians of alternating turns.
fn turns(bench: &Bench, packages: usize, product: &Make<'_>, rival: &Make<'_>) -> Outcome<(f64, f64, f64)> {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for round in 0..bench.plan.rounds {
        if round % 2 == 0 {
            ours.push(rate(bench.plan.turn.time, packages, product)?);
            bare.push(rate(bench.plan.turn.time, packages, rival)?);
        } else {
            bare.push(rate(bench.plan.turn.time, packages, rival)?);
            ours.push(rate(bench.plan.turn.time, packages, product)?);
        }
    }
    let ratios = ours.iter().zip(&bare).map(|(ours, bare)| ours / bare);
    let ratio = median(ratios);
    Ok((median(ours.into_iter()), median(bare.into_iter()), ratio))
}

/// Returns labels per second of this thread's processor time, which other processes on the machine do not affect.
fn rate(time: Duration, packages: usize, make: &Make<'_>) -> Outcome<f64> {
    let (start, mut files) = (on_core()?, 0_usize);
    loop {
        black_box(make()?);
        files += 1;
        let took = on_core()?.saturating_sub(start);
        if took >= time {
            return Ok((files * packages) as f64 / took.as_secs_f64());
        }
    }
}

/// Returns the processor time of this thread.
fn on_core() -> Outcome<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split_whitespace().next().ok_or("no time")?.parse()?;
    Ok(Duration::from_nanos(nanoseconds))
}
