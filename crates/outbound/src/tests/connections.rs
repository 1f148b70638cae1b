//! Connections: they are used again while that is safe, and a request is never sent twice.

use std::net::TcpListener as Bound;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::receiver::{OK, OK_CLOSE, Receiver, answer_all, closed_by_client, read_request};
use super::{Answers, PATIENCE, client, local, post};
use crate::{Failure, Outbound, Target};

fn target(client: &Outbound, receiver: &Receiver) -> Target {
    client.parse_url(&receiver.url()).unwrap()
}

async fn send(client: &Outbound, target: &Target) -> u16 {
    client.send(post(target.clone())).await.unwrap().status
}

/// Goes once around a socket of its own. Whatever the machine knew of other sockets before, the runtime knows now.
async fn settle() {
    let receiver = Receiver::answering(OK).await;
    let mut socket = TcpStream::connect(receiver.address).await.unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    socket.read_exact(&mut [0; OK.len()]).await.unwrap();
}

#[tokio::test]
async fn a_connection_is_used_again_without_a_new_look_up() {
    let receiver = Receiver::answering(OK).await;
    let (client, answers) = client(&["127.0.0.0/8"], Answers::turns(&[&["127.0.0.1"], &["127.9.9.5"]]));
    let target = client.parse_url(&format!("http://shop.example:{}/", receiver.address.port())).unwrap();
    for _ in 0..50 {
        assert_eq!(send(&client, &target).await, 200);
    }
    assert_eq!((receiver.accepted(), answers.asked()), (1, 1));
}

#[tokio::test]
async fn requests_at_once_have_a_connection_each_and_leave_them_to_the_next() {
    // The receiver answers only once all eight requests are there, on eight connections.
    let together = std::sync::Arc::new(tokio::sync::Barrier::new(8));
    let receiver = Receiver::start(move |mut socket, _| {
        let together = together.clone();
        async move {
            while read_request(&mut socket).await.is_some() {
                together.wait().await;
                socket.write_all(OK.as_bytes()).await.unwrap();
            }
        }
    })
    .await;
    let client = local();
    for _ in 0..3 {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let (client, target) = (client.clone(), target(&client, &receiver));
            tasks.spawn(async move { send(&client, &target).await });
        }
        assert_eq!(tasks.join_all().await, [200; 8]);
        assert_eq!(receiver.accepted(), 8);
    }
}

#[tokio::test]
async fn a_connection_that_the_receiver_ends_is_not_used_again() {
    let receiver = Receiver::answering(OK_CLOSE).await;
    let client = local();
    for turn in 1..=3 {
        assert_eq!(send(&client, &target(&client, &receiver)).await, 200);
        assert_eq!(receiver.accepted(), turn);
    }
}

#[tokio::test]
async fn a_stale_connection_is_noticed_before_anything_is_sent() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let receiver = Receiver::start(move |mut socket, _| {
        let tell = tell.clone();
        async move {
            let request = read_request(&mut socket).await;
            socket.write_all(OK.as_bytes()).await.unwrap();
            // It says that it stays, and goes.
            drop(socket);
            tell.send(request).unwrap();
        }
    })
    .await;
    let client = local();
    for turn in 1..=5 {
        assert_eq!(send(&client, &target(&client, &receiver)).await, 200);
        assert!(told.recv().await.unwrap().is_some(), "each connection carried its request");
        assert_eq!(receiver.accepted(), turn);
        settle().await;
    }
}

