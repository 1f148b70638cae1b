//! Signing in and out: passwords, one-time links, cookies, and what must not work.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::person::{COOKIE, PASSWORD, Person, address, cookie_of, invite, link_token, sign_in};
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World, depot};

fn with_password(name: &str, password: &str) -> Value {
    json!({"email_address": address(name), "password": password})
}

fn failed() -> (u16, String) {
    (401, "sign_in_failed".to_owned())
}

async fn me(world: &World, person: &Person) -> Reply {
    person.get(world, "/me").await
}

#[tokio::test]
async fn a_person_signs_in_with_a_link_sets_a_password_and_signs_in_with_it() {
    let world = World::new().await;
    let made = invite(&world, "Ada", &["packer"]).await;
    let reply = sign_in(&world, json!({"link_token": link_token(&made)})).await;
    insta::assert_snapshot!(
        reply,
        @r##"201 {"id":"ses_#1","user_id":"usr_#1","began_with":"link","user_agent":null,"is_current":true,"created_at":"#time","seen_at":"#time","idle_expires_at":"#time","expires_at":"#time"}"##
    );
    let ada = Person::from(&reply);
    let seen = me(&world, &ada).await.json();
    assert_eq!(
        (&seen["user"]["name"], &seen["user"]["has_password"], &seen["roles"], &seen["world"]),
        (&json!("Ada"), &json!(false), &json!(["packer"]), &json!("live"))
    );
    assert_eq!(seen["session"]["began_with"], "link");
    assert_eq!(seen["session"]["id"], ada.session.as_str());

    let set = ada.send(&world, "PUT", "/me/password", Some(json!({"new_password": PASSWORD}))).await;
    assert_eq!(set.status, 204, "{set}");
    assert_eq!(me(&world, &ada).await.json()["user"]["has_password"], true, "this session goes on");
    let event = world.newest_event("user.updated").await;
    assert_eq!(event["data"]["object"]["has_password"], true);
    // The address counts in whatever case, and the password exactly.
    let body = json!({"email_address": "ADA@acme.example", "password": PASSWORD});
    let again = Person::from(&sign_in(&world, body).await);
    assert_eq!(me(&world, &again).await.json()["session"]["began_with"], "password");
    assert_eq!(refusal(&sign_in(&world, with_password("Ada", &PASSWORD.to_uppercase())).await), failed());
}

#[tokio::test]
async fn whatever_is_wrong_the_refusal_is_the_same() {
    let world = World::new().await;
    Person::with_password(&world, "Ada", &["viewer"]).await;
    let eve = Person::with_password(&world, "Eve", &["viewer"]).await;
    invite(&world, "Newcomer", &["viewer"]).await;
    assert_eq!(world.post(format!("/users/{}/disable", eve.id), json!({})).await.status, 200);
    let wrong = sign_in(&world, with_password("Ada", "another harbour altogether")).await;
    assert_eq!(refusal(&wrong), failed());
    assert_eq!(wrong.header("set-cookie"), "");
    for body in [
        with_password("Nobody", PASSWORD),
        with_password("Eve", PASSWORD),
        with_password("Newcomer", PASSWORD),
        json!({"email_address": address("Ada"), "password": PASSWORD, "organisation_id": "org_77777777777777777777777777"}),
        json!({"link_token": "nonsense"}),
        json!({"link_token": world.token}),
    ] {
        let reply = sign_in(&world, body.clone()).await;
        assert_eq!(reply.text, wrong.text, "{body}");
    }
    for body in [json!({}), json!({"email_address": "a@b"}), json!({"password": "x", "link_token": "y"})] {
        assert_eq!(refusal(&sign_in(&world, body).await).0, 422);
    }
}

#[tokio::test]
async fn a_password_opens_the_organisation_that_it_belongs_to_and_no_other() {
    let world = World::new().await;
    let ada = Person::with_password(&world, "Ada", &["viewer"]).await;
    // Another organisation has a user with the same address, who has not set a password.
    let rival = world.token_for("Rival", "*", Mode::Live).await;
    let body = json!({"name": "Ada", "email_address": address("Ada"), "roles": ["admin"]});
    let made = world.request("POST", "/users").token(&rival).json(body).send().await;
    assert_eq!(made.status, 201, "{made}");
    let signed = Person::from(&sign_in(&world, with_password("Ada", PASSWORD)).await);
    assert_eq!(signed.id, ada.id);
    let theirs = me(&world, &signed).await.json()["organisation"]["id"].clone();
    assert_eq!(theirs, me(&world, &ada).await.json()["organisation"]["id"]);
    let organisation = world.request("GET", "/organisation").token(&rival).send().await.json()["id"].clone();
    let named =
        json!({"email_address": address("Ada"), "password": PASSWORD, "organisation_id": organisation});
    assert_eq!(refusal(&sign_in(&world, named).await), failed());
}

