"""Checks real deliveries of the real program with the official verifiers, and runs the receivers of the guide.

    check.py ENGINE BINARY RUST_RECEIVER TOOLS PAGE WORK STORAGE…

TOOLS is where ./test installed the packages, PAGE is docs/guide/webhooks.md, WORK a folder for all that is written, and
STORAGE the program's flags for its database. A green run ends with one line:
    webhook_libraries on ENGINE: N deliveries, N accepted and N refused by PyPI and npm each, N receivers, N checks of them
"""

import base64
import json
import pathlib
import subprocess
import sys
import time
from datetime import datetime, timezone

from harness import Receiver, Recorder
from program import Api, Server, block, fail, free_port, wait_until
from standardwebhooks import Webhook, WebhookVerificationError

FOREIGN = "whsec_C2FVsBQIhrscChlQIMVb5sSYspob7oDkRCPO0OJqgAk="
# Names whose JSON is written in more than one way, and some that look like JSON themselves.
NAMES = ["Depot", "Zoë's \"dépôt\" \\ 📦", "\u2028 </script> & ß", "]},{[\"data\":", "ﷺ" * 60, "\u202etopeD"]
# How far outside the five minutes that the standard allows, in seconds.
STALE = 10 * 60


def location(name):
    address = {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}
    return {"name": name, "address": {"address": address}}


def mark(api, name):
    """Makes an event and waits until it has its number: all that happened before has one, too."""
    made = api("POST", "/locations", location(name))
    path = f"/events?resource_id={made['id']}"
    return wait_until("an event gets its number", lambda: api("GET", path)["data"])[0]


def happen(api):
    """Makes events of many types, with and without what was before."""
    for name in NAMES:
        made = api("POST", "/locations", location(name))
        api("PATCH", f"/locations/{made['id']}", {"name": f"{name}!"})
    item = api("POST", "/inventory_items", {"sku": f"TEE-{time.monotonic_ns()}", "name": NAMES[1]})
    api("PUT", f"/inventory_items/{item['id']}/levels/{made['id']}", {"on_hand": 7})
    order = api("POST", "/orders", {"items": [{"id": item["id"], "quantity": 3}], "reference": NAMES[2]})
    api("POST", f"/orders/{order['id']}/cancel")


def signed(secret, body, seconds_ago=0, id="evt_direct"):
    """Headers as whoever has the secret would make them."""
    moment = int(time.time()) - seconds_ago
    signature = Webhook(secret).sign(id, datetime.fromtimestamp(moment, tz=timezone.utc), body.decode())
    return {"webhook-id": id, "webhook-timestamp": str(moment), "webhook-signature": signature}


# --- The official verifiers ------------------------------------------------------------------------


def record(api):
    """Deliveries with one, two and three valid secrets: (headers, body, secrets that signed, those that did not)."""
    recorder = Recorder()
    endpoint = api("POST", "/webhook_endpoints", {"url": recorder.url})
    path, secrets, recorded = f"/webhook_endpoints/{endpoint['id']}", [endpoint["secret"]], []
    for _ in range(3):
        begin = mark(api, "begin")["sequence"]
        api("POST", f"{path}/test")
        happen(api)
        end = mark(api, "end")["sequence"]
        # From the first mark to the last, and the test, which is not in the log.
        recorded.append((recorder.take(end - begin + 2), list(secrets)))
        secrets.append(api("POST", f"{path}/rotate_secret")["secret"])
    if recorder.has_more():
        fail("a delivery came twice, though nothing was killed")
    api("DELETE", path)
    return [
        (headers, body, valid, [secret for secret in secrets if secret not in valid] + [FOREIGN])
        for deliveries, valid in recorded
        for headers, body in deliveries
    ]


def cases(recorded):
    """What a verifier must accept and refuse of each delivery."""
    for headers, body, valid, invalid in recorded:
        name = f"{headers['webhook-id']} with {len(valid)} secrets"
        if len(headers["webhook-signature"].split(" ")) != len(valid):
            fail(f"{name} has the signatures {headers['webhook-signature']}")
        event = json.loads(body)
        if event["id"] != headers["webhook-id"] or headers["content-type"] != "application/json":
            fail(f"{name} has the headers {headers}")
        for secret in valid:
            yield f"{name}, by its secret", secret, headers, body, True
            yield f"{name}, tampered", secret, headers, body.replace(b'"type":"', b'"type":"x', 1), False
            yield f"{name}, cut", secret, headers, body[:-1], False
            yield f"{name} as another event", secret, {**headers, "webhook-id": "evt_other"}, body, False
            later = str(int(headers["webhook-timestamp"]) + 1)
            yield f"{name} at another moment", secret, {**headers, "webhook-timestamp": later}, body, False
            yield f"{name}, old", secret, signed(secret, body, STALE), body, False
        for secret in invalid:
            yield f"{name}, by a secret that did not sign", secret, headers, body, False


def pypi_accepts(secret, headers, body):
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


def check_verifiers(api, tools, here, work):
    recorded = record(api)
    checks = list(cases(recorded))
    for what, secret, headers, body, is_valid in checks:
        if pypi_accepts(secret, headers, body) != is_valid:
            fail(f"PyPI's verifier {'refuses' if is_valid else 'accepts'} {what}: {headers}")
    names = ("what", "secret", "headers", "body", "is_valid")
    written = [
        dict(zip(names, (what, secret, headers, base64.b64encode(body).decode(), is_valid)))
        for what, secret, headers, body, is_valid in checks
    ]
    file = work / "deliveries.json"
    file.write_text(json.dumps({"cases": written}))
    npm = subprocess.run(["node", here / "verify.mjs", file], cwd=tools, capture_output=True, text=True)
    if npm.returncode != 0:
        fail(npm.stderr)
    accepted = sum(is_valid for *_, is_valid in checks)
    if json.loads(npm.stdout) != {"accepted": accepted, "refused": len(checks) - accepted}:
        fail(f"npm's verifier checked {npm.stdout}, PyPI's {accepted} of {len(checks)}")
    return len(recorded), accepted, len(checks) - accepted


