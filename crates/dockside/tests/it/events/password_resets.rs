//! Forgotten passwords: what is answered, who gets a link, and what the link does.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::mail::{ask, sent, with_mail};
use crate::setup::person::{PASSWORD, Person, address, invite, sign_in};
use crate::setup::world::{Reply, World};

const PAGE: &str = "https://dockside.example.com/console/sign-in/mail";
const NEW_PASSWORD: &str = "seven lanterns in a quiet harbour";

async fn with_password(world: &World, password: &str) -> Reply {
    sign_in(world, json!({"email_address": address("Ada"), "password": password})).await
}

#[tokio::test]
async fn a_link_by_e_mail_replaces_a_forgotten_password() {
    let (world, server) = with_mail().await;
    let ada = Person::with_password(&world, "Ada", &["viewer"]).await;
    let bob = Person::with_password(&world, "Bob", &["viewer"]).await;
    sent(&world, &server).await;
    let asked = ask(&world, "ADA@acme.example").await;
    assert_eq!((asked.status.as_u16(), asked.json()), (202, json!({"link_seconds": 1800})), "{asked}");
    let mails = sent(&world, &server).await;
    assert_eq!(mails.len(), 1);
    let mail = &mails[0];
    assert!(mail.is_encrypted && mail.has_signed_in);
    assert_eq!(
        (mail.recipient.as_str(), mail.sender.as_str()),
        ("ada@acme.example", "dockside@acme.example")
    );
    assert_eq!(mail.header("To"), "\"Ada\" <ada@acme.example>");
    assert_eq!(mail.header("Subject"), "Reset your password for Acme on Dockside");
    let readable = mail.readable();
    assert!(readable.contains("30 minutes") && readable.contains("If you did not ask for it"), "{readable}");
    let (page, token) = mail.link();
    assert_eq!(page, PAGE);

    world.advance_seconds(29 * 60);
    let again = Person::by_link(&world, &token).await;
    assert_eq!(again.id, ada.id);
    let set = again.send(&world, "PUT", "/me/password", Some(json!({"new_password": NEW_PASSWORD}))).await;
    assert_eq!(set.status, 204, "{set}");
    assert_eq!(ada.get(&world, "/me").await.status, 401, "her other sessions end");
    for person in [&again, &bob] {
        assert_eq!(person.get(&world, "/me").await.status, 200, "other sessions go on");
    }
    assert_eq!(with_password(&world, PASSWORD).await.status, 401);
    assert_eq!(with_password(&world, NEW_PASSWORD).await.status, 201);
    assert_eq!(sign_in(&world, json!({"link_token": token})).await.status, 401, "it works once");
    world.relay().await;
    let log = world.get(format!("/events?type=user.updated&actor={}&limit=1", ada.id)).await.json();
    assert_eq!(log["data"][0]["actor"]["id"], json!(ada.id), "{log}");
}

