//! A name server for one server under attack: it resolves some names, and is silent about the others.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

/// NameServer that begin with this word are never answered.
pub const SILENT: &str = "hang";
/// How long the resolver waits for the name server, in seconds. Longer than a delivery waits for its look-up.
const RESOLVER_SECONDS: u8 = 30;

/// Where the type of a question and the answers begin to count, in bytes (RFC 1035).
const HEADER_BYTES: usize = 12;
const TYPE_A: [u8; 2] = [0, 1];
/// A response to a question that wanted recursion and got it, with one question.
const RESPONSE: [u8; 4] = [0x81, 0x80, 0, 1];
/// An address record of the name in the question, in the class `IN`, for no time at all: 127.0.0.1.
const LOOPBACK: [u8; 16] = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1];

/// The name server, and the files that make a resolver use it.
pub struct NameServer {
    folder: TempDir,
    silent: Arc<Mutex<HashSet<Vec<u8>>>>,
}

impl NameServer {
    /// Starts the name server. Fails with the reason where this machine does not permit it.
    pub fn start() -> Result<Self, String> {
        // Resolvers ask port 53 alone. Each process of tests has an address of its own.
        let process = std::process::id().to_be_bytes();
        let address = Ipv4Addr::new(127, 53, process[2], process[3].max(1));
        let socket = match UdpSocket::bind((address, 53)) {
            Ok(socket) => socket,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(format!("name server at {address}:53: {error}"));
            }
            Err(error) => panic!("{address}:53: {error}"),
        };
        let folder = tempfile::tempdir().expect("a folder");
        let options = format!("nameserver {address}\noptions timeout:{RESOLVER_SECONDS} attempts:1\n");
        fs::write(folder.path().join("resolv.conf"), options).expect("a file");
        fs::write(folder.path().join("nsswitch.conf"), "hosts: files dns\n").expect("a file");
        let within = within(folder.path(), "true");
        let tried = Command::new("sh").args(["-c", &within]).output().expect("sh runs");
        if !tried.status.success() {
            let why = String::from_utf8_lossy(&tried.stderr);
            return Err(format!("namespace with files of its own: {}", why.trim()));
        }
        let silent = Arc::new(Mutex::new(HashSet::new()));
        let asked = Arc::clone(&silent);
        // It ends with the process of the tests, as the address does.
        std::thread::spawn(move || serve(&socket, &asked));
        Ok(Self { folder, silent })
    }

    /// Returns the shell command that runs the rest of a command line with this name server.
    pub fn shell(&self) -> String {
        format!("exec {};", within(self.folder.path(), r#""$0" "$@""#))
    }

    /// Forgets which names were asked for.
    pub fn forget(&self) {
        self.silent.lock().unwrap().clear();
    }

    /// Returns how many names were asked for that are never answered.
    pub fn silent(&self) -> usize {
        self.silent.lock().unwrap().len()
    }
}

/// Returns a shell command that runs `words` in a mount namespace, where the resolver has our files.
fn within(folder: &Path, words: &str) -> String {
    let mount = |name: &str| format!("mount --bind {}/{name} /etc/{name}", folder.display());
    let (servers, sources) = (mount("resolv.conf"), mount("nsswitch.conf"));
    format!(r#"unshare -rm sh -c '{servers} && {sources} && exec "$0" "$@"' {words}"#)
}

/// Answers questions until the socket fails.
fn serve(socket: &UdpSocket, silent: &Mutex<HashSet<Vec<u8>>>) {
    let mut packet = [0; 512];
    while let Ok((bytes, asker)) = socket.recv_from(&mut packet) {
        let Some((name, kind)) = question(&packet[..bytes]) else { continue };
        if name.starts_with(SILENT.as_bytes()) {
            silent.lock().unwrap().insert(name.to_vec());
            continue;
        }
        let has_answer = kind == TYPE_A;
        let question_bytes = name.len() + 6;
        let mut answer = packet[..2].to_vec();
        answer.extend_from_slice(&RESPONSE);
        answer.extend_from_slice(&[0, u8::from(has_answer), 0, 0, 0, 0]);
        answer.extend_from_slice(&packet[HEADER_BYTES..HEADER_BYTES + question_bytes]);
        answer.extend_from_slice(if has_answer { &LOOPBACK } else { &[] });
        let _asker_is_gone = socket.send_to(&answer, asker);
    }
}

/// Returns the name in a question, from its first letter to before its end, and the type that is asked for.
fn question(packet: &[u8]) -> Option<(&[u8], [u8; 2])> {
    let name = packet.get(HEADER_BYTES + 1..)?;
    let end = name.iter().position(|byte| *byte == 0)?;
    Some((&name[..end], [*name.get(end + 1)?, *name.get(end + 2)?]))
}
