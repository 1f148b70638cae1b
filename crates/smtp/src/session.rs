//! The conversation with a mail server.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::address::Address;
use crate::failure::{Failure, Stage};
use crate::message::Message;
use crate::reply::{Reply, read};
use crate::server::Security;
use crate::settings::{Credentials, Settings};
use crate::tls::server_name;

/// A socket, encrypted or not.
trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// A connection to the server, after the greeting.
pub struct Session {
    wire: BufReader<Box<dyn Wire>>,
    /// What the server said of itself.
    hello: Reply,
    /// By what name this program introduces itself.
    name: String,
    is_encrypted: bool,
}

impl Session {
    /// Connects, encrypts the connection, and introduces the program.
    pub async fn open(settings: &Settings, stage: &mut Stage) -> Result<Self, Failure> {
        let server = &settings.server;
        let socket = TcpStream::connect((server.host.as_str(), server.port)).await.map_err(|error| {
            let why = format!("{} can't be reached on port {}: {error}", server.host, server.port);
            Failure::passing(Stage::Connect, why)
        })?;
        let _unimportant = socket.set_nodelay(true);
        let name = own_name(socket.local_addr().ok().map(|address| address.ip()));
        let mut wire: Box<dyn Wire> = Box::new(socket);
        let is_encrypted = server.security == Security::Tls;
        if is_encrypted {
            *stage = Stage::Tls;
            wire = encrypt(wire, settings).await?;
        }
        *stage = Stage::Greeting;
        let hello = Reply { code: 0, lines: Vec::new() };
        let mut session = Self { wire: BufReader::new(wire), hello, name, is_encrypted };
        let greeting = session.reply(Stage::Greeting).await?;
        session.expect(&greeting, Stage::Greeting)?;
        session.introduce().await?;
        if !session.is_encrypted {
            *stage = Stage::Tls;
            session = session.start_tls(settings).await?;
        }
        Ok(session)
    }

    async fn introduce(&mut self) -> Result<(), Failure> {
        let hello = self.ask(&format!("EHLO {}", self.name), Stage::Greeting).await?;
        self.expect(&hello, Stage::Greeting)?;
        self.hello = hello;
        Ok(())
    }

    async fn start_tls(mut self, settings: &Settings) -> Result<Self, Failure> {
        if self.hello.extension("STARTTLS").is_none() {
            if settings.allows_plain {
                return Ok(self);
            }
            let why = "the server offers no STARTTLS, and smtp_allow_plain is not set";
            return Err(Failure::passing(Stage::Tls, why));
        }
        let reply = self.ask("STARTTLS", Stage::Tls).await?;
        self.expect(&reply, Stage::Tls)?;
        // What arrived before the handshake was not sent by who has the certificate.
        if !self.wire.buffer().is_empty() {
            return Err(Failure::passing(Stage::Tls, "the server sent something before TLS began"));
        }
        self.wire = BufReader::new(encrypt(self.wire.into_inner(), settings).await?);
        self.is_encrypted = true;
        // What the server said without TLS may have been changed on the way.
        self.introduce().await?;
        Ok(self)
    }

    /// Shows the server who this is. The password goes over TLS only.
    pub async fn sign_in(&mut self, credentials: &Credentials) -> Result<(), Failure> {
        let fail = |why: &str| Failure::passing(Stage::SignIn, why);
        if !self.is_encrypted {
            return Err(fail("the server offers no TLS, so the password is not sent"));
        }
        let ways = self.hello.extension("AUTH").unwrap_or_default().to_ascii_uppercase();
        let has = |way: &str| ways.split(' ').any(|known| known == way);
        let Credentials { user, password } = credentials;
        let reply = if has("PLAIN") {
            let both = STANDARD.encode(format!("\0{user}\0{password}"));
            self.ask(&format!("AUTH PLAIN {both}"), Stage::SignIn).await?
        } else if has("LOGIN") {
            let mut reply = self.ask("AUTH LOGIN", Stage::SignIn).await?;
            for text in [user, password] {
                if reply.code == 334 {
                    reply = self.ask(&STANDARD.encode(text), Stage::SignIn).await?;
                }
            }
            reply
        } else {
            return Err(fail("the server offers neither AUTH PLAIN nor AUTH LOGIN"));
        };
        match reply.code {
            235 => Ok(()),
            _ => Err(fail(&format!("the server refuses the user and the password ({})", reply.number()))),
        }
    }

