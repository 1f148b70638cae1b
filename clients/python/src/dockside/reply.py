"""What a request gave: the object, and what the headers say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Position:
    """A place in the event log, from which a stream can be followed."""

    offset: int
    epoch: str


@dataclass(frozen=True)
class Reply(Generic[T]):
    """A successful answer."""

    data: T
    status: int
    headers: Mapping[str, str]

    @property
    def etag(self) -> str | None:
        """The tag of the state that was read or made, for `if_match`."""
        return self.headers.get("etag")

    @property
    def is_replayed(self) -> bool:
        """Whether an earlier request with the same idempotency key did it, and this is that answer once more."""
        return self.headers.get("idempotent-replayed") == "true"

    @property
    def position(self) -> Position | None:
        """How far the event log had come before this was read, if the answer says so."""
        offset, epoch = self.headers.get("stream-offset"), self.headers.get("stream-epoch")
        return Position(int(offset), epoch) if offset is not None and epoch is not None else None
