"""What every SDK goes through, each in an organisation of its own. check.py does between the steps what concerns all."""

import itertools
import json
import time

from program import Api, fail, wait_until
from sdk import Line, Sdk

# Writes while a line is cut.
MISSED = 12
# How long nothing may happen where nothing should, in seconds: several times what an SDK here waits before it tries again.
QUIET_SECONDS = 1


def location(name):
    address = {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}
    return {"name": name, "address": {"address": address}}


def suffix(api):
    """Organisation and user in the names of channels, as the API tells where it refuses a channel of another's."""
    refused = api("GET", "/events/subscription_token?channel=locations:x", expect=[403])
    return refused["detail"].split("<resource>:")[1].split("`")[0]


def same(name, told, wanted, is_exact):
    """Compares texts of JSON: byte by byte where the SDK hands on bytes, else as far as it does not read them."""
    plain = (lambda text: text) if is_exact else (lambda text: json.dumps(json.loads(text)))
    if plain(told) != plain(wanted):
        fail(f"{name} got\n{told}\nbut the API has\n{wanted}")


class Flow:
    """One SDK in one organisation."""

    def __init__(self, name, port, secret, tools):
        self.name, self.tools, self.api, self.numbers = name, tools, Api(port, secret), itertools.count()
        self.api("POST", "/events/provision")
        # The connection may not read the stock, so that its channel is not held already.
        self.connection = self.token(["events:read", "locations:read"])
        self.subscription = self.token(["events:read", "inventory:read", "orders:read"])
        self.whole = self.token(["*"])
        names = [f"{kind}:{suffix(self.api)}" for kind in ("locations", "inventory", "orders")]
        self.locations, self.stock, self.orders = names
        self.line = Line(port)
        self.sdk = self.client(self.connection, self.subscription)

    def token(self, scopes):
        return self.api("POST", "/access_tokens", {"name": "client", "scopes": scopes})

    def client(self, connection, subscription):
        tokens = {"connection": connection["token"], "subscription": subscription["token"]}
        return Sdk(self.name, self.line.address, f"http://127.0.0.1:{self.api.port}", tokens, self.tools)

    # --- Writes, and what must come of them ------------------------------------------------------------

    def write(self, locations=0, items=0):
        for _ in range(locations):
            made = self.api("POST", "/locations", location(f"Zoë's \"dépôt\" \\ 📦 {next(self.numbers)}"))
        for _ in range(items):
            made = self.api("POST", "/inventory_items", {"sku": f"TEE-{next(self.numbers)}", "name": "Tee"})
        self.settle(made)

    def settle(self, made):
        """Waits until the log has what was made last, and so all before it: events get their numbers after the commit."""
        wait_until("an event gets its number", lambda: self.api("GET", f"/events?resource_id={made['id']}")["data"])

    def position(self):
        _, headers, _ = self.api.ask("GET", "/locations?limit=1")
        return {"offset": int(headers["Stream-Offset"]), "epoch": headers["Stream-Epoch"]}

    def events_after(self, sequence):
        """The log as the API has it: for each event its number, its channel and its text."""
        found = self.api("GET", f"/events?after={sequence}&limit=100")["data"]
        channels = {"location": self.locations, "inventory_item": self.stock, "order": self.orders}
        for event in found:
            _, _, text = self.api.ask("GET", f"/events/{event['id']}")
            yield event["sequence"], channels.get(event["type"].split(".")[0]), text.decode()

    def arrives(self, *channels, since):
        """All that happened since a place came by these channels, in order, once, as the API has it; and nothing else."""
        for channel in channels:
            wanted = [(number, text) for number, at, text in self.events_after(since) if at == channel]

            def told():
                return [it for it in self.sdk.publications(channel) if it[0] > since]

            wait_until(
                f"{self.name} gets {len(wanted)} events by {channel}",
                lambda: len(told()) >= len(wanted),
                lambda: "\n".join(self.sdk.lines),
            )
            got = told() if self.sdk.keeps_order else sorted(told())
            if [number for number, _ in got] != [number for number, _ in wanted]:
                fail(f"{self.name} got {[n for n, _ in got]} by {channel}, and not {[n for n, _ in wanted]}")
            for (_, text), (_, have) in zip(got, wanted):
                same(self.name, text, have, self.sdk.is_exact)

    # --- The steps -------------------------------------------------------------------------------------

    def connects(self):
        """Comes in with a token of the API; the channels of what it may read come along."""
        self.begin = self.position()
        self.sdk.act("connect")
        connected = self.sdk.sees("connected", transport=self.sdk.transport)
        self.client_id = connected["client"]
        start = self.sdk.sees("subscribed", channel=self.locations)
        if (start["was_recovering"], start["position"]) != (False, self.begin):
            fail(f"{self.name} starts at {start}, and not at {self.begin}")
        self.write(locations=3)
        self.arrives(self.locations, since=self.begin["offset"])

    def joins(self):
        """Joins a channel by a token of its own, and asks what there is to ask."""
        sdk, stock = self.sdk, self.stock
        before = self.position()["offset"]
        sdk.act("subscribe", channel=stock, has_token=True)
        sdk.sees("token", kind="subscription", status=200)
        sdk.sees("subscribed", channel=stock, was_recovering=False)
        self.write(items=2)
        self.arrives(stock, since=before)
        wanted = [(number, text) for number, at, text in self.events_after(0) if at == stock]
        told = sdk.act("history", channel=stock, limit=100)
        if [it["offset"] for it in told.get("publications", [])] != [number for number, _ in wanted]:
            fail(f"{self.name} has the history {told}, and not {wanted}")
        for it, (_, text) in zip(told["publications"], wanted):
            same(self.name, it["text"], text, sdk.is_exact)
        first = {"offset": wanted[0][0], "epoch": told["epoch"]}
        for about, numbers in [
            ({"limit": 0}, []),
            ({"limit": 1, "reverse": True}, [wanted[-1][0]]),
            ({"limit": 1, "since": first}, [wanted[1][0]]),
        ]:
            part = sdk.act("history", channel=stock, **about)
            if [it["offset"] for it in part["publications"]] != numbers or part["epoch"] != told["epoch"]:
                fail(f"{self.name} has the history {part} by {about}")
        self.refused(112, "history", channel=stock, limit=1, since={**first, "epoch": "other"})
        self.refused(103, "publish", channel=stock)
        self.refused(103, "publish", channel=self.locations)
        self.refused(103, "history", channel=self.orders, limit=1)
        present = sdk.act("presence", channel=stock)
        if [(it["client"], it["user"]) for it in present.values()] != [(self.client_id, stock.split("#")[1])]:
            fail(f"{self.name} sees {present}")
        if (stats := sdk.act("presence_stats", channel=stock)) != {"num_clients": 1, "num_users": 1}:
            fail(f"{self.name} counts {stats}")

    def refused(self, code, act, **about):
        answer = self.sdk.act(act, **about)
        if not answer or answer.get("code") != code:
            fail(f"{self.name} is not refused by {code} to {act} {about}: {answer}")

    def refreshes(self):
        """Fetches new tokens in time and stays. The second time it does so by what the answer to the first said."""
        since = self.sdk.mark()
        for kind in ("connection", "subscription"):

            def asked():
                return sum(it["event"] == "token" and it["kind"] == kind for it in self.sdk.events(since))

            wait_until(f"{self.name} refreshes its {kind}", lambda: asked() >= 2, lambda: "\n".join(self.sdk.lines))
        self.undisturbed(since)

    def undisturbed(self, since):
        # An error passes: on a busy machine a token may have run out before it is used, and the SDK gets another.
        allowed = ("token", "publication", "answer", "error")
        if other := [it for it in self.sdk.events(since) if it["event"] not in allowed]:
            fail(f"{self.name} was disturbed: {other}")

    def recovers(self):
        """Loses its line, and misses nothing of what happens meanwhile."""
        since, before = self.sdk.mark(), self.position()["offset"]
        self.write(locations=1, items=1)
        self.line.cut()
        self.write(locations=MISSED, items=MISSED)
        self.line.mend()
        self.write(locations=2, items=2)
        self.comes_back(since, is_recovered=True)
        self.arrives(self.locations, self.stock, since=before)

    def comes_back(self, since, is_recovered):
        self.sdk.sees("connected", since)
        for channel in (self.locations, self.stock):
            self.sdk.sees("subscribed", since, channel=channel, was_recovering=True, recovered=is_recovered)

    def loads_then_joins(self):
        """By getState: a position that the server can't continue from is refused, and the SDK loads again."""
        sdk, since, right = self.sdk, self.sdk.mark(), self.position()
        item = self.api("POST", "/inventory_items", {"sku": f"TEE-{next(self.numbers)}", "name": "Tee"})
        self.settle(self.api("POST", "/orders", {"items": [{"id": item["id"], "quantity": 1}]}))
        states = [{**right, "epoch": "other"}, right]
        sdk.act("subscribe", channel=self.orders, has_token=True, states=states)
        sdk.sees("subscribed", since, channel=self.orders, was_recovering=True, recovered=True)
        loaded = [it["position"] for it in sdk.events(since) if it["event"] == "state"]
        if loaded != states:
            fail(f"{self.name} loaded {loaded}, and not {states}")
        self.arrives(self.orders, since=right["offset"])
        sdk.act("unsubscribe", channel=self.orders)
        sdk.sees("unsubscribed", since, channel=self.orders)

    def listens(self):
        """To the operators, for which nobody needs a token."""
        self.sdk.act("subscribe", channel="system:announcements", has_token=False)
        self.sdk.sees("subscribed", channel="system:announcements")

    def hears(self, message):
        wait_until(
            f"{self.name} hears the announcement",
            lambda: any(json.loads(text)["message"] == message for _, text in self.sdk.publications("system:announcements")),
            lambda: "\n".join(self.sdk.lines),
        )

    def starts_anew(self, since):
        """Learns that the log is another one, and that it has to load again."""
        self.comes_back(since, is_recovered=False)
        before = self.position()["offset"]
        self.write(locations=1, items=1)
        self.arrives(self.locations, self.stock, since=before)

    def is_sent_away(self, since):
        """By a server that stops: it says so."""
        self.sdk.sees("connecting", since, code=3001, reason="shutdown")

    def returns(self, since, before):
        """To the server that was started again, and misses nothing."""
        self.write(locations=2, items=2)
        self.line.mend()
        self.comes_back(since, is_recovered=True)
        self.arrives(self.locations, self.stock, since=before)

    def is_revoked(self):
        """Loses the channel that one access token gave it, then its connection by the other; asks again, is refused, stops."""
        sdk, since = self.sdk, self.sdk.mark()
        self.api("DELETE", f"/access_tokens/{self.subscription['id']}")
        sdk.sees("unsubscribed", since, channel=self.stock)
        before = self.position()["offset"]
        self.write(locations=1, items=1)
        self.arrives(self.locations, since=before)
        since = sdk.mark()
        self.api("DELETE", f"/access_tokens/{self.connection['id']}")
        sdk.sees("connecting", since, code=3014)
        sdk.sees("token", since, kind="connection", status=401)
        sdk.sees("disconnected", since)
        self.stays_away()

    def is_deprovisioned(self):
        """Is sent away for good."""
        self.sdk.stop()
        self.sdk = sdk = self.client(self.whole, self.whole)
        sdk.act("connect")
        sdk.sees("connected")
        # Now the stock comes along too.
        before = self.position()["offset"]
        sdk.sees("subscribed", channel=self.stock)
        self.write(locations=1, items=1)
        self.arrives(self.locations, self.stock, since=before)
        since = sdk.mark()
        self.api("POST", "/events/deprovision")
        sdk.sees("disconnected", since, code=3503, reason="force disconnect")
        self.stays_away()

    def stays_away(self):
        since = self.sdk.mark()
        time.sleep(QUIET_SECONDS)
        if more := self.sdk.events(since):
            fail(f"{self.name} goes on: {more}")

    def stop(self):
        self.sdk.stop()
        self.line.cut()
