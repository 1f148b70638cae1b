//! E-mails with links: invitations, and what happens when the mail server or a node fails.

use serde_json::json;
use store::Access;
use store::access::mails;
use testkit::mail_server::Fault;

use crate::setup::mail::{ask, sent, with_mail};
use crate::setup::person::{Person, address, invite, link_token, sign_in};
use crate::setup::world::World;

/// Returns how many e-mails wait.
async fn waiting(world: &World) -> usize {
    // Claimed under the name of a node that does not live, so any other may claim them, too.
    let far = world.service.context.now().plus_seconds(7 * 24 * 3600);
    let claim = async move |tx: &mut store::Tx<'_>| mails::claim(tx, "gone", far, 100).await;
    world.db.write(Access::System, claim).await.expect("a claim").len()
}

#[tokio::test]
async fn an_invited_person_gets_the_link_of_the_answer_and_has_a_day() {
    let (world, server) = with_mail().await;
    let body = json!({"name": "Ada", "email_address": address("Ada"), "roles": ["viewer"]});
    let create = || world.request("POST", "/users").header("idempotency-key", "one").json(body.clone());
    let made = create().send().await;
    assert_eq!(create().send().await.json()["sign_in_link"], json!(null), "the repeated answer has none");
    let mails = sent(&world, &server).await;
    assert_eq!(
        (mails.len(), mails[0].header("Subject").as_str()),
        (1, "You are invited to Acme on Dockside")
    );
    let token = mails[0].link().1;
    assert_eq!(token, link_token(&made.json()));
    assert!(mails[0].readable().contains("24 hours"));
    world.advance_seconds(24 * 3600 - 1);
    let ada = Person::by_link(&world, &token).await;

    let again = world.post(format!("/users/{}/link", ada.id), json!({})).await.json();
    let mails = sent(&world, &server).await;
    assert_eq!(mails[0].header("Subject"), "You are invited to Acme on Dockside");
    assert_eq!(mails[0].link().1, link_token(&again));
    ada.send(&world, "PUT", "/me/password", Some(json!({"new_password": "quiet harbour seven lanterns"})))
        .await;
    world.post(format!("/users/{}/link", ada.id), json!({})).await;
    let mails = sent(&world, &server).await;
    assert_eq!(mails[0].header("Subject"), "Your sign-in link for Acme on Dockside");
    assert!(mails[0].readable().contains("15 minutes"));
}

#[tokio::test]
async fn without_a_mail_server_an_invitation_is_as_before() {
    let world = World::new().await;
    let made = invite(&world, "Ada", &["viewer"]).await;
    assert_eq!(waiting(&world).await, 0);
    world.advance_seconds(15 * 60);
    assert_eq!(sign_in(&world, json!({"link_token": link_token(&made)})).await.status, 401);
}

#[tokio::test]
async fn an_e_mail_arrives_although_the_server_fails_first() {
    let (world, server) = with_mail().await;
    let faults = [
        Fault::Close,
        Fault::Hang,
        Fault::Answer("AUTH", "535 5.7.8 no"),
        Fault::Answer("RCPT", "450 4.2.0 greylisted"),
        Fault::Answer(".", "451 4.3.0 later"),
    ];
    for fault in faults {
        invite(
            &world,
            &format!("{:?}", fault).replace(|char: char| !char.is_ascii_alphanumeric(), ""),
            &["viewer"],
        )
        .await;
        server.fail([fault.clone()]);
        assert!(sent(&world, &server).await.is_empty(), "{fault:?}");
        assert!(sent(&world, &server).await.is_empty(), "{fault:?}: it is not due yet");
        world.advance_seconds(2);
        assert_eq!(sent(&world, &server).await.len(), 1, "{fault:?}");
        assert_eq!(waiting(&world).await, 0, "{fault:?}");
    }
}

#[tokio::test]
async fn an_e_mail_whose_answer_was_lost_is_sent_again_with_the_same_id() {
    let (world, server) = with_mail().await;
    invite(&world, "Ada", &["viewer"]).await;
    server.fail([Fault::LoseAnswer]);
    let first = sent(&world, &server).await;
    world.advance_seconds(2);
    let second = sent(&world, &server).await;
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_eq!(first[0].text, second[0].text);
    assert!(first[0].header("Message-ID").ends_with("@acme.example>"));
    world.advance_seconds(600);
    assert!(sent(&world, &server).await.is_empty());
}