#[tokio::test]
async fn a_link_works_once_for_a_quarter_of_an_hour_and_the_newest_only() {
    let world = World::new().await;
    let made = invite(&world, "Ada", &["viewer"]).await;
    let (id, first) = (made["id"].as_str().unwrap(), link_token(&made));
    let path = format!("/users/{id}/link");
    let second = link_token(&world.post(&path, json!({})).await.json());
    let open = async |token: &str| sign_in(&world, json!({"link_token": token})).await;
    assert_eq!(refusal(&open(&first).await), failed(), "a newer link ended it");
    let ada = Person::from(&open(&second).await);
    assert_eq!(refusal(&open(&second).await), failed(), "it was used");
    let late = link_token(&world.post(&path, json!({})).await.json());
    world.advance_seconds(15 * 60);
    assert_eq!(refusal(&open(&late).await), failed(), "it has expired");
    let unused = link_token(&world.post(&path, json!({})).await.json());
    let ada_again = Person::by_link(&world, &link_token(&world.post(&path, json!({})).await.json())).await;
    assert_eq!(refusal(&open(&unused).await), failed());
    let pending = link_token(&world.post(&path, json!({})).await.json());
    let set = ada_again.send(&world, "PUT", "/me/password", Some(json!({"new_password": PASSWORD}))).await;
    assert_eq!(set.status, 204, "{set}");
    assert_eq!(refusal(&open(&pending).await), failed(), "a new password ends links");
    assert_eq!(refusal(&me(&world, &ada).await).0, 401, "and other sessions");
    assert_eq!(me(&world, &ada_again).await.status, 200);
}

#[tokio::test]
async fn each_sign_in_is_a_new_session_and_no_cookie_can_be_planted() {
    let world = World::new().await;
    let ada = Person::with_password(&world, "Ada", &["viewer"]).await;
    let planted = format!("{COOKIE}={}", ada.cookie);
    let body = with_password("Ada", PASSWORD);
    let request = world.request("POST", "/sessions").anonymous().header("cookie", &planted).json(body);
    let again = Person::from(&request.send().await);
    assert_ne!((&again.cookie, &again.session), (&ada.cookie, &ada.session));
    // The id of a session, another kind of secret and a cookie of another name open nothing.
    let link = link_token(&world.post(format!("/users/{}/link", ada.id), json!({})).await.json());
    for cookie in [ada.session.as_str(), &link, &world.token, ""] {
        let stranger = Person { cookie: cookie.to_owned(), ..Person::from_ids(&ada) };
        assert_eq!(refusal(&me(&world, &stranger).await).0, 401, "{cookie}");
    }
    let plain =
        world.request("GET", "/me").anonymous().header("cookie", &format!("dockside_session={}", ada.cookie));
    assert_eq!(plain.send().await.status, 401, "without TLS it has another name");
    assert_eq!(
        world.request("GET", "/me").token(&ada.cookie).send().await.status,
        401,
        "a cookie is no token"
    );
}

impl Person {
    fn from_ids(other: &Person) -> Self {
        Self { id: other.id.clone(), cookie: String::new(), session: other.session.clone() }
    }
}

#[tokio::test]
async fn a_stolen_cookie_is_worthless_after_the_person_signs_out() {
    let world = World::new().await;
    let ada = Person::with_password(&world, "Ada", &["viewer"]).await;
    let other = Person::from(&sign_in(&world, with_password("Ada", PASSWORD)).await);
    assert_eq!(me(&world, &ada).await.status, 200);
    let out = ada.send(&world, "DELETE", "/sessions/current", None).await;
    assert_eq!(out.status, 204, "{out}");
    assert_eq!(
        out.header("set-cookie"),
        format!("{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure")
    );
    assert_eq!(refusal(&me(&world, &ada).await), (401, "unauthenticated".to_owned()));
    assert_eq!(me(&world, &other).await.status, 200, "another browser stays signed in");
    // From there, the person ends the rest.
    let third = Person::from(&sign_in(&world, with_password("Ada", PASSWORD)).await);
    let list = other.get(&world, "/sessions").await;
    assert_eq!(list.ids(), [third.session.as_str(), other.session.as_str()], "{list}");
    assert_eq!(list.json()["data"][1]["is_current"], true);
    let end = other.send(&world, "DELETE", &format!("/sessions/{}", third.session), None).await;
    assert_eq!(end.status, 204, "{end}");
    assert_eq!(me(&world, &third).await.status, 401);
    let everywhere = world.post(format!("/users/{}/sign_out", ada.id), json!({})).await;
    assert_eq!(everywhere.status, 200, "{everywhere}");
    assert_eq!(me(&world, &other).await.status, 401);
}

