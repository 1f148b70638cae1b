"""The protocol to the letter, by a plain websocket: what is refused and how, and what replies look like, byte by byte."""

import http.client
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor

import websockets.sync.client as sync
from flow import location, suffix
from program import PATIENCE, Api, fail, wait_until
from websockets.exceptions import ConnectionClosed, InvalidStatus

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
PERMISSION_DENIED = {"code": 103, "message": "permission denied"}
BAD_REQUEST, INVALID_TOKEN = (3501, "bad request"), (3500, "invalid token")
# When a client that does not connect is closed, and when the first ping comes at the earliest, in seconds.
STALE_SECONDS, PING_SECONDS = 10, 12.5


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Socket:
    """A plain websocket to the server."""

    def __init__(self, port, query="", **options):
        address = f"ws://127.0.0.1:{port}/connection/websocket{query}"
        self.socket = sync.connect(address, compression=None, proxy=None, ping_interval=None, **options)

    def send(self, *commands):
        """Sends one frame: text as it is, and values as JSON, a line each."""
        if len(commands) == 1 and isinstance(commands[0], (str, bytes)):
            return self.socket.send(commands[0])
        return self.socket.send("\n".join(compact(command) for command in commands))

    def next(self):
        """The next frame; or code and reason, where it is a close."""
        try:
            return self.socket.recv(timeout=PATIENCE)
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else None

    def close(self):
        self.socket.close()