#[tokio::test]
async fn the_answer_tells_nothing_about_the_address() {
    let (world, server) = with_mail().await;
    Person::with_password(&world, "Ada", &["viewer"]).await;
    let off = Person::with_password(&world, "Off", &["viewer"]).await;
    assert_eq!(world.post(format!("/users/{}/disable", off.id), json!({})).await.status, 200);
    invite(&world, "New", &["viewer"]).await;
    sent(&world, &server).await;
    let mut answers = Vec::new();
    for name in ["Ada", "Nobody", "Off", "New"] {
        let reply = ask(&world, &address(name)).await;
        let headers: Vec<String> = reply.headers.keys().map(ToString::to_string).collect();
        answers.push((reply.status, headers, reply.text.clone()));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(answers[0].0, 202);
    let mails = sent(&world, &server).await;
    let recipients: Vec<_> = mails.iter().map(|mail| mail.recipient.as_str()).collect();
    assert_eq!(recipients, ["ada@acme.example"]);
}

#[tokio::test]
async fn requests_for_one_address_are_limited_whether_a_user_has_it_or_not() {
    let (world, server) = with_mail().await;
    Person::with_password(&world, "Ada", &["viewer"]).await;
    sent(&world, &server).await;
    for name in ["Ada", "Nobody"] {
        for _ in 0..5 {
            assert_eq!(ask(&world, &address(name)).await.status, 202);
        }
        let limited = ask(&world, &address(name)).await;
        assert_eq!(
            (limited.status.as_u16(), limited.code()),
            (429, "too_many_password_resets".to_owned()),
            "{limited}"
        );
        let seconds: i64 = limited.header("retry-after").parse().unwrap();
        assert!((1..=900).contains(&seconds), "{seconds}");
    }
    assert_eq!(with_password(&world, PASSWORD).await.status, 201, "signing in has a limit of its own");
    let mails = sent(&world, &server).await;
    assert_eq!(mails.len(), 1, "four of the five links were replaced before they were sent");
    world.advance_seconds(901);
    assert_eq!(ask(&world, &address("Ada")).await.status, 202);
}

#[tokio::test]
async fn a_newer_link_takes_the_place_of_an_older_one() {
    let (world, server) = with_mail().await;
    Person::with_password(&world, "Ada", &["viewer"]).await;
    sent(&world, &server).await;
    ask(&world, &address("Ada")).await;
    let first = sent(&world, &server).await[0].link().1;
    ask(&world, &address("Ada")).await;
    let second = sent(&world, &server).await[0].link().1;
    assert_eq!(sign_in(&world, json!({"link_token": first})).await.status, 401);
    assert_eq!(sign_in(&world, json!({"link_token": second})).await.status, 201);
    ask(&world, &address("Ada")).await;
    let third = sent(&world, &server).await[0].link().1;
    world.advance_seconds(30 * 60);
    assert_eq!(sign_in(&world, json!({"link_token": third})).await.status, 401, "half an hour is over");
}

#[tokio::test]
async fn each_organisation_sends_its_own_link() {
    let (world, server) = with_mail().await;
    let other = world.token_for("Beta", "*", Mode::Live).await;
    Person::with_password(&world, "Ada", &["viewer"]).await;
    let body = json!({"name": "Ada", "email_address": address("Ada"), "roles": ["viewer"]});
    let made = world.request("POST", "/users").token(&other).json(body).send().await.json();
    let token = made["sign_in_link"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
    let twin = Person::by_link(&world, &token).await;
    twin.send(&world, "PUT", "/me/password", Some(json!({"new_password": PASSWORD}))).await;
    sent(&world, &server).await;
    ask(&world, &address("Ada")).await;
    let mails = sent(&world, &server).await;
    let mut subjects: Vec<_> = mails.iter().map(|mail| mail.header("Subject")).collect();
    subjects.sort();
    assert_eq!(
        subjects,
        ["Reset your password for Acme on Dockside", "Reset your password for Beta on Dockside"]
    );
    let beta = twin.get(&world, "/me").await.json()["organisation"]["id"].clone();
    let body = json!({"email_address": address("Ada"), "organisation_id": beta});
    world.request("POST", "/password_resets").anonymous().json(body).send().await;
    let mails = sent(&world, &server).await;
    assert_eq!((mails.len(), mails[0].header("Subject").contains("Beta")), (1, true));
    assert_eq!(Person::by_link(&world, &mails[0].link().1).await.id, twin.id);
}

#[tokio::test]
async fn without_a_mail_server_the_refusal_says_so() {
    let world = World::new().await;
    let refused = ask(&world, "ada@acme.example").await;
    assert_eq!((refused.status.as_u16(), refused.code()), (409, "mail_unavailable".to_owned()), "{refused}");
    let methods = world.request("GET", "/sign_in_methods").anonymous().send().await.json();
    assert_eq!(methods["password_reset"], json!(false));
    let (world, _server) = with_mail().await;
    let methods = world.request("GET", "/sign_in_methods").anonymous().send().await.json();
    assert_eq!(methods["password_reset"], json!(true));
}

#[tokio::test]
async fn bad_requests_and_other_sites_are_refused() {
    let (world, server) = with_mail().await;
    for (body, field) in [
        (json!({}), "/email_address"),
        (json!({"email_address": "ada"}), "/email_address"),
        (json!({"email_address": "ada@acme.example\r\nBcc: eve@acme.example"}), "/email_address"),
        (json!({"email_address": "ada@acme.example", "organisation_id": "usr_1"}), "/organisation_id"),
    ] {
        let reply = world.request("POST", "/password_resets").anonymous().json(body).send().await;
        assert_eq!(
            (reply.status.as_u16(), reply.json()["errors"][0]["field"].clone()),
            (422, Value::from(field)),
            "{reply}"
        );
    }
    let body = json!({"email_address": "ada@acme.example"});
    let foreign =
        world.request("POST", "/password_resets").anonymous().header("sec-fetch-site", "cross-site");
    let foreign = foreign.json(body).send().await;
    assert_eq!(
        (foreign.status.as_u16(), foreign.code()),
        (403, "cross_site_request".to_owned()),
        "{foreign}"
    );
    assert!(sent(&world, &server).await.is_empty());
}
