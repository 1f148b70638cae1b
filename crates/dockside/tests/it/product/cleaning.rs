//! Cleaning: expired rows are deleted table by table, however many there are.

use store::{Access, Sql};

use crate::setup::world::World;

const ANSWERS: Sql = Sql::same("SELECT count(*) FROM idempotency WHERE created_at = 0");
const MESSAGES: Sql = Sql::same("SELECT count(*) FROM carrier_message WHERE created_at = 0");
const AUDIENCE: Sql = Sql::same("SELECT count(*) FROM stream_audience WHERE until = 0");
/// More rows than one transaction deletes.
const ROWS: usize = 1201;

async fn count(world: &World, sql: &'static Sql) -> i64 {
    let read = world.db.read(Access::System, async move |tx| tx.one(sql, &[]).await);
    read.await.unwrap().unwrap().int(0).unwrap()
}

/// Rows of each table that expired in 1970.
async fn expire(world: &World) {
    let rows = |row: &dyn Fn(usize) -> String| (0..ROWS).map(row).collect::<Vec<_>>().join(",");
    let answers = rows(&|number| format!("('org_x', '{number}', '', '{{}}', 0)"));
    let messages = rows(&|number| format!("('org_x', 'ca_x', '{number}', 0)"));
    let audience = rows(&|number| format!("('org_x', '{number}', 'orders', 0, 0)"));
    let sql = format!(
        "INSERT INTO idempotency (owner, key, fingerprint, answer, created_at) VALUES {answers};
         INSERT INTO carrier_message (owner, account_id, message_id, created_at) VALUES {messages};
         INSERT INTO stream_audience (owner, user_id, resource, until, ending_code) VALUES {audience};"
    );
    world.tamper(&sql).await;
}

async fn counts(world: &World) -> [i64; 3] {
    [count(world, &ANSWERS).await, count(world, &MESSAGES).await, count(world, &AUDIENCE).await]
}

/// Makes the database refuse to delete answers, or no longer.
async fn refuse_deletes(world: &World, is_refused: bool) {
    let sql = match (world.db.is_shared(), is_refused) {
        (false, true) => {
            "CREATE TRIGGER refuse_deletes BEFORE DELETE ON idempotency BEGIN SELECT RAISE(ABORT, 'refused'); END"
        }
        (false, false) => "DROP TRIGGER refuse_deletes",
        (true, true) => {
            "CREATE FUNCTION refuse_deletes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
             CREATE TRIGGER refuse_deletes BEFORE DELETE ON idempotency FOR EACH ROW EXECUTE FUNCTION refuse_deletes()"
        }
        (true, false) => "DROP FUNCTION refuse_deletes CASCADE",
    };
    world.tamper(sql).await;
}

#[tokio::test]
async fn a_table_that_cannot_be_cleaned_keeps_no_other_from_it() {
    let world = World::new().await;
    expire(&world).await;
    assert_eq!(counts(&world).await, [ROWS as i64; 3]);
    refuse_deletes(&world, true).await;
    let cleaned = world.service.cleaning.work().await;
    refuse_deletes(&world, false).await;
    assert!(cleaned.is_err(), "it is told that one could not be cleaned");
    assert_eq!(counts(&world).await, [ROWS as i64, 0, 0]);
    world.service.cleaning.work().await.unwrap();
    assert_eq!(counts(&world).await, [0; 3]);
}