    /// Sends the message. The server has it once it has said so.
    pub async fn send(&mut self, message: &Message, stage: &mut Stage) -> Result<(), Failure> {
        let (from, to) = (&message.from.address, &message.to.address);
        *stage = Stage::Sender;
        let option = self.option(from, to)?;
        let reply = self.ask(&format!("MAIL FROM:<{}>{option}", from.as_str()), *stage).await?;
        self.expect_number(&reply, *stage, "the sender")?;
        *stage = Stage::Recipient;
        let reply = self.ask(&format!("RCPT TO:<{}>", to.as_str()), *stage).await?;
        if let Err(failure) = self.expect_number(&reply, *stage, "the recipient") {
            // 5.7 is about permissions: the operator may set them right in time.
            let is_policy =
                reply.code == 530 || reply.status().is_some_and(|status| status.starts_with("5.7."));
            return Err(Failure { is_final: reply.is_refusal() && !is_policy, ..failure });
        }
        *stage = Stage::Message;
        let reply = self.ask("DATA", *stage).await?;
        if reply.code != 354 {
            return Err(Failure::passing(
                *stage,
                format!("the server takes no message now ({})", reply.number()),
            ));
        }
        let mut bytes = stuffed(&message.bytes());
        bytes.extend_from_slice(b".\r\n");
        self.write(&bytes, *stage).await?;
        let reply = self.reply(*stage).await?;
        self.expect_number(&reply, *stage, "the message")
            .map_err(|failure| Failure { is_final: reply.is_refusal(), ..failure })
    }

    /// Says farewell.
    pub async fn quit(&mut self) {
        let _either = self.write(b"QUIT\r\n", Stage::Message).await;
        let _either = self.wire.get_mut().shutdown().await;
    }

    /// Returns the option that addresses beyond ASCII need.
    fn option(&self, from: &Address, to: &Address) -> Result<&'static str, Failure> {
        if from.is_ascii() && to.is_ascii() {
            return Ok("");
        }
        if self.hello.extension("SMTPUTF8").is_some() {
            return Ok(" SMTPUTF8");
        }
        let why = "the server takes no addresses beyond ASCII".to_owned();
        Err(Failure { stage: Stage::Recipient, is_final: true, why })
    }

    async fn ask(&mut self, command: &str, stage: Stage) -> Result<Reply, Failure> {
        self.write(format!("{command}\r\n").as_bytes(), stage).await?;
        self.reply(stage).await
    }

    async fn write(&mut self, bytes: &[u8], stage: Stage) -> Result<(), Failure> {
        let fail = |error: std::io::Error| {
            Failure::passing(stage, format!("the connection broke: {}", error.kind()))
        };
        self.wire.get_mut().write_all(bytes).await.map_err(fail)?;
        self.wire.get_mut().flush().await.map_err(fail)
    }

    async fn reply(&mut self, stage: Stage) -> Result<Reply, Failure> {
        read(&mut self.wire).await.map_err(|why| Failure::passing(stage, why))
    }

    /// Refuses a negative reply before the server was given a secret, so its text may be shown.
    fn expect(&self, reply: &Reply, stage: Stage) -> Result<(), Failure> {
        match reply.is_positive() {
            true => Ok(()),
            false => Err(Failure::passing(stage, format!("the server answered {}", reply.shown()))),
        }
    }

    /// Refuses a negative reply after the server was given a secret.
    fn expect_number(&self, reply: &Reply, stage: Stage, what: &str) -> Result<(), Failure> {
        match reply.is_positive() {
            true => Ok(()),
            false => Err(Failure::passing(stage, format!("the server refuses {what} ({})", reply.number()))),
        }
    }
}

async fn encrypt(wire: Box<dyn Wire>, settings: &Settings) -> Result<Box<dyn Wire>, Failure> {
    let host = &settings.server.host;
    let fail = |why: String| Failure::passing(Stage::Tls, format!("TLS with {host} failed: {why}"));
    let name = server_name(host).map_err(fail)?;
    let connector = TlsConnector::from(settings.tls.clone());
    let stream = connector.connect(name, wire).await.map_err(|error| fail(error.to_string()))?;
    Ok(Box::new(stream))
}

/// Returns the address of this end as RFC 5321 writes one: a server may have no name that others know.
fn own_name(address: Option<IpAddr>) -> String {
    match address {
        Some(IpAddr::V4(address)) => format!("[{address}]"),
        Some(IpAddr::V6(address)) => format!("[IPv6:{address}]"),
        None => "[127.0.0.1]".to_owned(),
    }
}

/// Returns the message with each full stop that begins a line doubled: one alone would end the message.
fn stuffed(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 16);
    let mut begins_line = true;
    for &byte in message {
        if begins_line && byte == b'.' {
            out.push(b'.');
        }
        begins_line = byte == b'\n';
        out.push(byte);
    }
    out
}
