//! The client against real sockets on loopback: hostile URLs, changing look-ups, receivers that misbehave.
//!
//! No test connects anywhere but to loopback. Where one needs an address that may be reached beside one that may not,
//! a single address of loopback is allowed and stands for the public ones.

mod answers;
mod connections;
mod hostile;
mod judgement;
mod lookups;
mod rebinding;
mod receiver;
mod restricted;
mod tls;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::Method;

use super::{Addresses, Lookup, Network, Outbound, Party, Request, Target};

/// Far longer than anything takes here: a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(120);

fn networks(texts: &[&str]) -> Vec<Network> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn addresses(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// A client that may reach these networks, with these answers to its look-ups.
fn client(allow: &[&str], answers: Answers) -> (Outbound, Arc<Answers>) {
    let answers = Arc::new(answers);
    (Outbound::with_lookup(&networks(allow), answers.clone()).unwrap(), answers)
}

/// A client that may reach loopback.
fn local() -> Outbound {
    client(&["127.0.0.0/8", "::1/128"], Answers::always(&["127.0.0.1"])).0
}

fn post(target: Target) -> Request {
    Request {
        method: Method::POST,
        target,
        headers: Vec::new(),
        body: Bytes::from_static(b"{}"),
        time_limit: PATIENCE,
        body_bytes_max: 4096,
    }
}

/// Answers to look-ups, one after the other, then from the beginning again.
struct Answers {
    list: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Answers {
    fn always(texts: &[&str]) -> Self {
        Self::turns(&[texts])
    }

    fn turns(list: &[&[&str]]) -> Self {
        Self { list: list.iter().map(|texts| addresses(texts)).collect(), asked: AtomicUsize::new(0) }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Lookup for Answers {
    fn addresses<'a>(&'a self, _: &'a str, _: Option<Party>) -> Addresses<'a> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer: io::Result<_> = Ok(self.list[turn % self.list.len()].clone());
        Box::pin(std::future::ready(answer))
    }
}
