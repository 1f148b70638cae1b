"""A client by the official Python SDK: `client.py CONFIG`. It does what the lines on its standard input say, and tells on
standard output what the SDK told it, a line of JSON each. client.mjs is the same by the JavaScript SDK."""

import asyncio
import dataclasses
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

from centrifuge import CentrifugeError, Client, ClientEventHandler, StreamPosition, SubscriptionEventHandler, UnauthorizedError

config = json.loads(sys.argv[1])
is_protobuf = config["codec"] == "protobuf"
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def tell(event, **about):
    print(json.dumps({"event": event, **about}), flush=True)


def text(data):
    return data.decode() if is_protobuf else json.dumps(data)


def ask(kind, path):
    request = urllib.request.Request(config["api"] + path, headers={"Authorization": f"Bearer {config['tokens'][kind]}"})
    try:
        with direct.open(request, timeout=60) as answer:
            return answer.status, json.load(answer)["token"]
    except urllib.error.HTTPError as error:
        return error.code, None


async def get_token(kind, path):
    """A token of the API. Where it is refused there will be none later either, and the SDK must stop."""
    status, token = await asyncio.to_thread(ask, kind, path)
    tell("token", kind=kind, status=status)
    if status in (401, 403):
        raise UnauthorizedError()
    if token is None:
        raise RuntimeError(f"the API answers {status}")
    return token


async def connection_token():
    return await get_token("connection", "/events/connection_token")


async def channel_token(channel):
    return await get_token("subscription", f"/events/subscription_token?channel={urllib.parse.quote(channel)}")


def tell_subscribed(context):
    position = context.stream_position and dataclasses.asdict(context.stream_position)
    tell(
        "subscribed",
        channel=context.channel,
        was_recovering=context.was_recovering,
        recovered=context.recovered,
        position=position,
    )


class Connection(ClientEventHandler):
    async def on_connecting(self, context):
        tell("connecting", code=context.code, reason=context.reason)

    async def on_connected(self, context):
        tell("connected", client=context.client, transport="websocket")

    async def on_disconnected(self, context):
        tell("disconnected", code=context.code, reason=context.reason)

    async def on_error(self, context):
        tell("error", code=context.code, message=str(context.error))

    async def on_subscribed(self, context):
        tell_subscribed(context)

    async def on_unsubscribed(self, context):
        tell("unsubscribed", channel=context.channel)

    async def on_publication(self, context):
        tell("publication", channel=context.channel, offset=context.pub.offset, text=text(context.pub.data))


class Channel(SubscriptionEventHandler):
    def __init__(self, name):
        self.name = name

    async def on_subscribing(self, context):
        tell("subscribing", channel=self.name, code=context.code, reason=context.reason)

    async def on_subscribed(self, context):
        tell_subscribed(context)

    async def on_unsubscribed(self, context):
        tell("unsubscribed", channel=self.name, code=context.code, reason=context.reason)

    async def on_publication(self, context):
        tell("publication", channel=self.name, offset=context.pub.offset, text=text(context.pub.data))

    async def on_error(self, context):
        tell("error", channel=self.name, code=context.code, message=str(context.error))


async def subscribe(client, channel, has_token, states=None):
    async def get_state(_):
        position = states.pop(0) if len(states) > 1 else states[0]
        tell("state", channel=channel, position=position)
        return StreamPosition(**position)

    options = {"min_resubscribe_delay": 0.05, "max_resubscribe_delay": 0.2}
    if has_token:
        options["get_token"] = channel_token
    if states:
        options["get_state"] = get_state
    await client.new_subscription(channel, Channel(channel), **options).subscribe()


async def history(client, channel, limit=0, since=None, reverse=False):
    found = await client.history(channel, limit=limit, since=since and StreamPosition(**since), reverse=reverse)
    publications = [{"offset": pub.offset, "text": text(pub.data)} for pub in found.publications]
    return {"offset": found.offset, "epoch": found.epoch, "publications": publications}


async def act(client, name, about):
    match name:
        case "connect":
            await client.connect()
        case "disconnect":
            await client.disconnect()
        case "subscribe":
            await subscribe(client, **about)
        case "unsubscribe":
            await client.get_subscription(about["channel"]).unsubscribe()
        case "history":
            return await history(client, **about)
        case "presence":
            clients = (await client.presence(about["channel"])).clients
            return {name: dataclasses.asdict(info) for name, info in clients.items()}
        case "presence_stats":
            return dataclasses.asdict(await client.presence_stats(about["channel"]))
        case "publish":
            await client.publish(about["channel"], b"{}" if is_protobuf else {})


async def obey(client, line):
    about = json.loads(line)
    id, name = about.pop("id"), about.pop("act")
    try:
        tell("answer", id=id, result=await act(client, name, about))
    except CentrifugeError as error:
        tell("answer", id=id, error={"code": getattr(error, "code", None), "message": str(error)})


async def main():
    client = Client(
        f"ws://{config['address']}/connection/websocket",
        events=Connection(),
        get_token=connection_token,
        use_protobuf=is_protobuf,
        min_reconnect_delay=0.05,
        max_reconnect_delay=0.2,
        proxy=None,
    )
    tasks = set()
    while line := await asyncio.to_thread(sys.stdin.readline):
        tasks.add(asyncio.create_task(obey(client, line)))


asyncio.run(main())
