//! EasyPost with a ledger: a simulated server that is never killed. It answers as in EasyPost's recordings, for any number
//! of shipments, and writes each charge to its ledger, synced, before it answers. Each kind of fault happens to one in
//! forty purchases.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use carriers::sandbox::desk::{Entry, Event, Request as Visit};
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use model::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::easypost_recordings::{LABEL, SHIPMENTS, answers, failure, is_authorised};
use testkit::random::Random;
use tokio::sync::oneshot;

use crate::call_time::CALL;
use crate::easypost_faults::{EasyPostFault, FaultSchedule};

/// Rates of one carrier beside the silence of another, and a purchase.
const RECORDING: &str = "hist_rate_no_response_then_buy";
/// The delay of a late answer: the waiting server has given up by then.
const LATE: Duration = CALL.saturating_add(Duration::from_secs(1));
/// Look-ups that show the old state, after a charge that was answered with an error: the immediate one, the one at which a
/// purchase must be visible, and the one that begins the next attempt. That attempt is refused, because postage exists.
const STALE_LOOKS: usize = 3;
/// Answers of 429 about a shipment after a charge that was answered with 429: look-ups continue for about a minute.
const BUSY_ANSWERS: usize = 5;

/// An answer; `None` where the connection is cut instead.
type Answer = Option<(u16, Value)>;

/// The server. It ends when this value is dropped.
pub struct EasyPost {
    address: SocketAddr,
    books: Arc<Mutex<Books>>,
    folder: TempDir,
    _stop: oneshot::Sender<()>,
}

/// How often something happened.
#[derive(Clone, Default, Debug)]
pub struct Counts {
    /// By the place in [`EasyPostFault::ALL`].
    pub buys: [usize; EasyPostFault::ALL.len()],
    /// Look-ups and creations of shipments that failed.
    pub looks: usize,
    /// Purchases that were refused because there was postage already.
    pub exists: usize,
}

struct Books {
    /// The answers about a created shipment, and about a bought one.
    known: Value,
    bought: Value,
    parcels: BTreeMap<String, Parcel>,
    ledger: File,
    buys: FaultSchedule,
    looks: FaultSchedule,
    counts: Counts,
}

/// A shipment that a server created.
#[derive(Clone)]
struct Parcel {
    name: String,
    reference: Value,
    /// Its tracking number, once it is paid.
    number: Option<String>,
    stale_looks: usize,
    busy_answers: usize,
}

impl EasyPost {
    pub fn open(random: &mut Random) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a socket");
        let address = listener.local_addr().expect("an address");
        let ledger = File::create(folder.path().join("ledger.jsonl")).expect("a file");
        let books = Arc::new(Mutex::new(Books::new(address, ledger, random)));
        let (stop, stopped) = oneshot::channel::<()>();
        let shared = Arc::clone(&books);
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, shared) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, books, folder, _stop: stop }
    }

    /// Returns the address that the operator sets for EasyPost.
    pub fn url(&self) -> String {
        format!("http://{}/v2", self.address)
    }

    pub fn ledger(&self) -> PathBuf {
        self.folder.path().join("ledger.jsonl")
    }

    /// The service that is sold.
    pub fn service(&self) -> String {
        let rate = lock(&self.books).bought["selected_rate"].clone();
        let word = |name: &str| rate[name].as_str().expect("a text").to_owned();
        carriers::easypost::handle(&word("carrier"), &word("service"))
    }

    /// Ends all faults.
    pub fn heal(&self) {
        let mut books = lock(&self.books);
        books.buys.heal();
        books.looks.heal();
        books.parcels.values_mut().for_each(|parcel| parcel.busy_answers = 0);
    }

    pub fn counts(&self) -> Counts {
        lock(&self.books).counts.clone()
    }
}

fn lock(books: &Mutex<Books>) -> MutexGuard<'_, Books> {
    books.lock().unwrap()
}

