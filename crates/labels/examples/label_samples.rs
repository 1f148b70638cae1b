//! Writes labels of many countries and scripts, for checks by tools that others wrote.
//!
//!   label_samples COUNT DIRECTORY [FONT_DIRECTORY…]
//!
//! The directory gets `N.png`, `N.zpl` and `N.pdf` for each label, `all.pdf` with all of them, and `expected.tsv`: the
//! number of a label, the kind of code as zbar names it, and what it must read. `papers.pdf` has the customs papers of some
//! that go abroad, and `papers.tsv` the same for its pages. The labels are the same in each run.

use labels::barcode::{MatrixKind, check_digit};
use labels::{
    Contents, Customs, CustomsItem, Declaration, Effort, Fonts, Label, Party, Piece, Primary, cn23,
    commercial_invoice, layout, pdf, png, zpl,
};
use model::CountryCode;
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

/// Numbers that look random, and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + self.next(10) as u8)).collect()
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.next(from.len() as u64) as usize]
    }
}

/// Name, company, street lines, city, province, post code, country.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("Ann Leigh", "", "1 Quay Street", "Bristol", "", "BS1 4DJ", "GB"),
    ("Jörg Großmann", "Möbelhaus Süd GmbH & Co. KG", "Straße des 17. Juni 135|Hinterhaus, 3. Stock", "Berlin", "", "10623", "DE"),
    ("Bo Hill", "Acme", "98 San Jacinto Blvd|Suite 400", "Austin", "TX", "78701-4039", "US"),
    ("山田 太郎", "株式会社港湾", "神南1丁目2番3号 ドックサイドビル 5階", "渋谷区", "東京都", "150-0041", "JP"),
    ("محمد الأحمد", "شركة الميناء للتجارة", "شارع الشيخ زايد، مبنى 12", "دبي", "دبي", "", "AE"),
    ("דוד כהן", "", "רחוב הרצל 10", "תל אביב", "", "6688102", "IL"),
    ("Иван Петров", "ООО «Причал»", "ул. Ленина, д. 5, кв. 12", "Москва", "", "101000", "RU"),
    ("Μαρία Παπαδοπούλου", "", "Οδός Ερμού 25", "Αθήνα", "", "105 63", "GR"),
    ("김민준", "부두 주식회사", "세종대로 110", "중구", "서울특별시", "04524", "KR"),
    ("王小明", "码头有限公司", "南京东路100号", "上海市", "上海市", "200001", "CN"),
    ("สมชาย ใจดี", "", "123 ถนนสุขุมวิท", "คลองเตย", "กรุงเทพมหานคร", "10110", "TH"),
    ("अमित शर्मा", "", "12 महात्मा गांधी मार्ग", "मुंबई", "महाराष्ट्र", "400001", "IN"),
    ("Zażółć Gęślą-Jaźń", "", "ul. Świętokrzyska 14", "Łódź", "", "90-001", "PL"),
    ("Nguyễn Thị Ánh", "", "123 Đường Lê Lợi, Phường Bến Nghé", "Thành phố Hồ Chí Minh", "", "700000", "VN"),
    ("Léa D'Hôtel ^~_\\ >;>8", "", "12 bis, rue de l'Église, résidence « Les Tilleuls », bâtiment C, escalier 4, troisième étage à gauche", "Saint-Rémy-de-Provence-les-Bains-sur-Mer", "", "13210", "FR"),
    ("Urs Müller", "Hafen AG", "Gasse 2", "Zürich", "", "8001", "CH"),
];
const SERVICES: &[&str] =
    &["Express 12:00", "Standard", "International Economy Tracked & Signed", "Überland"];

fn party(row: &Row, phone: Option<String>) -> Result<Party, Box<dyn Error>> {
    let optional = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Ok(Party {
        name: row.0.into(),
        company: optional(row.1),
        lines: row.2.split('|').map(str::to_owned).collect(),
        city: row.3.into(),
        province: optional(row.4),
        post_code: optional(row.5),
        country_code: CountryCode::parse(row.6).ok_or("no such country")?,
        phone,
    })
}

fn customs(numbers: &mut Numbers) -> Customs {
    let things = [
        "T-shirt, cotton",
        "Ceramic mug with a very long description of its handle and glaze",
        "Book",
        "Thé vert",
    ];
    let item = |numbers: &mut Numbers| CustomsItem {
        quantity: 1 + numbers.next(12) as u32,
        description: (*numbers.pick(&things)).into(),
        mass: format!("{}.{} kg", numbers.next(9), numbers.digits(2)),
        unit_value: "12.50 EUR".into(),
        value: format!("{}.00 EUR", 1 + numbers.next(300)),
        hs_code: Some(numbers.digits(6)),
        origin: CountryCode::parse("PT"),
    };
    let count = 1 + numbers.next(6);
    Customs {
        contents: *numbers.pick(&[Contents::Merchandise, Contents::Gift, Contents::Sample]),
        items: (0..count).map(|_| item(numbers)).collect(),
        total_mass: "3.20 kg".into(),
        total_value: "420.00 EUR".into(),
        signer: "A. Leigh".into(),
        date: "2026-11-15".into(),
    }
}

fn primary(numbers: &mut Numbers) -> Result<(String, Primary), Box<dyn Error>> {
    Ok(match numbers.next(4) {
        0 => {
            let digits = check_digit::sscc(&format!("3{}", numbers.digits(16))).ok_or("no SSCC")?;
            (digits.clone(), Primary::Sscc(digits))
        }
        1 => {
            let item = check_digit::s10("LX", &numbers.digits(8), "GB").ok_or("no S10")?;
            (item.clone(), Primary::Number(item))
        }
        2 => {
            let ups = format!("1Z999AA1{}", numbers.digits(10));
            (ups.clone(), Primary::Number(ups))
        }
        _ => {
            let long = numbers.digits(22);
            (long.clone(), Primary::Number(long))
        }
    })
}