#[tokio::test]
async fn a_request_that_was_sent_is_not_sent_again() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let receiver = Receiver::start(move |mut socket, index| {
        let tell = tell.clone();
        async move {
            read_request(&mut socket).await.unwrap();
            socket.write_all(OK.as_bytes()).await.unwrap();
            // The second request on the first connection is taken, and never answered.
            tell.send((index, read_request(&mut socket).await.is_some())).unwrap();
        }
    })
    .await;
    let client = local();
    let target = target(&client, &receiver);
    assert_eq!(send(&client, &target).await, 200);
    let failure = client.send(post(target.clone())).await.unwrap_err();
    assert_eq!(failure.to_string(), "The connection was closed before the answer was complete.");
    assert_eq!(told.recv().await.unwrap(), (0, true));
    assert_eq!(receiver.accepted(), 1, "there was no second try");
    assert_eq!(send(&client, &target).await, 200);
    assert_eq!(receiver.accepted(), 2);
}

#[tokio::test]
async fn an_unsolicited_answer_is_not_the_next_requests() {
    let receiver = Receiver::start(|mut socket, index| async move {
        read_request(&mut socket).await.unwrap();
        if index == 0 {
            let planted = format!("{OK}HTTP/1.1 299 Planted\r\nContent-Length: 0\r\n\r\n");
            socket.write_all(planted.as_bytes()).await.unwrap();
            closed_by_client(&mut socket).await;
        } else {
            socket.write_all(OK.as_bytes()).await.unwrap();
        }
    })
    .await;
    let client = local();
    for turn in 1..=2 {
        assert_eq!(send(&client, &target(&client, &receiver)).await, 200);
        settle().await;
        assert_eq!(receiver.accepted(), turn);
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed_in_time() {
    for (answer, idle_seconds) in
        [(OK, 15), ("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=9\r\nContent-Length: 0\r\n\r\n", 4)]
    {
        let (tell, mut told) = mpsc::unbounded_channel();
        let receiver = Receiver::start(move |socket, _| {
            let tell = tell.clone();
            async move {
                answer_all(socket, answer).await;
                tell.send(()).unwrap();
            }
        })
        .await;
        let client = local();
        let target = target(&client, &receiver);
        assert_eq!(send(&client, &target).await, 200);
        advance(Duration::from_secs(idle_seconds - 1)).await;
        assert_eq!(send(&client, &target).await, 200);
        assert_eq!(receiver.accepted(), 1);
        advance(Duration::from_secs(idle_seconds)).await;
        assert_eq!(send(&client, &target).await, 200);
        assert_eq!(receiver.accepted(), 2);
        told.recv().await.unwrap();
        // Without another request it is closed too.
        advance(Duration::from_secs(idle_seconds + 5)).await;
        tokio::time::timeout(PATIENCE, told.recv()).await.expect("the connection is closed").unwrap();
    }
}

#[tokio::test]
async fn a_busy_connection_is_given_up_when_it_is_old() {
    let receiver = Receiver::answering(OK).await;
    let client = local();
    for _ in 0..31 {
        assert_eq!(send(&client, &target(&client, &receiver)).await, 200);
        advance(Duration::from_secs(10)).await;
    }
    assert_eq!(receiver.accepted(), 2);
}

/// Lets so much time pass at once, after what was spawned has begun to wait.
async fn advance(time: Duration) {
    tokio::task::yield_now().await;
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn the_next_address_is_tried_where_nothing_listens() {
    let receiver = Receiver::answering(OK).await;
    let (client, _) = client(&["127.0.0.0/8"], Answers::always(&["127.9.9.7", "127.9.9.6", "127.0.0.1"]));
    let target = client.parse_url(&format!("http://shop.example:{}/", receiver.address.port())).unwrap();
    assert_eq!(send(&client, &target).await, 200);
}

#[tokio::test]
async fn where_nothing_listens_the_failure_says_so() {
    let port = Bound::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (client, _) = client(&["127.0.0.0/8"], Answers::always(&["127.0.0.1"]));
    let target = client.parse_url(&format!("http://shop.example:{port}/")).unwrap();
    let failure = client.send(post(target)).await.unwrap_err();
    assert!(matches!(failure, Failure::Connect { .. }));
    assert_eq!(
        failure.to_string(),
        format!(
            "No connection to shop.example on port {port}: it refuses connections (is the receiver running?)."
        )
    );
}
