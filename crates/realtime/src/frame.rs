//! The messages of the protocol, each declared once, and their two encodings.
//!
//! The field numbers are Protobuf's; JSON writes the fields in the same order. Fields that the server neither sends
//! nor reads are not declared: both decoders skip unknown fields.

mod broadcast;
mod json;
mod message;
mod protobuf;
mod wire;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod roundtrip;

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::Deserialize;

pub use broadcast::{Broadcast, Frame, MessagePrefix, Packer};
pub use message::MalformedFrame;
use message::WireMessage;
pub use wire::RawData;
use wire::messages;

/// The encoding of a connection's messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    Json,
    Protobuf,
}

impl Codec {
    /// Removes and decodes the first command of a frame. Returns `None` at the end of the frame.
    ///
    /// Commands are decoded one at a time, because a frame of 64 KiB may hold 20,000 of them. Decoded all at once,
    /// they would take a hundred times the frame's memory.
    pub fn next_command(self, frame: &mut Bytes) -> Option<Result<Command, MalformedFrame>> {
        self.next(frame)
    }

    /// Removes and decodes the first reply of a frame, as a client does.
    pub fn next_reply(self, frame: &mut Bytes) -> Option<Result<Reply, MalformedFrame>> {
        self.next(frame)
    }

    /// Decodes the one request that opens a unidirectional connection. It is not wrapped in a command.
    pub fn read_connect(self, bytes: &[u8]) -> Result<ConnectRequest, MalformedFrame> {
        match self {
            Codec::Json => serde_json::from_slice(bytes).map_err(|_| MalformedFrame),
            Codec::Protobuf => ConnectRequest::read_protobuf(bytes),
        }
    }

    /// Appends an encoded command, as a client does.
    pub fn write_command(self, command: &Command, out: &mut Vec<u8>) {
        self.write(command, out);
    }

    /// Appends an encoded reply.
    pub fn write_reply(self, reply: &Reply, out: &mut Vec<u8>) {
        self.write(reply, out);
    }

    /// Appends an encoded push without the reply around it, as unidirectional transports expect.
    pub fn write_push(self, push: &Push, out: &mut Vec<u8>) {
        self.write(push, out);
    }

    fn next<M: WireMessage + serde::de::DeserializeOwned>(
        self,
        frame: &mut Bytes,
    ) -> Option<Result<M, MalformedFrame>> {
        match self {
            Codec::Json => json::next(frame),
            Codec::Protobuf => protobuf::next(frame),
        }
    }

    /// Appends a message. In JSON, a newline separates the messages of a frame; in Protobuf, a length precedes each
    /// message.
    fn write<M: WireMessage>(self, message: &M, out: &mut Vec<u8>) {
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
    /// A message from a client. Without an id and a request it answers a ping.
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

    /// A message from the server: the reply to the command with the same id, a push, or, if it has neither, a ping.
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

    /// A message from the server that answers no command.
    Push {
        2 "channel" channel: String,
        4 "pub" publication: Option<Publication>,
        7 "unsubscribe" unsubscribe: Option<UnsubscribePush>,
        10 "connect" connect: Option<ConnectResult>,
        11 "disconnect" disconnect: Option<DisconnectPush>,
    }

    /// A message without fields, or without fields that the server reads.
    Empty {}

    Error {
        1 "code" code: u32,
        2 "message" message: String,
        3 "temporary" temporary: bool,
    }

    Publication {
        4 "data" data: RawData,
        5 "info" info: Option<ClientInfo>,
        6 "offset" offset: u64,
        14 "epoch" epoch: String,
    }

    ClientInfo {
        1 "user" user: String = always,
        2 "client" client: String = always,
        3 "conn_info" conn_info: RawData,
        4 "chan_info" chan_info: RawData,
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
        2 "data" data: RawData,
        /// The client's positions in the channels of its token.
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
        5 "data" data: RawData,
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
        8 "data" data: RawData,
        14 "flag" flag: u64,
        /// Zero means a stream of events. The server has no other type.
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
        11 "data" data: RawData,
        12 "was_recovering" was_recovering: bool,
    }

    /// A request of which the server reads only the channel.
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
        1 "data" data: RawData,
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

/// A frame that arrived by HTTP, for a connection whose transport carries data only to the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Emulation {
    pub node: String,
    pub session: String,
    /// The frame, as a websocket would carry it.
    pub data: Bytes,
}

messages! {
    EmulationFields {
        1 "node" node: String,
        2 "session" session: String,
        3 "data" data: RawData,
    }
}

impl Emulation {
    /// Decodes the body of a request to `/emulation`. In JSON, the frame is a string.
    pub fn read(codec: Codec, body: &[u8]) -> Result<Self, MalformedFrame> {
        #[derive(Deserialize)]
        struct Fields {
            node: String,
            session: String,
            data: String,
        }
        match codec {
            Codec::Json => {
                let Fields { node, session, data } =
                    serde_json::from_slice(body).map_err(|_| MalformedFrame)?;
                Ok(Self { node, session, data: Bytes::from(data) })
            }
            Codec::Protobuf => {
                let EmulationFields { node, session, data } = EmulationFields::read_protobuf(body)?;
                Ok(Self { node, session, data: data.0 })
            }
        }
    }
}
