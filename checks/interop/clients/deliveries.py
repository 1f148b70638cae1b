"""Real deliveries of webhooks, and what a verifier must accept and refuse of each."""

import base64
import json
import time
from datetime import datetime, timezone

from harness import Recorder
from standardwebhooks import Webhook

FOREIGN = "whsec_C2FVsBQIhrscChlQIMVb5sSYspob7oDkRCPO0OJqgAk="
# Names whose JSON is written in more than one way.
NAMES = ["Depot", "Zoë's \"dépôt\" \\ 📦", "\u2028 </script> & ß"]
# Outside the five minutes that the standard allows, in seconds.
STALE = 10 * 60


def location(name):
    address = {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}
    return {"name": name, "address": {"address": address}}


def record(api):
    """Deliveries with one and two valid secrets: (headers, body, secrets that signed)."""
    recorder = Recorder()
    made = api("POST", "/webhook_endpoints", {"url": recorder.url, "event_types": ["location.created"]})
    path, secrets, recorded = f"/webhook_endpoints/{made['id']}", [made["secret"]], []
    for _ in range(2):
        for name in NAMES:
            api("POST", "/locations", location(name))
        recorded += [(headers, body, list(secrets)) for headers, body in recorder.take(len(NAMES))]
        secrets.append(api("POST", f"{path}/rotate_secret")["secret"])
    api("DELETE", path)
    return recorded


def signed(secret, body, seconds_ago):
    """Headers as a program that has the secret would make them at another time."""
    moment = int(time.time()) - seconds_ago
    signature = Webhook(secret).sign("evt_direct", datetime.fromtimestamp(moment, tz=timezone.utc), body.decode())
    return {"webhook-id": "evt_direct", "webhook-timestamp": str(moment), "webhook-signature": signature}


def cases_of(headers, body, secrets):
    for secret in secrets:
        yield "its secret", secret, headers, body, True
        yield "the official library", secret, signed(secret, body, 0), body, True
        yield "a tampered body", secret, headers, body.replace(b'"type":"', b'"type":"x', 1), False
        yield "a cut body", secret, headers, body[:-1], False
        yield "another event", secret, {**headers, "webhook-id": "evt_other"}, body, False
        later = str(int(headers["webhook-timestamp"]) + 1)
        yield "another moment", secret, {**headers, "webhook-timestamp": later}, body, False
        yield "a moment that is none", secret, {**headers, "webhook-timestamp": "soon"}, body, False
        yield "an old message", secret, signed(secret, body, STALE), body, False
        yield "a message from the future", secret, signed(secret, body, -STALE), body, False
        yield "a signature of no known form", secret, {**headers, "webhook-signature": "v1"}, body, False
        yield "a signature that is not base64", secret, {**headers, "webhook-signature": "v1,%%%"}, body, False
        unversioned = headers["webhook-signature"].replace("v1,", "v2,")
        yield "a signature of another version", secret, {**headers, "webhook-signature": unversioned}, body, False
        yield "no signature at all", secret, {}, body, False
    yield "a foreign secret", FOREIGN, headers, body, False


def write_cases(api, file):
    """Writes the cases, and returns how many must be accepted, and how many refused."""
    found = [case for recorded in record(api) for case in cases_of(*recorded)]
    names = ("what", "secret", "headers", "body", "is_valid")
    cases = [
        dict(zip(names, (what, secret, headers, base64.b64encode(body).decode(), is_valid)))
        for what, secret, headers, body, is_valid in found
    ]
    file.write_text(json.dumps(cases))
    accepted = sum(case["is_valid"] for case in cases)
    return accepted, len(cases) - accepted
