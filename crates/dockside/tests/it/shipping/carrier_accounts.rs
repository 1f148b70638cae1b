//! Carrier accounts: made, read, changed, deleted; and their credentials, which no answer ever shows.

use api::Limits;
use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

const ACCOUNTS: &str = "/carrier_accounts";
/// A credential that must appear in no answer and nowhere in the database.
const SECRET: &str = "EZTKthe-secret-of-the-merchant";

fn easypost() -> Value {
    json!({"carrier": {"handle": "easypost"}, "name": "Gateway", "credentials": {"api_key": SECRET}})
}

/// Own vehicles: a van nearby, and further for more.
fn vehicles() -> Value {
    json!({
        "carrier": {"handle": "own"},
        "name": "Vehicles",
        "handle": "vehicles",
        "configuration": {"currency_code": "GBP", "services": [{
            "handle": "van", "name": "Our van", "delivery_days": 1,
            "rates": [
                {"countries": ["GB"], "post_codes": ["BS", "BA"], "mass_max": 10, "rate": 450},
                {"countries": ["GB"], "mass_max": 30, "rate": 890},
            ],
        }]},
    })
}

#[tokio::test]
async fn an_account_is_made_read_changed_and_deleted() {
    let world = World::new().await;
    let mut body = vehicles();
    body["description"] = json!("Two vans");
    let made = world.post(ACCOUNTS, body.clone()).await;
    assert_eq!(made.status, 201, "{made}");
    let (path, shown) = (made.header("location").to_owned(), made.json());
    for name in ["name", "handle", "description", "configuration"] {
        assert_eq!(shown[name], body[name], "{name}");
    }
    assert_eq!(
        (shown["carrier"]["name"].as_str(), shown["carrier"]["handle"].as_str()),
        (Some("Own vehicles"), Some("own"))
    );
    assert_eq!((shown["disabled"].as_bool(), shown["has_credentials"].as_bool()), (Some(false), Some(false)));
    assert_eq!(world.get(&path).await.text, made.text);
    assert_eq!(world.get(ACCOUNTS).await.json()["data"], json!([shown]));

    let changed = world.patch(&path, json!({"name": "Vans", "handle": null, "disabled": true})).await.json();
    assert_eq!(
        (changed["name"].as_str(), changed["handle"].clone(), changed["disabled"].as_bool()),
        (Some("Vans"), Value::Null, Some(true))
    );
    assert_eq!(changed["configuration"], body["configuration"]);
    // What was read may be sent back as it is.
    let same = world.patch(&path, changed.clone()).await;
    assert_eq!((same.status.as_u16(), &same.json()["name"]), (200, &changed["name"]), "{same}");
    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!(refusal(&world.get(&path).await), (404, "not_found".to_owned()));
    assert_eq!(world.events().await.len(), 0, "accounts are no news");
}

#[tokio::test]
async fn in_the_test_world_a_key_that_spends_money_is_refused() {
    let world = World::rehearsal().await;
    let account =
        |key: &str| json!({"carrier": {"handle": "easypost"}, "name": "G", "credentials": {"api_key": key}});
    let refused = world.post(ACCOUNTS, account("EZAKproduction")).await;
    assert_eq!(refusal(&refused), (422, "carrier_account_invalid".to_owned()));
    assert!(refused.text.contains("begins with `EZTK`") && !refused.text.contains("EZAK"), "{refused}");
    let made = world.post(ACCOUNTS, account("EZTKtest")).await;
    assert_eq!(made.status, 201, "{made}");
    let replaced = json!({"credentials": {"api_key": "EZAKproduction"}});
    assert_eq!(world.patch(made.header("location"), replaced).await.status, 422);
}

#[tokio::test]
async fn the_carrier_is_named_by_id_or_handle_and_stays() {
    let world = World::new().await;
    let carriers = world.get("/carriers").await.json();
    let own = carriers["data"].as_array().unwrap().iter().find(|carrier| carrier["handle"] == "own").unwrap();
    let mut body = vehicles();
    body["carrier"] = json!({"id": own["id"]});
    let made = world.post(ACCOUNTS, body.clone()).await;
    assert_eq!(
        (made.status.as_u16(), made.json()["carrier"]["handle"].as_str()),
        (201, Some("own")),
        "{made}"
    );
    for (carrier, field) in [
        (json!({"handle": "sandbox"}), "/carrier/handle"),
        (json!({"handle": "nobody"}), "/carrier/handle"),
        (json!({"id": own["id"], "handle": "easypost"}), "/carrier/id"),
        (json!({}), "/carrier"),
    ] {
        body["carrier"] = carrier;
        let refused = world.post(ACCOUNTS, body.clone()).await;
        assert_eq!(refusal(&refused), (422, "carrier_not_found".to_owned()), "{refused}");
        assert_eq!(refused.issues(), [("carrier_not_found".to_owned(), field.to_owned())]);
    }
    for (carrier, field) in [
        (json!({"handle": "easypost"}), "/carrier/handle"),
        (json!({"id": carriers["data"][0]["id"]}), "/carrier/id"),
    ] {
        let refused = world.patch(made.header("location"), json!({"carrier": carrier})).await;
        assert_eq!(
            (refused.status.as_u16(), refused.issues()),
            (422, vec![("immutable".to_owned(), field.to_owned())])
        );
    }
}

