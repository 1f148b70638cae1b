//! Property tests: encoded messages decode to the same values in both codecs, and no input makes a decoder panic.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

use super::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z:#_0-9]{0,12}", any::<String>()]
}

/// Data as JSON carries it: one valid value, or nothing.
fn raw() -> impl Strategy<Value = RawData> {
    prop_oneof![
        Just(RawData::default()),
        any::<i64>().prop_map(|number| RawData(format!("{{\"n\": {number}}}").into())),
        any::<String>().prop_map(|text| RawData(serde_json::to_string(&text).unwrap().into())),
    ]
}

fn info() -> impl Strategy<Value = ClientInfo> {
    (text(), text(), raw(), raw()).prop_map(|(user, client, conn_info, chan_info)| ClientInfo {
        user,
        client,
        conn_info,
        chan_info,
    })
}

fn publication() -> impl Strategy<Value = Publication> {
    (raw(), option::of(info()), any::<u64>(), text()).prop_map(|(data, info, offset, epoch)| Publication {
        data,
        info,
        offset,
        epoch,
    })
}

fn subscribe_request() -> impl Strategy<Value = SubscribeRequest> {
    (text(), text(), any::<bool>(), text(), any::<u64>(), raw(), any::<u64>(), any::<i32>()).prop_map(
        |(channel, token, recover, epoch, offset, data, flag, kind)| SubscribeRequest {
            channel,
            token,
            recover,
            epoch,
            offset,
            data,
            flag,
            kind,
        },
    )
}

fn subscribe_result() -> impl Strategy<Value = SubscribeResult> {
    let flags = any::<[bool; 5]>();
    (flags, any::<u32>(), text(), vec(publication(), 0..4), any::<u64>(), raw()).prop_map(
        |(flags, ttl, epoch, publications, offset, data)| SubscribeResult {
            expires: flags[0],
            ttl,
            recoverable: flags[1],
            epoch,
            publications,
            recovered: flags[2],
            offset,
            positioned: flags[3],
            data,
            was_recovering: flags[4],
        },
    )
}

fn connect_result() -> impl Strategy<Value = ConnectResult> {
    let texts = (text(), text(), text(), text());
    let subs = btree_map(text(), subscribe_result(), 0..3);
    (texts, any::<[bool; 2]>(), any::<[u32; 2]>(), raw(), subs).prop_map(
        |((client, version, session, node), flags, numbers, data, subs)| ConnectResult {
            client,
            version,
            expires: flags[0],
            ttl: numbers[0],
            data,
            subs,
            ping: numbers[1],
            pong: flags[1],
            session,
            node,
        },
    )
}

fn push() -> impl Strategy<Value = Push> {
    let unsubscribe = (any::<u32>(), text()).prop_map(|(code, reason)| UnsubscribePush { code, reason });
    let disconnect = (any::<u32>(), text(), any::<bool>())
        .prop_map(|(code, reason, reconnect)| DisconnectPush { code, reason, reconnect });
    let parts = (option::of(publication()), option::of(unsubscribe), option::of(connect_result()));
    (text(), parts, option::of(disconnect)).prop_map(
        |(channel, (publication, unsubscribe, connect), disconnect)| Push {
            channel,
            publication,
            unsubscribe,
            connect,
            disconnect,
        },
    )
}

fn reply() -> impl Strategy<Value = Reply> {
    let error = (any::<u32>(), text(), any::<bool>()).prop_map(|(code, message, temporary)| Error {
        code,
        message,
        temporary,
    });
    let presence = btree_map(text(), info(), 0..3).prop_map(|presence| PresenceResult { presence });
    let stats =
        any::<[u32; 2]>().prop_map(|[num_clients, num_users]| PresenceStatsResult { num_clients, num_users });
    let history = (vec(publication(), 0..3), text(), any::<u64>())
        .prop_map(|(publications, epoch, offset)| HistoryResult { publications, epoch, offset });
    let refresh = (text(), text(), any::<bool>(), any::<u32>())
        .prop_map(|(client, version, expires, ttl)| RefreshResult { client, version, expires, ttl });
    let sub_refresh =
        (any::<bool>(), any::<u32>()).prop_map(|(expires, ttl)| SubRefreshResult { expires, ttl });
    let first =
        (option::of(error), option::of(push()), option::of(connect_result()), option::of(subscribe_result()));
    let second = (option::of(presence), option::of(stats), option::of(history), option::of(refresh));
    let empties = (option::of(Just(Empty {})), option::of(Just(Empty {})));
    let rpc = raw().prop_map(|data| RpcResult { data });
    (any::<u32>(), first, second, empties, option::of(rpc), option::of(sub_refresh)).prop_map(
        |(id, first, second, (unsubscribe, publish), rpc, sub_refresh)| Reply {
            id,
            error: first.0,
            push: first.1,
            connect: first.2,
            subscribe: first.3,
            unsubscribe,
            publish,
            presence: second.0,
            presence_stats: second.1,
            history: second.2,
            rpc,
            refresh: second.3,
            sub_refresh,
        },
    )
}

