//! Every valid shipment gets its papers, and the right ones.

use super::*;
use model::Timestamp;
use model::platform::shape::parse;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::compiled_in);

/// Text of a field with at most this many characters: of several scripts, empty, of full length, and of any
/// characters except control characters.
fn text(min: usize, max: usize) -> BoxedStrategy<String> {
    let up_to = |pattern: &str, most: usize| {
        proptest::string::string_regex(&format!("{pattern}{{{min},{}}}", most.min(max))).unwrap()
    };
    prop_oneof![
        4 => up_to("[A-Za-z0-9 ,.-]", 40),
        1 => up_to("[äöüßéÆłŻ'«»^~_\\\\>;&<]", 40),
        1 => up_to("[شارعمنىبيت 0-9]", 40),
        1 => up_to("[山田太郎東京都渋谷区 0-9]", 40),
        1 => up_to("[ก-ฮะ-ู]", 40),
        1 => up_to("\\PC", max),
        1 => Just("W".repeat(max)),
        1 => Just("長".repeat(max)),
    ]
    .prop_map(marked)
    .boxed()
}

fn optional<T: std::fmt::Debug + Clone + Into<Value> + 'static>(
    some: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Value> {
    proptest::option::of(some).prop_map(|value| value.map_or(Value::Null, Into::into)).boxed()
}

fn line() -> BoxedStrategy<Value> {
    optional(text(0, 255))
}

/// Replaces a blank text, because a printed text may be empty but not blank.
fn marked(text: String) -> String {
    if text.is_empty() || text.chars().any(model::platform::shape::is_visible) {
        text
    } else {
        "X".to_owned()
    }
}

/// A text with a visible character.
fn visible() -> BoxedStrategy<String> {
    let mark = |text: String| {
        if text.chars().any(model::platform::shape::is_visible) { text } else { "X".to_owned() }
    };
    text(1, 255).prop_map(mark).boxed()
}

fn address() -> BoxedStrategy<Value> {
    let country =
        prop_oneof![Just("GB"), Just("JP"), proptest::sample::select(model::places::country::CODES)];
    let postal = (visible(), line(), line(), visible(), line(), "|SBX-SLOW-3", country);
    let postal = postal.prop_map(|(line_1, line_2, line_3, city, province, post_code, country)| {
        // Some countries have lists of provinces, and some require a post code. A word of the sandbox carrier is
        // accepted in every country.
        let code = model::CountryCode::parse(country).unwrap();
        let province = model::places::province::codes(code).first().map_or(province, |code| json!(code));
        let post_code =
            if model::places::post_code::is_required(code) { "SBX-SLOW-3" } else { post_code.as_str() };
        json!({"line_1": line_1, "line_2": line_2, "line_3": line_3, "city": city, "province": province,
               "post_code": post_code, "country_code": country})
    });
    let contact = (optional(visible()), optional(visible()), line())
        .prop_map(|(name, company, phone)| json!({"name": name, "company": company, "phone_number": phone}));
    (postal, optional(contact), line())
        .prop_map(
            |(postal, contact, name)| json!({"address": postal, "contact": contact, "display_name": name}),
        )
        .boxed()
}

fn customs() -> BoxedStrategy<Value> {
    let currency = || optional(proptest::sample::select(vec!["EUR", "JPY", "KWD", "USD", "XAF"]));
    let amount = prop_oneof![0..100_000_i64, Just(model::platform::money::AMOUNT_MAX)];
    let item = (visible(), 1..=1_000_000_i64, amount, currency(), optional(0.001..1000.0_f64), line());
    let item = item.prop_map(|(description, quantity, value, currency, mass, product)| {
        json!({"description": description, "quantity": quantity, "value": value, "currency_code": currency,
               "mass": mass, "standardized_product_id": product})
    });
    let kinds = ["documents", "gift", "merchandise", "returned_goods", "sample", "dangerous_goods", "other"];
    let identifier = visible()
        .prop_map(|text| text.chars().take(64).collect::<String>())
        .prop_filter("something to see", |text| text.chars().any(model::platform::shape::is_visible))
        .prop_map(|value| json!({"entity_type": "importer_of_record", "identifier_type": "national_id", "value": value}));
    let words = || optional(text(0, 1000));
    let items = proptest::collection::vec(item, 0..7);
    let lists = (items, proptest::collection::vec(identifier, 0..=8));
    (optional(proptest::sample::select(kinds.to_vec())), words(), words(), line(), lists)
        .prop_map(|(kind, description, message, declarant, (items, identifiers))| {
            json!({"contents_type": kind, "contents_description": description, "declaration_message": message,
                   "declarant": {"name": declarant}, "restriction_type": "quarantine",
                   "restriction_description": description.as_str().unwrap_or_default(), "incoterm": "DDP",
                   "items": items, "identifiers": identifiers})
        })
        .boxed()
}

