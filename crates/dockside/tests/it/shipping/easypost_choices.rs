//! EasyPost gets what the user chose: the rate of a contract, and the label format of a batch.

use serde_json::{Value, json};

use crate::shipping::easypost::EasyPostSetup;

/// Two contracts with one carrier, behind one key: the same service at two prices.
fn offers(setup: &EasyPostSetup) -> Value {
    let rate = setup.server.bought()["selected_rate"].clone();
    let of = |id: &str, contract: &str, price: &str| {
        let mut rate = rate.clone();
        rate["id"] = json!(id);
        rate["carrier_account_id"] = json!(contract);
        rate["rate"] = json!(price);
        rate
    };
    json!([of("rate_dear", "ca_dear", "6.50"), of("rate_cheap", "ca_cheap", "5.25")])
}

#[tokio::test]
async fn the_rate_that_was_chosen_is_the_one_that_is_bought() {
    for (price, expected) in [(650, "rate_dear"), (525, "rate_cheap")] {
        let setup = EasyPostSetup::open().await;
        setup.server.offer(&offers(&setup));
        let path = format!("/shipments/{}/rates", setup.shipment);
        let rated = setup.world.request("POST", &path).send().await.json();
        let rates = rated["rates"].as_array().expect("rates");
        assert_eq!(rates.len(), 2, "{rated}");
        let services: Vec<_> = rates.iter().map(|rate| &rate["carrier_service"]["handle"]).collect();
        assert_ne!(services[0], services[1], "programs can tell them apart");
        let chosen = rates.iter().find(|rate| rate["rate"] == price).expect("a rate at this price");
        setup.ask("purchase", Some(json!({"rate": chosen["id"]}))).await;
        setup.work().await;
        assert_eq!(setup.shown().await["status"], "purchased");
        assert_eq!(setup.server.wanted_rates(), [expected]);
    }
}

#[tokio::test]
async fn a_service_that_several_contracts_offer_is_rated_by_each_and_bought_at_the_lower_price() {
    let setup = EasyPostSetup::open().await;
    setup.server.offer(&offers(&setup));
    let service = setup.recorded_service();
    let choice = json!({"carrier": {"service_code": service}});
    let changed = setup.world.patch(format!("/shipments/{}", setup.shipment), choice).await;
    assert_eq!(changed.status, 200, "{changed}");
    let path = format!("/shipments/{}/rates", setup.shipment);
    let rated = setup.world.request("POST", &path).send().await.json();
    assert_eq!(rated["rates"].as_array().map(Vec::len), Some(2), "{rated}");
    setup.order_service(&service).await;
    setup.work().await;
    assert_eq!(setup.server.wanted_rates(), ["rate_cheap"]);
}

/// A batch that is bought with the service in the recorded answers.
fn batch_of(setup: &EasyPostSetup, ids: &[String], options: Value) -> Value {
    let service = json!({"carrier_account": {"id": setup.account}, "carrier_service": {"handle": setup.recorded_service()}});
    json!({"service": service, "shipments": ids, "options": options})
}

#[tokio::test]
async fn a_label_is_asked_for_in_the_format_of_its_batch() {
    for (format, expected) in [("zpl", "ZPL"), ("png", "PNG"), ("pdf", "PDF")] {
        let setup = EasyPostSetup::open().await;
        let ids = [setup.shipment.clone()];
        let batch = setup.world.batch(batch_of(&setup, &ids, json!({"label_format": format}))).await;
        let begun = setup.world.begin(&format!("{batch}/purchase"), None).await;
        assert_eq!(begun.status, 202, "{begun}");
        setup.work().await;
        assert_eq!(setup.shown().await["status"], "purchased");
        assert_eq!(setup.server.told()["options"]["label_format"], expected);
    }
}

#[tokio::test]
async fn parcels_of_two_carriers_behind_one_key_are_closed_out_apart() {
    let setup = EasyPostSetup::open().await;
    let ids = [setup.shipment.clone(), setup.another().await, setup.another().await];
    let batch = setup.world.batch(batch_of(&setup, &ids, json!({}))).await;
    let begun = setup.world.begin(&format!("{batch}/purchase"), None).await;
    assert_eq!(begun.status, 202, "{begun}");
    setup.work().await;
    // The server sells one carrier's services; here one parcel is another carrier's.
    let other = format!("UPDATE purchase SET service = 'ups.ground' WHERE shipment_id = '{}'", ids[1]);
    setup.world.tamper(&other).await;
    let begun = setup.world.begin(&format!("{batch}/manifests"), None).await;
    assert_eq!(begun.status, 202, "{begun}");
    let manifests = begun.json()["data"].as_array().cloned().expect("manifests");
    let mut sizes: Vec<_> = manifests.iter().map(|one| one["shipments"].as_array().map(Vec::len)).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [Some(1), Some(2)], "{begun}");
}