#[tokio::test]
async fn what_a_connector_can_do_nothing_with_is_refused_with_a_pointer() {
    let world = World::new().await;
    let table =
        |table: Value| json!({"carrier": {"handle": "own"}, "name": "Vehicles", "configuration": table});
    let row = json!({"handle": "van", "name": "Van", "rates": [{"rate": -1}]});
    for (body, field) in [
        (json!({"carrier": {"handle": "easypost"}, "name": "Gateway"}), "/configuration"),
        (
            json!({"carrier": {"handle": "easypost"}, "name": "Gateway", "credentials": {"api_key": " "}}),
            "/configuration",
        ),
        (table(json!({})), "/configuration"),
        (table(json!({"currency_code": "GBP", "services": []})), "/configuration"),
        (table(json!({"currency_code": "XXX", "services": [row]})), "/configuration"),
        (table(json!({"currency_code": "GBP", "services": [row]})), "/configuration"),
        (table(json!({"currency_code": "GBP", "servics": [row]})), "/configuration"),
        (table(json!({"url": "gopher://example.com"})), "/configuration/url"),
        (table(json!({"url": "http://10.0.0.1/"})), "/configuration/url"),
    ] {
        let refused = world.post(ACCOUNTS, body.clone()).await;
        assert_eq!(refusal(&refused), (422, "carrier_account_invalid".to_owned()), "{body}: {refused}");
        assert_eq!(refused.issues(), [("carrier_account_invalid".to_owned(), field.to_owned())], "{body}");
        assert!(refused.json()["errors"][0]["message"].as_str().is_some_and(|text| text.ends_with('.')));
    }
    let made = world.post(ACCOUNTS, vehicles()).await;
    let broken = world.patch(made.header("location"), json!({"configuration": {"services": []}})).await;
    assert_eq!(refusal(&broken), (422, "carrier_account_invalid".to_owned()));
    assert_eq!(world.get(made.header("location")).await.text, made.text);
}

#[tokio::test]
async fn credentials_are_nowhere_but_sealed() {
    let world = World::with(Limits::default(), |settings| {
        settings.carriers.urls.insert("easypost".to_owned(), "http://127.0.0.1:1/v2".to_owned());
    });
    let world = world.await;
    let made =
        world.request("POST", ACCOUNTS).header("idempotency-key", "once").json(easypost()).send().await;
    assert_eq!((made.status.as_u16(), made.json()["has_credentials"].as_bool()), (201, Some(true)));
    let path = made.header("location").to_owned();
    let again =
        world.request("POST", ACCOUNTS).header("idempotency-key", "once").json(easypost()).send().await;
    assert_eq!((again.header("idempotent-replayed"), &again.text), ("true", &made.text));
    let mut seen = vec![made.text, again.text];
    for list in [ACCOUNTS, &path, "/events", "/carriers", "/metrics"] {
        seen.push(world.get(list).await.text);
    }
    // Refusals don't repeat the credentials in the request.
    for body in [
        json!({"credentials": {"api_key": [SECRET]}}),
        json!({"credentials": SECRET}),
        json!({"credentials": {"api_key": SECRET}, "name": null}),
    ] {
        let refused = world.patch(&path, body).await;
        assert_eq!(refused.status, 422, "{refused}");
        seen.push(refused.text);
    }
    let mut wrong = easypost();
    wrong["carrier"] = json!({"handle": "own"});
    seen.push(world.post(ACCOUNTS, wrong).await.text);
    // The error about an unreachable carrier does not contain the key.
    let shipment = world.shipment(parcel()).await;
    let rated = world.rate(&shipment).await;
    assert_eq!(rated["errors"].as_array().map(Vec::len), Some(1), "{rated}");
    seen.push(rated.to_string());
    for text in seen {
        assert!(!text.contains(SECRET), "{text}");
    }
    let kept = world.dump().await;
    let find = |needle: &[u8]| kept.windows(needle.len()).any(|bytes| bytes == needle);
    assert!(find(b"Gateway"), "the search finds what is there");
    assert!(!find(SECRET.as_bytes()), "the database has the secret");
    assert!(!find(b"api_key"), "the database has even the names of what is secret");
}

