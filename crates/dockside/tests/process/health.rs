//! `dockside health`: what container engines run to see whether a server works.

use std::net::TcpListener;

use testkit::server::{Server, run, token};

#[test]
fn health_succeeds_while_the_server_is_ready_and_fails_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    token(folder.path(), &["--data", "data"]);
    let server = Server::start(folder.path(), &["--data", "data"]);
    let url = format!("http://{}", server.address);
    let health = || run(folder.path(), &["health", "--url", &url]);
    let ready = health();
    assert_eq!((ready.code, ready.stdout.as_str()), (0, "ready\n"), "{}", ready.stderr);
    server.stop();
    let gone = health();
    assert_eq!((gone.code, gone.stdout.as_str()), (1, ""));
    assert!(gone.stderr.contains(&url), "{}", gone.stderr);
}

#[test]
fn health_tells_why_a_server_is_not_ready() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut client, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        let length = client.read(&mut head).unwrap();
        assert!(head[..length].starts_with(b"GET /readyz HTTP/1.1\r\n"));
        let body = r#"{"code":"store_not_writable"}"#;
        let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json";
        write!(client, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    });
    let folder = tempfile::tempdir().unwrap();
    let failed = run(folder.path(), &["health", "--url", &url]);
    assert_eq!(failed.code, 1);
    assert!(failed.stderr.contains("is not ready: 503 store_not_writable"), "{}", failed.stderr);
    server.join().unwrap();
}