#[tokio::test]
async fn an_e_mail_of_a_node_that_died_is_sent_by_another_and_the_old_claim_is_lost() {
    let (world, server) = with_mail().await;
    invite(&world, "Ada", &["viewer"]).await;
    let now = world.service.context.now();
    let claim = async move |tx: &mut store::Tx<'_>| mails::claim(tx, "died", now, 10).await;
    let old = world.db.write(Access::System, claim).await.unwrap()[0];
    assert_eq!(sent(&world, &server).await.len(), 1);
    invite(&world, "Bob", &["viewer"]).await;
    let claim = async move |tx: &mut store::Tx<'_>| mails::claim(tx, "died", now.plus_seconds(60), 10).await;
    let lost = world.db.write(Access::System, claim).await.unwrap()[0];
    let claim = async move |tx: &mut store::Tx<'_>| mails::claim(tx, "other", now.plus_seconds(60), 10).await;
    let held = world.db.write(Access::System, claim).await.unwrap()[0];
    assert_eq!((held.mail, held.fence), (lost.mail, lost.fence + 1));
    for stale in [old, lost] {
        let write = async move |tx: &mut store::Tx<'_>| {
            assert!(mails::get(tx, &stale).await?.is_none());
            mails::retry(tx, &stale, now.plus_seconds(3600)).await?;
            mails::delete(tx, &stale).await
        };
        world.db.write(stale.owner, write).await.unwrap();
    }
    let read = async move |tx: &mut store::Tx<'_>| mails::get(tx, &held).await;
    let kept = world.db.read(held.owner, read).await.unwrap().expect("the holder's e-mail");
    assert_eq!((kept.failures, kept.has_link), (0, true));
    assert_eq!(sent(&world, &server).await.len(), 1);
}

#[tokio::test]
async fn an_e_mail_is_given_up_when_its_link_works_no_more_or_the_server_refuses_it_for_good() {
    let (world, server) = with_mail().await;
    invite(&world, "Refused", &["viewer"]).await;
    server.fail([Fault::Answer("RCPT", "550 5.1.1 no such user")]);
    sent(&world, &server).await;
    assert_eq!(waiting(&world).await, 0);

    let used = invite(&world, "Used", &["viewer"]).await;
    Person::by_link(&world, &link_token(&used)).await;
    let off = invite(&world, "Off", &["viewer"]).await;
    world.post(format!("/users/{}/disable", off["id"].as_str().unwrap()), json!({})).await;
    let gone = invite(&world, "Gone", &["viewer"]).await;
    world.delete(format!("/users/{}", gone["id"].as_str().unwrap())).await;
    assert!(sent(&world, &server).await.is_empty());
    assert_eq!(waiting(&world).await, 0);

    invite(&world, "Late", &["viewer"]).await;
    world.advance_seconds(24 * 3600);
    assert!(sent(&world, &server).await.is_empty());
    assert_eq!(waiting(&world).await, 0);
    assert_eq!(server.connections(), 1, "no connection for what is given up");
}

#[tokio::test]
async fn a_hanging_server_holds_up_no_request() {
    let (world, server) = with_mail().await;
    server.fail([Fault::Hang]);
    let begun = std::time::Instant::now();
    Person::with_password(&world, "Ada", &["viewer"]).await;
    assert_eq!(ask(&world, &address("Ada")).await.status, 202);
    assert_eq!(server.connections(), 0, "a request opens no connection");
    assert!(begun.elapsed() < std::time::Duration::from_secs(30));
}

#[tokio::test]
async fn a_link_that_waits_to_be_sent_is_sealed_and_gone_afterwards() {
    let (world, server) = with_mail().await;
    let made = invite(&world, "Ada", &["viewer"]).await;
    ask(&world, "someone@elsewhere.example").await;
    let token = link_token(&made);
    let holds = async |text: &str| {
        let dump = world.dump().await;
        dump.windows(text.len()).any(|window| window == text.as_bytes())
    };
    assert!(holds("ada@acme.example").await, "the dump shows what is there");
    for secret in [token.as_str(), "someone@elsewhere.example"] {
        assert!(!holds(secret).await, "{secret} is in the database");
    }
    assert_eq!(sent(&world, &server).await[0].link().1, token);
    assert_eq!(waiting(&world).await, 0);
}

#[tokio::test]
async fn names_add_neither_headers_nor_tags() {
    let (world, server) = with_mail().await;
    for name in [
        "Eve \"Bcc: all@acme.example\" <x@y.z>",
        "Zoë Müller 🚢",
        "<script>alert(1)</script>",
        "\\\"\u{202e}",
    ] {
        let body = json!({"name": name, "email_address": format!("n{}@acme.example", name.len()), "roles": ["viewer"]});
        let made = world.post("/users", body).await;
        assert_eq!(made.status, 201, "{made}");
        let mails = sent(&world, &server).await;
        let (head, _) = mails[0].text.split_once("\r\n\r\n").unwrap();
        assert!(head.is_ascii(), "{head}");
        let names = head.split("\r\n").filter(|line| !line.starts_with(' ')).count();
        assert_eq!(names, 8, "{head}");
        assert!(mails[0].header("To").ends_with(&format!("<n{}@acme.example>", name.len())), "{head}");
        let readable = mails[0].readable();
        let (_, page) = readable.split_once("Content-Type: text/html").unwrap();
        assert!(!page.contains("<script"), "{page}");
    }
}
