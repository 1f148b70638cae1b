//! Printers that are off, break off or lead elsewhere, and servers that stop: nothing is printed twice, and nothing is lost
//! without a word.

use serde_json::json;
use store::Access;
use store::fulfilment::{print_jobs, print_queues};

use crate::setup::raw_printer::{RawPrinter, label_printer};
use crate::setup::world::World;
use crate::shipping::manifest_nodes::another;

/// Longer than the lease that a heartbeat extends.
const SILENT_SECONDS: i64 = 11;

#[tokio::test]
async fn a_printer_that_is_off_for_a_while_gets_the_job_once_it_is_on() {
    let world = World::rehearsal().await;
    let (label, zpl) = world.label("zpl").await;
    let address = RawPrinter::off().await;
    let id = world.printer(label_printer(&address)).await;
    let job = world.print_job(&id, &label).await;
    for (tries, pause) in [(1, 10), (2, 60), (3, 300)] {
        world.print().await;
        let waits = world.get(&job).await.json();
        assert_eq!((&waits["status"], &waits["tries"]), (&json!("queued"), &json!(tries)), "{waits}");
        assert!(waits["message"].as_str().is_some_and(|why| why.contains("refuses connections")), "{waits}");
        // Before its time it is not tried.
        world.advance_seconds(pause - 1);
        world.print().await;
        assert_eq!(world.get(&job).await.json()["tries"], json!(tries));
        world.advance_seconds(1);
    }
    let mut printer = RawPrinter::start_at(&address).await;
    world.print().await;
    assert_eq!(printer.next().await, zpl);
    let printed = world.get(&job).await.json();
    assert_eq!(
        (&printed["status"], &printed["tries"], &printed["message"]),
        (&json!("printed"), &json!(4), &json!(null))
    );
}

#[tokio::test]
async fn after_five_tries_a_job_has_failed_and_the_next_one_has_its_own() {
    let world = World::rehearsal().await;
    let (label, _) = world.label("zpl").await;
    let id = world.printer(label_printer(&RawPrinter::off().await)).await;
    let (first, second) = (world.print_job(&id, &label).await, world.print_job(&id, &label).await);
    for pause in [10, 60, 300, 1200] {
        world.print().await;
        assert_eq!(world.get(&second).await.json()["tries"], json!(0), "jobs keep their order");
        world.advance_seconds(pause);
    }
    world.print().await;
    let failed = world.get(&first).await.json();
    assert_eq!(
        (&failed["status"], &failed["tries"], &failed["next_try_at"]),
        (&json!("failed"), &json!(5), &json!(null))
    );
    let next = world.get(&second).await.json();
    assert_eq!((&next["status"], &next["tries"]), (&json!("queued"), &json!(1)), "{next}");
}

#[tokio::test]
async fn a_new_job_has_the_printer_tried_at_once_and_costs_no_try() {
    let world = World::rehearsal().await;
    let (label, zpl) = world.label("zpl").await;
    let address = RawPrinter::off().await;
    let id = world.printer(label_printer(&address)).await;
    let first = world.print_job(&id, &label).await;
    world.print().await;
    for _ in 0..6 {
        world.advance_seconds(1);
        world.print_job(&id, &label).await;
        world.print().await;
    }
    assert_eq!(world.get(&first).await.json()["tries"], json!(1));
    let mut printer = RawPrinter::start_at(&address).await;
    world.print_job(&id, &label).await;
    world.print().await;
    for _ in 0..8 {
        assert_eq!(printer.next().await, zpl);
    }
    assert_eq!(world.get("/print_jobs?status=printed").await.ids().len(), 8);
}

#[tokio::test]
async fn a_connection_that_is_cut_after_the_first_bytes_leaves_the_job_uncertain() {
    let world = World::rehearsal().await;
    let (label, zpl) = world.label("zpl").await;
    let mut printer = RawPrinter::breaking_after(20).await;
    let id = world.printer(label_printer(&printer.address)).await;
    let job = world.print_job(&id, &label).await;
    world.print().await;
    assert_eq!(printer.next().await, zpl[..20]);
    let lost = world.get(&job).await.json();
    assert_eq!((&lost["status"], &lost["next_try_at"]), (&json!("uncertain"), &json!(null)), "{lost}");
    assert!(lost["message"].as_str().is_some_and(|why| why.contains("reprint")), "{lost}");
    for _ in 0..5 {
        world.advance_seconds(3600);
        world.print().await;
    }
    assert_eq!(printer.already(), None, "it is never sent again by itself");
    // A person does that.
    assert_eq!(world.print_action(&format!("{job}/reprint")).await.status, 201);
    world.print().await;
    assert_eq!(printer.next().await, zpl[..20]);
}

