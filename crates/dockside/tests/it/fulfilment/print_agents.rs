//! Print agents over HTTP: claims with a lease and a fence, contents, and reports.

use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::package_types::with;
use crate::setup::raw_printer::label_printer;
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

/// Longer than an agent's lease.
const LEASE_SECONDS: i64 = 301;

/// A printer of agents, and a token of one.
struct Warehouse {
    world: World,
    token: String,
    printer: String,
    label: String,
    zpl: Vec<u8>,
}

impl Warehouse {
    async fn new() -> Self {
        let world = World::rehearsal().await;
        let token = world.token_for("Acme", "print_jobs:write printers:read", Mode::Test).await;
        let (label, zpl) = world.label("zpl").await;
        // The server does not reach it, and need not.
        let printer = with(label_printer("192.168.77.7"), json!({"connection": "agent"}));
        let printer = world.printer(printer).await;
        Self { world, token, printer, label, zpl }
    }

    async fn job(&self) -> String {
        self.world.print_job(&self.printer, &self.label).await
    }

    async fn claim(&self) -> Vec<Value> {
        let reply = self.post("/print_jobs/claim", json!({})).await;
        assert_eq!(reply.status, 200, "{reply}");
        reply.json()["data"].as_array().unwrap().clone()
    }

    async fn post(&self, path: &str, body: Value) -> Reply {
        self.world.request("POST", path).token(&self.token).json(body).send().await
    }

    async fn content(&self, job: &str, fence: &Value) -> Reply {
        let path = format!("{job}/content?fence={fence}");
        self.world.request("GET", &path).token(&self.token).send().await
    }

    async fn report(&self, job: &str, fence: &Value, outcome: &str) -> Reply {
        let body = json!({"fence": fence, "outcome": outcome, "message": "So it was."});
        self.post(&format!("{job}/result"), body).await
    }
}

#[tokio::test]
async fn an_agent_claims_fetches_and_reports() {
    let warehouse = Warehouse::new().await;
    let world = &warehouse.world;
    assert_eq!(warehouse.claim().await, Vec::<Value>::new());
    let job = warehouse.job().await;
    // The server itself leaves it alone.
    world.print().await;
    assert_eq!(world.print_status(&job).await, "queued");
    let claims = warehouse.claim().await;
    assert_eq!(claims.len(), 1);
    let claim = &claims[0];
    assert_eq!((&claim["print_job"]["status"], &claim["print_job"]["tries"]), (&json!("sending"), &json!(1)));
    assert_eq!(claim["printer"]["address"], "192.168.77.7");
    assert_eq!(claim["documents"][0]["file_size"], json!(warehouse.zpl.len()));
    assert_eq!(warehouse.claim().await, Vec::<Value>::new(), "a printer has one job at a time");
    let content = warehouse.content(&job, &claim["fence"]).await;
    assert_eq!((content.status.as_u16(), content.header("content-type")), (200, "application/zpl"));
    assert_eq!(content.text.as_bytes(), warehouse.zpl);
    let reported = warehouse.report(&job, &claim["fence"], "printed").await;
    assert_eq!(
        (reported.status.as_u16(), &reported.json()["status"]),
        (200, &json!("printed")),
        "{reported}"
    );
    assert_eq!(reported.json()["message"], json!(null));
    assert_eq!(world.story(&job).await, ["print_job.created", "print_job.updated", "print_job.updated"]);
}

#[tokio::test]
async fn a_claim_without_what_it_needs_is_refused() {
    let warehouse = Warehouse::new().await;
    let world = &warehouse.world;
    let job = warehouse.job().await;
    let short = world.token_for("Acme", "print_jobs:write", Mode::Test).await;
    let reply = world.request("POST", "/print_jobs/claim").token(&short).json(json!({})).send().await;
    assert_eq!(refusal(&reply), (403, "insufficient_scope".to_owned()));
    let unknown = json!({"printer_ids": [warehouse.printer, format!("prn_{}", "7".repeat(26))]});
    let reply = warehouse.post("/print_jobs/claim", unknown).await;
    assert_eq!(reply.issues(), [("printer_not_found".to_owned(), "/printer_ids/1".to_owned())]);
    // Without a claim there is no content and no report.
    assert_eq!(refusal(&warehouse.content(&job, &json!(1)).await), (409, "print_claim_lost".to_owned()));
    assert_eq!(
        refusal(&warehouse.report(&job, &json!(1), "printed").await),
        (409, "print_claim_lost".to_owned())
    );
    assert_eq!(refusal(&warehouse.content(&job, &json!(-1)).await), (400, "invalid_query".to_owned()));
    // Another organisation's agent sees nothing of it.
    let stranger = world.token_for("Globex", "*", Mode::Test).await;
    let reply = world.request("POST", "/print_jobs/claim").token(&stranger).json(json!({})).send().await;
    assert_eq!(reply.json()["data"], json!([]));
    let claim = warehouse.claim().await.remove(0);
    for path in [format!("{job}/content"), format!("{job}/content?fence={}", claim["fence"])] {
        let hidden = world.request("GET", &path).token(&stranger).send().await;
        assert_eq!(refusal(&hidden), (404, "not_found".to_owned()));
    }
}

