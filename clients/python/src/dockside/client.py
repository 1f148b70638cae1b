"""The two clients."""

from __future__ import annotations

from .generated.async_operations import AsyncOperations
from .generated.sync_operations import Operations


class Dockside(Operations):
    """A client that waits for each answer.

    Each operation of the API is a method with the name of its operation id, and each list has an iterator beside it:
    `list_orders` reads a page, `iterate_orders` all entries.
    """


class AsyncDockside(AsyncOperations):
    """A client for asyncio, with the same methods."""
