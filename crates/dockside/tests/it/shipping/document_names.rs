//! Documents say which shipment and which package they are for, in their fields and in their names; so do the errors of a
//! batch. The merged file of a batch holds what is printed with each parcel, in the order of printing.

use serde_json::{Value, json};

use crate::setup::purchase_requests::parcel_to;
use crate::setup::world::World;
use crate::shipping::batch_labels::{count, data, text};

const FINE: &str = "BS1 4DJ";

fn id(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// A parcel of two packages with a label in this format.
fn two_packages(reference: Option<&str>, format: &str) -> Value {
    let mut body = parcel_to(FINE);
    body["name"] = json!(reference);
    body["packages"] = json!([{"geometry": {"mass": 1.0}}, {"geometry": {"mass": 2.0}}]);
    body["options"] = json!({"label": {"format": format}});
    body
}

/// A parcel that goes abroad, with goods that were sold: customs want an invoice.
fn parcel_abroad(reference: &str) -> Value {
    let mut body = parcel_to(FINE);
    body["name"] = json!(reference);
    let destination = &mut body["addresses"]["destination"]["address"];
    destination["country_code"] = json!("DE");
    destination["post_code"] = json!("10623");
    destination["city"] = json!("Berlin");
    body["customs"] = json!({
        "contents_type": "merchandise",
        "declarant": {"name": "A. Leigh"},
        "items": [{"description": "Book", "quantity": 2, "value": 2500, "currency_code": "EUR", "mass": 0.4,
                   "hs_code": "490199", "origin_country_code": "PT"}],
    });
    body
}

/// What is said of a document beside its file.
fn told(document: &Value) -> (String, Value, Value) {
    (text(document, "file_name").to_owned(), document["shipment_id"].clone(), document["package"].clone())
}

#[tokio::test]
async fn documents_name_their_shipment_and_their_package() {
    let world = World::rehearsal().await;
    for (format, names) in [
        ("zpl", vec![("ORD-7-1.zpl", json!(1)), ("ORD-7-2.zpl", json!(2))]),
        ("png", vec![("ORD-7-1.png", json!(1)), ("ORD-7-2.png", json!(2))]),
        ("pdf", vec![("ORD-7-labels.pdf", Value::Null)]),
    ] {
        let path = world.shipment(two_packages(Some("ORD/7"), format)).await;
        let bought = world.buy(&path).await;
        let own = data(&world.get(format!("{path}/documents")).await);
        let wanted: Vec<_> =
            names.into_iter().map(|(name, package)| (name.to_owned(), json!(id(&path)), package)).collect();
        assert_eq!(own.iter().map(told).collect::<Vec<_>>(), wanted);
        let shown = bought["documents"].as_array().unwrap().iter().map(told);
        assert_eq!(shown.collect::<Vec<_>>(), wanted);
        let event = world.newest_event("shipment.purchased").await["data"]["object"]["documents"].clone();
        assert!(
            event.as_array().unwrap().iter().all(|document| document["shipment_id"] == id(&path)),
            "{event}"
        );
    }
    let path = world.shipment(two_packages(None, "zpl")).await;
    world.buy(&path).await;
    let own = data(&world.get(format!("{path}/documents")).await);
    assert_eq!(text(&own[1], "file_name"), format!("{}-2.zpl", id(&path)));
    let link = text(&own[1], "file_url").strip_prefix("https://dockside.example.com").unwrap();
    let (head, _) = world.request("GET", link).anonymous().open().await;
    let disposition = head.headers["content-disposition"].to_str().unwrap();
    assert_eq!(disposition, format!("attachment; filename=\"{}-2.zpl\"", id(&path)));
}

#[tokio::test]
async fn errors_of_a_batch_name_their_shipment_and_their_package() {
    let world = World::rehearsal().await;
    let mut heavy = two_packages(None, "png");
    heavy["packages"][1]["geometry"]["mass"] = json!(31.0);
    let parcels = vec![parcel_to("SBX-DECLINED"), parcel_to(FINE), heavy];
    let (batch, shipments) = world.labelled_batch("png", parcels).await;
    world.begin(&format!("{batch}/purchase"), None).await;
    world.work().await;
    let shown = world.get(&batch).await.json();
    let seen = |error: &Value| {
        (error["shipment_id"].clone(), text(error, "code").to_owned(), error["package"].clone())
    };
    let errors: Vec<_> = shown["errors"].as_array().unwrap().iter().map(seen).collect();
    let wanted = [
        (json!(id(&shipments[0])), "purchase_declined".to_owned(), Value::Null),
        (json!(id(&shipments[2])), "weight_limit".to_owned(), json!(2)),
    ];
    assert_eq!(errors, wanted, "{shown}");
    let own = world.get(&shipments[2]).await.json()["errors"][0].clone();
    assert_eq!((text(&own, "code"), &own["package"]), ("weight_limit", &json!(2)));
}

#[tokio::test]
async fn merged_files_hold_customs_papers_in_print_order() {
    let world = World::rehearsal().await;
    let parcels = || vec![parcel_abroad("A-1"), parcel_to(FINE), parcel_abroad("C-3")];
    let (batch, shipments) = world.bought_batch("pdf", parcels()).await;
    for (format, pages) in [("pdf", 5), ("png", 0), ("zpl", 0)] {
        let path = format!("{batch}/labels");
        world.begin(&path, Some(json!({"format": format}))).await;
        world.work_labels().await;
        let labels = data(&world.begin(&path, Some(json!({"format": format}))).await);
        let middle = format!("{}-1.{format}", id(&shipments[1]));
        let [first, last] = ["A-1", "C-3"].map(|name| format!("{name}-1.{format}"));
        let papers = ["A-1", "C-3"].map(|name| format!("{name}-commercial-invoice.pdf"));
        let names: Vec<&str> = labels[1..].iter().map(|label| text(label, "file_name")).collect();
        assert_eq!(names, [&first, &papers[0], &middle, &last, &papers[1]], "{format}");
        let merged = world.file(&labels[0]).await;
        assert_eq!((&labels[0]["shipment_id"], &labels[0]["package"]), (&Value::Null, &Value::Null));
        match format {
            "pdf" => assert_eq!(count(&merged, b"/Type/Page/"), pages),
            "png" => {
                let numbered = (1..).zip(&names).map(|(number, name)| format!("{number:04}-{name}"));
                numbered.for_each(|name| assert_eq!(count(&merged, name.as_bytes()), 2, "{name}"));
            }
            _ => assert_eq!((count(&merged, b"^XA"), count(&merged, b"%PDF")), (3, 0)),
        }
    }
}
