//! Printers and print jobs of the organisation.

use serde_json::{Value, json};

use super::PopulatedOrganisation;
use crate::setup::world::World;

impl PopulatedOrganisation {
    /// Makes printers and print jobs: one that is claimed, one that was cancelled and one that waits, and a printer without jobs.
    pub(super) async fn populate_printing(&mut self, world: &World) {
        let path = format!("/shipments/{}/documents", self.bought);
        let documents = world.request("GET", &path).token(&self.token).send().await.json();
        self.keep("doc", &documents["data"][0]);
        let printer = json!({"name": "Agent", "kind": "ipp", "connection": "agent", "address": "ipp://10.0.0.7/", "formats": ["zpl"]});
        self.keep("prn", &self.create(world, "/printers", printer.clone()).await);
        self.create(world, "/print_jobs", self.body_of("create_print_job")).await;
        let claim = world.request("POST", "/print_jobs/claim").token(&self.token);
        let claims = claim.json(self.body_of("claim_print_jobs")).send().await.json();
        let claim = &claims["data"][0];
        self.printing.fence = claim["fence"].as_i64().unwrap_or_else(|| panic!("no fence in {claims}"));
        self.printing.claimed_job = claim["print_job"]["id"].as_str().expect("an id").to_owned();
        self.keep("prn", &self.create(world, "/printers", printer.clone()).await);
        let job = self.create(world, "/print_jobs", self.body_of("create_print_job")).await;
        self.printing.ended_job = job["id"].as_str().expect("an id").to_owned();
        let cancel = format!("/print_jobs/{}/cancel", self.printing.ended_job);
        assert_eq!(world.request("POST", &cancel).token(&self.token).send().await.status, 200);
        self.keep("pj", &self.create(world, "/print_jobs", self.body_of("create_print_job")).await);
        self.keep("prn", &self.create(world, "/printers", printer).await);
    }

    pub(super) fn printing_body(&self, operation: &str) -> Value {
        let ids = &self.ids;
        match operation {
            "create_printer" | "update_printer" => json!({
                "name": "New",
                "kind": "ipp",
                "address": "ipp://127.0.0.1:9/ipp",
                "formats": ["pdf", "zpl"],
                "location_id": self.depot,
            }),
            "create_print_job" => json!({"document_ids": [ids["doc"]], "printer_id": ids["prn"]}),
            "claim_print_jobs" => json!({"printer_ids": [ids["prn"]]}),
            "report_print_job" => json!({"fence": self.printing.fence, "outcome": "printed"}),
            other => panic!("no body is known for {other}: add one"),
        }
    }
}
