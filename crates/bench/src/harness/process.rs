//! The servers that are measured. Each is a process of its own, which ends when its handle is dropped.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::process::{Child, Command};

use crate::harness::context::Bench;
use crate::harness::load::{self, Figures, Target, Turn};
use crate::harness::outcome::Outcome;

/// How long a server may take to start.
const START_TIME_MAX: Duration = Duration::from_secs(20);
/// The wait between two attempts to connect, which is the precision of a measured start.
const ATTEMPT_EVERY: Duration = Duration::from_millis(1);
/// How long a server with requests in progress may take to stop.
const STOP_TIME_MAX: Duration = Duration::from_secs(30);
/// The unit in which Linux reports processor time, on all platforms.
const TICK_MS: u64 = 10;

const ORGANISATION: [&str; 5] =
    ["--organisation", "Bench", "--create-organisation", "--user", "bench@example.com"];
/// A typical location.
pub const LOCATION: &str = r#"{"name":"Bristol depot","address":{"address":{"line_1":"1 Quay Street","line_2":"Unit 7","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"},"contact":{"name":"Goods in","company":"Harbour Trading Ltd","email_address":"goods@example.com","phone_number":"+44 117 496 0000"}}}"#;

/// A running server.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// The time from the start of the process to its first answer.
    pub start: Duration,
}

/// The data of a product's server.
#[derive(Clone)]
pub struct Data {
    /// The program that serves it.
    program: PathBuf,
    folder: PathBuf,
    database_url: Option<String>,
}

/// The rows that a bare server writes: a location, or allocations like the one of this order.
pub struct Rows<'a> {
    pub file: &'a Path,
    pub token: &'a str,
    pub allocation_of: Option<&'a str>,
}

impl Data {
    /// A new SQLite store in a folder of this name.
    pub fn sqlite(bench: &Bench, name: &str) -> Outcome<Self> {
        let folder = bench.folder.join(name);
        std::fs::create_dir(&folder)?;
        Ok(Self { program: bench.program.clone(), folder, database_url: None })
    }

    /// Returns the same data, served by another build of the program.
    pub fn served_by(self, program: &Path) -> Self {
        Self { program: program.to_owned(), ..self }
    }

    /// A PostgreSQL store. The folder holds the secrets.
    pub fn postgres(bench: &Bench, name: &str, url: String) -> Outcome<Self> {
        Ok(Self { database_url: Some(url), ..Self::sqlite(bench, name)? })
    }

    /// Returns the path of the SQLite file.
    pub fn file(&self) -> PathBuf {
        self.folder.join("dockside.db")
    }

    /// Returns the command that runs the program on this data. It inherits neither environment variables nor a
    /// settings file.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).arg("--data").arg(&self.folder);
        if let Some(url) = &self.database_url {
            command.args(["--database-url", url]);
        }
        command.env_clear().current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    /// Makes a token, and first the store if there is none.
    pub async fn token(&self) -> Outcome<String> {
        self.make_token(&[]).await
    }

    /// Makes a token for the test world, where the sandbox carrier is.
    pub async fn test_token(&self) -> Outcome<String> {
        self.make_token(&["--test"]).await
    }

