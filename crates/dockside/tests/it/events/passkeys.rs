//! Passkeys: adding them, signing in with them, and what must not work.

use serde_json::{Value, json};

use crate::setup::authenticator::{Authenticator, Browser, creation_challenge};
use crate::setup::person::{PASSWORD, Person, address, sign_in};
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

fn failed() -> (u16, String) {
    (401, "sign_in_failed".to_owned())
}

fn refused() -> (u16, String) {
    (422, "passkey_refused".to_owned())
}

/// A person with a passkey.
async fn with_passkey(world: &World, name: &str, seed: u8) -> (Person, Authenticator) {
    let person = Person::invite(world, name, &["viewer"]).await;
    let mut device = Authenticator::new(seed);
    let added = device.add(world, &person).await;
    assert_eq!(added.status, 201, "{added}");
    (person, device)
}

async fn passkeys(world: &World, person: &Person) -> Reply {
    person.get(world, "/passkeys").await
}

#[tokio::test]
async fn a_person_adds_a_passkey_and_signs_in_with_it() {
    let world = World::new().await;
    let ada = Person::invite(&world, "Ada", &["viewer"]).await;
    let mut device = Authenticator::new(1);
    let challenge = creation_challenge(&world, &ada).await;
    assert_eq!(challenge["relying_party_id"], "dockside.example.com");
    assert_eq!(
        (&challenge["algorithms"], &challenge["known_credential_ids"]),
        (&json!([-7, -8, -257]), &json!([]))
    );
    let added = ada.send(&world, "POST", "/passkeys", Some(device.create(&challenge))).await;
    insta::assert_snapshot!(
        added,
        @r##"201 {"id":"pky_#1","user_id":"usr_#1","name":"Laptop","is_syncable":false,"created_at":"#time","last_used_at":null}"##
    );
    let event = world.newest_event("passkey.created").await;
    assert_eq!(event["data"]["object"], added.json());
    assert_eq!((&event["actor"]["type"], &event["actor"]["id"]), (&json!("user"), &json!(ada.id)));
    // The device makes no second one for the same person.
    let known = creation_challenge(&world, &ada).await["known_credential_ids"].clone();
    assert_eq!(known, json!(["AQEBAQEBAQEBAQEBAQEBAQ"]));

    let reply = device.sign_in(&world).await;
    let again = Person::from(&reply);
    assert_eq!((again.id.as_str(), &reply.json()["began_with"]), (ada.id.as_str(), &json!("passkey")));
    let list = passkeys(&world, &again).await;
    assert_eq!(list.json()["data"][0]["last_used_at"], reply.json()["created_at"]);
    let deleted = again.send(&world, "DELETE", added.header("location"), None).await;
    assert_eq!(deleted.status, 204, "{deleted}");
    assert_eq!(world.newest_event("passkey.deleted").await["data"]["object"]["id"], added.json()["id"]);
    assert_eq!(refusal(&device.sign_in(&world).await), failed());
    assert_eq!(passkeys(&world, &again).await.ids().len(), 0, "the session goes on");
}

#[tokio::test]
async fn an_answer_with_any_flaw_is_refused() {
    let world = World::new().await;
    let (_, mut device) = with_passkey(&world, "Ada", 1).await;
    let (_, mallory) = with_passkey(&world, "Mallory", 2).await;
    let mut tried = 0;
    let mut refuse = async |device: &Authenticator, what: &str| {
        let reply = device.sign_in(&world).await;
        assert_eq!(refusal(&reply), failed(), "{what}: {reply}");
        assert_eq!(reply.header("set-cookie"), "", "{what}");
        tried += 1;
    };
    let right = (device.host.clone(), device.origin.clone(), device.user_handle.clone());
    for origin in ["https://evil.example", "http://dockside.example.com", "https://dockside.example.com:8443"]
    {
        device.origin = origin.to_owned();
        refuse(&device, origin).await;
    }
    (device.origin, device.is_cross_origin) = (right.1.clone(), true);
    refuse(&device, "in a frame of another site").await;
    device.is_cross_origin = false;
    device.purpose = Some("webauthn.create");
    refuse(&device, "the answer of another purpose").await;
    device.purpose = None;
    device.host = "evil.example".to_owned();
    refuse(&device, "signed for another server").await;
    device.host = right.0;
    for (flags, what) in [(0x04, "no consent"), (0x01, "not verified"), (0x0d, "another kind of key")] {
        device.flags = flags;
        refuse(&device, what).await;
    }
    device.flags = 0x05;
    device.user_handle = mallory.user_handle.clone();
    refuse(&device, "the name of another user").await;
    device.user_handle = right.2.clone();
    // A credential of another user, signed with one's own key, and the other way round.
    let own = std::mem::replace(&mut device.credential_id, mallory.credential_id.clone());
    refuse(&device, "the passkey of another user").await;
    device.user_handle = mallory.user_handle.clone();
    refuse(&device, "the passkey and the name of another user").await;
    (device.credential_id, device.user_handle) = (vec![9; 16], right.2.clone());
    refuse(&device, "an unknown passkey").await;
    device.credential_id = own;
    assert_eq!(tried, 13);
    Person::from(&device.sign_in(&world).await);
}

