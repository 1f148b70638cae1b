//! A websocket client that shows every message and every close as it arrived.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{self, Message as Frame};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Longer than an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Socket {
    pub stream: WebSocketStream<TcpStream>,
    inbox: VecDeque<Message>,
}

/// The next thing that arrives on a socket.
#[derive(Debug)]
pub enum Heard {
    Message(Box<Message>),
    Closed(u16, String),
    /// The connection ended without a close code.
    Gone,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub struct Message {
    pub id: u32,
    pub connect: Option<Connected>,
    pub subscribe: Option<Joined>,
    pub error: Option<Value>,
    pub push: Option<Push>,
}

#[derive(Deserialize, Debug)]
pub struct Push {
    pub channel: String,
    #[serde(rename = "pub")]
    pub publication: Option<Publication>,
}

#[derive(Deserialize, Debug)]
pub struct Connected {
    #[serde(default)]
    pub subs: HashMap<String, Joined>,
}

/// How a channel was joined.
#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub struct Joined {
    pub offset: u64,
    pub epoch: String,
    pub recovered: bool,
    pub was_recovering: bool,
    pub publications: Vec<Publication>,
}

#[derive(Deserialize, Debug)]
pub struct Publication {
    pub offset: u64,
    pub data: Event,
}

#[derive(Deserialize, Debug)]
pub struct Event {
    pub id: String,
    pub sequence: u64,
    pub created_at: String,
    /// Whether it is a reference to an event that is larger than a frame.
    #[serde(default)]
    pub is_truncated: bool,
}

/// How to join a channel.
#[derive(Clone)]
pub struct Ask {
    pub token: String,
    pub channel: String,
    /// The token to join the channel with, if the connection token does not include the channel.
    pub subscription: Option<String>,
}

/// A position to recover from.
#[derive(Clone, Debug)]
pub struct Place {
    pub offset: u64,
    pub epoch: String,
}

impl Socket {
    pub async fn open(address: SocketAddr) -> Result<Self, tungstenite::Error> {
        let stream = timeout(PATIENCE, TcpStream::connect(address)).await.expect("a connection")?;
        stream.set_nodelay(true)?;
        Self::over(stream, address).await
    }

    /// Opens a socket with a small receive buffer, so that the server soon notices if the client stops reading.
    pub async fn open_narrow(address: SocketAddr, bytes: u32) -> Result<Self, tungstenite::Error> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(bytes)?;
        Self::over(socket.connect(address).await?, address).await
    }

    async fn over(stream: TcpStream, address: SocketAddr) -> Result<Self, tungstenite::Error> {
        let url = format!("ws://{address}/connection/websocket");
        let (stream, _) = timeout(PATIENCE, client_async(url, stream)).await.expect("an answer")?;
        Ok(Self { stream, inbox: VecDeque::new() })
    }

    pub async fn send(&mut self, text: String) -> Result<(), tungstenite::Error> {
        self.stream.send(Frame::text(text)).await
    }

    /// Returns the next thing that arrives. It is cancel-safe.
    pub async fn next(&mut self) -> Heard {
        loop {
            if let Some(message) = self.inbox.pop_front() {
                return Heard::Message(Box::new(message));
            }
            match self.stream.next().await {
                Some(Ok(Frame::Text(text))) => {
                    for line in text.split('\n') {
                        if line == "{}" {
                            // A ping. If the pong can't be sent, the next read shows it.
                            let _gone = self.send("{}".to_owned()).await;
                            continue;
                        }
                        let message = serde_json::from_str(line);
                        self.inbox.push_back(message.unwrap_or_else(|error| panic!("{error}: {line}")));
                    }
                }
                Some(Ok(Frame::Close(Some(why)))) => {
                    return Heard::Closed(why.code.into(), why.reason.to_string());
                }
                Some(Ok(Frame::Close(None)) | Err(_)) | None => return Heard::Gone,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Returns the next message. Anything else is an error.
    pub async fn message(&mut self) -> Result<Message, String> {
        match timeout(PATIENCE, self.next()).await {
            Ok(Heard::Message(message)) => Ok(*message),
            Ok(other) => Err(format!("{other:?}")),
            Err(_) => Err("nothing came".to_owned()),
        }
    }

    /// Waits for the close, and skips all messages before it.
    pub async fn closed(&mut self) -> (u16, String) {
        loop {
            match timeout(PATIENCE, self.next()).await.expect("it is never closed") {
                Heard::Message(_) => {}
                Heard::Closed(code, reason) => return (code, reason),
                Heard::Gone => return (0, String::new()),
            }
        }
    }

    /// Connects and joins the channel in one frame, as SDKs do when they reconnect.
    pub async fn join(&mut self, ask: &Ask, from: Option<&Place>) -> Result<Joined, String> {
        let place = |place: &Place| json!({ "recover": true, "offset": place.offset, "epoch": place.epoch });
        let wanted = from.map_or_else(|| json!({}), place);
        let mut connect = json!({ "id": 1, "connect": { "token": ask.token } });
        let mut frame = String::new();
        match &ask.subscription {
            None => connect["connect"]["subs"] = json!({ &ask.channel: wanted }),
            Some(token) => {
                let mut subscribe = json!({ "channel": ask.channel, "token": token });
                subscribe.as_object_mut().unwrap().extend(wanted.as_object().unwrap().clone());
                frame = format!("\n{}", json!({ "id": 2, "subscribe": subscribe }));
            }
        }
        self.send(format!("{connect}{frame}")).await.map_err(|error| error.to_string())?;
        let reply = self.message().await?;
        let mut connected = reply.connect.ok_or_else(|| format!("{:?}", reply.error))?;
        if ask.subscription.is_none() {
            return connected.subs.remove(&ask.channel).ok_or_else(|| "without the channel".to_owned());
        }
        loop {
            let reply = self.message().await?;
            if reply.id == 2 {
                return reply.subscribe.ok_or_else(|| format!("{:?}", reply.error));
            }
        }
    }
}
