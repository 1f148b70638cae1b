//! PostgreSQL crashes under load: no acknowledged write is lost, no client sees worse than "try again", and
//! the server serves again by itself.

use std::time::Duration;

use testkit::contents::check_promises;
use testkit::database::{Database, crash_server};
use testkit::load::{Journal, Load};
use testkit::random::Random;
use testkit::server::{Server, token, wait_until};
use testkit::stopwatch::Stopwatch;

use crate::commit_proxy::CommitProxy;

const CRASHES: u64 = 4;
/// Commits whose answers are lost. Some are the relay's, most are those of creates.
const ANSWERS_LOST: u64 = 40;
/// How soon writes are acknowledged again after the database is back.
const BACK_WITHIN: Duration = Duration::from_secs(5);
/// A load that makes no progress for so long is stuck.
const STUCK: Duration = Duration::from_secs(60);

#[test]
fn no_acknowledged_write_is_lost_when_postgres_crashes() {
    let mut random = Random::seeded("crash_postgres");
    let folder = tempfile::tempdir().unwrap();
    let database = Database::create();
    let arguments = ["--data", "data", "--database-url", database.url.as_str()];
    let token = token(folder.path(), &arguments);
    let server = Server::start(folder.path(), &arguments);
    let load = Load::start(server.address, &token);
    let mut slowest = Duration::ZERO;
    for _ in 0..CRASHES {
        load.wait_for(50 + random.below(150), STUCK);
        std::thread::sleep(random.within_millis(8));
        crash_server();
        slowest = slowest.max(load.wait_for(1, BACK_WITHIN));
    }
    load.wait_for(50, STUCK);
    let journal = load.finish();
    assert_eq!(journal.broken, 0, "the server itself stayed");
    report("crash_postgres", &server, &token, &database, &journal, slowest);
}

#[test]
fn no_acknowledged_write_is_lost_when_postgres_crashes_and_the_process_is_killed() {
    let mut random = Random::seeded("crash_both");
    let folder = tempfile::tempdir().unwrap();
    let database = Database::create();
    let arguments = ["--data", "data", "--database-url", database.url.as_str()];
    let token = token(folder.path(), &arguments);
    let mut server = Server::start(folder.path(), &arguments);
    let load = Load::start(server.address, &token);
    let mut slowest = Duration::ZERO;
    for crash in 0..CRASHES {
        load.wait_for(50 + random.below(150), STUCK);
        std::thread::sleep(random.within_millis(8));
        // PostgreSQL and the server take turns in going down first.
        if crash % 2 == 0 {
            crash_server();
        }
        server.kill();
        load.moved(None);
        if crash % 2 == 1 {
            crash_server();
        }
        let back = Stopwatch::start();
        server = Server::start(folder.path(), &arguments);
        load.moved(Some(server.address));
        load.wait_for(1, BACK_WITHIN);
        slowest = slowest.max(back.elapsed());
    }
    load.wait_for(50, STUCK);
    let journal = load.finish();
    report("crash_both", &server, &token, &database, &journal, slowest);
}

#[test]
fn a_write_whose_commit_went_unanswered_is_not_made_twice() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::create();
    let proxy = CommitProxy::new(database.address());
    let url = database.url_at(proxy.address);
    let arguments = ["--data", "data", "--database-url", url.as_str()];
    let token = token(folder.path(), &arguments);
    let server = Server::start(folder.path(), &arguments);
    let load = Load::start(server.address, &token);
    for lost in 1..=ANSWERS_LOST {
        load.wait_for(10, STUCK);
        proxy.lose_one();
        wait_until("an answer is lost", STUCK, || proxy.lost() >= lost);
    }
    let slowest = load.wait_for(50, BACK_WITHIN);
    let journal = load.finish();
    report("lost_commits", &server, &token, &database, &journal, slowest);
}

fn report(
    name: &str,
    server: &Server,
    token: &str,
    database: &Database,
    journal: &Journal,
    slowest: Duration,
) {
    let by_name = check_promises(&mut server.client(token), journal);
    // The relay numbers what is committed; the last ones may be a moment behind.
    wait_until("all events are numbered", STUCK, || database.contents().is_numbered());
    let contents = database.contents();
    contents.check();
    assert_eq!(contents.locations.len(), by_name.len());
    let (found, lost) = journal.resolve(&by_name);
    println!(
        "{name}: {} acknowledged; in doubt without a key: {found} found, {lost} not; repeated \
         with their key: {} had been done, {} had not; {} got 503, {} found their key in use, {} broken \
         connections; serving again within {slowest:?}",
        journal.acknowledged.len(),
        journal.repeated_found,
        journal.repeated_lost,
        journal.turned_away,
        journal.in_progress,
        journal.broken,
    );
    assert!(journal.turned_away + journal.broken >= CRASHES, "the crashes met requests under way");
    assert!(slowest < BACK_WITHIN);
}