    async fn make_token(&self, more: &[&'static str]) -> Outcome<String> {
        let words: Vec<&str> =
            ["token", "create"].into_iter().chain(ORGANISATION).chain(more.iter().copied()).collect();
        let mut output = self.command(&words).output().await?;
        if String::from_utf8_lossy(&output.stderr).contains("there is no store") {
            // Only a server creates the store.
            self.serve().await?.stop().await?;
            output = self.command(&words).output().await?;
        }
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Starts the product. It logs JSON, as for a user who keeps the log, but to nowhere.
    pub async fn serve(&self) -> Outcome<Server> {
        self.serve_with(&[]).await
    }

    /// Starts a sandbox carrier in a process of its own, with this latency.
    pub async fn carrier(&self, latency_ms: u64) -> Outcome<Server> {
        let address = free_address()?;
        let mut command = Command::new(&self.program);
        command.args(["sandbox-carrier", "--listen", &address.to_string()]);
        command.args(["--latency-ms", &latency_ms.to_string()]);
        command.arg("--ledger").arg(self.folder.join("ledger.jsonl"));
        command.env_clear().current_dir(&self.folder).stdin(Stdio::null());
        Server::start_to_listen(command, address).await
    }

    /// Starts the product with further settings.
    pub async fn serve_with(&self, settings: &[&str]) -> Outcome<Server> {
        let address = free_address()?;
        let mut command = self.command(&["serve", "--log-format", "json"]);
        command.args(["--listen", &address.to_string(), "--outbound-allow", "127.0.0.0/8"]);
        command.args(settings);
        Server::start(command, address).await
    }
}

impl Server {
    /// Starts a bare server that gives this answer, after writing `rows` if there are any.
    pub async fn bare(bench: &Bench, name: &str, answer: &[u8], rows: Option<Rows<'_>>) -> Outcome<Self> {
        let file = bench.folder.join(format!("{name}.http"));
        std::fs::write(&file, answer)?;
        let address = free_address()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--bare").arg(file).args(["--listen", &address.to_string()]).stdin(Stdio::null());
        if let Some(rows) = rows {
            command.arg("--store").arg(rows.file).args(["--token", rows.token]);
            command.args(rows.allocation_of.iter().flat_map(|order| ["--allocation-of", order]));
        }
        Self::start(command, address).await
    }

    /// Starts the bare broadcaster.
    pub async fn broadcaster() -> Outcome<Self> {
        let address = free_address()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--broadcast").args(["--listen", &address.to_string()]).stdin(Stdio::null());
        Self::start(command, address).await
    }

    /// Starts a server, and waits for its first answer.
    async fn start(mut command: Command, address: SocketAddr) -> Outcome<Self> {
        command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let began = Instant::now();
        let mut child = command.spawn()?;
        let target = Target { address, requests: [request("GET", "/readyz", None, "")].into() };
        loop {
            // Any answer will do: a bare server answers this path too, and may write rows for it.
            if load::ask(&target).await.is_ok() {
                return Ok(Self { child, address, start: began.elapsed() });
            }
            if child.try_wait()?.is_some() || began.elapsed() > START_TIME_MAX {
                return Err(format!("{:?} did not start", command.as_std().get_program()).into());
            }
            tokio::time::sleep(ATTEMPT_EVERY).await;
        }
    }

    /// Starts a server, and waits until it accepts connections.
    async fn start_to_listen(mut command: Command, address: SocketAddr) -> Outcome<Self> {
        command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let began = Instant::now();
        let mut child = command.spawn()?;
        while tokio::net::TcpStream::connect(address).await.is_err() {
            if child.try_wait()?.is_some() || began.elapsed() > START_TIME_MAX {
                return Err(format!("{:?} did not start", command.as_std().get_program()).into());
            }
            tokio::time::sleep(ATTEMPT_EVERY).await;
        }
        Ok(Self { child, address, start: began.elapsed() })
    }

    pub fn target(&self, request: Bytes) -> Target {
        Target { address: self.address, requests: [request].into() }
    }

    /// Measures how the server answers this request over the connections for a turn.
    pub async fn answer(&self, request: &Bytes, connections: usize, turn: Turn) -> Outcome<Figures> {
        self.answer_each(&[request.clone()].into(), connections, turn).await
    }

    /// Measures as [`Server::answer`] does, with different requests.
    pub async fn answer_each(
        &self,
        requests: &Arc<[Bytes]>,
        connections: usize,
        turn: Turn,
    ) -> Outcome<Figures> {
        let target = Target { address: self.address, requests: Arc::clone(requests) };
        load::drive(&target, connections, turn, || self.cpu()).await
    }

    /// Returns the processor time of the server so far.
    pub fn cpu(&self) -> Outcome<Duration> {
        cpu_of(&self.child.id().ok_or("the server has ended")?.to_string())
    }

    /// Returns the resident memory, in mebibytes.
    pub fn resident_mib(&self) -> Outcome<f64> {
        let id = self.child.id().ok_or("the server has ended")?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: f64 = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("no VmRSS")?.parse()?;
        Ok(kib / 1024.0)
    }

    /// Stops the server as an operator would.
    pub async fn stop(mut self) -> Outcome<()> {
        let id = self.child.id().ok_or("the server has ended")?;
        Command::new("kill").args(["-TERM", &id.to_string()]).status().await?;
        tokio::time::timeout(STOP_TIME_MAX, self.child.wait()).await??;
        Ok(())
    }
}

/// Returns the processor time of a process so far.
pub fn cpu_of(process: &str) -> Outcome<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in brackets, may contain spaces. The times are the 12th and 13th fields after it.
    let (_, fields) = stat.rsplit_once(") ").ok_or("no process status")?;
    let ticks = fields.split(' ').skip(11).take(2).map(str::parse::<u64>).sum::<Result<u64, _>>()?;
    Ok(Duration::from_millis(ticks * TICK_MS))
}

/// Returns an address with an unused port.
fn free_address() -> Outcome<SocketAddr> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Returns the bytes of a request.
pub fn request(method: &str, path: &str, token: Option<&str>, body: &str) -> Bytes {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n");
    if let Some(token) = token {
        text.push_str(&format!("Authorization: Bearer {token}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    text.push_str(body);
    text.into()
}

/// Returns the request that creates a location.
pub fn create_request(token: &str) -> Bytes {
    request("POST", "/locations", Some(token), LOCATION)
}

/// Returns the request that creates a location with this mark in its name.
pub fn marked_location(token: &str, mark: usize) -> Bytes {
    let body = LOCATION.replacen("Bristol depot", &format!("w{mark} depot"), 1);
    request("POST", "/locations", Some(token), &body)
}

/// Returns the body of an answer.
pub fn body(answer: &[u8]) -> Outcome<&str> {
    let (_, body) = std::str::from_utf8(answer)?.split_once("\r\n\r\n").ok_or("the answer has no head")?;
    Ok(body)
}

/// Returns the id of the resource in an answer: its first field.
pub fn id(answer: &[u8]) -> Outcome<String> {
    let id = body(answer)?.split('"').nth(3).ok_or("the answer shows no id")?;
    Ok(id.to_owned())
}
