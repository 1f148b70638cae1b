"""Uses the library in Python as a program would, with a relay that loses answers. Prints a line of JSON for each step."""

import asyncio
import base64
import contextlib
import io
import json
import os
import time
import urllib.request
from collections.abc import Callable
from typing import Any, cast

import httpx

from dockside import (
    AsyncDockside,
    ClientCredentials,
    Dockside,
    File,
    RefusedError,
    Retries,
    StreamEndedError,
    WebhookVerificationError,
    models,
    verify_webhook,
)
from dockside.realtime import follow_events

URL, RELAY, LINE = os.environ["DOCKSIDE"], os.environ["RELAY"], os.environ["LINE"]
TOKEN, TOKEN_ID, CASES = os.environ["TOKEN"], os.environ["TOKEN_ID"], os.environ["CASES"]


def tell(step: str, **about: object) -> None:
    print(json.dumps({"step": step, **about}), flush=True)


def control(wish: object) -> int:
    """Tells the relay what to do, and returns how many requests it has had."""
    request = urllib.request.Request(f"{RELAY}/relay", json.dumps(wish).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        return cast(int, json.load(answer).get("count", 0))


def place(name: str) -> models.LocationInput:
    return {"name": name, "address": {"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}}}


def refusal(act: Callable[[], Any]) -> RefusedError:
    try:
        act()
    except RefusedError as error:
        return error
    raise AssertionError("it was not refused")


def named(dockside: Dockside, name: str) -> int:
    return sum(each["name"] == name for each in dockside.iterate_locations(limit=100))


def authenticates() -> None:
    try:
        Dockside("localhost:8080", TOKEN)
        raise AssertionError("it takes any address")
    except ValueError:
        pass
    with Dockside(URL, TOKEN) as dockside:
        assert dockside.get_me().data["world"] == "test"
    with Dockside(URL, "dk_test_none") as dockside:
        error = refusal(dockside.get_me)
        assert (error.status, error.code) == (401, "unauthenticated") and error.request_id, error
    with Dockside(URL, ClientCredentials(TOKEN_ID, TOKEN, ["locations:read"])) as dockside:
        assert dockside.get_me().data["scopes"] == ["locations:read"]
        assert refusal(lambda: dockside.create_location(place("No"))).code == "insufficient_scope"
    # A traded token that is refused is traded anew, once.
    with Dockside(RELAY, ClientCredentials(TOKEN_ID, TOKEN)) as relayed:
        control([None, [401, 0]])
        assert relayed.get_me().data["world"] == "test"
        assert control([None, [401, 0], None, [401, 0]]) == 4
        assert relayed.get_me().status == 200
        assert control([[401, 0], None, [401, 0]]) == 1
        assert refusal(relayed.get_me).status == 401
        assert control([]) == 3
    with Dockside(URL, ClientCredentials(TOKEN_ID, TOKEN + "x")) as dockside:
        assert refusal(dockside.get_me).code == "invalid_client"
    tell("authenticates")


def is_refused(dockside: Dockside) -> None:
    wrong = place("")
    error = refusal(lambda: dockside.create_location(wrong))
    assert (error.status, error.code) == (422, "validation_failed"), error
    assert error.problem and [each["field"] for each in error.problem["errors"]] == ["/name"], error
    assert "/name: " in str(error)
    assert refusal(lambda: dockside.get_location("loc_01jc0000000000000000000000")).code == "not_found"
    tell("is_refused")


def pages(dockside: Dockside) -> None:
    made = [dockside.create_location(place(f"Page {n}")).data["id"] for n in range(23)]
    assert [each["id"] for each in dockside.iterate_locations(limit=5)] == made[::-1]
    page = dockside.list_locations(limit=5)
    assert len(page.data["locations"]) == 5 and page.data["next_cursor"] and page.position is not None
    assert next(dockside.iterate_locations(tags=["none", "of_them"]), None) is None
    tell("pages")


def changes(dockside: Dockside) -> None:
    made = dockside.create_location(place("Before"))
    assert made.status == 201 and made.etag
    changed = dockside.update_location(made.data["id"], {"name": "After"}, if_match=made.etag)
    assert changed.data["name"] == "After" and changed.etag != made.etag
    stale = refusal(lambda: dockside.delete_location(made.data["id"], if_match=made.etag))
    assert stale.code == "precondition_failed"
    assert dockside.delete_location(made.data["id"]).data is None
    tell("changes")


def repeats(dockside: Dockside) -> None:
    with Dockside(RELAY, TOKEN) as relayed:
        control(["lose", "drop", [503, 1], [429, 1], [502, 0]])
        start = time.monotonic()
        made = relayed.create_location(place("Lost"))
        # The first attempt made it, and the sixth was answered with what the first had said.
        assert made.is_replayed and time.monotonic() - start >= 2
        assert control([]) == 6
        assert named(dockside, "Lost") == 1
        control(["drop"])
        assert relayed.get_location(made.data["id"]).data["name"] == "Lost"
        # A refusal is an answer, and not repeated; a corrected request has a new key.
        control([])
        assert refusal(lambda: relayed.create_location(place(""))).status == 422
        assert control([]) == 1
        key = "one-and-the-same"
        first = relayed.create_location(place("Keyed"), idempotency_key=key)
        second = relayed.create_location(place("Keyed"), idempotency_key=key)
        assert second.is_replayed and second.data["id"] == first.data["id"]
        assert refusal(lambda: relayed.create_location(place("Other"), idempotency_key=key)).code == "idempotency_key_reused"
    tell("repeats")


def gives_up() -> None:
    with Dockside(RELAY, TOKEN, retries=Retries(attempts_max=3)) as relayed:
        control([[503, 0]] * 5)
        error = refusal(relayed.get_me)
        assert (error.status, error.code, error.problem) == (503, None, None)
        assert control([[429, 3600]]) == 3
        # Longer than a program wants to wait.
        assert refusal(relayed.get_me).status == 429
        assert control([]) == 1
    tell("gives_up")


def sends_once() -> None:
    with Dockside(RELAY, TOKEN) as relayed:
        # It takes no key, so its first attempt may have done it.
        control(["lose"])
        try:
            relayed.create_session_challenge()
            raise AssertionError("it was sent twice")
        except httpx.TransportError:
            assert control(["lose"]) == 1
        try:
            relayed.create_import(File(b"name\n"), type="locations", format="csv")
            raise AssertionError("a file was sent twice")
        except httpx.TransportError:
            assert control([]) == 1
    tell("sends_once")


def sends_files(dockside: Dockside) -> None:
    with dockside.export_locations_csv() as export:
        assert export.headers["content-type"].startswith("text/csv")
        table = b"".join(export)
    assert table.count(b"\n") > 20
    # Half of a table is no table: it was sent once, and the program is told.
    with Dockside(RELAY, TOKEN) as relayed:
        control(["cut"])
        try:
            relayed.export_locations_csv().read()
            raise AssertionError("half of it was taken for all")
        except httpx.TransportError:
            assert control([]) == 1
    made = dockside.create_import(File(io.BytesIO(table)), type="locations", format="csv", dry_run=True).data
    assert made["file"] and made["file"]["size"] == len(table), made
    error = refusal(lambda: dockside.get_file("none").read())
    assert (error.status, error.code) == (403, "file_link_invalid"), error
    tell("sends_files")


def verifies() -> None:
    counts = {True: 0, False: 0}
    with open(CASES) as file:
        cases = json.load(file)
    for case in cases:
        body = base64.b64decode(case["body"])
        try:
            event = verify_webhook(body, case["headers"], case["secret"])
            is_valid = event["type"] == "location.created" and event["data"]["object"]["id"].startswith("loc_")
        except WebhookVerificationError:
            is_valid = False
        assert is_valid == case["is_valid"], case
        counts[is_valid] += 1
        # Two secrets, while one is replaced by the other.
        if is_valid:
            verify_webhook(body, case["headers"], ["whsec_AAAA", case["secret"]])
    tell("verifies", accepted=counts[True], refused=counts[False])


async def follows() -> None:
    joined: list[str] = []

    async def load(channel: str) -> None:
        joined.append(channel)

    async with AsyncDockside(URL, TOKEN) as dockside:
        # A token of its own, which is revoked in the end.
        own = (await dockside.create_access_token({"scopes": ["locations:write", "orders:write", "events:read"]})).data
        async with AsyncDockside(LINE, own["token"]) as lined:
            async with contextlib.aclosing(follow_events(lined, resources=["locations"], load=load)) as events:
                taking = asyncio.ensure_future(anext(events))
                await until(lambda: len(joined) == 1)
                ids = [(await dockside.create_location(place(f"Live {n}"))).data["id"] for n in range(3)]
                seen = [(await taking)["data"]["object"]["id"]]
                seen += [(await anext(events))["data"]["object"]["id"] for _ in range(2)]
                assert seen == ids, (seen, ids)
                # What happens while the line is cut comes when it is mended, and nothing must be loaded.
                await asyncio.to_thread(control, {"line": "cut"})
                large = await dockside.create_location({**place("Meanwhile"), "marketplaces": {f"m{n}": ["x" * 255] * 100 for n in range(4)}})
                await asyncio.to_thread(control, {"line": "mend"})
                event = await anext(events)
                # It has more than 64 KiB, so the stream has only a reference to it.
                assert event["data"]["object"] == large.data and len(joined) == 1, event
                assert joined[0].startswith("locations:")
                await dockside.delete_access_token(own["id"])
                try:
                    await anext(events)
                    raise AssertionError("the stream goes on")
                except StreamEndedError:
                    pass
    tell("follows")


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(1800):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it does not come")


async def does_the_same() -> None:
    """The asynchronous client differs in what it awaits, and shares the rest."""
    async with AsyncDockside(RELAY, TOKEN) as relayed:
        control(["lose"])
        made = await relayed.create_location(place("Lost again"))
        assert made.is_replayed
        found = [each["name"] async for each in relayed.iterate_locations(limit=7)]
        assert found.count("Lost again") == 1 and len(found) > 20
        try:
            await relayed.get_location("loc_01jc0000000000000000000000")
            raise AssertionError("it was not refused")
        except RefusedError as error:
            assert error.code == "not_found"
        async with relayed.export_locations_csv() as export:
            table = b"".join([piece async for piece in export])
        sent = (await relayed.create_import(File(io.BytesIO(table)), type="locations", format="csv", dry_run=True)).data
        assert sent["file"] and sent["file"]["size"] == len(table), sent
    async with AsyncDockside(URL, ClientCredentials(TOKEN_ID, TOKEN)) as dockside:
        assert (await dockside.get_me()).data["world"] == "test"


def main() -> None:
    authenticates()
    with Dockside(URL, TOKEN) as dockside:
        is_refused(dockside)
        pages(dockside)
        changes(dockside)
        repeats(dockside)
        gives_up()
        sends_once()
        sends_files(dockside)
    verifies()
    asyncio.run(does_the_same())
    asyncio.run(follows())


main()
