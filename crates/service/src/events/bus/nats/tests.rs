//! The client against a server that is played by the test, on a clock that does not wait.

use tokio::io::{BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split};

use super::*;

const INFO: &str = "INFO {\"server_id\":\"N\"}\r\n";

/// The other end: what the client wrote, line by line, and where to answer.
struct Server {
    lines: BufReader<ReadHalf<DuplexStream>>,
    out: WriteHalf<DuplexStream>,
}

impl Server {
    async fn says(&mut self, text: &str) {
        self.out.write_all(text.as_bytes()).await.expect("the client is there");
    }

    async fn reads(&mut self) -> String {
        use tokio::io::AsyncBufReadExt as _;
        let mut line = String::new();
        self.lines.read_line(&mut line).await.expect("text");
        line
    }

    /// Lets a client in, as far as the PING that follows what it asks for.
    async fn greets(&mut self) {
        self.says(INFO).await;
        assert!(self.reads().await.starts_with("CONNECT {"));
        assert_eq!(self.reads().await, "SUB dockside.hints 1\r\n");
        assert_eq!(self.reads().await, "PING\r\n");
    }
}

fn pair() -> (DuplexStream, Server) {
    let (client, server) = duplex(1 << 16);
    let (lines, out) = split(server);
    (client, Server { lines: BufReader::new(lines), out })
}

async fn open(client: DuplexStream) -> Result<NatsConnection> {
    let mut connection = Connection::new(client, "dockside.hints");
    connection.info().await?;
    NatsConnection::open(connection, &"nats://host".parse().unwrap()).await
}

/// A client that was let in.
async fn connected() -> (NatsConnection, Server) {
    let (client, mut server) = pair();
    let welcome = async {
        server.greets().await;
        server.says("PONG\r\n").await;
        server
    };
    let (line, server) = tokio::join!(open(client), welcome);
    (line.expect("a connection"), server)
}

#[tokio::test(start_paused = true)]
async fn it_hears_and_publishes() {
    let (mut line, mut server) = connected().await;
    server.says("MSG dockside.hints 1 2\r\nhi\r\nPING\r\nMSG dockside.hints 1 3\r\nyou\r\n").await;
    assert_eq!(line.heard().await.unwrap(), b"hi");
    assert_eq!(line.heard().await.unwrap(), b"you");
    assert_eq!(server.reads().await, "PONG\r\n");
    line.publish(b"hello").await.unwrap();
    assert_eq!(server.reads().await, "PUB dockside.hints 5\r\n");
    assert_eq!(server.reads().await, "hello\r\n");
}

#[tokio::test(start_paused = true)]
async fn it_closes_when_the_server_has_everything() {
    let (mut line, mut server) = connected().await;
    line.publish(b"hello").await.unwrap();
    let closing = tokio::spawn(line.close());
    for expected in ["PUB dockside.hints 5\r\n", "hello\r\n", "PING\r\n"] {
        assert_eq!(server.reads().await, expected);
    }
    assert!(!closing.is_finished());
    server.says("PONG\r\n").await;
    closing.await.unwrap().unwrap();
    assert_eq!(server.reads().await, "", "the connection is closed");
}

#[tokio::test(start_paused = true)]
async fn it_is_not_in_before_the_server_agrees() {
    for (answer, why) in [
        ("-ERR 'Authorization Violation'\r\n", "says: Authorization Violation"),
        ("-ERR 'Permissions Violation for Subscription to \"dockside.hints\"'\r\n", "Permissions Violation"),
        ("HTTP/1.1 400 Bad Request\r\n", "not known"),
    ] {
        let (client, mut server) = pair();
        let refusal = async {
            server.greets().await;
            server.says(answer).await;
        };
        let (line, ()) = tokio::join!(open(client), refusal);
        let error = line.err().expect("a refusal").to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_does_not_speak_to_a_server_that_is_none() {
    let (client, mut server) = pair();
    server.says("PING\r\n").await;
    let error = open(client).await.err().expect("a refusal").to_string();
    assert!(error.contains("does not greet"), "{error}");
    assert_eq!(server.reads().await, "", "no credentials were sent");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_lives_and_one_that_is_silent_does_not() {
    let (mut line, mut server) = connected().await;
    for _ in 0..5 {
        assert_eq!(server.reads().await, "PING\r\n");
        server.says("PONG\r\n").await;
    }
    let begin = Instant::now();
    let error = line.heard().await.unwrap_err().to_string();
    assert!(error.contains("does not answer"), "{error}");
    assert_eq!(begin.elapsed(), PING_EVERY * (MISSED_MAX as u32 + 1));
}

#[tokio::test(start_paused = true)]
async fn it_says_why_a_connection_ended() {
    let (mut line, mut server) = connected().await;
    server.says("-ERR 'Stale Connection'\r\n").await;
    assert!(line.heard().await.unwrap_err().to_string().contains("Stale Connection"));
    assert!(line.publish(b"x").await.is_err());
    let (mut line, server) = connected().await;
    drop(server);
    assert!(line.heard().await.unwrap_err().to_string().contains("closed"));
}

#[tokio::test(start_paused = true)]
async fn a_flood_that_is_not_read_ends_the_connection() {
    let (mut line, mut server) = connected().await;
    for _ in 0..UNHEARD_MAX + 1 {
        server.says("MSG dockside.hints 1 1\r\nx\r\n").await;
    }
    assert_eq!(server.reads().await, "");
    for _ in 0..UNHEARD_MAX {
        line.heard().await.unwrap();
    }
    assert!(line.heard().await.unwrap_err().to_string().contains("faster"));
}
