//! A receiver of webhooks that records every byte, and answers as the test says.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Longer than anything here may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A request that arrived.
#[derive(Debug)]
pub struct Received {
    /// The first line, then the headers, as they came.
    pub request: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }
}

/// It listens until the tests end.
pub struct Receiver {
    pub address: SocketAddr,
    received: mpsc::Receiver<Received>,
}

impl Receiver {
    /// The first requests get these answers, all others 204.
    pub fn start(answers: &[(u16, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (sender, received) = mpsc::channel();
        let answers: Vec<_> = answers.iter().rev().copied().collect();
        let answers = Arc::new(Mutex::new(answers));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (sender, answers) = (sender.clone(), Arc::clone(&answers));
                std::thread::spawn(move || serve(stream, &sender, &answers));
            }
        });
        Self { address, received }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Waits for the next request.
    pub fn next(&self) -> Received {
        self.received.recv_timeout(PATIENCE).expect("a request")
    }

    /// Returns whether no request is left to read.
    pub fn is_empty(&self) -> bool {
        self.received.try_recv().is_err()
    }
}

fn serve(stream: TcpStream, sender: &Sender<Received>, answers: &Mutex<Vec<(u16, &'static str)>>) {
    let mut stream = BufReader::new(stream);
    // A sender may close the connection between two requests.
    while let Ok(received) = read(&mut stream) {
        let (status, body) = answers.lock().unwrap().pop().unwrap_or((204, ""));
        let length =
            if status == 204 { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        // Record the request before answering it: a test that has seen the answer must find the request.
        if sender.send(received).is_err() {
            return;
        }
        let answer = format!("HTTP/1.1 {status} x\r\n{length}\r\n{body}");
        if stream.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Received> {
    let request = line(stream)?;
    let mut headers = Vec::new();
    loop {
        let line = line(stream)?;
        let Some((name, value)) = line.split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut received = Received { request, headers, body: Vec::new() };
    received.body = vec![0; received.header("content-length").parse().map_err(io::Error::other)?];
    stream.read_exact(&mut received.body)?;
    Ok(received)
}

fn line(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let line = line.strip_suffix("\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(line.to_owned())
}
