//! Access tokens of carriers through the whole product: one task asks for all servers, the tokens are kept sealed, and whatever goes
//! wrong with them, nothing is bought twice and no purchase becomes ambiguous.

use serde_json::{Value, json};
use store::{Access, Sql};

use crate::setup::purchase_requests::{errors, parcel_to};
use crate::setup::token_server::TokenServer;
use crate::setup::world::{Reply, World};
use crate::shipping::manifest_nodes::another;

const ACCOUNTS: &str = "/carrier_accounts";
const FINE: &str = "BS1 4DJ";
const KEPT: Sql = Sql::same("SELECT count(*) FROM carrier_token");
/// After a failure of the token's endpoint, a purchase is tried again within this time.
const RETRY_SECONDS: usize = 30;

/// How many tokens are stored.
async fn kept(world: &World) -> i64 {
    let read = world.db.read(Access::System, async |tx| tx.one(&KEPT, &[]).await);
    read.await.unwrap().unwrap().int(0).unwrap()
}

fn service() -> Value {
    json!({"carrier_account": "tokens", "carrier_service": "standard"})
}

/// A world with an account at a carrier that wants tokens.
struct Setup {
    world: World,
    server: TokenServer,
    account: String,
}

impl Setup {
    async fn open(secret: &str) -> Self {
        let server = TokenServer::open().await;
        let world = World::rehearsal_with(|settings| settings.carriers.call_seconds = 1).await;
        let made = world.post(ACCOUNTS, server.account(secret)).await;
        assert_eq!(made.status, 201, "{made}");
        let account = made.header("location").to_owned();
        Self { world, server, account }
    }

    /// Makes shipments and requests their purchases, which nobody works on yet.
    async fn begin(&self, count: usize) -> Vec<String> {
        let mut paths = Vec::new();
        for _ in 0..count {
            let path = self.world.shipment(parcel_to(FINE)).await;
            let begun = self.world.begin(&format!("{path}/purchase"), Some(service())).await;
            assert_eq!(begun.status, 202, "{begun}");
            paths.push(path);
        }
        paths
    }

    async fn statuses(&self, paths: &[String]) -> Vec<String> {
        let mut statuses = Vec::new();
        for path in paths {
            let shown = self.world.get(path).await.json();
            statuses.push(shown["status"].as_str().expect("a status").to_owned());
        }
        statuses
    }

    /// Buys a shipment, and returns how it is shown then.
    async fn buy(&self) -> Value {
        let path = self.begin(1).await.remove(0);
        self.world.work().await;
        self.world.get(&path).await.json()
    }

    async fn set_secret(&self, secret: &str) -> Reply {
        self.world.patch(&self.account, json!({"credentials": {"client_secret": secret}})).await
    }
}

#[tokio::test]
async fn many_purchases_on_two_servers_ask_for_each_token_once() {
    let setup = Setup::open("hushed").await;
    let node = another(&setup.world).await;
    let paths = setup.begin(12).await;
    let (one, other) = tokio::join!(setup.world.service.work_purchases(), node.work_purchases());
    one.expect("purchases are worked on");
    other.expect("purchases are worked on");
    setup.world.work().await;
    assert_eq!(setup.statuses(&paths).await, vec!["purchased"; 12]);
    assert_eq!((setup.server.asked(), setup.server.charges()), (vec!["access".into(), "payment".into()], 12));
    // Rates and tracking need no second token.
    let path = setup.world.shipment(parcel_to(FINE)).await;
    let rated = setup.world.rate(&path).await;
    assert!(rated["rates"].as_array().expect("rates").len() > 1, "{rated}");
    assert_eq!(setup.server.asked().len(), 2);
}

#[tokio::test]
async fn a_token_is_renewed_before_it_expires() {
    let setup = Setup::open("hushed").await;
    setup.server.expire_in(600);
    assert_eq!(setup.buy().await["status"], "purchased");
    setup.world.advance_seconds(500);
    assert_eq!(setup.buy().await["status"], "purchased");
    assert_eq!(setup.server.count("access"), 1, "it is still valid");
    // Tracking is due all the while, and needs the first token only.
    setup.world.advance_seconds(90);
    assert_eq!(setup.buy().await["status"], "purchased");
    assert_eq!((setup.server.count("access"), setup.server.count("payment")), (2, 2));
}