fn options() -> BoxedStrategy<Value> {
    let sizes = ["4x6", "4x8", "a6", "a5", "a4", "letter"];
    let list = || optional(proptest::collection::vec(text(0, 100), 0..=3));
    let words = (any::<bool>(), line(), optional(text(0, 1000)));
    (optional(proptest::sample::select(sizes.to_vec())), list(), list(), list(), words)
        .prop_map(|(size, lines, codes, barcodes, (is_set, place, handling))| {
            json!({"label": {"size": size, "custom_data": {"text_lines": lines, "line_codes": codes, "barcodes": barcodes}},
                   "shipping": {"non_delivery": if is_set { "abandon" } else { "return" }, "is_return": is_set,
                                "safe_place": place, "access_code": place, "handling_instructions": handling}})
        })
        .boxed()
}

fn shipment() -> BoxedStrategy<Value> {
    let mass = prop_oneof![0.000_1..1000.0_f64, Just(1000.0)];
    let package = prop_oneof![
        mass.prop_map(|mass| json!({"geometry": {"mass": mass}})),
        Just(json!({"predefined_package_code": "envelope"})),
    ];
    let addresses = (address(), optional(address()), optional(address())).prop_map(|(to, from, back)| {
        json!({"destination": to, "origin": from, "return": back,
               "location_configuration_id": "lc_01jc4m8v2h9k3n5p7q9r1s3t5v"})
    });
    (addresses, proptest::collection::vec(package, 1..4), optional(customs()), optional(options()))
        .prop_map(|(addresses, packages, customs, options)| {
            json!({"addresses": addresses, "packages": packages, "customs": customs, "options": options})
        })
        .boxed()
}

/// Tracking numbers, up to the longest that a shipment shows.
fn number() -> BoxedStrategy<String> {
    prop_oneof![Just("LX123456785GB".to_owned()), Just("00376104250021234569".to_owned()), text(1, 100)]
        .boxed()
}

