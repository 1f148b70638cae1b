//! A mail server on the loopback: STARTTLS or TLS with a certificate of its own, a user with a password, and faults on demand.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertificateParams, KeyPair};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

pub const USER: &str = "dockside";
pub const PASSWORD: &str = "harbour-password-of-the-mail-server";

/// What goes wrong on one connection.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The connection is closed without a greeting.
    Close,
    /// Nothing is ever answered.
    Hang,
    /// A command that begins with this word gets this answer instead of its own.
    Answer(&'static str, &'static str),
    /// The answer to a message that was taken gets lost with the connection.
    LoseAnswer,
    /// Something follows the answer to `STARTTLS` at once, as if it came from the server behind TLS.
    Inject,
}

/// How the server encrypts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encryption {
    None,
    StartTls,
    Tls,
}

/// A message that the server took.
#[derive(Clone, Debug)]
pub struct Received {
    pub sender: String,
    pub recipient: String,
    pub is_encrypted: bool,
    pub has_signed_in: bool,
    /// As it was sent, without the doubled full stops.
    pub text: String,
}

impl Received {
    /// Returns the value of a header, unfolded.
    pub fn header(&self, name: &str) -> String {
        let head = self.text.split("\r\n\r\n").next().unwrap_or_default().replace("\r\n ", " ");
        let found = head
            .split("\r\n")
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": ").map(str::to_owned));
        found.unwrap_or_else(|| panic!("no {name} in {}", self.text))
    }

    /// Returns the message with its long lines joined, as a person reads it.
    pub fn readable(&self) -> String {
        self.text.replace("=\r\n", "").replace("=3D", "=")
    }

    /// Returns the first link, and its token.
    pub fn link(&self) -> (String, String) {
        let text = self.readable();
        let link = text.split(['\r', '\n']).find(|line| line.starts_with("http")).expect("a link");
        let (page, token) = link.split_once('#').expect("a token");
        (page.to_owned(), token.to_owned())
    }
}

#[derive(Default)]
struct State {
    faults: VecDeque<Fault>,
    received: Vec<Received>,
    connections: usize,
}

