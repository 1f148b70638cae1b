//! Numbering on PostgreSQL while a snapshot is open for long, as `pg_dump` holds one. On SQLite events have their number when
//! they are written, so there is nothing to look for.

use store::events::relay::{self, Relayed, Watermark};
use store::{Access, Sql};
use testkit::storage::run;
use tokio_postgres::Client;

use crate::setup::world::World;

/// Events that are written while the snapshot is open.
const EVENTS: i64 = 30_000;
/// Events of one transaction.
const PIECE: i64 = 1_500;
/// Blocks that one run of the relay may read: those of the few thousand events above the watermark, ten to a block, and
/// their index entries. All events would be 3,000.
const LOOK_BLOCKS_MAX: i64 = 400;

/// The blocks of the log that this session has read.
const BLOCKS: Sql = Sql::each(
    "SELECT 0",
    "SELECT pg_stat_get_xact_blocks_fetched('event'::regclass) + pg_stat_get_xact_blocks_fetched('event_unnumbered'::regclass)",
);
const UNNUMBERED: Sql = Sql::same("SELECT count(*) FROM event WHERE sequence IS NULL");
const SPAN: Sql = Sql::same("SELECT count(*), min(sequence), max(sequence) FROM event WHERE owner = $1");

/// Writes events of the world's own organisation, in the transaction that the session has open, if it has one.
async fn write_events(world: &World, session: &Client, first: i64, count: i64) {
    let owner = world.owner();
    let last = first + count - 1;
    let sql = format!(
        "INSERT INTO event (owner, id, type, resource_id, created_at, object)
         SELECT '{owner}', 'evt_' || lpad(n::text, 26, '0'), 'location.created', 'loc_x', 0, repeat('x', 700)
         FROM generate_series({first}, {last}) n"
    );
    run(session, &sql).await;
}

/// Runs the relay once, as the server would next. Returns the blocks that it read.
async fn blocks_of_a_look(world: &World) -> (i64, Relayed) {
    blocks_of_a_look_from(world, world.service.relay.mark()).await
}

/// The same, as a server would that knows this watermark.
async fn blocks_of_a_look_from(world: &World, mark: Watermark) -> (i64, Relayed) {
    let look = world.db.write(Access::System, async move |tx| {
        let before = tx.one(&BLOCKS, &[]).await?.expect("a count").int(0)?;
        let (relayed, _) = relay::relay(tx, &mark).await?;
        let after = tx.one(&BLOCKS, &[]).await?.expect("a count").int(0)?;
        Ok((after - before, relayed))
    });
    look.await.unwrap()
}

async fn unnumbered(world: &World) -> i64 {
    let read = world.db.read(Access::System, async |tx| tx.one(&UNNUMBERED, &[]).await);
    read.await.unwrap().unwrap().int(0).unwrap()
}

/// The organisation's numbers: how many, the first and the last.
async fn span(world: &World) -> [i64; 3] {
    let owner = world.owner();
    let read = world.db.read(owner, async move |tx| tx.one(&SPAN, &[owner.into()]).await);
    let mut row = read.await.unwrap().unwrap();
    [row.int(0).unwrap(), row.int(1).unwrap(), row.int(2).unwrap()]
}

#[tokio::test]
async fn a_look_stays_cheap_while_a_snapshot_is_open() {
    let world = World::new().await;
    let (Some(snapshot), Some(writer)) = (world.session().await, world.session().await) else { return };
    run(&snapshot, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM event").await;
    for first in (1..=EVENTS).step_by(PIECE as usize) {
        write_events(&world, &writer, first, PIECE).await;
        assert_eq!(world.service.relay.work().await.unwrap(), PIECE.unsigned_abs());
    }
    let (blocks, relayed) = blocks_of_a_look(&world).await;
    assert_eq!(relayed.count, 0);
    assert!(blocks <= LOOK_BLOCKS_MAX, "a look that finds nothing reads {blocks} blocks");
    // The server's next run of the relay, which comes within a tenth of a second.
    assert_eq!(world.service.relay.work().await.unwrap(), 0);
    write_events(&world, &writer, EVENTS + 1, 1).await;
    let (blocks, relayed) = blocks_of_a_look(&world).await;
    assert_eq!(relayed.count, 1);
    assert!(blocks <= LOOK_BLOCKS_MAX, "to number one event reads {blocks} blocks");
    assert_eq!(span(&world).await, [EVENTS + 1, 1, EVENTS + 1]);
    // A server that starts now continues at the other servers' watermark.
    write_events(&world, &writer, EVENTS + 2, 1).await;
    let (blocks, relayed) = blocks_of_a_look_from(&world, Watermark::default()).await;
    assert_eq!(relayed.count, 1);
    assert!(blocks <= LOOK_BLOCKS_MAX, "the first look of a server reads {blocks} blocks");
    run(&snapshot, "COMMIT").await;
}

#[tokio::test]
async fn an_event_that_is_committed_late_gets_its_number() {
    let world = World::new().await;
    let (Some(late), Some(writer)) = (world.session().await, world.session().await) else { return };
    run(&late, "BEGIN").await;
    write_events(&world, &late, 1, 1).await;
    for piece in 0..6 {
        write_events(&world, &writer, 2 + piece * PIECE, PIECE).await;
        assert_eq!(world.service.relay.work().await.unwrap(), PIECE.unsigned_abs());
    }
    assert_eq!(world.service.relay.work().await.unwrap(), 0);
    run(&late, "COMMIT").await;
    assert_eq!(unnumbered(&world).await, 1);
    assert_eq!(world.service.relay.work().await.unwrap(), 1);
    assert_eq!(span(&world).await, [6 * PIECE + 1, 1, 6 * PIECE + 1]);
    // From here on the watermark moves beyond it.
    for _ in 0..3 {
        assert_eq!(world.service.relay.work().await.unwrap(), 0);
    }
    assert!(world.service.relay.mark().floor() > 6 * PIECE, "{:?}", world.service.relay.mark());
}

#[tokio::test]
async fn a_sequence_that_was_set_back_loses_no_event() {
    let world = World::new().await;
    let Some(writer) = world.session().await else { return };
    for piece in 0..3 {
        write_events(&world, &writer, 1 + piece * PIECE, PIECE).await;
        assert_eq!(world.service.relay.work().await.unwrap(), PIECE.unsigned_abs());
    }
    assert!(world.service.relay.mark().floor() > 0);
    run(&writer, "SELECT setval('event_position', 100)").await;
    write_events(&world, &writer, 3 * PIECE + 1, 1).await;
    assert_eq!(world.service.relay.work().await.unwrap(), 1);
    // A server that starts now has only the stored watermark, which belongs to the positions before the sequence was set back.
    write_events(&world, &writer, 3 * PIECE + 2, 1).await;
    let (_, relayed) = blocks_of_a_look_from(&world, Watermark::default()).await;
    assert_eq!(relayed.count, 1);
    assert_eq!(unnumbered(&world).await, 0);
}
