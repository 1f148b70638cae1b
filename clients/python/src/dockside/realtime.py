"""Follows events live. Needs `centrifuge-python`: install `dockside-client[realtime]`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any, cast

from centrifuge import Client, ClientEventHandler, UnauthorizedError

from .client import AsyncDockside
from .errors import RefusedError, StreamEndedError
from .generated.models import Event
from .request import below

# Events that wait for the program. If it takes longer, the SDK waits too, and the server ends the connection and starts anew.
WAITING_MAX = 1_000


@dataclass(frozen=True)
class _Joined:
    """From here on a channel's events come; those before may be missing."""

    channel: str


async def follow_events(
    dockside: AsyncDockside,
    *,
    resources: Collection[str] | None = None,
    load: Callable[[str], Awaitable[None]] | None = None,
) -> AsyncGenerator[Event, None]:
    """Yields each event that the token may read, from now on, until the loop that takes them ends.

    `resources` names those whose events are wanted, such as `{"orders"}`. `load` is awaited with the name of a channel when its
    stream begins, and again if events were missed: load what you show then. Events that happen meanwhile come after it. The
    connection comes back by itself; if the server ends it for good, `StreamEndedError` is raised.
    """
    queue: asyncio.Queue[Event | _Joined | StreamEndedError] = asyncio.Queue(WAITING_MAX)
    events = _Events(queue, resources)
    client = Client(_address(dockside), events=events, get_token=lambda: _token(dockside))
    try:
        await client.connect()
        while True:
            item = await queue.get()
            if isinstance(item, StreamEndedError):
                raise item
            if isinstance(item, _Joined):
                if load is not None:
                    await load(item.channel)
            elif item.get("is_truncated"):
                # An event of more than 64 KiB comes as a reference.
                yield (await dockside.get_event(item["id"])).data
            else:
                yield item
    finally:
        events.stop()
        await client.disconnect()


def _address(dockside: AsyncDockside) -> str:
    address = below(dockside.url, "/connection/websocket")
    return str(address.copy_with(scheme=address.scheme.replace("http", "ws")))


async def _token(dockside: AsyncDockside) -> str:
    try:
        return (await dockside.get_connection_token()).data["token"]
    except RefusedError as error:
        # There will be none later either: the SDK stops. After any other error it tries again.
        if error.status in (401, 403):
            raise UnauthorizedError() from error
        raise


class _Events(ClientEventHandler):
    def __init__(self, queue: asyncio.Queue[Any], resources: Collection[str] | None) -> None:
        self._queue = queue
        self._resources = resources
        self._is_over = False

    def stop(self) -> None:
        """Takes nothing any more. What waits for room in the queue goes on, so that the SDK can end."""
        self._is_over = True
        while not self._queue.empty():
            self._queue.get_nowait()

    async def on_subscribed(self, ctx: Any) -> None:
        if not ctx.recovered:
            await self._put(ctx.channel, _Joined(ctx.channel))

    async def on_publication(self, ctx: Any) -> None:
        await self._put(ctx.channel, cast(Event, ctx.pub.data))

    async def on_disconnected(self, ctx: Any) -> None:
        if not self._is_over:
            await self._queue.put(StreamEndedError(ctx.code, ctx.reason))

    async def _put(self, channel: str, item: Event | _Joined) -> None:
        is_wanted = self._resources is None or channel.partition(":")[0] in self._resources
        if is_wanted and not self._is_over:
            await self._queue.put(item)