fn label(n: usize, numbers: &mut Numbers) -> Result<Label, Box<dyn Error>> {
    let from = party(numbers.pick(ROWS), Some("+44 117 496 0000".into()))?;
    let to = party(&ROWS[n % ROWS.len()], Some(format!("+49 30 {}", numbers.digits(7))))?;
    let is_abroad = from.country_code.as_str() != to.country_code.as_str();
    let (tracking_number, primary) = primary(numbers)?;
    let kind = if numbers.next(3) == 0 { MatrixKind::Gs1DataMatrix } else { MatrixKind::Qr };
    let payload = match kind {
        MatrixKind::Qr => format!("https://example.com/t/{tracking_number}?k={}", numbers.digits(6)),
        MatrixKind::Gs1DataMatrix => {
            format!("00{}", check_digit::sscc(&numbers.digits(17)).ok_or("no SSCC")?)
        }
    };
    let custom =
        |numbers: &mut Numbers, text: &str| (0..numbers.next(4)).map(|n| format!("{text}{n}")).collect();
    let count = 1 + numbers.next(4) as u32;
    Ok(Label {
        return_to: (numbers.next(3) == 0).then(|| from.clone()),
        from,
        to,
        carrier: (*numbers.pick(&["Sandbox", "Northern Parcel", "DPX"])).into(),
        service: (*numbers.pick(SERVICES)).into(),
        tracking_number,
        reference: Some(format!("ORD-{}", numbers.digits(8))),
        ship_date: "15 Nov 2026".into(),
        mass: format!("{}.{} kg", numbers.next(30), numbers.digits(2)),
        piece: Piece { number: 1 + numbers.next(u64::from(count)) as u32, count },
        custom_lines: custom(numbers, "Handle with care, shelf "),
        custom_barcodes: custom(numbers, "PO-4711/0"),
        primary,
        matrix: (numbers.next(6) != 0).then_some((kind, payload)),
        customs: is_abroad.then(|| customs(numbers)),
        is_test: numbers.next(2) == 0,
    })
}

/// The papers of a label that goes abroad.
fn declaration(n: usize, label: &Label, numbers: &mut Numbers) -> Option<Declaration> {
    // A page of A4 takes readers ten times as long as a label.
    let customs = label.customs.as_ref().filter(|_| n.is_multiple_of(7))?;
    let items = customs.items.iter().cycle().take(1 + numbers.next(24) as usize).cloned().collect();
    Some(Declaration {
        number: format!("INV-{}", numbers.digits(6)),
        date: customs.date.clone(),
        tracking_number: label.tracking_number.clone(),
        from: label.from.clone(),
        to: label.to.clone(),
        contents: customs.contents,
        items,
        total_mass: customs.total_mass.clone(),
        total_value: customs.total_value.clone(),
        postage: Some("18.40 EUR".into()),
        incoterm: Some("DDP".into()),
        identifiers: vec!["IOSS IM1234567890".into(), "EORI GB123456789000".into()],
        comments: label.custom_lines.clone(),
        non_delivery: "return to sender".into(),
        signer: customs.signer.clone(),
    })
}

/// What zbar must read on a label. It knows no Data Matrix.
fn expected(n: usize, label: &Label, rows: &mut String) -> std::fmt::Result {
    match &label.primary {
        Primary::Number(number) => writeln!(rows, "{n}\tCODE-128\t{number}")?,
        Primary::Figures(_) => {}
        Primary::Sscc(digits) => writeln!(rows, "{n}\tCODE-128\t00{digits}")?,
    }
    for code in &label.custom_barcodes {
        writeln!(rows, "{n}\tCODE-128\t{code}")?;
    }
    match &label.matrix {
        Some((MatrixKind::Qr, payload)) => writeln!(rows, "{n}\tQR-Code\t{payload}"),
        _ => Ok(()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().ok_or("how many labels?")?.parse()?;
    let directory = PathBuf::from(arguments.next().ok_or("which directory?")?);
    let fonts = Fonts::load(&arguments.collect::<Vec<_>>());
    let (mut numbers, mut scenes, mut rows) = (Numbers(1), Vec::new(), String::new());
    let (mut papers, mut paper_rows) = (Vec::new(), String::new());
    for n in 0..count {
        let label = label(n, &mut numbers)?;
        let scene = layout(&label, &fonts)?;
        if !scene.missing.is_empty() {
            return Err(format!("label {n}: no font has {:?}", scene.missing).into());
        }
        expected(n, &label, &mut rows)?;
        std::fs::write(directory.join(format!("{n}.png")), png(&scene, Effort::Small)?)?;
        std::fs::write(directory.join(format!("{n}.zpl")), zpl(&scene))?;
        std::fs::write(directory.join(format!("{n}.pdf")), pdf(std::slice::from_ref(&scene))?)?;
        scenes.push(scene);
        if let Some(declaration) = declaration(n, &label, &mut numbers) {
            for page in commercial_invoice(&declaration, &fonts).into_iter().chain(cn23(&declaration, &fonts))
            {
                writeln!(paper_rows, "{}\tCODE-128\t{}", papers.len(), declaration.tracking_number)?;
                papers.push(page);
            }
        }
    }
    std::fs::write(directory.join("all.pdf"), pdf(&scenes)?)?;
    std::fs::write(directory.join("expected.tsv"), rows)?;
    std::fs::write(directory.join("papers.pdf"), pdf(&papers)?)?;
    std::fs::write(directory.join("papers.tsv"), paper_rows)?;
    Ok(())
}