# --- The receivers of the guide --------------------------------------------------------------------


def refusals(secret):
    """What a receiver must refuse: (what, headers, body)."""
    body = b'{"type":"order.created"}'
    good = signed(secret, body)
    yield "a tampered body", good, body.replace(b"created", b"deleted")
    yield "an old message", signed(secret, body, STALE), body
    yield "a message from the future", signed(secret, body, -STALE), body
    yield "a foreign signature", signed(FOREIGN, body), body
    yield "another id", {**good, "webhook-id": "evt_other"}, body
    yield "no signature at all", {}, body
    yield "a signature of no known form", {**good, "webhook-signature": "v1"}, body
    yield "a signature that is not base64", {**good, "webhook-signature": "v1,%%%"}, body
    yield "a moment that is none", {**good, "webhook-timestamp": "soon"}, body
    yield "a body that is not text", good, b"\xff\xfe"


def deliver(api, receiver, name):
    """Makes an event, and sees it arrive and be accepted."""
    event = mark(api, name)
    receiver.got(f"location.created {event['id']}")
    return event


def check_receiver(api, name, command, folder):
    port = free_port()
    endpoint = api("POST", "/webhook_endpoints", {"url": f"http://127.0.0.1:{port}/hook"})
    path, secret = f"/webhook_endpoints/{endpoint['id']}", endpoint["secret"]
    receiver = Receiver(name, command, port, secret, folder)
    checked = 0
    try:
        test = api("POST", f"{path}/test")
        receiver.got(f"webhook_endpoint.test {test['event_id']}")
        first = deliver(api, receiver, NAMES[1])
        # A replay comes with the same id, and is known.
        api("POST", f"{path}/replay", {"after_sequence": first["sequence"] - 1})
        receiver.got(f"seen before: {first['id']}")
        body = json.dumps({"type": "direct"}).encode()
        if not 200 <= receiver.post(signed(secret, body), body) <= 299:
            fail(f"the receiver in {name} refuses what is signed well, so its refusals would show nothing")
        for what, headers, body in refusals(secret):
            if (status := receiver.post(headers, body)) != 400:
                fail(f"the receiver in {name} answers {status} to {what}")
            checked += 1
        # The old secret is still good after a rotation, and the new one at once.
        new = api("POST", f"{path}/rotate_secret")["secret"]
        deliver(api, receiver, "by the old secret")
        receiver.stop()
        lines = receiver.lines
        receiver = Receiver(name, command, port, new, folder)
        deliver(api, receiver, "by the new secret")
        checked += 7
    finally:
        receiver.stop()
    lines += receiver.lines
    # Nothing was killed, so nothing but the replay came twice.
    again = [line for line in lines if line.startswith("seen before:")]
    if again != [f"seen before: {first['id']}"]:
        fail(f"the receiver in {name} saw again what nobody replayed: {again}")
    for delivery in api("GET", f"{path}/deliveries?limit=100")["data"]:
        if (delivery["status"], delivery["attempt"]) != ("succeeded", 1):
            fail(f"a delivery to the receiver in {name} did not succeed at once: {delivery}")
    api("DELETE", path)
    return checked


def receivers(page, tools, rust, work):
    """The page's receivers, each with the command that starts it."""
    folder = work / "receivers"
    folder.mkdir()
    (folder / "node_modules").symlink_to(tools / "node_modules")
    (folder / "receiver.py").write_text(block(page, "python"))
    (folder / "receiver.ts").write_text(block(page, "typescript"))
    flags = ["--noEmit", "--strict", "--module", "nodenext", "--types", "node", "receiver.ts"]
    types = subprocess.run([tools / "node_modules/.bin/tsc", *flags], cwd=folder, capture_output=True, text=True)
    if types.returncode != 0:
        fail(f"the guide's TypeScript has wrong types:\n{types.stdout}")
    return folder, {
        "Python": [sys.executable, "receiver.py"],
        "TypeScript": [tools / "node_modules/.bin/tsx", "receiver.ts"],
        "Rust": [rust],
    }


def main():
    engine, binary, rust, tools, page, work, *storage = sys.argv[1:]
    here, tools, work = pathlib.Path(__file__).parent, pathlib.Path(tools), pathlib.Path(work)
    folder, commands = receivers(page, tools, rust, work)
    server = Server(binary, ["--outbound-allow", "127.0.0.0/8", *storage], work)
    try:
        create = [binary, "token", "create", "--organisation", "Acme", "--create-organisation", *storage]
        create += ["--user", "a@acme.example"]
        token = subprocess.run(create, cwd=work, check=True, capture_output=True, text=True).stdout.strip()
        api = Api(server.port, token)
        api("POST", "/events/provision")
        deliveries, accepted, refused = check_verifiers(api, tools, here, work)
        checked = sum(check_receiver(api, name, command, folder) for name, command in commands.items())
    finally:
        server.stop()
    print(
        f"webhook_libraries on {engine}: {deliveries} deliveries, {accepted} accepted and {refused} refused by PyPI and npm each, "
        f"{len(commands)} receivers, {checked} checks of them"
    )


main()
