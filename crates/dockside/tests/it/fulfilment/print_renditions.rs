//! Labels for printers of other formats and resolutions: what reaches the printer, and what is refused.

use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::package_types::with;
use crate::fulfilment::papers::packed;
use crate::setup::populated_organisation::parcel;
use crate::setup::raw_printer::{RawPrinter, label_printer};
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

impl World {
    /// Makes the labels of all shipments those of their carriers.
    pub async fn give_labels_by_carrier(&self) {
        let sql = "UPDATE purchase SET receipt = replace(receipt, '\"is_label_ours\":true', '\"is_label_ours\":false')";
        self.tamper(sql).await;
    }

    /// Prints a document on a new printer with these fields, and returns what reached it.
    async fn printed(&self, printer: Value, document: &str) -> Vec<u8> {
        let mut device = RawPrinter::start().await;
        let id = self.printer(with(label_printer(&device.address), printer)).await;
        let job = self.print_job(&id, document).await;
        self.print().await;
        assert_eq!(self.print_status(&job).await, "printed");
        device.next().await
    }
}

/// Returns the width and the height of a picture, in dots.
fn picture_size(png: &[u8]) -> (u32, u32) {
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

fn starts(file: &[u8], text: &str) -> bool {
    file.starts_with(text.as_bytes())
}

#[tokio::test]
async fn a_label_that_we_drew_is_drawn_for_the_printer() {
    let world = World::rehearsal().await;
    let ((zpl, stored), (pdf, _), (png, _)) =
        (world.label("zpl").await, world.label("pdf").await, world.label("png").await);
    assert_eq!(world.printed(json!({}), &zpl).await, stored);
    for (dpi, head, size) in [
        (300, "^XA\n^CI28\n^PW1199\n^LL1798\n", (1199, 1798)),
        (600, "^XA\n^CI28\n^PW2398\n^LL3596\n", (2398, 3596)),
    ] {
        for document in [&zpl, &pdf, &png] {
            let file = world.printed(json!({"dpi": dpi}), document).await;
            assert!(starts(&file, head) && file.ends_with(b"^XZ\n"), "{dpi}");
            let file = world.printed(json!({"dpi": dpi, "formats": ["png"]}), document).await;
            assert_eq!(picture_size(&file), size);
        }
    }
    // Other formats for a printer of the usual resolution.
    assert!(starts(&world.printed(json!({}), &pdf).await, "^XA\n^CI28\n^PW812\n"));
    assert!(starts(&world.printed(json!({"formats": ["pdf"]}), &zpl).await, "%PDF-"));
    // The first format of the printer that fits is taken.
    let file = world.printed(json!({"formats": ["png", "pdf"]}), &zpl).await;
    assert_eq!(picture_size(&file), (812, 1218));
}

#[tokio::test]
async fn a_job_says_how_its_documents_are_sent_and_keeps_to_it() {
    let world = World::rehearsal().await;
    let (zpl, _) = world.label("zpl").await;
    let mut device = RawPrinter::start().await;
    let fine = json!({"dpi": 300, "formats": ["zpl", "pdf"]});
    let printer = world.printer(with(label_printer(&device.address), fine)).await;
    let job = world.print_job(&printer, &zpl).await;
    let made = json!([{"format": "zpl", "dpi": 300, "is_converted": true}]);
    assert_eq!(world.get(&job).await.json()["sent_as"], made);
    // What the printer takes is what it took when the job was made.
    let path = format!("/printers/{printer}");
    assert_eq!(world.patch(&path, json!({"dpi": 203})).await.status, 200);
    world.print().await;
    let first = device.next().await;
    assert!(starts(&first, "^XA\n^CI28\n^PW1199\n"));
    assert_eq!(world.get(&job).await.json()["sent_as"], made);
    // A reprint decides anew.
    let again = world.print_action(&format!("{job}/reprint")).await.json();
    assert_eq!(again["sent_as"], json!([{"format": "zpl", "dpi": null, "is_converted": false}]));
    assert_eq!(world.patch(&path, json!({"dpi": 300})).await.status, 200);
    let other = world.print_job(&printer, &zpl).await;
    world.print().await;
    device.next().await;
    assert!(device.next().await == first, "the same label gives the same bytes");
    assert_eq!(world.print_status(&other).await, "printed");
}

#[tokio::test]
async fn all_packages_of_a_label_in_one_file_are_printed() {
    let world = World::rehearsal().await;
    let mut body = parcel();
    body["packages"] = json!([body["packages"][0], body["packages"][0]]);
    let (pdf, _) = world.label_of(body, "pdf").await;
    let file = String::from_utf8(world.printed(json!({"dpi": 300}), &pdf).await).expect("commands");
    assert_eq!((file.matches("^XA").count(), file.matches("^XZ").count()), (2, 2));
    assert!(file.contains("1 of 2") && file.contains("2 of 2"));
    // Two labels are no picture.
    let printer = world.printer(with(label_printer("127.0.0.1:9"), json!({"formats": ["png"]}))).await;
    let refused = world.post("/print_jobs", json!({"printer_id": printer, "document_ids": [pdf]})).await;
    assert_eq!(refusal(&refused), (422, "print_format_unsupported".to_owned()));
}

#[tokio::test]
async fn of_a_carriers_labels_only_pictures_are_converted() {
    let world = World::rehearsal().await;
    let ((zpl, _), (pdf, _), (png, picture)) =
        (world.label("zpl").await, world.label("pdf").await, world.label("png").await);
    world.give_labels_by_carrier().await;
    assert_eq!(
        world.printed(json!({"formats": ["png"]}), &png).await,
        picture,
        "at its own resolution as it is"
    );
    assert_eq!(
        picture_size(&world.printed(json!({"formats": ["png"], "dpi": 300}), &png).await),
        (1199, 1798)
    );
    assert!(starts(&world.printed(json!({"dpi": 300}), &png).await, "^XA\n^PW1199\n^LL1798\n"));
    assert!(starts(&world.printed(json!({"formats": ["pdf"]}), &png).await, "%PDF-"));
    for (printer, document, code) in [
        (json!({"dpi": 300}), &zpl, "print_dpi_unsupported"),
        (json!({"dpi": 300, "formats": ["zpl", "pdf"]}), &zpl, "print_dpi_unsupported"),
        (json!({"formats": ["pdf"]}), &zpl, "print_format_unsupported"),
        (json!({}), &pdf, "print_format_unsupported"),
        (json!({"formats": ["png"]}), &pdf, "print_format_unsupported"),
        (json!({"dpi": 150}), &png, "print_dpi_unsupported"),
    ] {
        let id = world.printer(with(label_printer("127.0.0.1:9"), printer.clone())).await;
        let refused = world.post("/print_jobs", json!({"printer_id": id, "document_ids": [document]})).await;
        assert_eq!(refusal(&refused), (422, code.to_owned()), "{printer}: {refused}");
        assert_eq!(refused.issues(), [(code.to_owned(), "/document_ids/0".to_owned())], "{refused}");
    }
}

#[tokio::test]
async fn a_picture_that_can_t_be_read_fails_its_job_and_says_so() {
    let world = World::rehearsal().await;
    let (label, _) = world.label("zpl").await;
    world.give_labels_by_carrier().await;
    world.tamper(&format!("UPDATE document SET file_type = 'image/png' WHERE id = '{label}'")).await;
    let device = RawPrinter::start().await;
    let printer = world.printer(with(label_printer(&device.address), json!({"dpi": 300}))).await;
    let job = world.print_job(&printer, &label).await;
    world.print().await;
    let failed = world.get(&job).await.json();
    assert_eq!((&failed["status"], &failed["tries"]), (&json!("failed"), &json!(1)), "{failed}");
    assert!(failed["message"].as_str().is_some_and(|why| why.contains("no PNG")), "{failed}");
}

#[tokio::test]
async fn an_agent_fetches_what_is_made_for_its_printer() {
    let world = World::rehearsal().await;
    let token = world.token_for("Acme", "print_jobs:write printers:read", Mode::Test).await;
    let (label, _) = world.label("pdf").await;
    let printer = with(label_printer("192.168.77.7"), json!({"connection": "agent", "dpi": 300}));
    let printer = world.printer(printer).await;
    let job = world.print_job(&printer, &label).await;
    let claims = world.request("POST", "/print_jobs/claim").token(&token).json(json!({})).send().await.json();
    let claim = &claims["data"][0];
    let document = &claim["documents"][0];
    assert_eq!((&document["file_type"], &document["file_size"]), (&json!("application/zpl"), &Value::Null));
    let path = format!("{job}/content?fence={}", claim["fence"]);
    let content = world.request("GET", &path).token(&token).send().await;
    assert_eq!(
        (content.status.as_u16(), content.header("content-type")),
        (200, "application/zpl"),
        "{content}"
    );
    assert!(content.header("content-disposition").contains(".zpl\""));
    assert!(content.text.starts_with("^XA\n^CI28\n^PW1199\n"));
    assert_eq!(content.header("content-length"), content.text.len().to_string());
}

#[tokio::test]
async fn a_file_that_can_t_be_made_leaves_an_agents_job_unbegun() {
    let world = World::rehearsal().await;
    let token = world.token_for("Acme", "print_jobs:write printers:read", Mode::Test).await;
    let (label, _) = world.label("zpl").await;
    world.give_labels_by_carrier().await;
    world.tamper(&format!("UPDATE document SET file_type = 'image/png' WHERE id = '{label}'")).await;
    let printer = with(label_printer("192.168.77.7"), json!({"connection": "agent", "dpi": 300}));
    let printer = world.printer(printer).await;
    let job = world.print_job(&printer, &label).await;
    let claims = world.request("POST", "/print_jobs/claim").token(&token).json(json!({})).send().await.json();
    let path = format!("{job}/content?fence={}", claims["data"][0]["fence"]);
    let refused = world.request("GET", &path).token(&token).send().await;
    assert_eq!(refusal(&refused), (422, "print_format_unsupported".to_owned()));
    world.advance_seconds(301);
    world.print().await;
    assert_eq!(world.print_status(&job).await, "queued", "no byte has left");
}

#[tokio::test]
async fn a_job_of_an_older_version_is_shown_and_sent_as_it_is_stored() {
    let world = World::rehearsal().await;
    let (label, zpl) = world.label("zpl").await;
    let mut device = RawPrinter::start().await;
    let printer = world.printer(label_printer(&device.address)).await;
    let job = world.print_job(&printer, &label).await;
    let new = r#""sent_as":[{"format":"zpl","dpi":null,"is_converted":false}],"#;
    world.tamper(&format!("UPDATE print_job SET doc = REPLACE(doc, '{new}', '')")).await;
    assert_eq!(world.get(&job).await.json()["sent_as"], json!([]));
    assert_eq!(world.get("/print_jobs").await.json()["data"][0]["sent_as"], json!([]));
    world.print().await;
    assert_eq!(device.next().await, zpl);
    assert_eq!(world.get(&job).await.json()["sent_as"], json!([]));
}

/// Returns the width and the height of the first page of PWG raster, in dots, and its resolution.
fn first_page(file: &[u8]) -> (u32, u32, u32) {
    assert!(starts(file, "RaS2PwgRaster\0"));
    let number = |at: usize| u32::from_be_bytes(file[4 + at..8 + at].try_into().expect("four bytes"));
    (number(372), number(376), number(276))
}

#[tokio::test]
async fn labels_and_papers_are_sent_as_pwg_raster() {
    let world = World::rehearsal().await;
    let ((zpl, _), (pdf, _), (png, _)) =
        (world.label("zpl").await, world.label("pdf").await, world.label("png").await);
    let pwg = |dpi: u32| json!({"formats": ["pwg"], "dpi": dpi});
    for document in [&zpl, &pdf, &png] {
        assert_eq!(first_page(&world.printed(pwg(300), document).await), (1200, 1800, 300));
        assert_eq!(first_page(&world.printed(pwg(203), document).await), (812, 1218, 203));
    }
    let tee = world.item("TEE").await;
    let shipment = world.shipment(packed(&[(&tee, 2)])).await;
    let slip = world.paper(&format!("{shipment}/packing_slip"), json!({"format": "letter"})).await;
    let slip = slip["id"].as_str().expect("an id").to_owned();
    let first = world.printed(pwg(600), &slip).await;
    assert_eq!(first_page(&first), (5100, 6600, 600));
    assert!(world.printed(pwg(600), &slip).await == first, "each try sends the same bytes");
    // A printer that takes the stored file gets that.
    let both = json!({"formats": ["pwg", "pdf"], "dpi": 600});
    assert!(starts(&world.printed(both, &slip).await, "%PDF-"));
    // Of a carrier, only a picture can be dots.
    world.give_labels_by_carrier().await;
    assert_eq!(first_page(&world.printed(pwg(300), &png).await), (1199, 1798, 300));
    let printer = world.printer(with(label_printer("127.0.0.1:9"), pwg(300))).await;
    for document in [&zpl, &pdf] {
        let body = json!({"printer_id": printer, "document_ids": [document]});
        let refused = world.post("/print_jobs", body).await;
        assert_eq!(refusal(&refused), (422, "print_format_unsupported".to_owned()), "{refused}");
    }
    let job = world.post("/print_jobs", json!({"printer_id": printer, "document_ids": [slip]})).await.json();
    assert_eq!(job["sent_as"], json!([{"format": "pwg", "dpi": 300, "is_converted": true}]));
}

#[tokio::test]
async fn customs_papers_are_sent_as_pwg_raster_and_other_files_with_labels_are_refused() {
    let world = World::rehearsal().await;
    let mut body = parcel();
    body["addresses"]["destination"] = json!({"address": {"line_1": "1 Rue de Rivoli", "city": "Paris", "post_code": "75001", "country_code": "FR"}});
    body["customs"] = json!({"contents_type": "merchandise", "items": [{"description": "Mug", "quantity": 3, "value": 90_000, "currency_code": "EUR", "mass": 1.2}]});
    let path = world.shipment(body).await;
    world.buy(&path).await;
    let documents = world.get(format!("{path}/documents")).await.json();
    let documents = documents["data"].as_array().expect("a list").clone();
    let customs: Vec<_> = documents.iter().filter(|document| document["type"] != "label").collect();
    assert!(!customs.is_empty(), "{documents:?}");
    for paper in customs {
        let id = paper["id"].as_str().expect("an id");
        let file = world.printed(json!({"formats": ["pwg"], "dpi": 300}), id).await;
        assert_eq!(first_page(&file), (2480, 3508, 300), "{paper}");
    }
    let papers = world.paper(&format!("{path}/papers"), json!({"format": "a4"})).await;
    let printer = with(label_printer("127.0.0.1:9"), json!({"formats": ["pwg"], "dpi": 300}));
    let printer = world.printer(printer).await;
    let body = json!({"printer_id": printer, "document_ids": [papers["id"]]});
    let refused = world.post("/print_jobs", body).await;
    assert_eq!(refusal(&refused), (422, "print_format_unsupported".to_owned()), "{refused}");
}