#[tokio::test]
async fn a_name_that_leads_out_of_the_networks_is_not_connected() {
    let world = World::rehearsal_with(|settings| {
        settings.printer_networks = vec!["10.1.0.0/16".parse().unwrap()];
    })
    .await;
    let (label, _) = world.label("zpl").await;
    let mut printer = RawPrinter::start().await;
    let port = printer.address.rsplit(':').next().unwrap().to_owned();
    for body in [
        label_printer(&format!("localhost:{port}")),
        json!({"name": "Office", "kind": "ipp", "address": format!("ipp://localhost:{port}/ipp"), "formats": ["zpl"]}),
    ] {
        let id = world.printer(body).await;
        let job = world.print_job(&id, &label).await;
        world.print().await;
        let waits = world.get(&job).await.json();
        assert_eq!((&waits["status"], &waits["tries"]), (&json!("queued"), &json!(1)), "{waits}");
        assert!(waits["message"].as_str().is_some_and(|why| why.contains("printer_networks")), "{waits}");
    }
    assert_eq!(printer.already(), None);
}

#[tokio::test]
async fn networks_that_became_narrower_hold_for_printers_that_exist() {
    let world = World::rehearsal().await;
    let (label, _) = world.label("zpl").await;
    let mut printer = RawPrinter::start().await;
    let id = world.printer(label_printer(&printer.address)).await;
    let job = world.print_job(&id, &label).await;
    let mut settings = world.service.settings().clone();
    settings.printer_networks = Vec::new();
    let random = std::sync::Arc::new(service::SystemRandom);
    let narrower = service::Service::new(world.db.clone(), world.clock.clone(), random, settings).unwrap();
    narrower.print_jobs.work().await.unwrap();
    let waits = world.get(&job).await.json();
    assert_eq!((&waits["status"], &waits["tries"]), (&json!("queued"), &json!(1)), "{waits}");
    assert_eq!(printer.already(), None);
}

/// Has a node that never sends a heartbeat again claim all queues, and take the first job of the printer.
async fn doom(world: &World, is_begun: bool) {
    let now = world.service.context.now();
    let claim = world.db.write(Access::System, async move |tx| {
        store::platform::nodes::insert(tx, "doomed", now.plus_seconds(10)).await?;
        let claimed = print_queues::claim(tx, "doomed", now, 10).await?;
        assert_eq!(claimed.len(), 1);
        Ok(claimed[0].clone())
    });
    let queue = claim.await.unwrap();
    let owner = queue.owner;
    let take = world.db.write(owner, async move |tx| {
        use model::fulfilment::print_job::{PrintJob, Status};
        let stored = print_jobs::first(tx, owner, queue.printer, Status::Queued).await?.expect("a job");
        let mut job: PrintJob = serde_json::from_str(&stored.doc).expect("a job");
        job.begin(now);
        let doc = serde_json::to_string(&job).expect("JSON");
        print_jobs::update(tx, owner, &job, queue.fence, is_begun, &doc).await
    });
    take.await.unwrap();
}

#[tokio::test]
async fn a_server_that_stops_before_the_first_byte_leaves_the_job_to_another() {
    let world = World::rehearsal().await;
    let (label, zpl) = world.label("zpl").await;
    let mut printer = RawPrinter::start().await;
    let id = world.printer(label_printer(&printer.address)).await;
    let node = another(&world).await;
    let job = world.print_job(&id, &label).await;
    doom(&world, false).await;
    node.print_jobs.work().await.unwrap();
    assert_eq!(world.print_status(&job).await, "sending", "it is not taken from a server that lives");
    world.advance_seconds(SILENT_SECONDS);
    node.print_jobs.work().await.unwrap();
    assert_eq!(printer.next().await, zpl);
    assert_eq!(world.print_status(&job).await, "printed");
}

#[tokio::test]
async fn a_server_that_stops_after_the_first_byte_leaves_the_job_uncertain() {
    let world = World::rehearsal().await;
    let (label, zpl) = world.label("zpl").await;
    let mut printer = RawPrinter::start().await;
    let id = world.printer(label_printer(&printer.address)).await;
    let node = another(&world).await;
    let job = world.print_job(&id, &label).await;
    let next = world.print_job(&id, &label).await;
    doom(&world, true).await;
    world.advance_seconds(SILENT_SECONDS);
    node.print_jobs.work().await.unwrap();
    assert_eq!(world.print_status(&job).await, "uncertain");
    // The jobs behind it go on.
    assert_eq!(printer.next().await, zpl);
    assert_eq!((world.print_status(&next).await.as_str(), printer.already()), ("printed", None));
}

#[tokio::test]
async fn two_servers_print_each_job_once() {
    let world = World::rehearsal().await;
    let (label, zpl) = world.label("zpl").await;
    let mut printer = RawPrinter::start().await;
    let id = world.printer(label_printer(&printer.address)).await;
    let node = another(&world).await;
    for _ in 0..10 {
        world.print_job(&id, &label).await;
    }
    let (one, two) = tokio::join!(world.service.print_jobs.work(), node.print_jobs.work());
    one.unwrap();
    two.unwrap();
    world.print().await;
    for _ in 0..10 {
        assert_eq!(printer.next().await, zpl);
    }
    assert_eq!(printer.already(), None);
    assert_eq!(world.get("/print_jobs?status=printed").await.ids().len(), 10);
}
