//! The servers that are measured, as processes of their own that end with what holds them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::process::{Child, Command};

use crate::load::{self, Figures, Target, Turn};
use crate::{Bench, Outcome};

/// How long a server may take until it answers.
const START_TIME_MAX: Duration = Duration::from_secs(20);
/// The wait between two attempts to reach it: what a start is measured to.
const ATTEMPT_EVERY: Duration = Duration::from_millis(1);
/// A server with work under way may take as long to end.
const STOP_TIME_MAX: Duration = Duration::from_secs(30);
/// The unit in which Linux tells processor time, on all its platforms.
const TICK_MS: u64 = 10;

const ORGANISATION: [&str; 4] = ["--organisation", "Bench", "--user", "bench@example.com"];
/// A location such as people make.
pub const LOCATION: &str = r#"{"name":"Bristol depot","address":{"address":{"line_1":"1 Quay Street","line_2":"Unit 7","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"},"contact":{"name":"Goods in","company":"Harbour Trading Ltd","email_address":"goods@example.com","phone_number":"+44 117 496 0000"}}}"#;

/// A server under way.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// From the start of the process to its first answer.
    pub start: Duration,
}

/// Where the product keeps its data.
#[derive(Clone)]
pub struct Data {
    folder: PathBuf,
    database_url: Option<String>,
}

/// What a bare server writes: a location, or allocations like the one that this order has.
pub struct Rows<'a> {
    pub file: &'a Path,
    pub token: &'a str,
    pub allocation_of: Option<&'a str>,
}

impl Data {
    /// SQLite in a new folder of this name.
    pub fn sqlite(bench: &Bench, name: &str) -> Outcome<Self> {
        let folder = bench.folder.join(name);
        std::fs::create_dir(&folder)?;
        Ok(Self { folder, database_url: None })
    }

    /// PostgreSQL; the folder holds the secrets.
    pub fn postgres(bench: &Bench, name: &str, url: String) -> Outcome<Self> {
        Ok(Self { database_url: Some(url), ..Self::sqlite(bench, name)? })
    }

    /// The file of the SQLite store.
    pub fn file(&self) -> PathBuf {
        self.folder.join("dockside.db")
    }

