//! Manifesting a large batch right after it was bought, when the planner's statistics are from before.

use crate::fresh::{Engine, Fresh, owner};
use crate::plans::plan;

/// Purchases that were analysed while they waited, and are bought since.
async fn bought_after_analysis() -> Fresh {
    let fresh = Fresh::new(Engine::Postgres).await;
    drop(fresh.open().await);
    let client = fresh.postgres().await;
    let owner = owner(1);
    let fill = format!(
        "SET dockside.owner = '*';
         INSERT INTO purchase (owner, id, shipment_id, account_id, service, reference, state, created_at, updated_at)
         SELECT '{owner}', 'pa_' || n, 'shp_' || n, 'ca_1', 's', 'r', 'ready', 1, 1 FROM generate_series(1, 5000) n;
         ANALYZE purchase;
         UPDATE purchase SET state = 'bought', tracking_number = id, numbers_count = 1;"
    );
    client.batch_execute(&fill).await.unwrap();
    fresh
}

#[tokio::test]
async fn purchases_of_a_manifest_are_found_by_their_shipments() {
    let fresh = bought_after_analysis().await;
    for words in [&["SELECT held.shipment_id FROM"][..], &["s.batch_id = $2 AND p.state = 'bought'"][..]] {
        let plan = plan(&fresh, Engine::Postgres, words).await;
        assert!(plan.contains("purchase_of_shipment") && !plan.contains("purchase_by_number"), "{plan}");
    }
}