/// The server. It is gone when this is dropped.
pub struct MailServer {
    pub address: SocketAddr,
    /// The certificate of the server, in PEM.
    pub certificate: String,
    encryption: Encryption,
    state: Arc<Mutex<State>>,
    serving: JoinHandle<()>,
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

impl MailServer {
    pub async fn start(encryption: Encryption) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
        let made = params.self_signed(&key).expect("a certificate");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(
                vec![made.der().clone()],
                PrivateKeyDer::try_from(key.serialize_der()).expect("the key"),
            )
            .expect("a sound certificate");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let pem = STANDARD.encode(made.der());
        let certificate = format!("-----BEGIN CERTIFICATE-----\n{pem}\n-----END CERTIFICATE-----\n");
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let serving = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (acceptor, state) = (acceptor.clone(), Arc::clone(&shared));
                let fault = {
                    let mut state = lock(&state);
                    state.connections += 1;
                    state.faults.pop_front()
                };
                tokio::spawn(async move { serve(socket, acceptor, encryption, fault, &state).await });
            }
        });
        Self { address, certificate, encryption, state, serving }
    }

    /// Returns the address as a setting has it.
    pub fn url(&self) -> String {
        let scheme = if self.encryption == Encryption::Tls { "smtps" } else { "smtp" };
        format!("{scheme}://{}", self.address)
    }

    /// Has the next connections go wrong, one for each fault.
    pub fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        lock(&self.state).faults.extend(faults);
    }

    /// Returns all messages that were taken.
    pub fn received(&self) -> Vec<Received> {
        lock(&self.state).received.clone()
    }

    /// Returns all messages that were taken, and forgets them.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut lock(&self.state).received)
    }

    pub fn connections(&self) -> usize {
        lock(&self.state).connections
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Speaks with one client until it leaves or the fault happens.
async fn serve(
    socket: TcpStream,
    acceptor: TlsAcceptor,
    encryption: Encryption,
    fault: Option<Fault>,
    state: &Mutex<State>,
) -> Option<()> {
    match fault {
        Some(Fault::Close) => return None,
        Some(Fault::Hang) => return std::future::pending().await,
        _ => {}
    }
    let mut talk = Talk { wire: BufReader::new(Box::new(socket)), is_encrypted: false, fault };
    if encryption == Encryption::Tls {
        talk = talk.encrypt(&acceptor).await?;
    }
    talk.say("220 mail.acme.example ESMTP").await?;
    let (mut sender, mut recipient, mut has_signed_in) = (String::new(), String::new(), false);
    loop {
        let line = talk.hear().await?;
        if let Some(Fault::Answer(word, answer)) = talk.fault.clone()
            && line.starts_with(word)
        {
            talk.say(answer).await?;
            continue;
        }
        let inner = |line: &str| line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
        match line.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" => {
                let offers = encryption == Encryption::StartTls && !talk.is_encrypted;
                let more = if offers { "250-STARTTLS\r\n" } else { "250-AUTH LOGIN PLAIN\r\n" };
                talk.say(&format!("250-mail.acme.example\r\n{more}250 SMTPUTF8")).await?;
            }
            "STARTTLS" => {
                let injected = matches!(talk.fault, Some(Fault::Inject));
                talk.say(if injected { "220 go\r\n250 injected" } else { "220 go" }).await?;
                talk = talk.encrypt(&acceptor).await?;
            }
            "AUTH" => {
                let expected = STANDARD.encode(format!("\0{USER}\0{PASSWORD}"));
                has_signed_in = talk.is_encrypted && line == format!("AUTH PLAIN {expected}");
                talk.say(if has_signed_in { "235 2.7.0 welcome" } else { "535 5.7.8 no" }).await?;
            }
            "MAIL" => {
                sender = inner(&line);
                talk.say("250 2.1.0 ok").await?;
            }
            "RCPT" => {
                recipient = inner(&line);
                talk.say("250 2.1.5 ok").await?;
            }
            "DATA" => {
                talk.say("354 go on").await?;
                let text = talk.hear_message().await?;
                if let Some(Fault::Answer(".", answer)) = talk.fault {
                    talk.say(answer).await?;
                    continue;
                }
                let (sender, recipient) = (sender.clone(), recipient.clone());
                let is_encrypted = talk.is_encrypted;
                lock(state).received.push(Received { sender, recipient, is_encrypted, has_signed_in, text });
                if matches!(talk.fault, Some(Fault::LoseAnswer)) {
                    return None;
                }
                talk.say("250 2.0.0 queued").await?;
            }
            "QUIT" => {
                talk.say("221 bye").await?;
                return Some(());
            }
            _ => talk.say("500 what").await?,
        }
    }
}

struct Talk {
    wire: BufReader<Box<dyn Wire>>,
    is_encrypted: bool,
    fault: Option<Fault>,
}

impl Talk {
    async fn encrypt(self, acceptor: &TlsAcceptor) -> Option<Self> {
        let stream = acceptor.accept(self.wire.into_inner()).await.ok()?;
        Some(Self { wire: BufReader::new(Box::new(stream)), is_encrypted: true, fault: self.fault })
    }

    async fn say(&mut self, text: &str) -> Option<()> {
        self.wire.get_mut().write_all(format!("{text}\r\n").as_bytes()).await.ok()?;
        self.wire.get_mut().flush().await.ok()
    }

    async fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.wire.read_line(&mut line).await.ok()?;
        (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    }

    async fn hear_message(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            let line = self.hear().await?;
            if line == "." {
                return Some(text);
            }
            text.push_str(line.strip_prefix('.').unwrap_or(&line));
            text.push_str("\r\n");
        }
    }
}
