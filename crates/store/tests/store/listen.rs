//! Notifications reach all listeners of a channel, until their connection breaks.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use store::{Listener, PAYLOAD_BYTES_MAX};

use crate::fresh::{Engine, Fresh};

/// Far longer than the test takes.
const PATIENCE: Duration = Duration::from_secs(120);

async fn hear(listener: &mut Listener) -> model::Result<String> {
    tokio::time::timeout(PATIENCE, listener.heard()).await.expect("nothing was heard")
}

/// Returns whether no notification is waiting.
async fn is_silent(listener: &mut Listener) -> bool {
    let mut heard = pin!(listener.heard());
    poll_fn(|context| Poll::Ready(heard.as_mut().poll(context).is_pending())).await
}

async fn what_is_told_is_heard_where_there_are_others(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let (one, two) = (fresh.open().await, fresh.open().await);
    let (mut here, mut there) = (one.listen("hints").await.unwrap(), two.listen("hints").await.unwrap());
    let mut elsewhere = two.listen("Other").await.unwrap();
    one.notify("hints", "a").await.unwrap();
    here.notify("it's \"b\"").await.unwrap();
    two.notify("Other", "c").await.unwrap();
    if engine == Engine::Postgres {
        for listener in [&mut here, &mut there] {
            assert_eq!(hear(listener).await.unwrap(), "a");
            assert_eq!(hear(listener).await.unwrap(), "it's \"b\"");
        }
        assert_eq!(hear(&mut elsewhere).await.unwrap(), "c");
    }
    for listener in [&mut here, &mut there, &mut elsewhere] {
        assert!(is_silent(listener).await);
    }
}

on_both_engines!(what_is_told_is_heard_where_there_are_others);

#[tokio::test]
async fn the_longest_notification_is_delivered_and_a_longer_one_is_refused() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    let mut listener = db.listen("hints").await.unwrap();
    let longest = "x".repeat(PAYLOAD_BYTES_MAX);
    listener.notify(&format!("{longest}x")).await.unwrap_err();
    listener.notify(&longest).await.unwrap();
    assert_eq!(hear(&mut listener).await.unwrap(), longest);
}

#[tokio::test]
async fn a_listener_learns_that_its_connection_broke() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    let mut listener = db.listen("hints").await.unwrap();
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    fresh.postgres().await.batch_execute(cut).await.unwrap();
    hear(&mut listener).await.unwrap_err();
    listener.notify("a").await.unwrap_err();
    let mut listener = db.listen("hints").await.unwrap();
    db.notify("hints", "b").await.unwrap();
    assert_eq!(hear(&mut listener).await.unwrap(), "b");
}

/// A listener that does not read would fill the server's queue, so its connection is closed.
#[tokio::test]
async fn a_listener_that_does_not_listen_is_cut_off() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    let mut idle = db.listen("hints").await.unwrap();
    let many = "SELECT pg_notify('hints', number::text) FROM generate_series(1, 3000) AS number";
    fresh.postgres().await.batch_execute(many).await.unwrap();
    // It listens to nothing until it is cut off: a listener that is fast enough is not.
    let cut_off = async {
        while idle.notify("more").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, cut_off).await.expect("it is cut off");
    let mut heard = 0;
    while hear(&mut idle).await.is_ok() {
        heard += 1;
    }
    assert!((1..3000).contains(&heard), "{heard}");
}
