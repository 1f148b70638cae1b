//! Requests about batches, and a check of the counts that a batch shows.

use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::world::{Reply, World};

/// The id at the end of a path.
pub fn id(path: &str) -> &str {
    path.rsplit('/').next().expect("an id")
}

impl World {
    /// Makes a batch and gives its path.
    pub async fn batch(&self, body: Value) -> String {
        let reply = self.post("/batches", body).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.header("location").to_owned()
    }

    /// Makes so many shipments and gives their paths, the oldest first.
    pub async fn parcels(&self, count: usize) -> Vec<String> {
        let mut paths = Vec::new();
        for _ in 0..count {
            paths.push(self.shipment(parcel()).await);
        }
        paths
    }

    /// Makes a batch of these shipments.
    pub async fn batch_of(&self, shipments: &[String]) -> String {
        let ids: Vec<&str> = shipments.iter().map(|path| id(path)).collect();
        self.batch(json!({"shipments": ids})).await
    }

    pub async fn add(&self, batch: &str, ids: &[&str]) -> Reply {
        self.patch(format!("{batch}/shipments"), json!({"shipments": ids})).await
    }

    pub async fn remove(&self, batch: &str, ids: &[&str]) -> Reply {
        let path = format!("{batch}/shipments");
        self.request("DELETE", &path).json(json!({"shipments": ids})).send().await
    }

    /// Sets the status of a batch directly in the database.
    pub async fn set_batch_status(&self, batch: &str, status: &str) {
        self.tamper(&format!("UPDATE batch SET status = '{status}' WHERE id = '{}'", id(batch))).await;
    }

    /// Returns the counts that a batch shows: shipments, purchased ones, errors, packages. Panics if its shipments differ.
    pub async fn counts(&self, batch: &str) -> [i64; 4] {
        let shown = self.get(batch).await.json();
        let names = ["shipments_count", "purchased_count", "error_count", "packages_count"];
        let counts = names.map(|name| shown[name].as_i64().expect("a count"));
        let mut pending = 0;
        let mut by_code = serde_json::Map::new();
        let mut summed = [0; 4];
        for shipment in self.members(batch).await {
            let length = |list: &Value| list.as_array().expect("a list").len() as i64;
            summed[0] += 1;
            summed[1] += i64::from(shipment["status"] == "purchased");
            summed[2] += length(&shipment["errors"]);
            summed[3] += length(&shipment["packages"]);
            for error in shipment["errors"].as_array().expect("a list") {
                let code = error["code"].as_str().expect("a code").to_owned();
                let before = by_code.get(&code).and_then(Value::as_i64).unwrap_or_default();
                by_code.insert(code, json!(before + 1));
            }
            pending += i64::from(shipment["label_pending"] == true);
        }
        assert_eq!(counts, summed, "{shown}");
        assert_eq!(shown["labels_pending_count"], pending, "{shown}");
        assert_eq!(shown["error_counts"], Value::Object(by_code), "{shown}");
        counts
    }

    /// All shipments of a batch, page by page.
    pub async fn members(&self, batch: &str) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(format!("{batch}/shipments?limit=100{cursor}")).await.json();
            all.extend(page["data"].as_array().expect("a list").iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }
}
