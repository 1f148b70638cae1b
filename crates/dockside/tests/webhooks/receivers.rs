//! The receivers: one HTTP server in this process with a path per endpoint, which records everything that arrives.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use testkit::random::Random;

use crate::endpoint_behaviour::{EndpointBehaviour, Responder};
use crate::message::{Message, fingerprint, now};

/// One message in so many is kept whole.
const SAMPLE_ONE_IN: usize = 97;

pub struct Receivers {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    endpoints: Vec<Mutex<Endpoint>>,
    ends: Mutex<Vec<End>>,
    /// Once this is true, no endpoint delays its answer.
    is_over: Mutex<bool>,
    has_changed: Condvar,
}

struct Endpoint {
    responder: Responder,
    record: Record,
}

/// What arrived at one endpoint, in the order of arrival.
#[derive(Default)]
pub struct Record {
    pub arrivals: Vec<Arrival>,
    pub samples: Vec<Message>,
    /// How many different events were answered with 200.
    pub taken: usize,
    /// By sequence: whether the event was answered with 200.
    is_taken: Vec<bool>,
}

#[derive(Clone, Copy)]
pub struct Arrival {
    pub at: i64,
    pub sequence: u32,
    /// The status of the answer, or zero for none.
    pub status: u16,
    /// The fingerprint of the event's id.
    pub event: u64,
}

/// The end of a connection.
struct End {
    at: i64,
    /// When the last message arrived over it, and for which endpoint.
    last: (i64, usize),
}

impl Record {
    /// Records a message and the status of its answer.
    pub fn note(&mut self, message: Message, at: i64, status: u16) {
        let sequence = message.sequence();
        let place = sequence as usize;
        if status == 200 {
            if self.is_taken.len() <= place {
                self.is_taken.resize(place + 1, false);
            }
            self.taken += usize::from(!self.is_taken[place]);
            self.is_taken[place] = true;
        }
        self.arrivals.push(Arrival { at, sequence, status, event: fingerprint(&message.id) });
        if self.arrivals.len() % SAMPLE_ONE_IN == 1 {
            self.samples.push(message);
        }
    }

    pub fn has_taken(&self, sequence: u32) -> bool {
        self.is_taken.get(sequence as usize).copied().unwrap_or(false)
    }

    pub fn failures(&self) -> usize {
        self.arrivals.iter().filter(|arrival| arrival.status != 200).count()
    }
}

impl Receivers {
    /// Listens for endpoints of these behaviours.
    pub fn start(behaviours: &[EndpointBehaviour], random: &mut Random) -> Self {
        let endpoint = |behaviour: &EndpointBehaviour| {
            let responder = Responder::new(*behaviour, Random(random.below(u64::MAX)));
            Mutex::new(Endpoint { responder, record: Record::default() })
        };
        let endpoints = behaviours.iter().map(endpoint).collect();
        let (ends, is_over, has_changed) = (Mutex::default(), Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { endpoints, ends, is_over, has_changed });
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, shared) = (stream.expect("a connection"), Arc::clone(&accepting));
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { address, shared }
    }

    /// Calls `look` with the record of an endpoint. The endpoint records nothing else meanwhile.
    pub fn with<T>(&self, endpoint: usize, look: impl FnOnce(&Record) -> T) -> T {
        look(&self.shared.endpoint(endpoint).record)
    }

    /// Deletes the record of an endpoint.
    pub fn forget(&self, endpoint: usize) {
        self.shared.endpoint(endpoint).record = Record::default();
    }

    /// Counts the connections to the first `endpoints` endpoints that were in use at `moment` and ended with it.
    pub fn cut_at(&self, moment: i64, slack_us: i64, endpoints: usize) -> usize {
        let is_cut = |end: &&End| {
            let (last_at, endpoint) = end.last;
            let (since, until) = (moment - slack_us, moment + slack_us);
            endpoint < endpoints && (since..until).contains(&last_at) && (moment..until).contains(&end.at)
        };
        self.shared.ends.lock().unwrap().iter().filter(is_cut).count()
    }

    /// Ends all delays, so that a server that is told to stop need not wait for the silent endpoint.
    pub fn end_silence(&self) {
        *self.shared.is_over.lock().unwrap() = true;
        self.shared.has_changed.notify_all();
    }
}

impl Shared {
    fn endpoint(&self, number: usize) -> MutexGuard<'_, Endpoint> {
        self.endpoints[number].lock().expect("no thread of the receivers has panicked")
    }

    /// Answers the messages of one connection until it ends.
    fn serve(&self, stream: TcpStream) {
        stream.set_nodelay(true).expect("a connection");
        let mut stream = BufReader::new(stream);
        let mut last = (0, 0);
        while let Ok(message) = Message::read(&mut stream) {
            let (at, number) = (now(), message.endpoint);
            last = (at, number);
            let answer = {
                let mut endpoint = self.endpoint(number);
                let answer = endpoint.responder.answer(at);
                endpoint.record.note(message, at, answer.status);
                answer
            };
            if !answer.wait.is_zero() {
                let is_over = self.is_over.lock().unwrap();
                drop(self.has_changed.wait_timeout_while(is_over, answer.wait, |is_over| !*is_over).unwrap());
            }
            let more = if answer.status == 429 { "Retry-After: 1\r\n" } else { "" };
            let text = format!("HTTP/1.1 {} Answer\r\n{more}Content-Length: 0\r\n\r\n", answer.status);
            if answer.status == 0 || stream.get_mut().write_all(text.as_bytes()).is_err() {
                break;
            }
        }
        self.ends.lock().unwrap().push(End { at: now(), last });
    }
}