    /// The program on this data. Neither settings of the caller's nor a settings file may reach it.
    fn command(&self, bench: &Bench, words: &[&str]) -> Command {
        let mut command = Command::new(&bench.program);
        command.args(words).arg("--data").arg(&self.folder);
        if let Some(url) = &self.database_url {
            command.args(["--database-url", url]);
        }
        command.env_clear().current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    /// Makes a token; the schema is made with it where there is none.
    pub async fn token(&self, bench: &Bench) -> Outcome<String> {
        self.make_token(bench, &[]).await
    }

    /// A token for the test world, where the sandbox carrier is.
    pub async fn test_token(&self, bench: &Bench) -> Outcome<String> {
        self.make_token(bench, &["--test"]).await
    }

    async fn make_token(&self, bench: &Bench, more: &[&'static str]) -> Outcome<String> {
        let words: Vec<&str> =
            ["token", "create"].into_iter().chain(ORGANISATION).chain(more.iter().copied()).collect();
        let output = self.command(bench, &words).output().await?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Starts the product. It logs as it would for a user who keeps its log: JSON, here to nowhere.
    pub async fn serve(&self, bench: &Bench) -> Outcome<Server> {
        self.serve_with(bench, &[]).await
    }

    /// Starts a sandbox carrier in a process of its own, that takes so long for each answer.
    pub async fn carrier(&self, bench: &Bench, latency_ms: u64) -> Outcome<Server> {
        let address = free_address()?;
        let mut command = Command::new(&bench.program);
        command.args(["sandbox-carrier", "--listen", &address.to_string()]);
        command.args(["--latency-ms", &latency_ms.to_string()]);
        command.arg("--ledger").arg(self.folder.join("ledger.jsonl"));
        command.env_clear().current_dir(&self.folder).stdin(Stdio::null());
        Server::start_to_listen(command, address).await
    }

    /// The same, with further settings.
    pub async fn serve_with(&self, bench: &Bench, settings: &[&str]) -> Outcome<Server> {
        let address = free_address()?;
        let mut command = self.command(bench, &["serve", "--log-format", "json"]);
        command.args(["--listen", &address.to_string(), "--outbound-allow", "127.0.0.0/8"]);
        command.args(settings);
        Server::start(command, address).await
    }
}

impl Server {
    /// Starts a bare server that gives this answer, and writes rows before it where told which.
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

    /// Starts a server and waits for its first answer.
    async fn start(mut command: Command, address: SocketAddr) -> Outcome<Self> {
        command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let began = Instant::now();
        let mut child = command.spawn()?;
        let target = Target { address, requests: [request("GET", "/readyz", None, "")].into() };
        loop {
            // A bare server that writes rows would write one for this too, so that it answers is enough there.
            if load::ask(&target).await.is_ok() {
                return Ok(Self { child, address, start: began.elapsed() });
            }
            if child.try_wait()?.is_some() || began.elapsed() > START_TIME_MAX {
                return Err(format!("{:?} did not start", command.as_std().get_program()).into());
            }
            tokio::time::sleep(ATTEMPT_EVERY).await;
        }
    }

    /// Starts a server and waits until it takes connections.
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

    /// Lets it answer this request over so many connections for a turn.
    pub async fn answer(&self, request: &Bytes, connections: usize, turn: Turn) -> Outcome<Figures> {
        self.answer_each(&[request.clone()].into(), connections, turn).await
    }

    /// As [`Server::answer`], with requests that differ.
    pub async fn answer_each(
        &self,
        requests: &Arc<[Bytes]>,
        connections: usize,
        turn: Turn,
    ) -> Outcome<Figures> {
        let target = Target { address: self.address, requests: Arc::clone(requests) };
        load::drive(&target, connections, turn, || self.cpu()).await
    }

    /// The processor time that it has spent so far.
    pub fn cpu(&self) -> Outcome<Duration> {
        cpu_of(&self.child.id().ok_or("the server has ended")?.to_string())
    }

    /// Resident memory, in mebibytes.
    pub fn resident_mib(&self) -> Outcome<f64> {
        let id = self.child.id().ok_or("the server has ended")?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: f64 = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("no VmRSS")?.parse()?;
        Ok(kib / 1024.0)
    }

    /// Stops it as an operator would.
    pub async fn stop(mut self) -> Outcome<()> {
        let id = self.child.id().ok_or("the server has ended")?;
        Command::new("kill").args(["-TERM", &id.to_string()]).status().await?;
        tokio::time::timeout(STOP_TIME_MAX, self.child.wait()).await??;
        Ok(())
    }
}

/// The processor time that a process has spent so far.
pub fn cpu_of(process: &str) -> Outcome<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in brackets, may hold spaces; the times are the 12th and 13th fields after it.
    let (_, fields) = stat.rsplit_once(") ").ok_or("no process status")?;
    let ticks = fields.split(' ').skip(11).take(2).map(str::parse::<u64>).sum::<Result<u64, _>>()?;
    Ok(Duration::from_millis(ticks * TICK_MS))
}

/// A port that nobody has.
fn free_address() -> Outcome<SocketAddr> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// The bytes of a request.
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

/// The request that makes a location.
pub fn create_request(token: &str) -> Bytes {
    request("POST", "/locations", Some(token), LOCATION)
}

/// The body of an answer.
pub fn body(answer: &[u8]) -> Outcome<&str> {
    let (_, body) = std::str::from_utf8(answer)?.split_once("\r\n\r\n").ok_or("the answer has no head")?;
    Ok(body)
}

/// The id of the resource that an answer shows: its first field.
pub fn id(answer: &[u8]) -> Outcome<String> {
    let id = body(answer)?.split('"').nth(3).ok_or("the answer shows no id")?;
    Ok(id.to_owned())
}