class Wire:
    def __init__(self, installation):
        self.port, self.count, self.version = installation.port, 0, installation.version
        self.api = Api(self.port, installation.token("Wire"))
        self.api("POST", "/events/provision")
        made = self.api("POST", "/access_tokens", {"scopes": ["events:read", "locations:read"]})
        self.narrow = Api(self.port, made["token"])
        self.suffix = suffix(self.api)
        self.user = self.suffix.split("#")[1]
        self.stranger = Api(self.port, installation.token("Strangers"))
        self.stranger("POST", "/events/provision")
        self.expired = self.token()
        self.expired_at = time.monotonic()

    def token(self, api=None):
        return (api or self.narrow)("GET", "/events/connection_token")["token"]

    def channel(self, resource):
        return f"{resource}:{self.suffix}"

    def channel_token(self, resource):
        # By POST, as the SDKs' side uses GET.
        return self.api("POST", "/events/subscription_token", {"channel": self.channel(resource)})["token"]

    def connected(self, query="", **options):
        """A socket that has connected, and the reply it got."""
        socket = Socket(self.port, query, **options)
        socket.send({"id": 1, "connect": {"token": self.token()}})
        return socket, socket.next()

    def expect(self, what, got, wanted):
        if got != wanted:
            fail(f"{what}:\n{got!r}\nand not\n{wanted!r}")
        self.count += 1

    def replies(self, what, command, reply, socket=None):
        """A command gets exactly this reply."""
        used = socket or self.connected()[0]
        used.send({"id": 2, **command})
        self.expect(what, used.next(), compact({"id": 2, **reply}))
        if socket is None:
            used.close()

    def closes(self, what, frame, why, is_connected=True):
        """A frame is answered by a close and nothing else."""
        socket = self.connected()[0] if is_connected else Socket(self.port)
        socket.send(frame)
        self.expect(what, socket.next(), why)

    # --- What is refused -------------------------------------------------------------------------------

    def bad_requests(self):
        connect = {"id": 1, "connect": {"token": self.token()}}
        subscribe = {"subscribe": {"channel": self.channel("locations")}}
        for what, frame in {
            "a subscribe before the connect": {"id": 1, **subscribe},
            "malformed JSON": '{"id":1,"connect":{',
            "a word": "hello",
            "an empty frame": "",
            "a connect without an id": {"connect": connect["connect"]},
            "an unknown command": {"id": 1, "dance": {}},
            "a pong before the connect": "{}",
        }.items():
            self.closes(f"{what}, at first", frame, BAD_REQUEST, is_connected=False)
        for what, frame in {
            "a second connect": {**connect, "id": 2},
            "malformed JSON": '{"id":2,"subscribe":{',
            "a word": "hello",
            "an empty frame": "",
            "an unknown command": {"id": 2, "dance": {}},
            "a ping": {"id": 2, "ping": {}},
            "a subscribe without an id": subscribe,
            "a subscribe without a channel": {"id": 2, "subscribe": {"channel": ""}},
            "a pong that nobody asked for": "{}",
        }.items():
            self.closes(what, frame, BAD_REQUEST)
        self.closes("something to send to nobody", {"send": {"data": {}}}, (3508, "not available"))
        self.closes("a frame of 70,000 bytes", " " * 70_000, (1009, "message too big"))

    def bad_tokens(self):
        good = self.token()
        head, claims, signature = good.split(".")
        for what, token in {
            "no token": "",
            "a word for a token": "x",
            "a token without its signature": f"{head}.{claims}.",
            "a token with another's signature": f"{head}.{claims}.{self.token(self.stranger).split('.')[2]}",
            "a token of a channel to connect with": self.channel_token("locations"),
        }.items():
            self.closes(what, {"id": 1, "connect": {"token": token}}, INVALID_TOKEN, is_connected=False)
        orders, theirs = self.channel("orders"), f"orders:{suffix(self.stranger)}"
        for what, channel, api, named in [
            ("a token of another channel", orders, self.api, self.channel("inventory")),
            ("a token of another user", orders, self.stranger, theirs),
            ("another user's channel with its token", theirs, self.stranger, theirs),
        ]:
            # Just before it is used: it does not live long.
            token = api("POST", "/events/subscription_token", {"channel": named})["token"]
            self.closes(what, {"id": 2, "subscribe": {"channel": channel, "token": token}}, INVALID_TOKEN)

    def refusals(self):
        """Errors that leave the connection as it was: all on one socket."""
        socket, _ = self.connected()
        orders, locations = self.channel("orders"), self.channel("locations")
        for what, command, reply in [
            ("a channel that is held", {"subscribe": {"channel": locations}}, {"code": 105, "message": "already subscribed"}),
            ("a channel without a token", {"subscribe": {"channel": orders}}, PERMISSION_DENIED),
            ("a channel with no token at all", {"subscribe": {"channel": orders, "token": "x"}}, PERMISSION_DENIED),
            ("an unknown namespace", {"subscribe": {"channel": "parcels:x"}}, {"code": 102, "message": "unknown channel"}),
            ("a long name", {"subscribe": {"channel": "x" * 256}}, {"code": 107, "message": "bad request"}),
            ("a channel to publish to", {"publish": {"channel": locations, "data": {}}}, PERMISSION_DENIED),
            ("the history of what is not held", {"history": {"channel": orders}}, PERMISSION_DENIED),
            ("who is where it is not", {"presence": {"channel": orders}}, PERMISSION_DENIED),
            ("a procedure", {"rpc": {"method": "m", "data": {}}}, {"code": 104, "message": "method not found"}),
        ]:
            self.replies(what, command, {"error": reply}, socket)
        self.replies("leaving what is not held", {"unsubscribe": {"channel": orders}}, {"unsubscribe": {}}, socket)
        socket.close()

    def expires(self):
        """An expired token is told, what follows in the frame is not looked at, and the client has to close; or is."""
        wait_until("a token expires", lambda: time.monotonic() - self.expired_at > 4)
        socket, start = Socket(self.port), time.monotonic()
        subscribe = {"id": 2, "subscribe": {"channel": "system:announcements"}}
        socket.send({"id": 1, "connect": {"token": self.expired}}, subscribe)
        self.expect("an expired token", socket.next(), '{"id":1,"error":{"code":109,"message":"token expired"}}')
        self.expect("after an expired token", socket.next(), (3502, "stale"))
        if time.monotonic() - start < STALE_SECONDS - 1:
            fail("a connection with an expired token was closed early")

    def stale(self):
        socket, start = Socket(self.port), time.monotonic()
        self.expect("silence", socket.next(), (3502, "stale"))
        if time.monotonic() - start < STALE_SECONDS - 1:
            fail("a silent connection was closed early")

    def pings(self, subprotocol, ping):
        """A ping comes, is answered, and the connection lives on; an answer to none ends it."""
        socket, token, start = Socket(self.port, subprotocols=[subprotocol]), self.token(), time.monotonic()
        socket.send(protobuf_connect(token) if ping == b"\0" else {"id": 1, "connect": {"token": token}})
        socket.next()
        self.expect(f"the ping of {subprotocol}", socket.next(), ping)
        if time.monotonic() - start < PING_SECONDS - 1:
            fail(f"a ping came after {time.monotonic() - start} s")
        socket.send(ping)
        socket.send(ping)
        self.expect("a pong too many", socket.next(), BAD_REQUEST)

    # --- What is answered ------------------------------------------------------------------------------

    def frames(self):
        """The replies of the guide's usual day, byte by byte."""
        before = self.offset()
        socket, reply = self.connected()
        subs = {self.channel(name): self.start(before) for name in ("events", "locations")}
        wanted = {"id": 1, "connect": {"client": "UUID", "version": self.version, "expires": True, "ttl": "TTL"}}
        wanted["connect"] |= {"subs": subs, "ping": 25, "pong": True}
        pattern = re.escape(compact(wanted)).replace("UUID", f"(?P<client>{UUID})").replace('"TTL"', "[123]")
        if not (match := re.fullmatch(pattern, reply)):
            fail(f"the reply to a connect is\n{reply}\nand not\n{pattern}")
        client = match["client"]
        self.api("POST", "/locations", location("Zoë's \"dépôt\" \\ 📦"))
        event = wait_until("an event gets its number", lambda: self.api("GET", f"/events?after={before}")["data"])[0]
        _, _, text = self.api.ask("GET", f"/events/{event['id']}")
        locations = compact(self.channel("locations"))
        publication = '{"data":%s,"offset":%d}' % (text.decode(), event["sequence"])
        self.expect("an event", socket.next(), '{"push":{"channel":%s,"pub":%s}}' % (locations, publication))
        about = {"channel": self.channel("locations")}
        epoch = compact(self.epoch())
        for what, command, reply in [
            ("history", {"history": {**about, "limit": 1, "reverse": True}},
             '{"id":2,"history":{"publications":[%s],"epoch":%s,"offset":%d}}' % (publication, epoch, event["sequence"])),
            ("where a history stands", {"history": about},
             '{"id":2,"history":{"publications":[],"epoch":%s,"offset":%d}}' % (epoch, event["sequence"])),
            ("who is there", {"presence": about}, compact(
                {"id": 2, "presence": {"presence": {client: {"user": self.user, "client": client}}}})),
            ("how many are there", {"presence_stats": about},
             '{"id":2,"presence_stats":{"num_clients":1,"num_users":1}}'),
        ]:
            socket.send({"id": 2, **command})
            self.expect(what, socket.next(), reply)
        socket.send({"id": 2, "subscribe": {"channel": self.channel("orders"), "token": self.channel_token("orders")}})
        joined = {"expires": True, "ttl": "TTL", **self.start(event["sequence"])}
        self.expect("a subscribe", ttl_out(socket.next()), compact({"id": 2, "subscribe": joined}))
        renewed = {"channel": self.channel("orders"), "token": self.channel_token("orders")}
        socket.send({"id": 3, "sub_refresh": renewed}, {"id": 4, "refresh": {"token": self.token()}})
        self.expect("a sub_refresh", ttl_out(socket.next()), '{"id":3,"sub_refresh":{"expires":true,"ttl":"TTL"}}')
        self.expect("a refresh", ttl_out(socket.next()), '{"id":4,"refresh":{"expires":true,"ttl":"TTL"}}')
        socket.close()

    def protobuf(self):
        """The same connect in Protobuf, and an unsubscribe, with every byte accounted for."""
        before, subs = self.offset(), b""
        socket = Socket(self.port, subprotocols=["centrifuge-protobuf"])
        socket.send(protobuf_connect(self.token()))
        reply = socket.next()
        for name in ("events", "locations"):
            start = b"\x18\x01" + field(6, self.epoch().encode()) + b"\x48" + varint(before) + b"\x50\x01"
            subs += field(6, field(1, self.channel(name).encode()) + field(2, start))
        found = re.search(UUID.encode(), reply)
        ttl = re.search(rb"\x18\x01\x20[\x01-\x03]", reply)
        if not found or not ttl:
            fail(f"the reply to a connect in Protobuf is {reply!r}")
        result = field(1, found[0]) + field(2, self.version.encode()) + ttl[0] + subs + b"\x38\x19\x40\x01"
        self.expect("a connect in Protobuf", reply, framed(b"\x08\x01" + field(5, result)))
        socket.send(framed(b"\x08\x02" + field(6, field(1, b"orders:x"))))
        self.expect("an unsubscribe in Protobuf", socket.next(), bytes.fromhex("0408023a00"))
        socket.close()

    def start(self, offset):
        start = {"recoverable": True, "epoch": self.epoch(), "offset": offset, "positioned": True}
        return {name: value for name, value in start.items() if value}

    def offset(self):
        return int(self.api.ask("GET", "/locations?limit=1")[1]["Stream-Offset"])

    def epoch(self):
        return self.api.ask("GET", "/locations?limit=1")[1]["Stream-Epoch"]

    # --- The handshake ---------------------------------------------------------------------------------

    def handshakes(self, origin):
        for offered, chosen, is_binary in [
            (None, None, False),
            (["other"], None, False),
            (["centrifuge-json"], "centrifuge-json", False),
            (["centrifuge-protobuf"], "centrifuge-protobuf", True),
            (["centrifuge-json", "centrifuge-protobuf"], "centrifuge-json", False),
            (["centrifuge-protobuf", "centrifuge-json"], "centrifuge-protobuf", True),
            (["other", "centrifuge-json"], "centrifuge-json", False),
        ]:
            self.speaks(f"whoever offers {offered}", chosen, is_binary, subprotocols=offered)
        for query in ("?format=protobuf", "?cf_protocol=protobuf"):
            self.speaks(f"whoever asks with {query}", None, True, query=query)
        socket, reply = self.connected("?cf_ws_frame_ping_pong=true")
        connect = json.loads(reply)["connect"]
        self.expect("pings that nobody wants", (connect.get("ping"), connect.get("pong")), (None, None))
        socket.close()
        self.plain_get()
        for allowed in (origin, f"http://127.0.0.1:{self.port}"):
            self.speaks(f"a page of {allowed}", None, False, origin=allowed)
        try:
            Socket(self.port, origin="http://elsewhere.example")
            fail("a page of a stranger may connect")
        except InvalidStatus as refused:
            self.expect("a page of a stranger", refused.response.status_code, 403)

    def speaks(self, what, chosen, is_binary, query="", **options):
        """A handshake is answered with this subprotocol, and what follows is in one encoding and not the other."""
        socket = Socket(self.port, query, **options)
        self.expect(what, socket.socket.subprotocol, chosen)
        token = self.token()
        socket.send(protobuf_connect(token) if is_binary else {"id": 1, "connect": {"token": token}})
        self.expect(f"{what}: its encoding", isinstance(socket.next(), bytes), is_binary)
        socket.close()

    def plain_get(self):
        for path in ("/connection/websocket", "/connection/uni_websocket"):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            connection.request("GET", path)
            answer = connection.getresponse()
            connection.close()
            self.expect(f"GET {path}", (answer.status, answer.headers["Sec-WebSocket-Version"]), (400, "13"))