fn command() -> impl Strategy<Value = Command> {
    let texts = (text(), text(), text());
    let connect = (texts, raw(), btree_map(text(), subscribe_request(), 0..3), any::<u64>()).prop_map(
        |((token, name, version), data, subs, flag)| ConnectRequest {
            token,
            data,
            subs,
            name,
            version,
            flag,
        },
    );
    let channel = || option::of(text().prop_map(|channel| ChannelRequest { channel }));
    let since = (any::<u64>(), text()).prop_map(|(offset, epoch)| Position { offset, epoch });
    let history = (text(), any::<i32>(), option::of(since), any::<bool>())
        .prop_map(|(channel, limit, since, reverse)| HistoryRequest { channel, limit, since, reverse });
    let refresh = text().prop_map(|token| RefreshRequest { token });
    let sub_refresh = (text(), text()).prop_map(|(channel, token)| SubRefreshRequest { channel, token });
    let empty = || option::of(Just(Empty {}));
    let requests = (option::of(connect), option::of(subscribe_request()), option::of(history));
    let channels = (channel(), channel(), channel(), channel());
    let refreshes = (option::of(refresh), option::of(sub_refresh));
    (any::<u32>(), requests, channels, (empty(), empty(), empty()), refreshes).prop_map(
        |(id, (connect, subscribe, history), channels, (ping, send, rpc), (refresh, sub_refresh))| Command {
            id,
            connect,
            subscribe,
            unsubscribe: channels.0,
            publish: channels.1,
            presence: channels.2,
            presence_stats: channels.3,
            history,
            ping,
            send,
            rpc,
            refresh,
            sub_refresh,
        },
    )
}

fn codec() -> impl Strategy<Value = Codec> {
    prop_oneof![Just(Codec::Json), Just(Codec::Protobuf)]
}

proptest! {
    #[test]
    fn commands_read_back(commands in vec(command(), 0..4), codec in codec()) {
        let mut out = Vec::new();
        commands.iter().for_each(|command| codec.write_command(command, &mut out));
        let mut frame = Bytes::from(out);
        let read: Result<Vec<_>, _> = std::iter::from_fn(|| codec.next_command(&mut frame)).collect();
        prop_assert_eq!(read, Ok(commands));
    }

    #[test]
    fn replies_read_back(replies in vec(reply(), 0..4), codec in codec()) {
        let mut out = Vec::new();
        replies.iter().for_each(|reply| codec.write_reply(reply, &mut out));
        let mut frame = Bytes::from(out);
        let read: Result<Vec<_>, _> = std::iter::from_fn(|| codec.next_reply(&mut frame)).collect();
        prop_assert_eq!(read, Ok(replies));
    }

    /// In JSON, a message never contains the newline that ends it.
    #[test]
    fn a_message_is_one_line(reply in reply()) {
        let mut out = Vec::new();
        Codec::Json.write_reply(&reply, &mut out);
        prop_assert!(!out.contains(&b'\n'));
    }

    #[test]
    fn no_bytes_panic(bytes in vec(any::<u8>(), 0..300), codec in codec()) {
        let mut frame = Bytes::from(bytes.clone());
        // Each message takes at least one byte, so this loop ends.
        for _ in 0..=bytes.len() {
            match codec.next_command(&mut frame) {
                Some(Ok(_)) => {}
                Some(Err(MalformedFrame)) | None => break,
            }
        }
        let _ = codec.read_connect(&bytes);
        let _ = codec.next_reply(&mut Bytes::from(bytes.clone()));
        let _ = Emulation::read(codec, &bytes);
    }

    /// Frames with one wrong byte get further into a decoder than random bytes.
    #[test]
    fn no_damaged_frame_panics(command in command(), codec in codec(), place: prop::sample::Index, byte: u8) {
        let mut out = Vec::new();
        codec.write_command(&command, &mut out);
        let place = place.index(out.len());
        out[place] = byte;
        let mut frame = Bytes::from(out);
        while let Some(Ok(_)) = codec.next_command(&mut frame) {}
    }
}

#[test]
fn nulls_and_unknown_fields_are_passed_over() {
    let text =
        r#"{"id":1,"later":[1],"subscribe":null,"connect":{"token":null,"data":null,"subs":null,"x":{}}}"#;
    let read = Codec::Json.next_command(&mut Bytes::from(text));
    let expected = Command { id: 1, connect: Some(ConnectRequest::default()), ..Default::default() };
    assert_eq!(read, Some(Ok(expected)));
}

#[test]
fn not_commands() {
    for text in ["hello", "[]", "[1]", "1", "{", "null", r#"{"id":-1}"#, r#"{"id":1}}"#, r#"{"id":"1"}"#] {
        let mut frame = Bytes::from(text);
        let mut results = std::iter::from_fn(|| Codec::Json.next_command(&mut frame)).take(3);
        assert!(results.any(|result| result.is_err()), "{text}");
    }
    let mut nothing = Bytes::from(" \n ");
    assert_eq!(Codec::Json.next_command(&mut nothing), None);
}
