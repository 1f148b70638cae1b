//! The messages of the protocol, each declared once, and the two ways to write them down.
//!
//! Numbers are Protobuf's, and JSON's fields stand in the same order. Fields that we neither send nor heed are not
//! declared: both decoders skip what they do not know.

mod broadcast;
mod json;
mod protobuf;
mod wire;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod roundtrip;

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::Deserialize;

pub use broadcast::{Broadcast, Frame, Head, Packer};
pub use wire::{Malformed, Raw};
use wire::{Message, messages};

/// How a connection writes its messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    Json,
    Protobuf,
}

impl Codec {
    /// Takes the next command off the front of a frame; `None` at its end.
    ///
    /// One at a time, because a frame of 64 KiB may hold 20,000 commands: decoded at once they would take a
    /// hundred times the memory that the client paid for.
    pub fn next_command(self, frame: &mut Bytes) -> Option<Result<Command, Malformed>> {
        self.next(frame)
    }

    /// Takes the next reply off the front of a frame, as a client does.
    pub fn next_reply(self, frame: &mut Bytes) -> Option<Result<Reply, Malformed>> {
        self.next(frame)
    }

    /// Reads the one request that opens a unidirectional connection: bare, not in a command.
    pub fn read_connect(self, bytes: &[u8]) -> Result<ConnectRequest, Malformed> {
        match self {
            Codec::Json => serde_json::from_slice(bytes).map_err(|_| Malformed),
            Codec::Protobuf => ConnectRequest::read_protobuf(bytes),
        }
    }

    /// Appends a command, as a client does.
    pub fn write_command(self, command: &Command, out: &mut Vec<u8>) {
        self.write(command, out);
    }

    /// Appends a reply.
    pub fn write_reply(self, reply: &Reply, out: &mut Vec<u8>) {
        self.write(reply, out);
    }

    /// Appends a push, bare, as unidirectional transports have it.
    pub fn write_push(self, push: &Push, out: &mut Vec<u8>) {
        self.write(push, out);
    }

    fn next<M: Message + serde::de::DeserializeOwned>(
        self,
        frame: &mut Bytes,
    ) -> Option<Result<M, Malformed>> {
        match self {
            Codec::Json => json::next(frame),
            Codec::Protobuf => protobuf::next(frame),
        }
    }

    /// In JSON, messages of one frame are separated by a newline; in Protobuf each has its length before it.
    fn write<M: Message>(self, message: &M, out: &mut Vec<u8>) {
        match self {
            Codec::Json => {
                if !out.is_empty() {
                    out.push(b'\n');
                }
                message.write_json(out);
            }
            Codec::Protobuf => protobuf::delimited(out, |out| message.write_protobuf(out)),
        }
    }
}