def ttl_out(reply):
    """A reply with its seconds left out: they depend on when within a second it was made."""
    return re.sub(r'"ttl":[123]\b', '"ttl":"TTL"', reply) if isinstance(reply, str) else reply


def varint(number):
    bytes_ = bytearray()
    while number > 127:
        bytes_.append(number & 127 | 128)
        number >>= 7
    return bytes(bytes_) + bytes([number])


def field(number, value):
    """A field of bytes."""
    return varint(number << 3 | 2) + varint(len(value)) + value


def framed(message):
    return varint(len(message)) + message


def protobuf_connect(token):
    return framed(b"\x08\x01" + field(4, field(1, token.encode())))


def check_wire(installation, origin):
    """Does all of it; what takes its time beside the rest. Gives how much was checked."""
    wire = Wire(installation)
    # Alone: they see who else is there.
    wire.frames()
    wire.protobuf()
    with ThreadPoolExecutor(4) as pool:
        slow = [
            pool.submit(wire.stale),
            pool.submit(wire.expires),
            pool.submit(wire.pings, "centrifuge-json", "{}"),
            pool.submit(wire.pings, "centrifuge-protobuf", b"\0"),
        ]
        wire.bad_requests()
        wire.bad_tokens()
        wire.refusals()
        wire.handshakes(origin)
        for check in slow:
            check.result()
    return wire.count
