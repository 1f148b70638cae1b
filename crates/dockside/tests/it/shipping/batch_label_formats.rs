//! The labels of a batch in a format that is asked for: drawn anew, the same whenever they are asked for again, and refused
//! by shipment where a carrier's own label can't be converted.

use serde_json::{Value, json};

use crate::setup::purchase_requests::parcel_to;
use crate::setup::world::{Reply, World};
use crate::shipping::batch_labels::{count, data, known, text};

const FINE: &str = "BS1 4DJ";

impl World {
    /// Asks for a batch's labels in a format, makes them unless that was refused before, and asks again.
    async fn labels_as(&self, batch: &str, format: &str) -> Reply {
        let (path, body) = (format!("{batch}/labels"), json!({"format": format}));
        let begun = self.begin(&path, Some(body.clone())).await;
        assert!(matches!(begun.status.as_u16(), 201 | 202 | 409), "{begun}");
        self.work_labels().await;
        self.begin(&path, Some(body)).await
    }
}

/// Marks the label of a shipment as its carrier's, and makes the account unknown: the server can neither draw it nor
/// request it.
async fn take_label_from_carrier(world: &World, shipment: &str) {
    let id = shipment.rsplit('/').next().unwrap();
    let sql = format!(
        "UPDATE purchase SET account_id = 'ca_00000000000000000000000000',
         receipt = replace(receipt, '\"is_label_ours\":true', '\"is_label_ours\":false')
         WHERE shipment_id = '{id}'"
    );
    world.tamper(&sql).await;
}

#[tokio::test]
async fn labels_of_a_batch_come_in_the_format_that_is_asked_for() {
    let world = World::rehearsal().await;
    let (batch, _) = world.bought_batch("png", vec![parcel_to(FINE), parcel_to(FINE)]).await;
    let mut all: Vec<(&str, Vec<Value>)> = Vec::new();
    for (format, merged, single) in [
        ("pdf", "application/pdf", "application/pdf"),
        ("zpl", "application/zpl", "application/zpl"),
        ("png", "application/zip", "image/png"),
    ] {
        let reply = world.labels_as(&batch, format).await;
        assert_eq!(reply.status, 201, "{reply}");
        let labels = data(&reply);
        let types: Vec<&str> = labels.iter().map(|label| text(label, "file_type")).collect();
        assert_eq!(types[0], merged, "{format}");
        assert!(types.len() == 3 && types[1..].iter().all(|kind| *kind == single), "{format} {types:?}");
        all.push((format, labels));
    }
    // Each format keeps its documents, whatever was asked for in between.
    for (format, labels) in &all {
        let again = world.labels_as(&batch, format).await;
        assert_eq!((again.status.as_u16(), known(&data(&again))), (201, known(labels)), "{format}");
        let read = world.get(format!("{batch}/labels?format={format}")).await;
        assert_eq!(known(&data(&read)), known(labels), "{format}");
    }
    // Without a body it is the batch's own format; without a format a list has the files of all.
    assert_eq!(known(&data(&world.begin(&format!("{batch}/labels"), None).await)), known(&all[2].1));
    let listed = data(&world.get(format!("{batch}/labels")).await);
    let merged = listed.iter().filter(|label| text(label, "type") == "labels").count();
    assert_eq!((merged, listed.len()), (3, 5), "{listed:?}");
    let pdf = world.file(&all[0].1[0]).await;
    assert_eq!(count(&pdf, b"/Type/Page/"), 2);
}

#[tokio::test]
async fn a_request_that_does_not_wait_for_a_format_gets_its_location() {
    let world = World::rehearsal().await;
    let (batch, _) = world.bought_batch("png", vec![parcel_to(FINE)]).await;
    let path = format!("{batch}/labels");
    let begun = world.begin(&path, Some(json!({"format": "zpl"}))).await;
    let location = format!("{path}?format=zpl");
    assert_eq!((begun.status.as_u16(), begun.header("location")), (202, location.as_str()), "{begun}");
    assert_eq!(data(&begun), Vec::<Value>::new(), "nothing is there in this format yet");
    world.work_labels().await;
    assert_eq!(data(&world.get(&location).await).len(), 2);
}