/// Makes the server look sessions up anew: it remembers callers for two seconds of the machine's own time.
async fn forget_callers(world: &World) {
    let own = world.get("/me").await.json()["user"]["id"].as_str().unwrap().to_owned();
    assert_eq!(world.post(format!("/users/{own}/sign_out"), json!({})).await.status, 200);
}

#[tokio::test]
async fn a_session_ends_after_twelve_idle_hours_and_after_thirty_days() {
    let world = World::new().await;
    let hours = |hours: i64| world.advance_seconds(hours * 3600);
    let ada = Person::invite(&world, "Ada", &["viewer"]).await;
    hours(11);
    assert_eq!(me(&world, &ada).await.status, 200);
    forget_callers(&world).await;
    hours(13);
    assert_eq!(me(&world, &ada).await.status, 401);
    let bea = Person::invite(&world, "Bea", &["viewer"]).await;
    for _ in 0..65 {
        hours(11);
        forget_callers(&world).await;
        assert_eq!(me(&world, &bea).await.status, 200);
    }
    hours(6);
    forget_callers(&world).await;
    assert_eq!(me(&world, &bea).await.status, 401, "used all the time, and over after 30 days");
}

#[tokio::test]
async fn a_change_by_cookie_must_come_from_our_own_pages() {
    let world = World::new().await;
    let ada = Person::invite(&world, "Ada", &["admin"]).await;
    let own = "https://dockside.example.com";
    let post = |headers: &[(&str, &str)]| {
        let request = ada.bare(&world, "POST", "/locations").json(depot("New"));
        headers.iter().fold(request, |request, (name, value)| request.header(name, value)).send()
    };
    let refused: &[&[(&str, &str)]] = &[
        &[],
        &[("dockside-world", "live")],
        &[("sec-fetch-site", "same-origin")],
        &[("origin", own)],
        &[("dockside-world", "live"), ("origin", "https://evil.example")],
        &[("dockside-world", "live"), ("origin", "null")],
        &[("dockside-world", "live"), ("origin", "http://dockside.example.com")],
        &[("dockside-world", "live"), ("origin", "https://dockside.example.com.evil.example")],
        &[("dockside-world", "live"), ("sec-fetch-site", "cross-site")],
        &[("dockside-world", "live"), ("sec-fetch-site", "same-site"), ("origin", own)],
        &[("dockside-world", "live"), ("sec-fetch-site", "none")],
    ];
    for headers in refused {
        let reply = post(headers).await;
        assert_eq!(refusal(&reply), (403, "cross_site_request".to_owned()), "{headers:?}");
    }
    assert_eq!(world.get("/locations").await.ids().len(), 0);
    for headers in [
        [("dockside-world", "live"), ("sec-fetch-site", "same-origin")],
        [("dockside-world", "live"), ("origin", own)],
    ] {
        assert_eq!(post(&headers).await.status, 201, "{headers:?}");
    }
    assert_eq!(ada.bare(&world, "GET", "/locations").send().await.status, 200, "reading needs no proof");
    let wrong = ada.request(&world, "GET", "/locations").header("dockside-world", "mars").send().await;
    assert_eq!(refusal(&wrong), (400, "invalid_header".to_owned()));
    // A token in the header is enough by itself, and the cookie beside it does not count.
    let both = ada.bare(&world, "POST", "/locations").token("nonsense").json(depot("New"));
    assert_eq!(both.send().await.status, 401);
    // Nor may another site sign a person in as another user.
    let made = invite(&world, "Eve", &["viewer"]).await;
    let body = json!({"link_token": link_token(&made)});
    let foreign = world.request("POST", "/sessions").anonymous().json(body.clone());
    let foreign = foreign.header("origin", "https://evil.example").send().await;
    assert_eq!(refusal(&foreign), (403, "cross_site_request".to_owned()));
    cookie_of(&sign_in(&world, body).await);
}

