//! The whole product in the test's own process, on a fresh store, with a deterministic clock and deterministic randomness.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use api::{App, Limits};
use model::{Scopes, World as Mode};
use service::onboarding::TokenOrder;
use service::{Random, Service, Settings};
use store::Db;
use tempfile::TempDir;

use crate::clock::TestClock;
use crate::storage::{Storage, fresh_files, fresh_storage};

/// Randomness that is the same in every run (splitmix64).
struct TestRandom(AtomicU64);

impl Random for TestRandom {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let mut word = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^= word >> 31;
            chunk.copy_from_slice(&word.to_be_bytes()[..chunk.len()]);
        }
    }
}

/// The product, and what belongs to the test that opened it.
pub struct Product {
    pub app: App,
    pub service: Service,
    pub db: Db,
    pub clock: Arc<TestClock>,
    pub storage: Storage,
    /// Where files are, unless they are in a bucket.
    pub files: TempDir,
}

impl Product {
    /// Opens it on a fresh store, with the usual limits and settings.
    pub async fn open_usual() -> Self {
        Self::open(Limits::default(), |_| {}).await
    }

    /// Opens it on a fresh store, with settings of the service that differ from the usual.
    pub async fn open(limits: Limits, change: impl FnOnce(&mut Settings)) -> Self {
        let (place, storage) = fresh_storage().await;
        let db = Db::open(place).await.expect("the store opens");
        let (place, files) = fresh_files();
        let clock = Arc::new(TestClock::default());
        let mut settings = Settings {
            page_limit_default: 20,
            page_limit_max: 100,
            batch_shipments_max: 100_000,
            idempotency_seconds: 24 * 3600,
            event_seconds: 30 * 24 * 3600,
            retention: service::Retention::default(),
            outbound_allow: vec!["127.0.0.0/8".parse().expect("a network")],
            printer_networks: vec!["127.0.0.0/8".parse().expect("a network")],
            stream: service::events::stream::Settings::default(),
            carriers: service::shipping::purchasing::Settings::default(),
            files: service::shipping::documents::Settings {
                place,
                public_url: "https://dockside.example.com".to_owned(),
                link_seconds: service::shipping::documents::LINK_SECONDS,
            },
            openid: None,
            mail: None,
            nats: None,
            hint_loss_percent: 0,
            signing_key: [7; 32],
            encryption_key: [8; 32],
        };
        change(&mut settings);
        let random = Arc::new(TestRandom(AtomicU64::new(1)));
        let service = Service::new(db.clone(), clock.clone(), random, settings).expect("a client");
        let app = App::new(service.clone(), limits).expect("the route table is sound");
        Self { app, service, db, clock, storage, files }
    }
}

/// Returns a token for an organisation, made as the command line makes it.
pub async fn issue_token(service: &Service, organisation: &str, scopes: &str, mode: Mode) -> String {
    let order = TokenOrder {
        organisation: organisation.to_owned(),
        user: format!("admin@{}.example", organisation.to_lowercase()),
        scopes: Scopes::parse(scopes).expect("scopes that exist"),
        world: mode,
        expires_in_seconds: None,
    };
    service.onboarding.issue_token(order).await.expect("a token").as_str().to_owned()
}
