//! Print jobs: what reaches a printer, byte for byte, and what is refused before that.

use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::package_types::with;
use crate::setup::populated_organisation::parcel;
use crate::setup::raw_printer::{RawPrinter, label_printer};
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

#[tokio::test]
async fn a_label_printer_gets_exactly_the_bytes_of_the_label() {
    let world = World::rehearsal().await;
    let (label, zpl) = world.label("zpl").await;
    assert!(zpl.starts_with(b"^XA"));
    let mut printer = RawPrinter::start().await;
    let id = world.printer(label_printer(&printer.address)).await;
    let created = world.post("/print_jobs", json!({"printer_id": id, "document_ids": [label]})).await;
    insta::assert_snapshot!(created, @r##"201 {"id":"pj_#1","printer_id":"prn_#1","document_ids":["doc_#1"],"sent_as":[{"format":"zpl","dpi":null,"is_converted":false}],"copies":1,"status":"queued","tries":0,"next_try_at":null,"message":null,"reprint_of":null,"printed_at":null,"created_at":"#time","updated_at":"#time"}"##);
    let job = created.header("location").to_owned();
    world.print().await;
    assert_eq!(printer.next().await, zpl);
    let printed = world.get(&job).await;
    insta::assert_snapshot!(printed, @r##"200 {"id":"pj_#1","printer_id":"prn_#1","document_ids":["doc_#1"],"sent_as":[{"format":"zpl","dpi":null,"is_converted":false}],"copies":1,"status":"printed","tries":1,"next_try_at":null,"message":null,"reprint_of":null,"printed_at":"#time","created_at":"#time","updated_at":"#time"}"##);
    world.print().await;
    assert_eq!(printer.already(), None, "it is printed once");
    assert_eq!(world.story(&job).await, ["print_job.created", "print_job.updated", "print_job.updated"]);
    let told = world.newest_event("print_job.updated").await;
    assert_eq!(
        (&told["data"]["object"]["status"], &told["previous_attributes"]["status"]),
        (&json!("printed"), &json!("sending"))
    );
}

#[tokio::test]
async fn copies_and_several_documents_come_in_their_order() {
    let world = World::rehearsal().await;
    let ((first, one), (second, two)) = (world.label("zpl").await, world.label("zpl").await);
    let mut printer = RawPrinter::start().await;
    let id = world.printer(label_printer(&printer.address)).await;
    let body = json!({"printer_id": id, "document_ids": [second, first], "copies": 3});
    assert_eq!(world.post("/print_jobs", body).await.status, 201);
    world.print().await;
    assert_eq!(printer.next().await, [two, one].concat().repeat(3));
    // A reprint is a new job with the same contents.
    let job = world.get("/print_jobs?status=printed").await.ids()[0].clone();
    let again = world.print_action(&format!("/print_jobs/{job}/reprint")).await;
    assert_eq!((again.status.as_u16(), &again.json()["reprint_of"]), (201, &json!(job)), "{again}");
    world.print().await;
    assert_eq!(printer.next().await.len() % 3, 0);
    assert_eq!(world.get("/print_jobs").await.ids().len(), 2);
}

#[tokio::test]
async fn the_default_printer_is_that_of_the_location_else_that_of_all() {
    let world = World::rehearsal().await;
    let (configuration, origin, _) = world.configuration("Main").await;
    let mut body = parcel();
    body["addresses"]["origin"] = Value::Null;
    body["addresses"]["location_configuration_id"] = json!(configuration);
    let (from_origin, _) = world.label_of(body, "zpl").await;
    let (from_address, _) = world.label("zpl").await;
    let job = async |documents: Value| world.post("/print_jobs", json!({"document_ids": documents})).await;
    let none = job(json!([from_origin])).await;
    assert_eq!(refusal(&none), (422, "printer_missing".to_owned()));
    assert_eq!(none.issues(), [("printer_missing".to_owned(), "/document_ids/0".to_owned())]);
    let labels = json!({"is_default_for": ["label"]});
    let everywhere = world.printer(with(label_printer("127.0.0.1:9"), labels.clone())).await;
    assert_eq!(job(json!([from_origin])).await.json()["printer_id"], json!(everywhere));
    let local = with(with(label_printer("127.0.0.1:9"), labels), json!({"location_id": origin}));
    let local = world.printer(local).await;
    assert_eq!(job(json!([from_origin])).await.json()["printer_id"], json!(local));
    assert_eq!(job(json!([from_address])).await.json()["printer_id"], json!(everywhere));
    let both = job(json!([from_origin, from_address])).await;
    assert_eq!(refusal(&both), (422, "printer_ambiguous".to_owned()));
    assert_eq!(both.issues(), [("printer_ambiguous".to_owned(), "/document_ids/1".to_owned())]);
}

#[tokio::test]
async fn what_can_t_be_printed_is_refused_before_it_is_queued() {
    let world = World::rehearsal().await;
    let ((zpl, _), (pdf, _)) = (world.label("zpl").await, world.label("pdf").await);
    // What Dockside drew could be drawn anew.
    world.give_labels_by_carrier().await;
    let bench = world.printer(label_printer("127.0.0.1:9")).await;
    let fine = world
        .printer(with(label_printer("127.0.0.1:9"), json!({"dpi": 300, "formats": ["zpl", "pdf"]})))
        .await;
    let stranger = world.token_for("Globex", "*", Mode::Test).await;
    let theirs =
        world.request("POST", "/printers").token(&stranger).json(label_printer("127.0.0.1")).send().await;
    let theirs = theirs.json()["id"].clone();
    let nothing = |prefix: &str| format!("{prefix}_{}", "7".repeat(26));
    for (body, code, field) in [
        (json!({"printer_id": bench, "document_ids": []}), "too_few", "/document_ids"),
        (json!({"printer_id": bench, "document_ids": [zpl], "copies": 0}), "out_of_range", "/copies"),
        (
            json!({"printer_id": bench, "document_ids": [zpl, nothing("doc")]}),
            "document_not_found",
            "/document_ids/1",
        ),
        (json!({"printer_id": nothing("prn"), "document_ids": [zpl]}), "printer_not_found", "/printer_id"),
        (json!({"printer_id": theirs, "document_ids": [zpl]}), "printer_not_found", "/printer_id"),
        (
            json!({"printer_id": bench, "document_ids": [zpl, pdf]}),
            "print_format_unsupported",
            "/document_ids/1",
        ),
        (json!({"printer_id": fine, "document_ids": [pdf, zpl]}), "print_dpi_unsupported", "/document_ids/1"),
    ] {
        let reply = world.post("/print_jobs", body.clone()).await;
        let expected = vec![(code.to_owned(), field.to_owned())];
        assert_eq!((reply.status.as_u16(), reply.issues()), (422, expected), "{body}: {reply}");
    }
    // A PDF has no resolution.
    assert_eq!(
        world.post("/print_jobs", json!({"printer_id": fine, "document_ids": [pdf]})).await.status,
        201
    );
    assert_eq!(world.get("/print_jobs").await.ids().len(), 1);
    // Strangers find neither the documents nor the jobs.
    let job = world.get("/print_jobs").await.ids()[0].clone();
    let hidden = world.request("POST", "/print_jobs").token(&stranger);
    let hidden = hidden.json(json!({"printer_id": theirs, "document_ids": [zpl]})).send().await;
    assert_eq!(refusal(&hidden), (422, "document_not_found".to_owned()));
    let hidden = world.request("GET", &format!("/print_jobs/{job}")).token(&stranger).send().await;
    assert_eq!(refusal(&hidden), (404, "not_found".to_owned()));
}

#[tokio::test]
async fn a_token_prints_only_what_it_may_read() {
    let world = World::rehearsal().await;
    let (label, _) = world.label("zpl").await;
    let printer = world.printer(label_printer("127.0.0.1:9")).await;
    let body = json!({"printer_id": printer, "document_ids": [label]});
    for (scopes, status) in [("print_jobs:write", 403), ("print_jobs:write shipments:read", 201)] {
        let token = world.token_for("Acme", scopes, Mode::Test).await;
        let reply = world.request("POST", "/print_jobs").token(&token).json(body.clone()).send().await;
        assert_eq!(reply.status, status, "{scopes}: {reply}");
    }
}

#[tokio::test]
async fn lists_are_filtered_and_waiting_jobs_are_cancelled() {
    let world = World::rehearsal().await;
    let (label, _) = world.label("zpl").await;
    let on = RawPrinter::start().await;
    let (on, off) = (
        world.printer(label_printer(&on.address)).await,
        world.printer(label_printer(&RawPrinter::off().await)).await,
    );
    let (waits, goes) = (world.print_job(&off, &label).await, world.print_job(&off, &label).await);
    let open = world.print_action(&format!("{waits}/reprint")).await;
    assert_eq!(refusal(&open), (409, "print_job_open".to_owned()));
    let cancelled = world.print_action(&format!("{goes}/cancel")).await;
    assert_eq!((cancelled.status.as_u16(), &cancelled.json()["status"]), (200, &json!("cancelled")));
    assert_eq!(
        refusal(&world.print_action(&format!("{goes}/cancel")).await),
        (409, "print_job_not_queued".to_owned())
    );
    let job = world.print_job(&on, &label).await;
    world.print().await;
    let list = async |query: &str| world.get(format!("/print_jobs{query}")).await.ids();
    let id = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    assert_eq!(list("?status=queued").await, [id(&waits)]);
    assert_eq!(list("?status=cancelled").await, [id(&goes)]);
    assert_eq!(list(&format!("?printer_id={off}")).await, [id(&goes), id(&waits)]);
    assert_eq!(list(&format!("?printer_id={off}&status=queued")).await, [id(&waits)]);
    assert_eq!(list(&format!("?printer_id={on}&status=queued")).await, [""; 0]);
    assert_eq!(list("").await.len(), 3);
    assert_eq!(world.print_status(&job).await, "printed");
    assert_eq!(refusal(&world.get("/print_jobs?status=lost").await), (400, "invalid_query".to_owned()));
}

#[tokio::test]
async fn jobs_that_ended_are_deleted_after_a_year() {
    let world = World::rehearsal().await;
    let (label, _) = world.label("zpl").await;
    let printer = RawPrinter::start().await;
    let (on, off) = (
        world.printer(label_printer(&printer.address)).await,
        world.printer(label_printer(&RawPrinter::off().await)).await,
    );
    world.print_job(&on, &label).await;
    let waits = world.print_job(&off, &label).await;
    world.print().await;
    world.service.nodes.heartbeat().await.unwrap();
    for _ in 0..366 {
        world.advance_seconds(24 * 3600);
        world.service.nodes.heartbeat().await.unwrap();
    }
    world.service.cleaning.work().await.unwrap();
    let left = world.get("/print_jobs").await.ids();
    assert_eq!(left, [waits.rsplit('/').next().unwrap()]);
}
