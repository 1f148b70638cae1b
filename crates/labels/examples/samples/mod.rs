//! Shipments of many countries and scripts, as their senders would write them. They are pseudorandom, and the same in
//! each run.

use labels::Bought;
use labels::barcode::check_digit;
use model::Timestamp;
use model::platform::shape::parse;
use model::shipping::shipment::ShipmentInput;
use serde_json::{Value, json};
use std::error::Error;

/// Pseudorandom numbers, the same in each run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    pub fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + self.next(10) as u8)).collect()
    }

    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.next(from.len() as u64) as usize]
    }
}

/// Name, company, street lines, city, province, post code, country, telephone.
pub type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("Ann Leigh", "", "1 Quay Street", "Bristol", "", "BS1 4DJ", "GB", "+44 117 496 0000"),
    ("Jörg Großmann", "Möbelhaus Süd GmbH & Co. KG", "Straße des 17. Juni 135|Hinterhaus, 3. Stock", "Berlin", "", "10623", "DE", "+49 30 5550123"),
    ("Bo Hill", "Acme", "98 San Jacinto Blvd|Suite 400", "Austin", "TX", "78701-4039", "US", "+1 512 555 0123"),
    ("山田 太郎", "株式会社港湾", "神南1丁目2番3号 ドックサイドビル 5階", "渋谷区", "東京都", "150-0041", "JP", "+81 3-5555-0123"),
    ("محمد الأحمد", "شركة الميناء للتجارة", "شارع الشيخ زايد، مبنى 12", "دبي", "دبي", "", "AE", "+971 4 555 0123"),
    ("דוד כהן", "", "רחוב הרצל 10", "תל אביב", "", "6688102", "IL", ""),
    ("Иван Петров", "ООО «Причал»", "ул. Ленина, д. 5, кв. 12", "Москва", "", "101000", "RU", "+7 495 555-01-23"),
    ("Μαρία Παπαδοπούλου", "", "Οδός Ερμού 25", "Αθήνα", "", "105 63", "GR", ""),
    ("김민준", "부두 주식회사", "세종대로 110", "중구", "서울특별시", "04524", "KR", "+82 2-555-0123"),
    ("王小明", "码头有限公司", "南京东路100号", "上海市", "上海市", "200001", "CN", "+86 21 5555 0123"),
    ("สมชาย ใจดี", "", "123 ถนนสุขุมวิท", "คลองเตย", "กรุงเทพมหานคร", "10110", "TH", "+66 2 555 0123"),
    ("अमित शर्मा", "", "12 महात्मा गांधी मार्ग", "मुंबई", "महाराष्ट्र", "400001", "IN", ""),
    ("Zażółć Gęślą-Jaźń", "", "ul. Świętokrzyska 14", "Łódź", "", "90-001", "PL", "+48 42 555 01 23"),
    ("Nguyễn Thị Ánh", "", "123 Đường Lê Lợi, Phường Bến Nghé", "Thành phố Hồ Chí Minh", "", "700000", "VN", ""),
    ("Léa D'Hôtel ^~_\\ >;>8", "", "12 bis, rue de l'Église, résidence « Les Tilleuls », bâtiment C, escalier 4, troisième étage à gauche", "Saint-Rémy-de-Provence-les-Bains-sur-Mer", "", "13210", "FR", "+33 4 55 55 01 23"),
    ("Urs Müller", "Hafen AG", "Gasse 2", "Zürich", "", "8001", "CH", "+41 44 555 01 23"),
];

const CARRIERS: &[&str] = &["Sandbox", "Northern Parcel", "DPX"];
const SERVICES: &[&str] =
    &["Express 12:00", "Standard", "International Economy Tracked & Signed", "Überland"];

/// Goods to declare: description, tariff number, pennies and grams of one piece.
const THINGS: &[(&str, &str, u64, u64)] = &[
    ("T-shirt, cotton", "610910", 1250, 180),
    ("Ceramic mug with a very long description of its handle and glaze", "691110", 990, 350),
    ("Book", "49019900", 1899, 420),
    ("Thé vert", "0902100001", 645, 125),
];

/// A shipment with its carrier's answer.
pub struct Sample {
    pub shipment: ShipmentInput,
    pub carrier: &'static str,
    pub service: &'static str,
    pub tracking_numbers: Vec<String>,
    pub is_test: bool,
    pub reference: String,
}