messages! {
    /// What a client sends. Without id and request it is the answer to a ping.
    Command {
        1 "id" id: u32,
        4 "connect" connect: Option<ConnectRequest>,
        5 "subscribe" subscribe: Option<SubscribeRequest>,
        6 "unsubscribe" unsubscribe: Option<ChannelRequest>,
        7 "publish" publish: Option<ChannelRequest>,
        8 "presence" presence: Option<ChannelRequest>,
        9 "presence_stats" presence_stats: Option<ChannelRequest>,
        10 "history" history: Option<HistoryRequest>,
        11 "ping" ping: Option<Empty>,
        12 "send" send: Option<Empty>,
        13 "rpc" rpc: Option<Empty>,
        14 "refresh" refresh: Option<RefreshRequest>,
        15 "sub_refresh" sub_refresh: Option<SubRefreshRequest>,
    }

    /// What the server sends: the answer to the command with the same id, a push, or, without either, a ping.
    Reply {
        1 "id" id: u32,
        2 "error" error: Option<Error>,
        4 "push" push: Option<Push>,
        5 "connect" connect: Option<ConnectResult>,
        6 "subscribe" subscribe: Option<SubscribeResult>,
        7 "unsubscribe" unsubscribe: Option<Empty>,
        8 "publish" publish: Option<Empty>,
        9 "presence" presence: Option<PresenceResult>,
        10 "presence_stats" presence_stats: Option<PresenceStatsResult>,
        11 "history" history: Option<HistoryResult>,
        13 "rpc" rpc: Option<RpcResult>,
        14 "refresh" refresh: Option<RefreshResult>,
        15 "sub_refresh" sub_refresh: Option<SubRefreshResult>,
    }

    /// What the server sends unasked.
    Push {
        2 "channel" channel: String,
        4 "pub" publication: Option<Publication>,
        7 "unsubscribe" unsubscribe: Option<UnsubscribePush>,
        10 "connect" connect: Option<ConnectResult>,
        11 "disconnect" disconnect: Option<DisconnectPush>,
    }

    /// Nothing, or nothing that we look at.
    Empty {}

    Error {
        1 "code" code: u32,
        2 "message" message: String,
        3 "temporary" temporary: bool,
    }

    Publication {
        4 "data" data: Raw,
        5 "info" info: Option<ClientInfo>,
        6 "offset" offset: u64,
        14 "epoch" epoch: String,
    }

    ClientInfo {
        1 "user" user: String = always,
        2 "client" client: String = always,
        3 "conn_info" conn_info: Raw,
        4 "chan_info" chan_info: Raw,
    }

    UnsubscribePush {
        2 "code" code: u32,
        3 "reason" reason: String,
    }

    DisconnectPush {
        1 "code" code: u32,
        2 "reason" reason: String,
        3 "reconnect" reconnect: bool,
    }

    ConnectRequest {
        1 "token" token: String,
        2 "data" data: Raw,
        /// Where the client stands in the channels that its token holds.
        3 "subs" subs: BTreeMap<String, SubscribeRequest>,
        4 "name" name: String,
        5 "version" version: String,
        7 "flag" flag: u64,
    }

    ConnectResult {
        1 "client" client: String,
        2 "version" version: String,
        3 "expires" expires: bool,
        /// Seconds.
        4 "ttl" ttl: u32,
        5 "data" data: Raw,
        6 "subs" subs: BTreeMap<String, SubscribeResult>,
        /// Seconds between pings.
        7 "ping" ping: u32,
        8 "pong" pong: bool,
        9 "session" session: String,
        10 "node" node: String,
    }

    SubscribeRequest {
        1 "channel" channel: String,
        2 "token" token: String,
        3 "recover" recover: bool,
        6 "epoch" epoch: String,
        7 "offset" offset: u64,
        8 "data" data: Raw,
        14 "flag" flag: u64,
        /// Zero is a stream of events; the other types we do not have.
        15 "type" kind: i32,
    }

    SubscribeResult {
        1 "expires" expires: bool,
        /// Seconds.
        2 "ttl" ttl: u32,
        3 "recoverable" recoverable: bool,
        6 "epoch" epoch: String,
        7 "publications" publications: Vec<Publication>,
        8 "recovered" recovered: bool,
        9 "offset" offset: u64,
        10 "positioned" positioned: bool,
        11 "data" data: Raw,
        12 "was_recovering" was_recovering: bool,
    }

    /// Any request of which only the channel matters to us.
    ChannelRequest {
        1 "channel" channel: String,
    }

    HistoryRequest {
        1 "channel" channel: String,
        7 "limit" limit: i32,
        8 "since" since: Option<Position>,
        9 "reverse" reverse: bool,
    }

    Position {
        1 "offset" offset: u64,
        2 "epoch" epoch: String,
    }

    HistoryResult {
        1 "publications" publications: Vec<Publication> = always,
        2 "epoch" epoch: String = always,
        3 "offset" offset: u64 = always,
    }

    PresenceResult {
        1 "presence" presence: BTreeMap<String, ClientInfo> = always,
    }

    PresenceStatsResult {
        1 "num_clients" num_clients: u32 = always,
        2 "num_users" num_users: u32 = always,
    }

    RpcResult {
        1 "data" data: Raw,
    }

    RefreshRequest {
        1 "token" token: String,
    }

    SubRefreshRequest {
        1 "channel" channel: String,
        2 "token" token: String,
    }

    SubRefreshResult {
        1 "expires" expires: bool,
        2 "ttl" ttl: u32,
    }

    RefreshResult {
        1 "client" client: String,
        2 "version" version: String,
        3 "expires" expires: bool,
        /// Seconds.
        4 "ttl" ttl: u32,
    }
}

/// A frame that came by HTTP, for a connection that can only be read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Emulation {
    pub node: String,
    pub session: String,
    /// The frame, as a websocket would have brought it.
    pub data: Bytes,
}

messages! {
    EmulationFields {
        1 "node" node: String,
        2 "session" session: String,
        3 "data" data: Raw,
    }
}

impl Emulation {
    /// Reads the body of a request to `/emulation`. In JSON the frame is a string.
    pub fn read(codec: Codec, body: &[u8]) -> Result<Self, Malformed> {
        #[derive(Deserialize)]
        struct Fields {
            node: String,
            session: String,
            data: String,
        }
        match codec {
            Codec::Json => {
                let Fields { node, session, data } = serde_json::from_slice(body).map_err(|_| Malformed)?;
                Ok(Self { node, session, data: Bytes::from(data) })
            }
            Codec::Protobuf => {
                let EmulationFields { node, session, data } = EmulationFields::read_protobuf(body)?;
                Ok(Self { node, session, data: data.0 })
            }
        }
    }
}
