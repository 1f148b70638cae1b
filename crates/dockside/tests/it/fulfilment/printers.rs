//! Printers: their life, where they may be, and what they are the default for.

use api::Limits;
use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::package_types::with;
use crate::setup::raw_printer::{RawPrinter, label_printer};
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

/// The most printers that an organisation may have.
const PRINTERS_MAX: usize = 200;

#[tokio::test]
async fn a_printer_is_created_read_changed_and_deleted() {
    let world = World::new().await;
    let depot = world.location("Depot").await;
    let start = world.events().await.len();
    let full = json!({
        "name": "Office", "kind": "ipp", "connection": "agent", "address": "ipp://10.0.0.7/ipp/print",
        "formats": ["pdf", "png"], "dpi": 600, "media": "iso_a4_210x297mm", "location_id": depot,
        "is_default_for": ["packing_slip", "manifest"],
    });
    let created = world.post("/printers", full).await;
    insta::assert_snapshot!(created, @r##"201 {"id":"prn_#1","name":"Office","kind":"ipp","connection":"agent","address":"ipp://10.0.0.7/ipp/print","formats":["pdf","png"],"dpi":600,"media":"iso_a4_210x297mm","location_id":"loc_#1","is_default_for":["packing_slip","manifest"],"created_at":"#time","updated_at":"#time"}"##);
    let path = created.header("location").to_owned();
    assert_eq!(world.get(&path).await.json(), created.json());
    let patch = json!({"connection": null, "kind": "raw", "address": "127.0.0.1", "dpi": null, "media": null,
        "location_id": null, "is_default_for": null, "formats": ["zpl"]});
    let changed = world.patch(&path, patch).await;
    insta::assert_snapshot!(changed, @r##"200 {"id":"prn_#1","name":"Office","kind":"raw","connection":"direct","address":"127.0.0.1","formats":["zpl"],"dpi":203,"media":null,"location_id":null,"is_default_for":[],"created_at":"#time","updated_at":"#time"}"##);
    let stale = world.request("PATCH", &path).header("if-match", created.header("etag"));
    assert_eq!(stale.json(json!({"name": "x"})).send().await.status, 412);
    assert_eq!(world.get("/printers").await.ids().len(), 1);
    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!(refusal(&world.get(&path).await), (404, "not_found".to_owned()));
    let events = world.events().await;
    let told: Vec<_> = events[start..].iter().map(|event| event.r#type.as_str()).collect();
    assert_eq!(told, ["printer.created", "printer.updated", "printer.deleted"]);
}

#[tokio::test]
async fn what_is_wrong_with_a_printer_is_named() {
    let world = World::new().await;
    let stranger = world.token_for("Globex", "*", Mode::Live).await;
    let theirs = world.request("POST", "/locations").token(&stranger);
    let theirs = theirs.json(crate::setup::world::depot("Theirs")).send().await.json()["id"].clone();
    for (change, code, field) in [
        (json!({"kind": null}), "required", "/kind"),
        (json!({"formats": null}), "required", "/formats"),
        (json!({"formats": []}), "too_few", "/formats"),
        (json!({"formats": ["zpl", "zpl"]}), "duplicate", "/formats/1"),
        (json!({"kind": "usb"}), "invalid_value", "/kind"),
        (json!({"address": "ipp://127.0.0.1/"}), "invalid_format", "/address"),
        (json!({"kind": "ipp"}), "invalid_format", "/address"),
        (json!({"address": "127.0.0.1:0"}), "printer_address_not_allowed", "/address"),
        (json!({"address": "user@127.0.0.1"}), "printer_address_not_allowed", "/address"),
        (json!({"location_id": format!("loc_{}", "7".repeat(26))}), "location_not_found", "/location_id"),
        (json!({"location_id": theirs}), "location_not_found", "/location_id"),
        (json!({"colour": true}), "unknown_field", "/colour"),
    ] {
        let reply = world.post("/printers", with(label_printer("127.0.0.1"), change.clone())).await;
        let expected = vec![(code.to_owned(), field.to_owned())];
        assert_eq!((reply.status.as_u16(), reply.issues()), (422, expected), "{change}: {reply}");
    }
    assert_eq!(world.get("/printers").await.ids(), [""; 0]);
}

#[tokio::test]
async fn a_direct_printer_must_be_in_the_networks_of_the_operator() {
    let world = World::with(Limits::default(), |settings| {
        settings.printer_networks = vec!["10.1.0.0/16".parse().unwrap(), "fd12::/16".parse().unwrap()];
        // What webhooks may reach is no matter here.
        settings.outbound_allow = vec!["0.0.0.0/0".parse().unwrap()];
    })
    .await;
    for (address, is_allowed) in [
        ("10.1.2.3", true),
        ("10.1.2.3:9101", true),
        ("[fd12::7]:9100", true),
        // A name is judged at each connection.
        ("printer.warehouse.example", true),
        ("10.2.0.1", false),
        ("127.0.0.1", false),
        ("0x7f.1", false),
        ("[::ffff:127.0.0.1]", false),
        ("8.8.8.8", false),
        ("169.254.169.254", false),
    ] {
        let reply = world.post("/printers", label_printer(address)).await;
        let expected = if is_allowed { 201 } else { 422 };
        assert_eq!(reply.status, expected, "{address}: {reply}");
        if !is_allowed {
            assert_eq!(reply.code(), "printer_address_not_allowed", "{address}");
        }
        let by_agent = with(label_printer(address), json!({"connection": "agent"}));
        let elsewhere = world.post("/printers", by_agent).await;
        assert_eq!(elsewhere.status, 201, "{address}: an agent judges for itself");
        let path = elsewhere.header("location").to_owned();
        let taken = world.patch(&path, json!({"connection": "direct"})).await;
        assert_eq!(taken.status, if is_allowed { 200 } else { 422 }, "{address}: {taken}");
    }
    let office =
        json!({"name": "Office", "kind": "ipp", "address": "http://10.2.0.1/ipp", "formats": ["pdf"]});
    assert_eq!(
        refusal(&world.post("/printers", office).await),
        (422, "printer_address_not_allowed".to_owned())
    );
}

#[tokio::test]
async fn without_a_setting_nothing_is_allowed() {
    let world = World::with(Limits::default(), |settings| settings.printer_networks = Vec::new()).await;
    for address in ["127.0.0.1", "10.0.0.1", "printer.example", "1.1.1.1"] {
        let reply = world.post("/printers", label_printer(address)).await;
        assert_eq!(refusal(&reply), (422, "printer_address_not_allowed".to_owned()), "{address}");
    }
}

#[tokio::test]
async fn one_printer_is_the_default_for_a_document_at_a_location() {
    let world = World::new().await;
    let (here, there) = (world.location("Here").await, world.location("There").await);
    let default = |location: Value, kinds: Value| {
        with(label_printer("127.0.0.1"), json!({"location_id": location, "is_default_for": kinds}))
    };
    let everywhere = world.printer(default(Value::Null, json!(["label"]))).await;
    let first = world.printer(default(json!(here), json!(["label", "manifest"]))).await;
    world.printer(default(json!(there), json!(["label"]))).await;
    for (location, kinds, places) in [
        (json!(here), json!(["manifest"]), vec![0]),
        (json!(here), json!(["packing_slip", "manifest", "label"]), vec![1, 2]),
        (Value::Null, json!(["label"]), vec![0]),
    ] {
        let reply = world.post("/printers", default(location, kinds)).await;
        assert_eq!(refusal(&reply), (409, "default_printer_taken".to_owned()), "{reply}");
        let fields: Vec<_> = reply.issues().into_iter().map(|(_, field)| field).collect();
        let expected: Vec<_> = places.iter().map(|place| format!("/is_default_for/{place}")).collect();
        assert_eq!(fields, expected);
    }
    // A printer keeps its own place, and gives it up by a patch or with its deletion.
    let path = format!("/printers/{first}");
    assert_eq!(world.patch(&path, json!({"name": "Bench 2"})).await.status, 200);
    assert_eq!(world.patch(&path, json!({"is_default_for": ["label"]})).await.status, 200);
    let second = world.printer(default(json!(here), json!(["manifest"]))).await;
    let taken = world.patch(format!("/printers/{second}"), json!({"is_default_for": ["label"]})).await;
    assert_eq!(refusal(&taken), (409, "default_printer_taken".to_owned()));
    assert_eq!(world.delete(format!("/printers/{everywhere}")).await.status, 204);
    world.printer(default(Value::Null, json!(["label"]))).await;
}

#[tokio::test]
async fn a_location_with_a_printer_stays() {
    let world = World::new().await;
    let depot = world.location("Depot").await;
    let printer = world.printer(with(label_printer("127.0.0.1"), json!({"location_id": depot}))).await;
    let refused = world.delete(format!("/locations/{depot}")).await;
    assert_eq!(refusal(&refused), (409, "location_in_use".to_owned()));
    assert_eq!(refused.issues(), [("used_by_printer".to_owned(), "location_id".to_owned())]);
    assert_eq!(world.delete(format!("/printers/{printer}")).await.status, 204);
    assert_eq!(world.delete(format!("/locations/{depot}")).await.status, 204);
}

#[tokio::test]
async fn a_printer_with_open_jobs_stays_where_it_is() {
    let world = World::rehearsal().await;
    let (label, _) = world.label("zpl").await;
    let printer = world.printer(label_printer(&RawPrinter::off().await)).await;
    let job = world.print_job(&printer, &label).await;
    let path = format!("/printers/{printer}");
    assert_eq!(refusal(&world.delete(&path).await), (409, "printer_in_use".to_owned()));
    for change in [json!({"address": "127.0.0.1:9"}), json!({"connection": "agent"})] {
        assert_eq!(refusal(&world.patch(&path, change).await), (409, "printer_in_use".to_owned()));
    }
    assert_eq!(world.patch(&path, json!({"name": "Bench 9"})).await.status, 200);
    let cancelled = world.print_action(&format!("{job}/cancel")).await;
    assert_eq!(cancelled.status, 200, "{cancelled}");
    assert_eq!(world.patch(&path, json!({"address": "127.0.0.1:9"})).await.status, 200);
    assert_eq!(world.delete(&path).await.status, 204);
    let kept = world.get(&job).await.json();
    assert_eq!((&kept["printer_id"], &kept["status"]), (&json!(printer), &json!("cancelled")));
    let again = world.print_action(&format!("{job}/reprint")).await;
    assert_eq!(refusal(&again), (422, "printer_not_found".to_owned()));
}

#[tokio::test]
async fn an_organisation_has_a_limited_number_of_printers() {
    let world = World::new().await;
    for _ in 0..PRINTERS_MAX {
        world.printer(label_printer("127.0.0.1")).await;
    }
    let reply = world.post("/printers", label_printer("127.0.0.1")).await;
    assert_eq!(refusal(&reply), (409, "too_many_printers".to_owned()));
}
