//! Frames recorded from the reference server and its SDKs. The server's frames must equal them byte for byte.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::*;

const CLIENT: &str = "a186b79e-2fc6-44ce-a4e7-198c39a9c72f";

fn json(reply: &Reply) -> String {
    let mut out = Vec::new();
    Codec::Json.write_reply(reply, &mut out);
    String::from_utf8(out).unwrap()
}

fn commands(codec: Codec, frame: impl Into<Bytes>) -> Vec<Command> {
    let mut frame = frame.into();
    std::iter::from_fn(|| codec.next_command(&mut frame)).collect::<Result<_, _>>().unwrap()
}

/// Decodes hex as the recording prints it: words, with texts in quotes. Braces only group.
fn hex(recording: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for (place, part) in recording.split('"').enumerate() {
        if place % 2 == 1 {
            out.extend_from_slice(part.replace('\'', "\"").as_bytes());
            continue;
        }
        let digits: Vec<char> = part.chars().filter(char::is_ascii_hexdigit).collect();
        for pair in digits.chunks(2) {
            out.push(u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap());
        }
    }
    out
}

fn fresh(epoch: &str) -> SubscribeResult {
    SubscribeResult { recoverable: true, epoch: epoch.into(), positioned: true, ..Default::default() }
}

fn connected(epoch: &str, client: &str) -> Reply {
    let connect = ConnectResult {
        client: client.into(),
        version: "ref".into(),
        expires: true,
        ttl: 3,
        subs: BTreeMap::from([("batches:org_1#u1".to_owned(), fresh(epoch))]),
        ping: 1,
        pong: true,
        ..Default::default()
    };
    Reply { id: 1, connect: Some(connect), ..Default::default() }
}

fn published(channel: &str, data: &'static str, offset: u64, epoch: &str) -> Reply {
    let publication = Publication { data: data.into(), offset, epoch: epoch.into(), info: None };
    let push = Push { channel: channel.into(), publication: Some(publication), ..Default::default() };
    Reply { push: Some(push), ..Default::default() }
}

fn recovered(epoch: &str, data: &'static str) -> SubscribeResult {
    let publication = Publication { data: data.into(), offset: 2, ..Default::default() };
    SubscribeResult {
        publications: vec![publication],
        recovered: true,
        offset: 1,
        was_recovering: true,
        ..fresh(epoch)
    }
}

fn info(client: &str) -> ClientInfo {
    ClientInfo { user: "u1".into(), client: client.into(), ..Default::default() }
}