#[tokio::test]
async fn a_carrier_s_own_label_that_can_t_be_converted_is_refused_by_shipment() {
    let world = World::rehearsal().await;
    let parcels = vec![parcel_to(FINE), parcel_to(FINE), parcel_to(FINE)];
    let (batch, shipments) = world.bought_batch("pdf", parcels).await;
    take_label_from_carrier(&world, &shipments[1]).await;
    for _ in 0..2 {
        let refused = world.labels_as(&batch, "zpl").await;
        let seen = (refused.status.as_u16(), refused.code());
        assert_eq!(seen, (409, "label_format_unavailable".to_owned()), "{refused}");
        let errors = refused.json()["errors"].clone();
        let named: Vec<_> =
            errors.as_array().unwrap().iter().map(|error| text(error, "shipment_id")).collect();
        assert_eq!(named, [shipments[1].rsplit('/').next().unwrap()], "{errors}");
        assert_eq!(
            (text(&errors[0], "field"), text(&errors[0], "code")),
            ("/format", "label_format_unavailable")
        );
    }
    // No merged file without this label was made, and the refusal left no error on the shipment.
    assert_eq!(world.get(&shipments[1]).await.json()["errors"], json!([]));
    let made = data(&world.get(format!("{batch}/labels?format=zpl")).await);
    assert!(made.iter().all(|document| text(document, "type") == "label"), "{made:?}");
    // A format that exists already is not refused, and a voided shipment does not prevent a new one.
    assert_eq!(world.labels_as(&batch, "pdf").await.status, 201);
    let id = shipments[1].rsplit('/').next().unwrap();
    world.tamper(&format!("UPDATE shipment SET status = 'voided' WHERE id = '{id}'")).await;
    let reply = world.labels_as(&batch, "zpl").await;
    assert_eq!((reply.status.as_u16(), data(&reply).len()), (201, 3), "{reply}");
}

#[tokio::test]
async fn a_label_that_can_t_be_made_is_refused_by_shipment() {
    let world = World::rehearsal().await;
    let (batch, shipments) = world.bought_batch("pdf", vec![parcel_to(FINE), parcel_to(FINE)]).await;
    let id = shipments[0].rsplit('/').next().unwrap();
    world.tamper(&format!("UPDATE purchase SET receipt = 'unreadable' WHERE shipment_id = '{id}'")).await;
    let refused = world.labels_as(&batch, "zpl").await;
    assert_eq!(
        (refused.status.as_u16(), refused.code().as_str()),
        (409, "label_format_unavailable"),
        "{refused}"
    );
    let errors = refused.json()["errors"].clone();
    let named: Vec<_> = errors.as_array().unwrap().iter().map(|error| text(error, "shipment_id")).collect();
    assert_eq!(named, [id], "{errors}");
    assert_eq!(
        data(&world.get(format!("{batch}/labels?format=zpl")).await).len(),
        1,
        "the other one is made"
    );
}

#[tokio::test]
async fn what_says_no_known_format_is_refused_by_field() {
    let world = World::rehearsal().await;
    let (batch, _) = world.bought_batch("png", vec![parcel_to(FINE)]).await;
    let path = format!("{batch}/labels");
    let unknown = world.begin(&path, Some(json!({"formt": "zpl"}))).await;
    assert_eq!((unknown.status.as_u16(), unknown.code().as_str()), (422, "unknown_field"), "{unknown}");
    assert_eq!(text(&unknown.json()["errors"][0], "field"), "/formt");
    let other = world.begin(&path, Some(json!({"format": "gif"}))).await;
    assert_eq!((other.status.as_u16(), other.code().as_str()), (422, "validation_failed"), "{other}");
    let list = world.get(format!("{path}?format=gif")).await;
    assert_eq!(list.status, 400, "{list}");
    assert!(matches!(world.begin(&path, Some(json!({}))).await.status.as_u16(), 201 | 202));
}
