"""Verifies webhooks, which are signed as Standard Webhooks says."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import cast

from .errors import WebhookVerificationError
from .generated.models import Event

# How far the time of a message may be from ours: an attacker can't record one and send it later.
TOLERANCE_SECONDS = 300


def verify_webhook(
    body: bytes, headers: Mapping[str, str], secret: str | Sequence[str], *, tolerance_seconds: float = TOLERANCE_SECONDS
) -> Event:
    """Returns the event of a webhook, or raises `WebhookVerificationError`.

    `body` is the bytes as they came, not JSON that was read and written again. With several secrets, one of them must
    have signed.
    """
    fields = {name.lower(): value for name, value in headers.items()}
    id, moment = fields.get("webhook-id"), fields.get("webhook-timestamp")
    signatures = fields.get("webhook-signature")
    if not id or not moment or not signatures:
        raise WebhookVerificationError("A header of the signature is missing.")
    # Plain digits of ASCII: what int() takes beside them would be signed differently.
    if not (moment.isascii() and moment.isdigit()):
        raise WebhookVerificationError("The time of the message is no number.")
    if abs(time.time() - int(moment)) > tolerance_seconds:
        raise WebhookVerificationError("The message is too old, or from the future.")
    message = f"{id}.{moment}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else secret
    if not any(_has_signed(each, message, signatures) for each in secrets):
        raise WebhookVerificationError("No signature is by the secret.")
    try:
        return cast(Event, json.loads(body))
    except ValueError as error:
        raise WebhookVerificationError("The body is no JSON.") from error


def _has_signed(secret: str, message: bytes, signatures: str) -> bool:
    expected = hmac.new(_key(secret), message, hashlib.sha256).digest()
    is_valid = False
    for signature in signatures.split(" "):
        version, _, text = signature.partition(",")
        if version == "v1":
            # All are compared, so that the time tells nothing.
            is_valid |= hmac.compare_digest(expected, _decoded(text))
    return is_valid


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("The secret is none: it begins with whsec_ and goes on in base64.") from error


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