fn bought<'a>(shipment: &'a ShipmentInput, numbers: &'a [String]) -> Bought<'a> {
    Bought {
        shipment,
        carrier: "Sandbox",
        service: "Express",
        tracking_numbers: numbers,
        is_test: true,
        date: Timestamp::parse("2026-11-14T23:59:59Z").unwrap(),
        reference: "ORD-1",
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_valid_shipment_gets_its_papers(
        body in shipment(), numbers in proptest::collection::vec(number(), 0..4), format in 0..3_usize, word in "|4x8|a4|nonsense"
    ) {
        let shipment: ShipmentInput = parse(body).unwrap();
        let made = papers(&bought(&shipment, &numbers), LabelFormat::ALL[format], &word, &FONTS).unwrap();
        let count = |kind| made.iter().filter(|paper| paper.r#type == kind).count();
        let labels = if LabelFormat::ALL[format] == LabelFormat::Pdf { 1 } else { shipment.packages.len() };
        prop_assert_eq!(count(DocumentType::Label), labels);
        let papers_of_customs = count(DocumentType::Cn23) + count(DocumentType::CommercialInvoice);
        prop_assert_eq!(made.len(), labels + papers_of_customs);
        prop_assert!(made.iter().all(|paper| !paper.bytes.is_empty()));
        let mut names: Vec<_> = made.iter().map(|paper| &paper.file_name).collect();
        names.sort();
        names.dedup();
        prop_assert_eq!(names.len(), made.len(), "no two files have the same name");
    }
}

/// Returns a shipment from Bristol to Berlin with items, as (quantity, value, currency).
fn abroad(items: &[(i64, i64, &str)]) -> Value {
    let item = |(quantity, value, currency): &(i64, i64, &str)| json!({"description": "Shirt", "quantity": quantity, "value": value, "currency_code": currency, "mass": 0.4});
    let address = |country: &str| json!({"address": {"line_1": "1 Quay Street", "city": "Town", "post_code": if country == "GB" { "BS1 4DJ" } else { "10115" }, "country_code": country}, "contact": {"name": "Jo"}});
    json!({
        "addresses": {"destination": address("DE"), "origin": address("GB")},
        "packages": [{"geometry": {"mass": 1.2}}, {"geometry": {"mass": 0.85}}],
        "customs": {"contents_type": "merchandise", "items": items.iter().map(item).collect::<Vec<_>>()},
    })
}

fn made(body: Value, format: LabelFormat, numbers: &[&str]) -> Vec<Paper> {
    let shipment: ShipmentInput = parse(body).unwrap();
    let numbers: Vec<String> = numbers.iter().map(|number| (*number).to_owned()).collect();
    papers(&bought(&shipment, &numbers), format, "4x6", &FONTS).unwrap()
}

fn names(papers: &[Paper]) -> Vec<&str> {
    papers.iter().map(|paper| paper.file_name.as_str()).collect()
}

fn zpl_of(body: Value, numbers: &[&str]) -> String {
    let labels = made(body, LabelFormat::Zpl, numbers).into_iter();
    let labels = labels.filter(|paper| paper.r#type == DocumentType::Label);
    labels.map(|paper| String::from_utf8(paper.bytes).unwrap()).collect()
}

#[test]
fn each_package_has_its_label() {
    let numbers = ["LX123456785GB", "LX000000005GB"];
    let zpl = zpl_of(abroad(&[]), &numbers);
    assert_eq!(zpl.matches("^XA").count(), 2);
    for wanted in
        ["FDLX123456785GB", "FDLX000000005GB", "1 of 2", "2 of 2", "1.2 kg", "0.85 kg", "2026-11-14"]
    {
        assert!(zpl.contains(wanted), "{wanted}");
    }
    assert_eq!(names(&made(abroad(&[]), LabelFormat::Png, &numbers)), ["label-1.png", "label-2.png"]);
    assert_eq!(names(&made(abroad(&[]), LabelFormat::Zpl, &numbers)), ["label-1.zpl", "label-2.zpl"]);
    assert_eq!(names(&made(abroad(&[]), LabelFormat::Pdf, &numbers)), ["label.pdf"]);
    let packages = |format| -> Vec<Option<u32>> {
        made(abroad(&[(1, 100, "EUR")]), format, &numbers).iter().map(|paper| paper.package).collect()
    };
    assert_eq!(packages(LabelFormat::Zpl), [Some(1), Some(2), None]);
    assert_eq!(packages(LabelFormat::Pdf), [None, None]);
}

#[test]
fn what_is_worth_little_has_cn22_and_what_is_worth_more_has_cn23() {
    let few = made(abroad(&[(1, 33_000, "EUR")]), LabelFormat::Zpl, &["LX123456785GB"]);
    assert_eq!(names(&few), ["label-1.zpl", "label-2.zpl", "commercial-invoice.pdf"]);
    let is_cn22 = |papers: &[Paper]| String::from_utf8_lossy(&papers[0].bytes).contains("CN22");
    assert!(is_cn22(&few));
    for items in [&[(1, 33_001, "EUR")][..], &[(1, 1, "EUR"), (1, 1, "USD")], &[(1, 1, "XAF")]] {
        let more = made(abroad(items), LabelFormat::Zpl, &["LX123456785GB"]);
        assert_eq!(
            names(&more),
            ["label-1.zpl", "label-2.zpl", "cn23.pdf", "commercial-invoice.pdf"],
            "{items:?}"
        );
        assert!(!is_cn22(&more));
    }
    // CN22 has four lines. A fifth item also needs CN23.
    let many = made(abroad(&[(1, 1, "EUR"); 5]), LabelFormat::Zpl, &["LX123456785GB"]);
    assert_eq!(names(&many), ["label-1.zpl", "label-2.zpl", "cn23.pdf", "commercial-invoice.pdf"]);
    assert!(is_cn22(&many));
}

#[test]
fn gifts_have_no_invoice_and_within_a_country_there_are_no_papers() {
    let mut gift = abroad(&[(1, 100, "EUR")]);
    gift["customs"]["contents_type"] = json!("gift");
    assert_eq!(names(&made(gift, LabelFormat::Zpl, &["1"])), ["label-1.zpl", "label-2.zpl"]);
    let mut domestic = abroad(&[(1, 99_900, "EUR")]);
    domestic["addresses"]["destination"] = domestic["addresses"]["origin"].clone();
    let papers = made(domestic, LabelFormat::Zpl, &["1"]);
    assert_eq!(names(&papers), ["label-1.zpl", "label-2.zpl"]);
    assert!(!String::from_utf8_lossy(&papers[0].bytes).contains("CN22"));
}

#[test]
fn money_and_mass_are_written_out() {
    let zpl = zpl_of(abroad(&[(3, 1000, "EUR")]), &["LX123456785GB"]);
    assert!(zpl.contains("10.00 EUR") && zpl.contains("2.05 kg"), "{zpl}");
    let shipment: ShipmentInput = parse(abroad(&[(3, 1000, "EUR"), (2, 7, "JPY"), (2, 8, "KWD")])).unwrap();
    let declaration = declare::declaration(&bought(&shipment, &[])).unwrap();
    let units: Vec<_> = declaration.items.iter().map(|item| item.unit_value.as_str()).collect();
    assert_eq!(units, ["3.3333 EUR", "3.50 JPY", "0.004 KWD"]);
    assert_eq!(declaration.total_value, "10.00 EUR + 7 JPY + 0.008 KWD");
}

#[test]
fn a_number_is_a_barcode_where_it_can_be_and_figures_where_not() {
    assert_eq!(primary("LX123456785GB"), Primary::Number("LX123456785GB".into()));
    assert_eq!(primary("00376104250021234569"), Primary::Sscc("376104250021234569".into()));
    assert_eq!(primary("00376104250021234568"), Primary::Number("00376104250021234568".into()));
    assert_eq!(primary("Nº 1"), Primary::Figures("Nº 1".into()));
    assert_eq!(primary(&"W".repeat(50)), Primary::Figures("W".repeat(50)));
}

#[test]
fn own_lines_and_barcodes_are_drawn() {
    let mut body = abroad(&[]);
    body["options"] = json!({"label": {"custom_data": {
        "text_lines": ["4711", "fragile"], "line_codes": ["PO"], "barcodes": ["BOX-1", "Kiste Nº 1", "W".repeat(40)],
    }}});
    let zpl = zpl_of(body, &["LX123456785GB"]);
    for wanted in ["^FDPO 4711^FS", "^FDfragile^FS", "^FDBOX-1^FS", "^FDKiste Nº 1^FS"] {
        assert!(zpl.contains(wanted), "{wanted}");
    }
    assert_eq!(zpl.matches("^BCN").count(), 4, "the number and one of its own, on two labels");
}

#[test]
fn the_shipment_s_size_wins_and_printers_of_labels_get_no_sheets() {
    let page = |format, own: Value, size| {
        let mut body = abroad(&[]);
        body["options"] = json!({"label": {"size": own}});
        page_size(&parse(body).unwrap(), format, size)
    };
    assert_eq!(page(LabelFormat::Pdf, Value::Null, "a4"), PageSize::A4);
    assert_eq!(page(LabelFormat::Pdf, json!("letter"), "a4"), PageSize::Letter);
    assert_eq!(page(LabelFormat::Zpl, json!("letter"), "4x8"), PageSize::Inches4x6);
    assert_eq!(page(LabelFormat::Zpl, Value::Null, "4x8"), PageSize::Inches4x8);
    assert_eq!(page(LabelFormat::Png, Value::Null, "a3"), PageSize::Inches4x6);
}

#[test]
fn the_most_that_a_shipment_may_hold_becomes_papers() {
    let mut body = abroad(&[(1_000_000, 1_000_000_000_000, "KWD"); 200]);
    body["packages"] = json!(vec![json!({"geometry": {"mass": 1000}}); 99]);
    let papers = made(body, LabelFormat::Zpl, &["LX123456785GB"]);
    assert_eq!(names(&papers)[98..], ["label-99.zpl", "cn23.pdf", "commercial-invoice.pdf"]);
    assert_eq!(String::from_utf8_lossy(&papers[98].bytes).matches("99 of 99").count(), 1);
}

#[test]
fn people_are_called_by_their_name_else_their_company_else_what_the_address_is_called() {
    let called = |contact: Value, display_name: &str| {
        let mut body = abroad(&[]);
        body["addresses"]["destination"]["contact"] = contact;
        body["addresses"]["destination"]["display_name"] = json!(display_name);
        let party = recipient(&parse(body).unwrap());
        (party.name, party.company)
    };
    assert_eq!(called(json!({"name": "Jo", "company": "Acme"}), "x"), ("Jo".into(), Some("Acme".into())));
    assert_eq!(called(json!({"name": "", "company": "Acme"}), "x"), ("Acme".into(), None));
    assert_eq!(called(Value::Null, "Jo at Acme"), ("Jo at Acme".into(), None));
}

#[test]
fn what_a_location_is_called_is_not_printed() {
    let mut body = abroad(&[(1, 100, "GBP")]);
    for place in ["origin", "return"] {
        let address = body["addresses"]["origin"]["address"].clone();
        body["addresses"][place] = json!({"display_name": "SECRET depot", "address": address});
    }
    body["addresses"]["return"]["address"]["line_1"] = json!("9 Returns Road");
    for is_return in [false, true] {
        body["options"] = json!({"shipping": {"is_return": is_return}});
        let zpl = zpl_of(body.clone(), &["LX123456785GB"]);
        assert!(!zpl.contains("SECRET"), "{zpl}");
        assert!(zpl.contains("9 Returns Road"), "{zpl}");
        let shipment: ShipmentInput = parse(body.clone()).unwrap();
        let declaration = declare::declaration(&bought(&shipment, &[])).unwrap();
        let pages = [cn23(&declaration, &FONTS), commercial_invoice(&declaration, &FONTS)];
        for scene in pages.iter().flatten() {
            let texts = scene.items.iter().filter_map(|item| match item {
                crate::scene::Item::Text(text) => Some(text.line.text.clone()),
                _ => None,
            });
            let texts: Vec<String> = texts.collect();
            assert!(texts.iter().any(|text| text.contains("Jo")), "{texts:?}");
            assert!(!texts.iter().any(|text| text.contains("SECRET")), "{texts:?}");
        }
    }
}

#[test]
fn a_return_goes_from_the_destination_to_the_return_address() {
    let mut body = abroad(&[]);
    body["options"] = json!({"shipping": {"is_return": true}});
    let shipment: ShipmentInput = parse(body).unwrap();
    let addresses = &shipment.addresses;
    let merchant = addresses.r#return.as_ref().or(addresses.origin.as_ref()).unwrap();
    assert_eq!(sender(&shipment).lines[0], addresses.destination.address.line_1);
    assert_eq!(recipient(&shipment).lines[0], merchant.address.line_1);
    assert!(return_to(&shipment).is_none());
}

#[test]
fn options_are_read_on_the_label() {
    let mut body = abroad(&[]);
    body["options"] = json!({"shipping": {
        "access_code": "4711", "delivery_confirmation": true, "dry_ice_mass": 0.5, "dropoff_type": "drop_box",
        "handling_instructions": "This side up", "high_security": true, "hold_for_pickup": true,
        "invalid_address_handling": "return", "leave_safe": true, "non_delivery": "abandon",
        "restricted_substances": ["dry_ice", "batteries_lithium_ion"], "safe_place": "Shed",
        "saturday_delivery": true, "signature_type": "adult"}});
    let lines = instructions::lines(&parse(body).unwrap());
    let expected = [
        "ADULT SIGNATURE REQUIRED / SATURDAY DELIVERY / CONFIRM DELIVERY / HOLD FOR PICKUP",
        "LEAVE IN A SAFE PLACE / HIGH SECURITY / DRY ICE 0.5 kg / BATTERIES LITHIUM ION",
        "Safe place: Shed",
        "Access code: 4711",
        "This side up",
        "If the address is wrong: return",
        "If undeliverable: abandon",
        "Handed in at: drop box",
    ];
    assert_eq!(lines, expected);
}