#[tokio::test]
async fn an_account_of_a_carrier_with_a_known_address_has_none_of_its_own() {
    let world = World::new().await;
    let mut body = easypost();
    body["configuration"] = json!({"url": "https://collector.example.com"});
    let made = world.post(ACCOUNTS, easypost()).await;
    for refused in [
        world.post(ACCOUNTS, body.clone()).await,
        world.patch(made.header("location"), json!({"configuration": body["configuration"]})).await,
        world
            .patch(
                made.header("location"),
                json!({"configuration": body["configuration"], "credentials": {"api_key": SECRET}}),
            )
            .await,
    ] {
        assert_eq!(refusal(&refused), (422, "carrier_account_invalid".to_owned()), "{refused}");
        let field = "/configuration/url".to_owned();
        assert_eq!(refused.issues(), [("carrier_account_invalid".to_owned(), field)]);
        assert!(refused.text.contains("carrier_urls"), "the operator's setting is named: {refused}");
    }
    assert_eq!(world.get(made.header("location")).await.text, made.text);
}

#[tokio::test]
async fn a_new_address_needs_the_credentials_again() {
    let world = World::rehearsal().await;
    let body = json!({
        "carrier": {"handle": "sandbox"}, "name": "Process", "credentials": {"key": SECRET},
        "configuration": {"url": "http://127.0.0.1:4010"},
    });
    let made = world.post(ACCOUNTS, body).await;
    assert_eq!(made.status, 201, "{made}");
    let path = made.header("location");
    let moved = json!({"configuration": {"url": "http://127.0.0.1:4011"}});
    for patch in [moved.clone(), json!({"configuration": {"url": null}})] {
        let refused = world.patch(path, patch).await;
        assert_eq!(refusal(&refused), (422, "carrier_account_invalid".to_owned()), "{refused}");
        assert_eq!(refused.issues(), [("credentials_required".to_owned(), "/credentials".to_owned())]);
    }
    assert_eq!(world.get(path).await.text, made.text, "nothing has changed");
    // A change that keeps the address needs no credentials.
    let same =
        json!({"name": "Renamed", "configuration": {"url": "http://127.0.0.1:4010", "mode": "look_up"}});
    assert_eq!(world.patch(path, same).await.status, 200);
    let mut with = moved.clone();
    with["credentials"] = json!({"key": "the new ones"});
    let changed = world.patch(path, with).await;
    assert_eq!(
        (changed.status.as_u16(), changed.json()["configuration"]["url"].as_str()),
        (200, Some("http://127.0.0.1:4011")),
        "{changed}"
    );
    // An account without credentials may change its address, because there is nothing to send there.
    let none = json!({"credentials": null, "configuration": {"url": "http://127.0.0.1:4012"}});
    assert_eq!(world.patch(path, none).await.json()["has_credentials"], false);
    assert_eq!(world.patch(path, moved).await.status, 200);
}

#[tokio::test]
async fn an_address_is_https_unless_the_operator_allowed_its_network() {
    let sandbox =
        |url: &str| json!({"carrier": {"handle": "sandbox"}, "name": "P", "configuration": {"url": url}});
    for (is_allowed, url, status) in [
        (true, "http://127.0.0.1:4010", 201),
        (true, "http://93.184.215.14", 422),
        (true, "http://carrier.example.com", 201),
        (false, "http://carrier.example.com", 422),
        (false, "http://93.184.215.14", 422),
        (false, "https://carrier.example.com", 201),
        (false, "https://127.0.0.1:4010", 422),
    ] {
        let world = World::rehearsal_with(|settings| {
            if !is_allowed {
                settings.outbound_allow = Vec::new();
            }
        });
        let reply = world.await.post(ACCOUNTS, sandbox(url)).await;
        assert_eq!(reply.status, status, "{is_allowed} {url}: {reply}");
        if status == 422 {
            assert_eq!(reply.issues()[0].1, "/configuration/url");
        }
    }
}

#[tokio::test]
async fn credentials_stay_unless_they_are_named() {
    let world = World::new().await;
    let made = world.post(ACCOUNTS, easypost()).await;
    let path = made.header("location").to_owned();
    let has = async |patch: Value| {
        let reply = world.patch(&path, patch).await;
        (reply.status.as_u16(), reply.json()["has_credentials"].as_bool())
    };
    assert_eq!(has(json!({"name": "Renamed"})).await, (200, Some(true)));
    assert_eq!(has(made.json()).await, (200, Some(true)), "what is sent back has none, and takes none away");
    assert_eq!(has(json!({"credentials": {"api_key": "another"}})).await, (200, Some(true)));
    // All of them are replaced: there is no key in these, and the connector wants one.
    assert_eq!(has(json!({"credentials": {"webhook_secret": "s"}})).await, (422, None));
    assert_eq!(has(json!({"credentials": null})).await, (422, None));
    let own = world.post(ACCOUNTS, vehicles()).await;
    let given = world.patch(own.header("location"), json!({"credentials": {"note": "x"}})).await;
    assert_eq!(given.json()["has_credentials"], true);
    let none = world.patch(own.header("location"), json!({"credentials": null})).await;
    assert_eq!(none.json()["has_credentials"], false, "{none}");
}