#[test]
fn a_first_connection_in_json() {
    assert_eq!(
        json(&connected("zitLECuu", CLIENT)),
        r#"{"id":1,"connect":{"client":"a186b79e-2fc6-44ce-a4e7-198c39a9c72f","version":"ref","expires":true,"ttl":3,"subs":{"batches:org_1#u1":{"recoverable":true,"epoch":"zitLECuu","positioned":true}},"ping":1,"pong":true}}"#
    );
    let subscribe = SubscribeResult { expires: true, ttl: 2, ..fresh("MvQwTzmN") };
    assert_eq!(
        json(&Reply { id: 2, subscribe: Some(subscribe), ..Default::default() }),
        r#"{"id":2,"subscribe":{"expires":true,"ttl":2,"recoverable":true,"epoch":"MvQwTzmN","positioned":true}}"#
    );
    assert_eq!(
        json(&published("batches:org_1#u1", r#"{"type":"batch.updated","id":"batch_1"}"#, 1, "zitLECuu")),
        r#"{"push":{"channel":"batches:org_1#u1","pub":{"data":{"type":"batch.updated","id":"batch_1"},"offset":1,"epoch":"zitLECuu"}}}"#
    );
    assert_eq!(json(&Reply::default()), "{}");
    let sub_refresh = Some(SubRefreshResult { expires: true, ttl: 2 });
    assert_eq!(
        json(&Reply { id: 3, sub_refresh, ..Default::default() }),
        r#"{"id":3,"sub_refresh":{"expires":true,"ttl":2}}"#
    );
    let refresh = Some(RefreshResult { expires: true, ttl: 2, ..Default::default() });
    assert_eq!(
        json(&Reply { id: 2, refresh, ..Default::default() }),
        r#"{"id":2,"refresh":{"expires":true,"ttl":2}}"#
    );
}

#[test]
fn recovery_in_json() {
    let subs =
        BTreeMap::from([("batches:org_1#u1".to_owned(), recovered("zitLECuu", r#"{"id":"batch_2"}"#))]);
    let connect = ConnectResult {
        client: "26cc457f".into(),
        version: "ref".into(),
        expires: true,
        ttl: 599,
        subs,
        ping: 1,
        pong: true,
        ..Default::default()
    };
    assert_eq!(
        json(&Reply { id: 6, connect: Some(connect), ..Default::default() }),
        r#"{"id":6,"connect":{"client":"26cc457f","version":"ref","expires":true,"ttl":599,"subs":{"batches:org_1#u1":{"recoverable":true,"epoch":"zitLECuu","publications":[{"data":{"id":"batch_2"},"offset":2}],"recovered":true,"offset":1,"positioned":true,"was_recovering":true}},"ping":1,"pong":true}}"#
    );
    let error = Error { code: 109, message: "token expired".into(), temporary: false };
    assert_eq!(
        json(&Reply { id: 7, error: Some(error), ..Default::default() }),
        r#"{"id":7,"error":{"code":109,"message":"token expired"}}"#
    );
    let subscribe = SubscribeResult { expires: true, ttl: 2, ..recovered("MvQwTzmN", r#"{"n":2}"#) };
    assert_eq!(
        json(&Reply { id: 8, subscribe: Some(subscribe), ..Default::default() }),
        r#"{"id":8,"subscribe":{"expires":true,"ttl":2,"recoverable":true,"epoch":"MvQwTzmN","publications":[{"data":{"n":2},"offset":2}],"recovered":true,"offset":1,"positioned":true,"was_recovering":true}}"#
    );
    let subscribe = SubscribeResult { was_recovering: true, ..fresh("NEWEP") };
    assert_eq!(
        json(&Reply { id: 12, subscribe: Some(subscribe), ..Default::default() }),
        r#"{"id":12,"subscribe":{"recoverable":true,"epoch":"NEWEP","positioned":true,"was_recovering":true}}"#
    );
}

#[test]
fn other_replies_in_json() {
    let history = HistoryResult { epoch: "MvQwTzmN".into(), offset: 2, publications: vec![] };
    let presence = PresenceResult { presence: BTreeMap::from([("280579df".into(), info("280579df"))]) };
    let stats = PresenceStatsResult { num_clients: 1, num_users: 1 };
    let echo = Publication {
        data: r#"{"hi":1}"#.into(),
        info: Some(info("280579df")),
        offset: 3,
        epoch: String::new(),
    };
    let echo = Push { channel: "shipments:org_1#u1".into(), publication: Some(echo), ..Default::default() };
    let unsubscribe = UnsubscribePush { code: 2500, reason: "insufficient state".into() };
    let unsubscribe =
        Push { channel: "shipments:org_1#u1".into(), unsubscribe: Some(unsubscribe), ..Default::default() };
    let disconnect = DisconnectPush { code: 3001, reason: "shutdown".into(), reconnect: false };
    let disconnect = Push { disconnect: Some(disconnect), ..Default::default() };
    let rpc = RpcResult { data: r#"{"a":1}"#.into() };
    for (reply, text) in [
        (
            Reply { id: 13, history: Some(history), ..Default::default() },
            r#"{"id":13,"history":{"publications":[],"epoch":"MvQwTzmN","offset":2}}"#,
        ),
        (
            Reply { id: 14, presence: Some(presence), ..Default::default() },
            r#"{"id":14,"presence":{"presence":{"280579df":{"user":"u1","client":"280579df"}}}}"#,
        ),
        (
            Reply { id: 15, presence_stats: Some(stats), ..Default::default() },
            r#"{"id":15,"presence_stats":{"num_clients":1,"num_users":1}}"#,
        ),
        (Reply { id: 16, rpc: Some(rpc), ..Default::default() }, r#"{"id":16,"rpc":{"data":{"a":1}}}"#),
        (
            Reply { push: Some(echo), ..Default::default() },
            r#"{"push":{"channel":"shipments:org_1#u1","pub":{"data":{"hi":1},"info":{"user":"u1","client":"280579df"},"offset":3}}}"#,
        ),
        (Reply { id: 17, publish: Some(Empty {}), ..Default::default() }, r#"{"id":17,"publish":{}}"#),
        (
            Reply { push: Some(unsubscribe), ..Default::default() },
            r#"{"push":{"channel":"shipments:org_1#u1","unsubscribe":{"code":2500,"reason":"insufficient state"}}}"#,
        ),
        (
            Reply { id: 20, unsubscribe: Some(Empty {}), ..Default::default() },
            r#"{"id":20,"unsubscribe":{}}"#,
        ),
        (
            Reply { push: Some(disconnect), ..Default::default() },
            r#"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#,
        ),
    ] {
        assert_eq!(json(&reply), text);
    }
}

#[test]
fn two_replies_share_a_frame() {
    let mut out = Vec::new();
    Codec::Json.write_reply(&Reply { id: 9, unsubscribe: Some(Empty {}), ..Default::default() }, &mut out);
    Codec::Json.write_reply(&Reply { id: 10, unsubscribe: Some(Empty {}), ..Default::default() }, &mut out);
    assert_eq!(out, b"{\"id\":9,\"unsubscribe\":{}}\n{\"id\":10,\"unsubscribe\":{}}");
}

#[test]
fn what_sdks_send_in_json() {
    let frame = concat!(
        r#"{"connect":{"token":"T","name":"js","subs":{"batches:org_1#u1":{"recover":true,"offset":1,"epoch":"zitLECuu"}}},"id":4}"#,
        "\n",
        r#"{"subscribe":{"channel":"shipments:org_1#u1","token":"S","flag":1,"recover":true,"offset":1,"epoch":"MvQwTzmN"},"id":5}"#,
        "\n",
        r#"{"id": 6, "history": {"channel": "shipments:org_1#u1", "limit": 10, "reverse": false}}"#,
        "\n{}\n",
    );
    let position =
        SubscribeRequest { recover: true, offset: 1, epoch: "zitLECuu".into(), ..Default::default() };
    let connect = ConnectRequest {
        token: "T".into(),
        name: "js".into(),
        subs: BTreeMap::from([("batches:org_1#u1".to_owned(), position)]),
        ..Default::default()
    };
    let channel = "shipments:org_1#u1".to_owned();
    let subscribe = SubscribeRequest {
        channel: channel.clone(),
        token: "S".into(),
        recover: true,
        offset: 1,
        epoch: "MvQwTzmN".into(),
        flag: 1,
        ..Default::default()
    };
    let history = HistoryRequest { channel, limit: 10, ..Default::default() };
    assert_eq!(
        commands(Codec::Json, frame),
        [
            Command { id: 4, connect: Some(connect), ..Default::default() },
            Command { id: 5, subscribe: Some(subscribe), ..Default::default() },
            Command { id: 6, history: Some(history), ..Default::default() },
            Command::default(),
        ]
    );
}

#[test]
fn golden_protobuf() {
    let client = "0c1d2e3f-2fc6-44ce-a4e7-198c39a9c72f";
    let recorded: [(Reply, &str); 4] = [
        (
            connected("KCmMlMqX", client),
            r#"5b 0801 2a57 0a24"0c1d2e3f-2fc6-44ce-a4e7-198c39a9c72f" 1203726566 1801 2003
               3222{0a10"batches:org_1#u1" 120e{1801 3208"KCmMlMqX" 5001}} 3801 4001"#,
        ),
        (
            Reply {
                id: 2,
                subscribe: Some(SubscribeResult { expires: true, ttl: 2, ..fresh("PNAVVlUy") }),
                ..Default::default()
            },
            r#"16 0802 3212 0801 1002 1801 3208"PNAVVlUy" 5001"#,
        ),
        (
            published("batches:org_1#u1", r#"{"id": "batch_1"}"#, 1, "KCmMlMqX"),
            r#"35 2233 1210"batches:org_1#u1" 221f{2211 "{'id': 'batch_1'}" 3001 7208"KCmMlMqX"}"#,
        ),
        (
            Reply {
                id: 3,
                sub_refresh: Some(SubRefreshResult { expires: true, ttl: 2 }),
                ..Default::default()
            },
            "08 0803 7a04 0801 1002",
        ),
    ];
    for (reply, recording) in recorded {
        let mut out = Vec::new();
        Codec::Protobuf.write_reply(&reply, &mut out);
        assert_eq!(out, hex(recording), "{recording}");
        assert_eq!(Codec::Protobuf.next_reply(&mut out.into()), Some(Ok(reply)));
    }

    let mut ping = Vec::new();
    Codec::Protobuf.write_reply(&Reply::default(), &mut ping);
    assert_eq!(ping, [0]);
    assert_eq!(commands(Codec::Protobuf, ping), [Command::default()]);
}

#[test]
fn a_golden_protobuf_subscribe() {
    let token = "t".repeat(168);
    let frame = hex(&format!(r#"c601 0802 2ac101 0a12"shipments:org_1#u1" 12a801"{token}" 7001"#));
    let subscribe =
        SubscribeRequest { channel: "shipments:org_1#u1".into(), token, flag: 1, ..Default::default() };
    let command = Command { id: 2, subscribe: Some(subscribe), ..Default::default() };
    let mut out = Vec::new();
    Codec::Protobuf.write_command(&command, &mut out);
    assert_eq!(out, frame);
    assert_eq!(commands(Codec::Protobuf, frame), [command]);
}

#[test]
fn emulated_frames() {
    let read = Emulation::read(Codec::Json, br#"{"session":"s","node":"n","data":"{\"id\":2}"}"#).unwrap();
    assert_eq!(read, Emulation { node: "n".into(), session: "s".into(), data: Bytes::from(r#"{"id":2}"#) });
    let read = Emulation::read(Codec::Protobuf, &hex(r#"0a01"n" 1201"s" 1a0100"#)).unwrap();
    assert_eq!(read, Emulation { node: "n".into(), session: "s".into(), data: Bytes::from_static(&[0]) });
    assert_eq!(Emulation::read(Codec::Json, b"{}"), Err(MalformedFrame));
}