#[tokio::test]
async fn a_token_that_the_carrier_refuses_is_replaced_once_and_nothing_is_bought_twice() {
    let setup = Setup::open("hushed").await;
    assert_eq!(setup.buy().await["status"], "purchased");
    setup.server.revoke();
    let paths = setup.begin(5).await;
    setup.world.work().await;
    assert_eq!(setup.statuses(&paths).await, vec!["purchased"; 5]);
    // A purchase that begins between the two renewals has a new access token beside an old payment token. The carrier does not say
    // which of them it refuses, so such a purchase replaces the access token once more.
    let replaced = setup.server.count("access");
    assert!((2..=3).contains(&replaced), "{replaced} access tokens");
    assert_eq!((setup.server.count("payment"), setup.server.charges()), (2, 6));
    // A carrier that refuses new tokens too is not asked without end.
    setup.server.refuse_all();
    let shown = setup.buy().await;
    assert_eq!(shown["status"], "purchase_failed", "{shown}");
    assert_eq!(errors(&shown), [["purchase_error", "credentials_invalid", "provider"].map(str::to_owned)]);
    assert_eq!((setup.server.count("access"), setup.server.charges()), (replaced + 1, 6));
}

#[tokio::test]
async fn a_wrong_secret_is_told_and_asked_with_once() {
    let setup = Setup::open("wrong").await;
    let paths = setup.begin(6).await;
    setup.world.work().await;
    assert_eq!(setup.statuses(&paths).await, vec!["purchase_failed"; 6]);
    let shown = setup.world.get(&paths[0]).await.json();
    assert_eq!(errors(&shown), [["purchase_error", "credentials_invalid", "carrier"].map(str::to_owned)]);
    assert_eq!(shown["errors"][0]["message"], "The client secret is wrong.");
    assert_eq!((setup.server.asked(), setup.server.charges()), (vec!["access".to_owned()], 0));
    // New credentials count at once, although the refusal of the old ones is still remembered.
    assert_eq!(setup.set_secret("hushed").await.status, 200);
    assert_eq!(setup.buy().await["status"], "purchased");
    assert_eq!(setup.server.count("access"), 2);
    // And so do others after them: the token of the earlier ones is not used.
    assert_eq!(setup.set_secret("hushed too").await.status, 200);
    assert_eq!(setup.buy().await["status"], "purchased");
    assert_eq!((setup.server.count("access"), setup.server.charges()), (3, 2));
}

#[tokio::test]
async fn a_token_that_does_not_come_leaves_no_doubt_about_a_purchase() {
    let setup = Setup::open("hushed").await;
    setup.server.hang(true);
    let path = setup.begin(1).await.remove(0);
    setup.world.work().await;
    let attempt = setup.world.attempt(&path).await;
    assert_eq!((attempt["state"].as_str(), setup.server.charges()), (Some("ready"), 0), "{attempt}");
    assert_eq!(setup.world.get(&path).await.json()["status"], "purchasing");
    setup.server.hang(false);
    setup.world.work_for(RETRY_SECONDS).await;
    let shown = setup.world.get(&path).await.json();
    assert_eq!((shown["status"].as_str(), setup.server.charges()), (Some("purchased"), 1), "{shown}");
}

#[tokio::test]
async fn tokens_are_stored_sealed_and_deleted_with_their_account() {
    let setup = Setup::open("hushed").await;
    let path = setup.world.shipment(parcel_to(FINE)).await;
    setup.world.rate(&path).await;
    assert_eq!(setup.server.valid().len(), 1);
    let dump = setup.world.dump().await;
    let holds = |text: &str| dump.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(holds("With tokens") && !holds("hushed"), "the token can be read");
    assert_eq!(kept(&setup.world).await, 1);
    assert_eq!(setup.world.delete(&setup.account).await.status, 204);
    assert_eq!(kept(&setup.world).await, 0);
}