async fn serve(listener: std::net::TcpListener, books: Arc<Mutex<Books>>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let books = Arc::clone(&books);
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(Arc::clone(&books), request));
            // An error is expected: a fault may cut the connection.
            let _ended = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(
    books: Arc<Mutex<Books>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
    let (method, path) = (head.method.as_str().to_owned(), head.uri.path().to_owned());
    if path.starts_with("/files/") {
        return Ok(Response::new(Full::new(Bytes::from(LABEL))));
    }
    // In a separate task, so that the request is carried out even if the client does not wait for the answer.
    let done = tokio::spawn(async move { attend(&books, &method, &path, &head.headers, &body).await });
    let answer = done.await.map_err(std::io::Error::other)?;
    let (status, said) = answer.ok_or_else(|| std::io::Error::other("cut"))?;
    let response = Response::builder().status(status).header("content-type", "application/json");
    Ok(response.body(Full::new(Bytes::from(said.to_string()))).expect("an answer"))
}

async fn attend(books: &Mutex<Books>, method: &str, path: &str, headers: &HeaderMap, body: &[u8]) -> Answer {
    if !is_authorised(headers) {
        return Some((401, failure("APIKEY.INACTIVE", "This api key is no longer active.")));
    }
    let steps: Vec<&str> = path.trim_start_matches(SHIPMENTS).split('/').skip(1).collect();
    match (method, &steps[..]) {
        ("POST", []) => lock(books).know(body),
        ("GET", [name]) => lock(books).look(name),
        ("POST", [name, "buy"]) => {
            let trouble = lock(books).buys.draw();
            if trouble == Some(EasyPostFault::LateBefore) {
                tokio::time::sleep(LATE).await;
            }
            let answer = lock(books).buy(name, body, trouble);
            if trouble == Some(EasyPostFault::LateAfter) {
                tokio::time::sleep(LATE).await;
            }
            answer
        }
        _ => Some(missing()),
    }
}

fn missing() -> (u16, Value) {
    (404, failure("NOT_FOUND", "The requested resource could not be found."))
}

/// Returns the false answer of a fault, or `None` if the connection is cut.
fn denial(status: Option<u16>) -> Answer {
    let message = if status == Some(429) { "Too many requests" } else { "Internal server error" };
    status.map(|status| (status, failure("", message)))
}

impl Books {
    fn new(address: SocketAddr, ledger: File, random: &mut Random) -> Self {
        let answers = answers(RECORDING, address);
        let known = answers[&format!("POST {SHIPMENTS}")].1.clone();
        let found = answers.into_iter().find(|(name, _)| name.ends_with("/buy"));
        let (_, (_, mut bought)) = found.expect("a recorded purchase");
        // The whole price is the postage.
        let price = bought["selected_rate"]["rate"].clone();
        bought["fees"] = json!([{ "type": "PostageFee", "amount": price, "charged": true }]);
        let mut seed = || Random(random.below(u64::MAX));
        let (buys, looks) = (
            FaultSchedule::new(&EasyPostFault::ALL, seed()),
            FaultSchedule::new(&EasyPostFault::OF_LOOKS, seed()),
        );
        Self { known, bought, parcels: BTreeMap::new(), ledger, buys, looks, counts: Counts::default() }
    }

    /// Creates a shipment with a new id.
    fn know(&mut self, body: &[u8]) -> Answer {
        let told: Value = serde_json::from_slice(body).unwrap_or_default();
        let name = format!("shp_{:032x}", self.parcels.len() + 1);
        let reference = told["shipment"]["reference"].clone();
        let parcel = Parcel { name: name.clone(), reference, number: None, stale_looks: 0, busy_answers: 0 };
        let said = self.show(&parcel);
        self.parcels.insert(name, parcel);
        self.unless_troubled((201, said))
    }

    /// Shows a shipment by its id, or the newest one with a reference.
    fn look(&mut self, name: &str) -> Answer {
        let newest = self.parcels.values().rev().find(|parcel| parcel.reference == *name);
        let Some(name) = self.parcels.get(name).or(newest).map(|parcel| parcel.name.clone()) else {
            return Some(missing());
        };
        if self.is_busy_with(&name) {
            return denial(Some(429));
        }
        let parcel = self.parcels.get_mut(&name)?;
        let mut shown = parcel.clone();
        if parcel.stale_looks > 0 {
            parcel.stale_looks -= 1;
            shown.number = None;
        }
        let said = self.show(&shown);
        self.unless_troubled((200, said))
    }

