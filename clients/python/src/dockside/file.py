"""Bodies that are no JSON."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """A file to send, such as the orders of an import. It is sent once: only JSON can be repeated."""

    content: bytes | Iterable[bytes] | AsyncIterable[bytes]
    """All of it, or its pieces: an open file is read while it is sent. Only the asynchronous client takes an `AsyncIterable`."""
    media_type: str = "text/csv"
