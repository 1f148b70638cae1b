//! The bare client: posts the same bytes repeatedly, one request after the other on each connection, and does nothing
//! else.

use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::harness::outcome::Outcome;

/// Posts the request in the file over these connections, and prints the processor time that it took, in microseconds.
pub fn run(to: SocketAddr, file: &Path, connections: usize, requests: usize) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let request = read_request(&std::fs::read(file)?)?;
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for _ in 0..connections {
            tasks.spawn(post(to, request.clone(), requests / connections));
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        let spent = crate::harness::process::cpu_of("self")?;
        Ok(std::io::stdout().write_all(spent.as_micros().to_string().as_bytes())?)
    })
}

async fn post(to: SocketAddr, request: http::Request<Full<Bytes>>, requests: usize) -> Outcome<()> {
    let stream = TcpStream::connect(to).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    for _ in 0..requests {
        let answer = sender.send_request(request.clone()).await?;
        answer.into_body().collect().await?;
    }
    Ok(())
}

/// Parses a received request. The connection itself writes the length.
fn read_request(bytes: &[u8]) -> Outcome<http::Request<Full<Bytes>>> {
    let text = std::str::from_utf8(bytes)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or("the request has no head")?;
    let mut lines = head.split("\r\n");
    let path = lines.next().and_then(|line| line.split(' ').nth(1)).ok_or("the request has no path")?;
    let mut request = http::Request::post(path);
    for line in lines {
        let (name, value) = line.split_once(": ").ok_or("a header has no value")?;
        if !name.eq_ignore_ascii_case("content-length") {
            request = request.header(name, value);
        }
    }
    Ok(request.body(Full::new(Bytes::copy_from_slice(body.as_bytes())))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_keeps_its_path_its_headers_and_its_body() {
        let text = b"POST /hook HTTP/1.1\r\nwebhook-id: evt_1\r\ncontent-length: 2\r\n\r\n{}";
        let request = read_request(text).unwrap();
        assert_eq!((request.uri().path(), request.headers().len()), ("/hook", 1));
    }
}