impl Sample {
    pub fn bought(&self) -> Result<Bought<'_>, Box<dyn Error>> {
        Ok(Bought {
            shipment: &self.shipment,
            carrier: self.carrier,
            service: self.service,
            tracking_numbers: &self.tracking_numbers,
            is_test: self.is_test,
            date: Timestamp::parse("2026-11-15T09:00:00Z").ok_or("no date")?,
            reference: &self.reference,
        })
    }

    /// Creates a shipment between two of the addresses.
    pub fn new(from: &Row, to: &Row, numbers: &mut Numbers) -> Result<Self, Box<dyn Error>> {
        let packages = if numbers.next(12) == 0 { 2 + numbers.next(2) } else { 1 };
        let package =
            |numbers: &mut Numbers| json!({"geometry": {"mass": (1 + numbers.next(29_999)) as f64 / 1000.0}});
        let packages: Vec<Value> = (0..packages).map(|_| package(numbers)).collect();
        let barcodes = own_barcodes(numbers);
        let mut body = json!({
            "addresses": {"destination": address(to), "origin": address(from)},
            "packages": packages,
            "tax_identifiers": [{"taxable_entity_type": "sender", "identifier_type": "ioss", "value": "IM1234567890"}],
            "options": {"label": {
                // Most are printed on labels; a few on sheets.
                "size": if numbers.next(16) == 0 { *numbers.pick(&["4x8", "a6", "a5", "a4", "letter"]) } else { "4x6" },
                "custom_data": {"text_lines": own_lines(numbers), "barcodes": barcodes},
            }},
        });
        if numbers.next(3) == 0 {
            body["addresses"]["return"] = address(&ROWS[0]);
        }
        if from.6 != to.6 {
            body["customs"] = customs(numbers);
        }
        let numbers_of_packages =
            (0..packages.len()).map(|_| tracking_number(numbers)).collect::<Option<_>>();
        Ok(Self {
            shipment: parse(body).map_err(|error| format!("not a valid shipment: {error:?}"))?,
            carrier: *numbers.pick(CARRIERS),
            service: *numbers.pick(SERVICES),
            tracking_numbers: numbers_of_packages.ok_or("no number")?,
            is_test: numbers.next(2) == 0,
            reference: format!("ORD-{}", numbers.digits(8)),
        })
    }
}

fn address(row: &Row) -> Value {
    let mut lines = row.2.split('|');
    json!({
        "address": {
            "line_1": lines.next(), "line_2": lines.next(), "city": row.3, "province": row.4, "post_code": row.5,
            "country_code": row.6,
        },
        "contact": {"name": row.0, "company": row.1, "phone_number": row.7},
    })
}

fn own_lines(numbers: &mut Numbers) -> Vec<String> {
    (0..numbers.next(4)).map(|n| format!("Handle with care, shelf {n}")).collect()
}

/// Returns custom barcodes that always fit: of digits, of a few letters, and of characters with a meaning to
/// printers.
fn own_barcodes(numbers: &mut Numbers) -> Vec<String> {
    let one = |n: u64, numbers: &mut Numbers| match numbers.next(4) {
        0 => numbers.digits(20),
        1 => format!("PO-4711/{n}"),
        2 => format!("^~>{n}_\\;"),
        _ => format!("a{}B", numbers.digits(6)),
    };
    (0..numbers.next(4)).map(|n| one(n, numbers)).collect()
}

fn customs(numbers: &mut Numbers) -> Value {
    let item = |numbers: &mut Numbers| {
        let (description, hs_code, value, grams) = numbers.pick(THINGS);
        let quantity = 1 + numbers.next(12);
        json!({
            "description": description, "quantity": quantity, "value": value * quantity, "currency_code": "EUR",
            "mass": (grams * quantity) as f64 / 1000.0, "hs_code": hs_code, "origin_country_code": "PT",
        })
    };
    let count = if numbers.next(8) == 0 { 1 + numbers.next(24) } else { 1 + numbers.next(5) };
    json!({
        "contents_type": numbers.pick(&["merchandise", "gift", "sample"]),
        "contents_description": "Presents of the house",
        "declarant": {"name": "A. Leigh", "certify": true},
        "incoterm": "DDP",
        "items": (0..count).map(|_| item(numbers)).collect::<Vec<_>>(),
        "identifiers": [{"entity_type": "sender", "identifier_type": "eori", "value": "GB123456789000"}],
    })
}

/// Returns a tracking number in the format of one of several carriers. A serial shipping container code includes its
/// 00.
fn tracking_number(numbers: &mut Numbers) -> Option<String> {
    match numbers.next(4) {
        0 => check_digit::sscc(&format!("3{}", numbers.digits(16))).map(|digits| format!("00{digits}")),
        1 => check_digit::s10("LX", &numbers.digits(8), "GB"),
        2 => Some(format!("1Z999AA1{}", numbers.digits(10))),
        _ => Some(format!("9{}", numbers.digits(21))),
    }
}
