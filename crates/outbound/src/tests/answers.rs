//! Receivers that misbehave: every answer ends within its limits, with a sentence that says what was wrong.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;

use super::receiver::{OK, Receiver, at_one_port, closed_by_client, read_request};
use super::{PATIENCE, local, post};
use crate::{Failure, Outbound, Phase, Request, Response};

/// A limit short enough to wait for.
const SHORT: Duration = Duration::from_millis(150);

fn request(client: &Outbound, receiver: &Receiver) -> Request {
    post(client.parse_url(&receiver.url()).unwrap())
}

/// What a client makes of an answer of these bytes, after which the connection is closed.
async fn read(answer: impl Into<Vec<u8>>) -> Result<Response, Failure> {
    let answer: Vec<u8> = answer.into();
    let receiver = Receiver::start(move |mut socket, _| {
        let answer = answer.clone();
        async move {
            read_request(&mut socket).await;
            // A client that has seen enough closes early.
            let _ignored = socket.write_all(&answer).await;
        }
    })
    .await;
    let client = local();
    client.send(request(&client, &receiver)).await
}

async fn broken(answer: impl Into<Vec<u8>>) -> String {
    match read(answer).await {
        Err(failure @ Failure::Broken { .. }) => failure.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_request_arrives_as_it_was_given() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let receiver = Receiver::start(move |mut socket, _| {
        let tell = tell.clone();
        async move {
            while let Some(request) = read_request(&mut socket).await {
                tell.send(request).unwrap();
                socket.write_all(OK.as_bytes()).await.unwrap();
            }
        }
    })
    .await;
    let client = local();
    let host = receiver.address;
    let target = client.parse_url(&format!("http://{host}/a/../b%20c?d=é")).unwrap();
    let header = |name: &'static str, value: &'static str| {
        (HeaderName::from_static(name), HeaderValue::from_static(value))
    };
    let headers = vec![
        header("webhook-id", "msg_1"),
        // Those that frame the message are not the caller's to set.
        header("host", "elsewhere.example"),
        header("content-length", "1"),
        header("transfer-encoding", "chunked"),
        header("connection", "close"),
    ];
    let body = Bytes::from_static(b"{\"a\":1}");
    let response = client.send(Request { headers, body, ..post(target.clone()) }).await.unwrap();
    assert_eq!((response.status, &response.body[..], response.is_truncated), (200, &b"ok"[..], false));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        told.recv().await.unwrap(),
        format!(
            "POST /b%20c?d=%C3%A9 HTTP/1.1\r\nhost: {host}\r\nwebhook-id: msg_1\r\nuser-agent: Dockside/{version}\r\n\
             content-length: 7\r\n\r\n{{\"a\":1}}"
        )
    );
    client.send(Request { method: Method::GET, body: Bytes::new(), ..post(target) }).await.unwrap();
    assert!(told.recv().await.unwrap().starts_with("GET /b%20c?d=%C3%A9 HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let (port, canaries) = at_one_port(&["127.0.0.1", "::1"]).await;
    for status in [301, 302, 303, 307, 308] {
        let response = read(format!(
            "HTTP/1.1 {status} Elsewhere\r\nLocation: http://127.0.0.1:{port}/\r\nContent-Length: 0\r\n\r\n"
        ))
        .await
        .unwrap();
        assert_eq!(response.status, status);
        assert!(response.headers.contains_key("location"));
    }
    assert!(canaries.iter().all(|canary| canary.accepted() == 0));
}

#[tokio::test]
async fn any_status_is_an_answer() {
    assert_eq!(read("HTTP/1.1 204 No Content\r\n\r\n").await.unwrap().status, 204);
    assert_eq!(read("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n").await.unwrap().status, 410);
    assert_eq!(
        read("HTTP/1.0 503 Busy\r\nRetry-After: 9\r\n\r\n").await.unwrap().headers["retry-after"],
        "9"
    );
    let interim = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    assert_eq!(read(interim).await.unwrap().status, 200);
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    assert_eq!(&read(chunked).await.unwrap().body[..], b"abcde");
    assert_eq!(&read("HTTP/1.1 200 OK\r\n\r\nuntil the end").await.unwrap().body[..], b"until the end");
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_given_up_and_its_connection_closed() {
    let beginnings = [
        ("", Phase::Head, "No answer came within 150 ms."),
        ("HTTP/1.1 200 OK\r\nContent-Le", Phase::Head, "No answer came within 150 ms."),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nslow",
            Phase::Body,
            "The answer began but was not complete within 150 ms.",
        ),
        ("HTTP/1.1 103 Early Hints\r\n\r\n", Phase::Head, "No answer came within 150 ms."),
    ];
    for (beginning, phase, sentence) in beginnings {
        let (tell, mut told) = mpsc::unbounded_channel();
        let receiver = Receiver::start(move |mut socket, _| {
            let tell = tell.clone();
            async move {
                read_request(&mut socket).await.unwrap();
                socket.write_all(beginning.as_bytes()).await.unwrap();
                closed_by_client(&mut socket).await;
                tell.send(()).unwrap();
            }
        })
        .await;
        let client = local();
        let began = Instant::now();
        let failure =
            client.send(Request { time_limit: SHORT, ..request(&client, &receiver) }).await.unwrap_err();
        assert_eq!(failure, Failure::Timeout { phase, limit: SHORT });
        assert_eq!(failure.to_string(), sentence);
        assert!(began.elapsed() >= SHORT && began.elapsed() < PATIENCE / 2);
        tokio::time::timeout(PATIENCE, told.recv()).await.expect("the connection is closed").unwrap();
    }
}

#[tokio::test]
async fn an_answer_that_trickles_does_not_stretch_the_limit() {
    let receiver = Receiver::start(|mut socket, _| async move {
        read_request(&mut socket).await.unwrap();
        // A head that never ends, a field at a time, for as long as the client listens.
        let mut part = "HTTP/1.1 200 OK\r\n".to_owned();
        while socket.write_all(part.as_bytes()).await.is_ok() {
            part = "a: b\r\n".to_owned();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let client = local();
    let failure =
        client.send(Request { time_limit: SHORT, ..request(&client, &receiver) }).await.unwrap_err();
    assert_eq!(failure, Failure::Timeout { phase: Phase::Head, limit: SHORT });
}

#[tokio::test]
async fn of_an_endless_body_only_the_beginning_is_kept_and_read() {
    for head in ["\r\n", "Content-Length: 99999999999\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"] {
        let (tell, mut told) = mpsc::unbounded_channel();
        let receiver = Receiver::start(move |mut socket, _| {
            let tell = tell.clone();
            async move {
                read_request(&mut socket).await.unwrap();
                socket.write_all(format!("HTTP/1.1 200 OK\r\n{head}").as_bytes()).await.unwrap();
                let part = if head.contains("chunked") {
                    format!("10000\r\n{}\r\n", "x".repeat(0x10000))
                } else {
                    "x".repeat(0x10000)
                };
                while socket.write_all(part.as_bytes()).await.is_ok() {}
                tell.send(()).unwrap();
            }
        })
        .await;
        let client = local();
        let response =
            client.send(Request { body_bytes_max: 4096, ..request(&client, &receiver) }).await.unwrap();
        assert_eq!((response.status, response.body.len(), response.is_truncated), (200, 4096, true));
        tokio::time::timeout(PATIENCE, told.recv()).await.expect("the connection is closed").unwrap();
        client.send(request(&client, &receiver)).await.unwrap();
        assert_eq!(receiver.accepted(), 2, "the rest of an answer is not read as the next answer");
    }
}

#[tokio::test]
async fn a_body_of_just_the_size_that_is_kept_is_whole() {
    let receiver = Receiver::answering(OK).await;
    let client = local();
    for (kept, is_truncated) in [(2, false), (3, false), (0, true), (1, true)] {
        let response =
            client.send(Request { body_bytes_max: kept, ..request(&client, &receiver) }).await.unwrap();
        assert_eq!(response.body, "ok"[..kept.min(2)]);
        assert_eq!(response.is_truncated, is_truncated);
    }
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let sentence = "The answer's head is larger than 64 KiB or has too many fields.";
    let large = format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "x".repeat(1 << 20));
    assert_eq!(broken(large).await, sentence);
    assert_eq!(broken(format!("HTTP/1.1 200 {}\r\n\r\n", "x".repeat(1 << 20))).await, sentence);
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(1000));
    assert_eq!(broken(many).await, sentence);
    let fair = format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: {}\r\n\r\n", "x".repeat(16 << 10));
    assert_eq!(read(fair).await.unwrap().status, 200);
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_told() {
    let nonsense: [&[u8]; 11] = [
        b"SSH-2.0-OpenSSH_9.2p1\r\n",
        b"220 mail.example ESMTP\r\n",
        b"<html>hello</html>\r\n\r\n",
        b"\x00\x01\x02\x03\xff\xfe\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 99999 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ];
    for answer in nonsense {
        assert_eq!(
            broken(answer).await,
            "The answer is not HTTP/1.1.",
            "{:?}",
            String::from_utf8_lossy(answer)
        );
    }
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n";
    assert!(broken(chunks).await.starts_with("The connection broke before the answer was complete: "));
}

#[tokio::test]
async fn a_connection_that_is_closed_early_is_told() {
    let sentence = "The connection was closed before the answer was complete.";
    assert_eq!(broken("").await, sentence);
    assert_eq!(broken("HTTP/1.1 200 OK\r\nContent-").await, sentence);
    let short = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this";
    assert!(broken(short).await.starts_with("The connection "));
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab";
    assert!(broken(chunks).await.starts_with("The connection "));
}

#[tokio::test]
async fn what_is_not_wanted_any_more_once_the_connection_stands_is_not_written() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let receiver = Receiver::start(move |mut socket, _| {
        let tell = tell.clone();
        async move {
            tell.send(read_request(&mut socket).await.is_some()).unwrap();
        }
    })
    .await;
    let client = local();
    let outcome = client.send_if(request(&client, &receiver), &|| false).await;
    assert!(matches!(outcome, Err(Failure::Withdrawn)), "{outcome:?}");
    assert_eq!(told.recv().await, Some(false), "a connection, and no request on it");
}