    /// Returns whether to answer 429 about this shipment.
    fn is_busy_with(&mut self, name: &str) -> bool {
        let Some(parcel) = self.parcels.get_mut(name) else { return false };
        let is_busy = parcel.busy_answers > 0;
        parcel.busy_answers = parcel.busy_answers.saturating_sub(1);
        is_busy
    }

    /// Returns the answer to a request that charges nothing, or its fault.
    fn unless_troubled(&mut self, answer: (u16, Value)) -> Answer {
        let Some(trouble) = self.looks.draw() else { return Some(answer) };
        self.counts.looks += 1;
        denial(trouble.status())
    }

    fn show(&self, parcel: &Parcel) -> Value {
        let mut said = if parcel.number.is_some() { self.bought.clone() } else { self.known.clone() };
        said["id"] = json!(parcel.name);
        said["reference"] = parcel.reference.clone();
        said["tracking_code"] = json!(parcel.number);
        said
    }

    fn buy(&mut self, name: &str, body: &[u8], trouble: Option<EasyPostFault>) -> Answer {
        let Some(parcel) = self.parcels.get(name).cloned() else { return Some(missing()) };
        let reference = parcel.reference.as_str().unwrap_or(name).to_owned();
        let status = trouble.map_or(Some(200), EasyPostFault::status);
        let visit = |status| Event::Visited { request: Visit::Buy, status };
        if let Some(trouble) = trouble {
            let place = EasyPostFault::ALL.iter().position(|one| *one == trouble).expect("one of all");
            self.counts.buys[place] += 1;
            if trouble.is_before() {
                self.note(&reference, [visit(status)]);
                return denial(status);
            }
        }
        if let Some(refusal) = self.refusal(&parcel, body) {
            self.note(&reference, [visit(Some(422))]);
            return Some((422, refusal));
        }
        let paid = Parcel {
            number: Some(name.replace("shp_", "9400")),
            stale_looks: if trouble == Some(EasyPostFault::BusyAfter) { STALE_LOOKS } else { 0 },
            busy_answers: if trouble == Some(EasyPostFault::BusyOnAfter) { BUSY_ANSWERS } else { 0 },
            ..parcel
        };
        let charge = self.charge(&paid);
        self.note(&reference, [visit(status), charge]);
        let said = self.show(&paid);
        self.parcels.insert(name.to_owned(), paid);
        match status {
            Some(200) => Some((200, said)),
            // The answer arrives after the client has closed its connection.
            None if trouble.is_some_and(EasyPostFault::is_late) => Some((200, said)),
            status => denial(status),
        }
    }

    /// Returns the refusal of a purchase, or `None` if it is allowed.
    fn refusal(&mut self, parcel: &Parcel, body: &[u8]) -> Option<Value> {
        if parcel.number.is_some() {
            self.counts.exists += 1;
            return Some(failure("SHIPMENT.POSTAGE.EXISTS", "Postage already exists for this shipment."));
        }
        let wanted: Value = serde_json::from_slice(body).unwrap_or_default();
        let is_wanted = |rate: &Value| rate["id"] == wanted["rate"]["id"];
        let is_offered = self.known["rates"].as_array().is_some_and(|rates| rates.iter().any(is_wanted));
        (!is_offered).then(|| failure("SHIPMENT.INVALID_PARAMS", "There is no such rate."))
    }

    fn charge(&self, paid: &Parcel) -> Event {
        let rate = &self.bought["selected_rate"];
        let word = |name: &str| rate[name].as_str().expect("a text").to_owned();
        Event::Charged {
            purchase: paid.name.clone(),
            service: word("service"),
            amount: word("rate").replace('.', "").parse().expect("a price in dollars and cents"),
            currency: word("currency"),
            tracking_numbers: paid.number.clone().into_iter().collect(),
            word: None,
        }
    }

    /// Appends entries to the ledger, all or none, and syncs it.
    fn note<const N: usize>(&mut self, reference: &str, events: [Event; N]) {
        let at = Timestamp::from_micros(0);
        let line = |event| {
            let entry = Entry { at, reference: reference.to_owned(), event };
            format!("{}\n", serde_json::to_string(&entry).expect("a line"))
        };
        let lines: String = events.into_iter().map(line).collect();
        self.ledger.write_all(lines.as_bytes()).expect("a ledger that can be written");
        self.ledger.sync_data().expect("a ledger that can be synced");
    }
}
