//! An IPP printer on loopback: it takes PDF, completes each job at once, and goes wrong as a test says.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::ipp::{Answer, JOB_GROUP, Operation, PRINTER_GROUP};

/// A job that the printer took.
#[derive(Clone)]
pub struct Taken {
    pub name: String,
    pub format: String,
    pub copies: i32,
    pub document: Vec<u8>,
}

#[derive(Default)]
struct State {
    jobs: Vec<Taken>,
    /// The status of the next refusal, and how many jobs are accepted before it.
    refusal: Option<(u16, usize)>,
    /// Whether the next job is taken and its answer lost, or lost altogether.
    loss: Option<bool>,
}

pub struct FakePrinter {
    pub address: String,
    state: Arc<Mutex<State>>,
}

impl FakePrinter {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("ipp://{}/ipp/print", listener.local_addr().unwrap());
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&shared)));
            }
        });
        Self { address, state }
    }

    pub fn jobs(&self) -> Vec<Taken> {
        self.state.lock().unwrap().jobs.clone()
    }

    pub fn refuse(&self, status: u16) {
        self.state.lock().unwrap().refusal = Some((status, 0));
    }

    /// Refuses the job after the next one.
    pub fn refuse_second(&self, status: u16) {
        self.state.lock().unwrap().refusal = Some((status, 1));
    }

    pub fn lose_answer(&self, is_taken: bool) {
        self.state.lock().unwrap().loss = Some(is_taken);
    }
}

async fn serve(mut socket: TcpStream, state: Arc<Mutex<State>>) {
    while let Some(body) = request(&mut socket).await {
        let Some(answer) = answer(&body, &mut state.lock().unwrap()) else { return };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/ipp\r\nContent-Length: {}\r\n\r\n",
            answer.len()
        );
        if socket.write_all(&[head.as_bytes(), &answer].concat()).await.is_err() {
            return;
        }
    }
}

/// Reads one request, and returns its body.
async fn request(socket: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            let length: usize = length.expect("a length");
            while bytes.len() < end + 4 + length {
                socket.read_buf(&mut bytes).await.ok().filter(|read| *read > 0)?;
            }
            return Some(bytes.split_off(end + 4));
        }
        socket.read_buf(&mut bytes).await.ok().filter(|read| *read > 0)?;
    }
}

/// Returns the answer to a request, or nothing if the connection breaks.
fn answer(body: &[u8], state: &mut State) -> Option<Vec<u8>> {
    // A request has the form of an answer; its operation is where the status is.
    let asked = Answer::read(body).expect("a request of IPP");
    let text = |name: &str| {
        let found = asked.groups.iter().find_map(|group| group.value(name)?.as_text());
        found.unwrap_or_default().to_owned()
    };
    let number = |name: &str| asked.groups.iter().find_map(|group| group.value(name)?.as_number());
    assert!(text("printer-uri").starts_with("ipp://"));
    let mut reply = Reply::default();
    if asked.status == Operation::GetPrinterAttributes as u16 {
        reply.group(PRINTER_GROUP);
        reply.put(0x49, "document-format-supported", b"application/pdf");
        reply.put(0x33, "copies-supported", &[0, 0, 0, 1, 0, 0, 0, 99]);
        reply.put(0x22, "printer-is-accepting-jobs", &[1]);
    } else if asked.status == Operation::PrintJob as u16 {
        if let Some((status, accepted)) = state.refusal.take() {
            if accepted == 0 {
                reply.status = status;
                return Some(reply.bytes());
            }
            state.refusal = Some((status, accepted - 1));
        }
        let loss = state.loss.take();
        if loss != Some(false) {
            let end = body.len() - document(body).len();
            let document = body[end..].to_vec();
            let copies = number("copies").unwrap_or(1);
            state.jobs.push(Taken {
                name: text("job-name"),
                format: text("document-format"),
                copies,
                document,
            });
        }
        if loss.is_some() {
            return None;
        }
        reply.job(state.jobs.len());
    } else if asked.status == Operation::GetJobAttributes as u16 {
        reply.job(usize::try_from(number("job-id").unwrap()).unwrap());
        reply.put(0x23, "job-state", &9_i32.to_be_bytes());
    } else if asked.status == Operation::GetJobs as u16 && text("which-jobs") == "completed" {
        for (place, job) in state.jobs.iter().enumerate() {
            reply.job(place + 1);
            reply.put(0x42, "job-name", job.name.as_bytes());
        }
    }
    Some(reply.bytes())
}

/// Returns what follows the attributes of a request.
fn document(body: &[u8]) -> &[u8] {
    let ends = (9..=body.len()).find(|end| Answer::read(&body[..*end]).is_ok());
    &body[ends.expect("an end")..]
}

/// An answer under construction.
#[derive(Default)]
struct Reply {
    status: u16,
    attributes: Vec<u8>,
}

impl Reply {
    fn group(&mut self, tag: u8) {
        self.attributes.push(tag);
    }

    fn job(&mut self, number: usize) {
        self.group(JOB_GROUP);
        self.put(0x21, "job-id", &i32::try_from(number).unwrap().to_be_bytes());
    }

    fn put(&mut self, tag: u8, name: &str, value: &[u8]) {
        self.attributes.push(tag);
        for part in [name.as_bytes(), value] {
            self.attributes.extend(u16::try_from(part.len()).unwrap().to_be_bytes());
            self.attributes.extend(part);
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let [high, low] = self.status.to_be_bytes();
        [&[2, 0, high, low, 0, 0, 0, 1][..], &self.attributes, &[3]].concat()
    }
}
