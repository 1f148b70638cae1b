//! Packing slips and pick lists of the sample shipments.

use labels::{
    Brand, Destination, Fonts, Logo, PackingSlip, PageSize, PickLine, PickList, SlipItem, SlipPackage,
    packing_slip, pick_list,
};
use model::shipping::shipment::ShipmentInput;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use crate::samples::Sample;

/// What is sold: the SKU and the name, in several scripts.
const GOODS: [(&str, &str); 9] = [
    ("MUG-BLUE", "Mug, blue"),
    (
        "MUG-SET-6",
        "Six mugs of stoneware in a gift box, dishwasher safe, each with another pattern from the harbour series",
    ),
    ("4006381333931", "Textmarker, gelb"),
    ("JP-CUP-01", "大きな青いマグカップ、ギフト包装付き"),
    ("AE-TEA-250", "شاي أسود بالهيل، علبة ٢٥٠ غرام"),
    ("IL-BOOK-7", "ספר בישול ים תיכוני"),
    ("RU-LAMP", "Лампа настольная, тёплый свет"),
    ("A-VERY-LONG-SKU-THAT-NEEDS-ROOM-0042", "Cable, 2 m"),
    ("X1", "Card"),
];
const FORMATS: [PageSize; 3] = [PageSize::A4, PageSize::Letter, PageSize::Inches4x6];

/// Returns a brand with a logo: a wave in two colours.
pub fn brand() -> Result<Brand, Box<dyn Error>> {
    let (width, height) = (480_u32, 160_u32);
    let mut dots = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let wave = 80.0 + 40.0 * (f64::from(x) / 38.0).sin();
            let is_sea = f64::from(y) > wave;
            dots.extend(if is_sea {
                [0, 92, 160, 255]
            } else {
                [240, 150, 30, if y > 30 { 255 } else { 0 }]
            });
        }
    }
    let mut file = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut file, width, height);
    encoder.set_color(::png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&dots)?;
    Ok(Brand {
        name: "Riverside Goods".to_owned(),
        colour: Some([0, 92, 160]),
        footer: "Thank you for your order. Returns within 30 days: riverside.example/returns \u{2013} Riverside Goods Ltd, 2 Dock Road, Bristol BS1 6XN, United Kingdom".to_owned(),
        logo: Some(Logo::read(&file)?.into()),
    })
}

fn item(n: usize) -> SlipItem {
    let (sku, name) = GOODS[n % GOODS.len()];
    SlipItem { quantity: 1 + (n * 7 % 12) as i64, name: name.to_owned(), sku: sku.to_owned() }
}

fn slip(n: usize, shipment: &ShipmentInput) -> PackingSlip<'_> {
    let count = if n.is_multiple_of(4) { 40 } else { 1 + n };
    let package = |(number, package): (usize, &model::shipping::shipment::package::Package)| SlipPackage {
        name: package.name.clone(),
        items: (0..count).map(|place| item(n + number + place)).collect(),
    };
    PackingSlip {
        shipment,
        number: format!("shp_01jc00000000000000000000{n:02}"),
        order: (!n.is_multiple_of(3)).then(|| format!("ORD-{}", 10_042 + n)),
        date: "2026-11-15".to_owned(),
        packages: shipment.packages.iter().enumerate().map(package).collect(),
    }
}

fn list(n: usize) -> PickList {
    let line = |place: usize| {
        let (sku, name) = GOODS[(n + place) % GOODS.len()];
        let destination = |to: usize| Destination { name: format!("ORD-{}", 10_042 + to), quantity: 1 };
        PickLine {
            bin: if place > 24 {
                String::new()
            } else {
                format!("{}-{:02}-{}", ["A", "B", "C"][place / 9], place, place % 4)
            },
            sku: sku.to_owned(),
            name: name.to_owned(),
            quantity: 1 + (place * 5 % 144) as i64,
            destinations: (0..1 + place).map(destination).collect(),
            more: if place > 20 { 940 } else { 0 },
        }
    };
    PickList {
        location: "Bristol, hall 2".to_owned(),
        subject: "Monday morning".to_owned(),
        shipments: 57,
        lines: (0..28).map(line).collect(),
    }
}

/// Writes the slips and a pick list in each format, and returns the texts that a scanner must read on their first pages.
pub fn write(samples: &[Sample], fonts: &Fonts, directory: &Path) -> Result<String, Box<dyn Error>> {
    let (brand, plain) = (brand()?, Brand::default());
    let mut rows = String::new();
    for (n, sample) in samples.iter().take(6).enumerate() {
        let mut shipment = sample.shipment.clone();
        shipment.name = (n % 2 == 1).then(|| format!("ORD-{}", 10_042 + n));
        for size in FORMATS {
            let slip = slip(n, &shipment);
            let bytes = packing_slip(&slip, if n == 5 { &plain } else { &brand }, size, fonts)?;
            let name = format!("slip-{}.pdf", size.as_str());
            std::fs::write(directory.join(format!("{n}.{name}")), bytes)?;
            let code = shipment.name.as_ref().unwrap_or(&slip.number);
            writeln!(rows, "{n}\t{name}\t1\tCode128\t{code}")?;
        }
    }
    for size in FORMATS {
        let name = format!("pick-{}.pdf", size.as_str());
        let bytes = pick_list(&list(0), &brand, size, fonts)?;
        std::fs::write(directory.join(format!("0.{name}")), bytes)?;
        writeln!(rows, "0\t{name}\t1\tCode128\tMUG-BLUE")?;
        writeln!(rows, "0\t{name}\t1\tCode128\tMUG-SET-6")?;
    }
    Ok(rows)
}
