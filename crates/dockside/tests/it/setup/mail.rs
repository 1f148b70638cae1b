//! A world with a mail server.

use std::time::Duration;

use api::Limits;
use serde_json::json;
use service::access::mails::Settings;
use smtp::{Credentials, Mailbox, Server};
use testkit::mail_server::{Encryption, MailServer, PASSWORD, Received, USER};

use crate::setup::world::{Reply, World};

/// Returns the settings that name the server.
pub fn settings(server: &MailServer) -> Settings {
    Settings {
        server: Server::parse(&server.url()).expect("its address"),
        credentials: Some(Credentials { user: USER.to_owned(), password: PASSWORD.to_owned() }),
        allows_plain: false,
        roots: Some(server.certificate.clone().into_bytes()),
        from: Mailbox::parse("Dockside <dockside@acme.example>").expect("an address"),
        time_limit: Duration::from_secs(3),
    }
}

/// Returns a world, and the mail server that it sends by.
pub async fn with_mail() -> (World, MailServer) {
    let server = MailServer::start(Encryption::StartTls).await;
    let world = World::with(Limits::default(), |all| all.mail = Some(settings(&server))).await;
    (world, server)
}

/// Asks for a new password as the sign-in page does.
pub async fn ask(world: &World, address: &str) -> Reply {
    let body = json!({"email_address": address});
    world.request("POST", "/password_resets").anonymous().json(body).send().await
}

/// Makes all links and one attempt at each e-mail, and returns what the server took.
pub async fn sent(world: &World, server: &MailServer) -> Vec<Received> {
    world.service.password_resets.work().await.expect("links are made");
    world.service.mails.work().await.expect("attempts are recorded");
    server.take()
}