#[tokio::test]
async fn a_challenge_is_answered_once_in_time_and_by_the_browser_that_asked() {
    let world = World::new().await;
    let (ada, device) = with_passkey(&world, "Ada", 1).await;
    let browser = Browser::new(&world).await;
    let proof = device.get(&browser.challenge);
    let refuse = async |reply: Reply, what: &str| assert_eq!(refusal(&reply), failed(), "{what}");
    let other = Browser::new(&world).await;
    refuse(other.answer(&world, proof.clone()).await, "another browser").await;
    refuse(sign_in(&world, json!({"passkey": proof.clone()})).await, "no cookie").await;
    let planted = Browser { challenge: Value::Null, cookie: String::new() };
    refuse(planted.answer(&world, proof.clone()).await, "an empty cookie").await;
    let own =
        Browser { challenge: json!({"challenge": "AAAAAAAAAAAAAAAAAAAAAA"}), cookie: browser.cookie.clone() };
    refuse(own.answer(&world, device.get(&own.challenge)).await, "a challenge of one's own").await;
    // One for a new passkey is none for a sign-in, in whatever cookie the session's id is sent.
    let registration = creation_challenge(&world, &ada).await;
    refuse(browser.answer(&world, device.get(&registration)).await, "a challenge of another purpose").await;
    for (field, value) in [
        ("signature", "AAAA"),
        ("authenticator_data", "AAAA"),
        ("client_data", "e30"),
        ("user_handle", "AAAA"),
    ] {
        let mut changed = proof.clone();
        changed[field] = json!(value);
        refuse(browser.answer(&world, changed).await, field).await;
    }
    // What was refused did not use the challenge up.
    Person::from(&browser.answer(&world, proof.clone()).await);
    refuse(browser.answer(&world, proof).await, "a replay").await;
    let late = Browser::new(&world).await;
    world.advance_seconds(5 * 60);
    refuse(late.answer(&world, device.get(&late.challenge)).await, "too late").await;
    // A page of another site can neither ask nor answer.
    for path in ["/sessions/challenge", "/sessions"] {
        let foreign = world.request("POST", path).anonymous().header("origin", "https://evil.example");
        let foreign = if path == "/sessions" { foreign.json(json!({"link_token": "x"})) } else { foreign };
        assert_eq!(refusal(&foreign.send().await), (403, "cross_site_request".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn answers_at_the_same_time_sign_in_once() {
    let world = World::new().await;
    let (_, device) = with_passkey(&world, "Ada", 1).await;
    let browser = Browser::new(&world).await;
    let proof = device.get(&browser.challenge);
    let send = || browser.answer(&world, proof.clone());
    let (one, two, three) = tokio::join!(send(), send(), send());
    let statuses = [one, two, three].map(|reply| reply.status.as_u16());
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
}

#[tokio::test]
async fn a_counter_that_goes_back_is_a_copy() {
    let world = World::new().await;
    let ada = Person::invite(&world, "Ada", &["viewer"]).await;
    let mut device = Authenticator::new(1);
    device.sign_count = 7;
    assert_eq!(device.add(&world, &ada).await.status, 201);
    for count in [7, 6, 0] {
        device.sign_count = count;
        assert_eq!(refusal(&device.sign_in(&world).await), failed(), "{count}");
    }
    device.sign_count = 8;
    Person::from(&device.sign_in(&world).await);
    assert_eq!(refusal(&device.sign_in(&world).await), failed(), "the same count twice");
    device.sign_count = u32::MAX;
    Person::from(&device.sign_in(&world).await);
}

#[tokio::test]
async fn a_passkey_is_added_only_by_the_session_that_asked_and_by_the_person() {
    let world = World::new().await;
    let ada = Person::with_password(&world, "Ada", &["viewer"]).await;
    let eve = Person::invite(&world, "Eve", &["viewer"]).await;
    let mut device = Authenticator::new(1);
    let add = async |person: &Person, body: Value| person.send(&world, "POST", "/passkeys", Some(body)).await;
    let body = device.create(&creation_challenge(&world, &ada).await);
    assert_eq!(refusal(&add(&eve, body.clone()).await), refused(), "another person's challenge");
    let other =
        Person::from(&sign_in(&world, json!({"email_address": address("Ada"), "password": PASSWORD})).await);
    assert_eq!(refusal(&add(&other, body.clone()).await), refused(), "another session's challenge");
    let token = world.request("POST", "/passkeys").json(body.clone()).send().await;
    assert_eq!(refusal(&token), (403, "session_required".to_owned()), "a token is no person");
    let foreign = ada.bare(&world, "POST", "/passkeys").json(body.clone()).send().await;
    assert_eq!(refusal(&foreign), (403, "cross_site_request".to_owned()));
    assert_eq!(add(&ada, body.clone()).await.status, 201);
    assert_eq!(refusal(&add(&ada, body).await), refused(), "a replay");
    let twice = device.create(&creation_challenge(&world, &ada).await);
    assert_eq!(refusal(&add(&ada, twice).await), (409, "passkey_taken".to_owned()));
    let mut flawed = Authenticator::new(2);
    flawed.origin = "https://evil.example".to_owned();
    assert_eq!(refusal(&flawed.add(&world, &ada).await), refused(), "another site");
    (flawed.origin, flawed.flags) = (device.origin.clone(), 0x01);
    let unverified = flawed.add(&world, &ada).await;
    assert_eq!(refusal(&unverified), refused());
    assert!(unverified.json()["detail"].as_str().unwrap().contains("PIN"), "{unverified}");
    let browser = Browser::new(&world).await;
    let body = Authenticator::new(3).create(&browser.challenge);
    assert_eq!(refusal(&add(&ada, body).await), refused(), "a challenge for a sign-in");
    assert_eq!(passkeys(&world, &ada).await.ids().len(), 1);

    // A stolen session is no lasting way in: a quarter of an hour later the password is needed.
    world.advance_seconds(15 * 60);
    let mut late = Authenticator::new(4);
    let refused = late.add(&world, &ada).await;
    assert_eq!(refusal(&refused), (403, "current_password_wrong".to_owned()));
    for (password, status) in [("wrong wrong wrong", 403), (PASSWORD, 201)] {
        let mut body = late.create(&creation_challenge(&world, &ada).await);
        body["current_password"] = json!(password);
        assert_eq!(add(&ada, body).await.status, status, "{password}");
    }
    let fresh = Person::from(&late.sign_in(&world).await);
    assert_eq!(Authenticator::new(5).add(&world, &fresh).await.status, 201, "just signed in, with a passkey");
}

#[tokio::test]
async fn passkeys_end_with_the_user_and_are_seen_by_those_who_may() {
    let world = World::new().await;
    let (ada, device) = with_passkey(&world, "Ada", 1).await;
    let (eve, _) = with_passkey(&world, "Eve", 2).await;
    let of_ada = format!("/passkeys?user_id={}", ada.id);
    let id = passkeys(&world, &ada).await.ids()[0].to_owned();
    let theirs = eve.get(&world, &of_ada).await;
    assert_eq!(refusal(&theirs), (403, "insufficient_scope".to_owned()));
    let delete = eve.send(&world, "DELETE", &format!("/passkeys/{id}"), None).await;
    assert_eq!(refusal(&delete), (404, "not_found".to_owned()), "who may not read users learns nothing");
    assert_eq!(world.get(&of_ada).await.ids(), [id.as_str()], "an administrator sees them");
    let helper = world.post("/roles", json!({"name": "Desk", "scopes": ["users:read"]})).await.json();
    let reader = Person::invite(&world, "Reader", &[helper["id"].as_str().unwrap()]).await;
    let delete = reader.send(&world, "DELETE", &format!("/passkeys/{id}"), None).await;
    assert_eq!(refusal(&delete), (403, "insufficient_scope".to_owned()));

    assert_eq!(world.post(format!("/users/{}/disable", ada.id), json!({})).await.status, 200);
    assert_eq!(refusal(&device.sign_in(&world).await), failed(), "a disabled user");
    assert_eq!(world.post(format!("/users/{}/enable", ada.id), json!({})).await.status, 200);
    Person::from(&device.sign_in(&world).await);
    assert_eq!(world.delete(format!("/passkeys/{id}")).await.status, 204, "an administrator takes it away");
    assert_eq!(refusal(&device.sign_in(&world).await), failed());

    let (bea, device) = with_passkey(&world, "Bea", 3).await;
    assert_eq!(world.delete(format!("/users/{}", bea.id)).await.status, 204);
    assert_eq!(refusal(&device.sign_in(&world).await), failed(), "a deleted user");
    let mut again = device;
    let cora = Person::invite(&world, "Cora", &["viewer"]).await;
    assert_eq!(again.add(&world, &cora).await.status, 201, "nothing of the deleted user is left");
}

#[tokio::test]
async fn a_user_has_twenty_passkeys_at_most() {
    let world = World::new().await;
    let ada = Person::invite(&world, "Ada", &["viewer"]).await;
    for seed in 0..20 {
        assert_eq!(Authenticator::new(seed).add(&world, &ada).await.status, 201);
    }
    let over = Authenticator::new(20).add(&world, &ada).await;
    assert_eq!(refusal(&over), (409, "too_many_passkeys".to_owned()));
}