#[tokio::test]
async fn an_account_in_use_stays() {
    let world = World::rehearsal().await;
    let account = world.get(ACCOUNTS).await.ids().remove(0);
    let path = format!("{ACCOUNTS}/{account}");
    let shipment = world.shipment(parcel()).await;
    let purchase = format!("{shipment}/purchase");
    world.begin(&purchase, Some(crate::setup::purchase_requests::service("economy"))).await;
    for _ in 0..2 {
        let refused = world.delete(&path).await;
        assert_eq!(refusal(&refused), (409, "carrier_account_in_use".to_owned()), "{refused}");
        // After the purchase, the parcel is still in transit.
        world.work().await;
    }
    world.begin(&format!("{shipment}/void"), None).await;
    world.work().await;
    assert_eq!(world.delete(&path).await.status, 204);
    let shown = world.get(&shipment).await.json();
    assert_eq!(
        shown["service"]["carrier_account"]["id"], account,
        "what was bought keeps its account's name"
    );
    assert_eq!(world.attempt(&shipment).await["carrier_account"], Value::Null);
}

#[tokio::test]
async fn there_are_sixty_at_most() {
    let world = World::new().await;
    for number in 0..60 {
        assert_eq!(world.post(ACCOUNTS, vehicles()).await.status, 201, "{number}");
    }
    assert_eq!(
        refusal(&world.post(ACCOUNTS, vehicles()).await),
        (409, "too_many_carrier_accounts".to_owned())
    );
    let one = world.get(ACCOUNTS).await.ids().remove(0);
    assert_eq!(world.delete(format!("{ACCOUNTS}/{one}")).await.status, 204);
    assert_eq!(world.post(ACCOUNTS, vehicles()).await.status, 201);
}

#[tokio::test]
async fn own_vehicles_are_rated_and_bought_in_the_live_world() {
    let world = World::new().await;
    assert_eq!(world.post(ACCOUNTS, vehicles()).await.status, 201);
    let prices = [
        ("BS1 4DJ", 1.2, Some(450)),
        ("BS1 4DJ", 12.0, Some(890)),
        ("EC1A 1BB", 1.2, Some(890)),
        ("EC1A 1BB", 31.0, None),
    ];
    for (post_code, mass, price) in prices {
        let mut body = parcel();
        body["addresses"]["destination"]["address"]["post_code"] = json!(post_code);
        body["packages"][0]["geometry"]["mass"] = json!(mass);
        let rated = world.rate(&world.shipment(body).await).await;
        assert_eq!(rated["rates"][0]["rate"].as_i64(), price, "{post_code} {mass}");
        assert_eq!(rated["errors"].as_array().map(Vec::len), Some(usize::from(price.is_none())));
    }
    let mut body = parcel();
    body["packages"] = json!([{"geometry": {"mass": 1}}, {"geometry": {"mass": 2}}]);
    let path = world.shipment(body).await;
    let rate = world.rate(&path).await["rates"][0].clone();
    assert_eq!((rate["currency_code"].as_str(), rate["delivery_days"].as_i64()), (Some("GBP"), Some(1)));
    assert_eq!(world.begin(&format!("{path}/purchase"), Some(json!({"rate": rate["id"]}))).await.status, 202);
    world.work().await;
    let shipment = world.get(&path).await.json();
    assert_eq!(
        (shipment["status"].as_str(), shipment["documents"][0]["type"].as_str()),
        (Some("purchased"), Some("label")),
        "{shipment}"
    );
    let numbers: Vec<&str> =
        (0..2).map(|place| shipment["packages"][place]["tracking_number"].as_str().unwrap()).collect();
    assert_ne!(numbers[0], numbers[1]);
    assert_eq!(shipment["tracking_number"], numbers[0]);
    let attempt = world.attempt(&path).await;
    assert_eq!((attempt["state"].as_str(), attempt["amount"].as_i64()), (Some("bought"), Some(450)));
    world.begin(&format!("{path}/void"), None).await;
    world.work().await;
    assert_eq!(world.get(&path).await.json()["status"], "voided");
}