#[tokio::test]
async fn the_header_chooses_the_world() {
    let world = World::new().await;
    let ada = Person::invite(&world, "Ada", &["admin"]).await;
    let in_test =
        |method: &str, path: &str| ada.request(&world, method, path).header("dockside-world", "test");
    assert_eq!(in_test("POST", "/locations").json(depot("Test")).send().await.status, 201);
    assert_eq!(in_test("GET", "/locations").send().await.ids().len(), 1);
    assert_eq!(ada.get(&world, "/locations").await.ids().len(), 0);
    assert_eq!(in_test("GET", "/me").send().await.json()["world"], "test");
    // Both worlds share users and roles; a token of the test world has no part in them.
    assert_eq!(in_test("GET", "/users").send().await.ids(), ada.get(&world, "/users").await.ids());
    let token = world.token_for("Acme", "*", model::World::Test).await;
    let refused = world.request("GET", "/users").token(&token).send().await;
    assert_eq!(refusal(&refused), (409, "live_world_only".to_owned()));
}

#[tokio::test]
async fn guessing_a_password_is_stopped_for_known_and_unknown_addresses_alike() {
    let world = World::new().await;
    let ada = Person::with_password(&world, "Ada", &["viewer"]).await;
    for name in ["Ada", "Nobody"] {
        for _ in 0..10 {
            assert_eq!(refusal(&sign_in(&world, with_password(name, "wrong wrong wrong")).await), failed());
        }
        let stopped = sign_in(&world, with_password(name, PASSWORD)).await;
        assert_eq!(refusal(&stopped), (429, "too_many_sign_ins".to_owned()), "even with the right one");
        let seconds: i64 = stopped.header("retry-after").parse().unwrap();
        assert!((1..=900).contains(&seconds), "{seconds}");
    }
    assert_eq!(me(&world, &ada).await.status, 200, "a session goes on");
    let link = world.post(format!("/users/{}/link", ada.id), json!({})).await.json();
    Person::by_link(&world, &link_token(&link)).await;
    // A stolen session is no other way to guess.
    let guess =
        json!({"current_password": "wrong wrong wrong", "new_password": "another harbour altogether"});
    let later = Person { cookie: ada.cookie.clone(), ..Person::from_ids(&ada) };
    world.advance_seconds(901);
    for _ in 0..10 {
        let wrong = later.send(&world, "PUT", "/me/password", Some(guess.clone())).await;
        assert_eq!(refusal(&wrong), (403, "current_password_wrong".to_owned()));
    }
    let stopped = later.send(&world, "PUT", "/me/password", Some(guess)).await;
    assert_eq!(refusal(&stopped), (429, "too_many_sign_ins".to_owned()));
    world.advance_seconds(901);
    Person::from(&sign_in(&world, with_password("Ada", PASSWORD)).await);
}

#[tokio::test]
async fn passwords_that_are_easy_to_guess_are_refused() {
    let world = World::new().await;
    let ada = Person::invite(&world, "Ada", &["viewer"]).await;
    let set = async |body: Value| ada.send(&world, "PUT", "/me/password", Some(body)).await;
    let short = set(json!({"new_password": "elevenchars"})).await;
    assert_eq!(short.issues()[0].1, "/new_password", "{short}");
    for common in ["password1234", "Password1234", "aaaaaaaaaaaaaaa", "ada@acme.example"] {
        let reply = set(json!({"new_password": common})).await;
        assert_eq!(refusal(&reply), (422, "password_too_common".to_owned()), "{common}");
    }
    // A quarter of an hour after the link, the old password is needed, and there is none.
    world.advance_seconds(15 * 60);
    let late = set(json!({"new_password": PASSWORD})).await;
    assert_eq!(refusal(&late), (403, "current_password_wrong".to_owned()));
    // A token is no person.
    let token = world.request("PUT", "/me/password").json(json!({"new_password": PASSWORD})).send().await;
    assert_eq!(refusal(&token), (403, "session_required".to_owned()));
}

#[tokio::test]
async fn secrets_are_kept_nowhere() {
    let world = World::new().await;
    let body = json!({"name": "Ada", "email_address": "ada@acme.example", "roles": ["viewer"]});
    let invited = world.request("POST", "/users").header("idempotency-key", "one").json(body.clone());
    let made = invited.send().await.json();
    let link = link_token(&made);
    let again = world.request("POST", "/users").header("idempotency-key", "one").json(body).send().await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!((&again.json()["id"], &again.json()["sign_in_link"]), (&made["id"], &Value::Null));
    let ada = Person::by_link(&world, &link).await;
    let put = ada.request(&world, "PUT", "/me/password").header("idempotency-key", "two");
    assert_eq!(put.json(json!({"new_password": PASSWORD})).send().await.status, 204);
    let bytes = world.dump().await;
    for secret in [PASSWORD, &link, &ada.cookie] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret} is stored");
    }
    for event in world.events().await {
        assert!(!event.object.contains("argon2") && !event.object.contains("dkl_"), "{}", event.object);
    }
}