#[tokio::test]
async fn agents_serve_the_printers_that_they_name_and_each_printer_its_own_queue() {
    let warehouse = Warehouse::new().await;
    let world = &warehouse.world;
    let second = with(label_printer("192.168.77.8"), json!({"connection": "agent"}));
    let second = world.printer(second).await;
    let mine = warehouse.job().await;
    world.print_job(&second, &warehouse.label).await;
    let only = warehouse.post("/print_jobs/claim", json!({"printer_ids": [second]})).await.json();
    assert_eq!(only["data"].as_array().unwrap().len(), 1);
    assert_eq!(only["data"][0]["printer"]["id"], json!(second));
    let rest = warehouse.claim().await;
    assert_eq!(rest.len(), 1);
    assert!(mine.ends_with(rest[0]["print_job"]["id"].as_str().unwrap()));
}

#[tokio::test]
async fn a_printer_that_the_agent_does_not_reach_is_tried_again_after_its_pause() {
    let warehouse = Warehouse::new().await;
    let job = warehouse.job().await;
    for pause in [10, 60, 300, 1200] {
        let claim = warehouse.claim().await.remove(0);
        let reported = warehouse.report(&job, &claim["fence"], "unsent").await.json();
        assert_eq!((&reported["status"], &reported["message"]), (&json!("queued"), &json!("So it was.")));
        assert_eq!(warehouse.claim().await, Vec::<Value>::new());
        warehouse.world.advance_seconds(pause);
    }
    let claim = warehouse.claim().await.remove(0);
    let reported = warehouse.report(&job, &claim["fence"], "unsent").await.json();
    assert_eq!((&reported["status"], &reported["tries"]), (&json!("failed"), &json!(5)));
}

#[tokio::test]
async fn a_lease_that_ends_before_the_content_was_fetched_queues_the_job_again() {
    let warehouse = Warehouse::new().await;
    let world = &warehouse.world;
    let job = warehouse.job().await;
    let old = warehouse.claim().await.remove(0);
    world.advance_seconds(LEASE_SECONDS);
    world.print().await;
    let waits = world.get(&job).await.json();
    assert_eq!((&waits["status"], &waits["tries"]), (&json!("queued"), &json!(1)), "{waits}");
    // The old claim is worth nothing any more.
    assert_eq!(refusal(&warehouse.content(&job, &old["fence"]).await), (409, "print_claim_lost".to_owned()));
    let new = warehouse.claim().await;
    let new = match new.first() {
        Some(claim) => claim.clone(),
        None => {
            world.advance_seconds(10);
            warehouse.claim().await.remove(0)
        }
    };
    assert!(new["fence"].as_i64() > old["fence"].as_i64());
    for outcome in ["printed", "unsent", "failed", "uncertain"] {
        let stale = warehouse.report(&job, &old["fence"], outcome).await;
        assert_eq!(refusal(&stale), (409, "print_claim_lost".to_owned()), "{outcome}");
    }
    assert_eq!(warehouse.report(&job, &new["fence"], "failed").await.json()["status"], "failed");
}

#[tokio::test]
async fn a_lease_that_ends_after_the_content_was_fetched_leaves_the_job_uncertain() {
    let warehouse = Warehouse::new().await;
    let world = &warehouse.world;
    let (job, next) = (warehouse.job().await, warehouse.job().await);
    let claim = warehouse.claim().await.remove(0);
    assert_eq!(warehouse.content(&job, &claim["fence"]).await.status, 200);
    world.advance_seconds(LEASE_SECONDS);
    world.print().await;
    assert_eq!(world.print_status(&job).await, "uncertain");
    let behind = warehouse.claim().await.remove(0);
    assert!(next.ends_with(behind["print_job"]["id"].as_str().unwrap()), "the next job is free");
    // A late report that it was printed is believed; any other is too late.
    let late = warehouse.report(&job, &claim["fence"], "unsent").await;
    assert_eq!(refusal(&late), (409, "print_claim_lost".to_owned()));
    let late = warehouse.report(&job, &claim["fence"], "printed").await;
    assert_eq!((late.status.as_u16(), &late.json()["status"]), (200, &json!("printed")), "{late}");
    assert_eq!(warehouse.report(&next, &behind["fence"], "printed").await.status, 200);
}

#[tokio::test]
async fn a_claim_may_wait_for_a_job() {
    let warehouse = Warehouse::new().await;
    let world = &warehouse.world;
    let waiting = async {
        let request = world.request("POST", "/print_jobs/claim").token(&warehouse.token);
        request.header("prefer", "wait=25").json(json!({})).send().await.json()
    };
    let (claims, job) = tokio::join!(waiting, warehouse.job());
    assert_eq!(claims["data"].as_array().unwrap().len(), 1);
    assert!(job.ends_with(claims["data"][0]["print_job"]["id"].as_str().unwrap()));
}
