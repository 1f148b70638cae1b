"""Sends requests with asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

import httpx

from .auth import ClientCredentials, ClientCredentialsAuth, TokenAuth
from .errors import RefusedError
from .reply import Reply
from .request import TIMEOUT, Prepared, below, code_of, entries_of, problem_of, read, server_url
from .retry import Retries, is_passing


class AsyncBase:
    """A connection to a server. It can be used by several tasks, and in `async with`."""

    def __init__(
        self,
        url: str,
        token: str | ClientCredentials,
        *,
        retries: Retries = Retries(),
        timeout: httpx.Timeout | float = TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = server_url(url)
        auth = (
            ClientCredentialsAuth(token, below(self.url, "/oauth/token"))
            if isinstance(token, ClientCredentials)
            else TokenAuth(token)
        )
        self._retries = retries
        self._http = httpx.AsyncClient(base_url=self.url, auth=auth, timeout=timeout, transport=transport)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def _call(self, method: str, path: str, **about: Any) -> Reply[Any]:
        return read(await self._send(Prepared(method, path, **about), stream=False))

    def _download(self, method: str, path: str, **about: Any) -> AsyncDownload:
        return AsyncDownload(self, Prepared(method, path, **about))

    async def _entries(self, name: str, page: Callable[[str | None], Awaitable[Reply[Any]]]) -> AsyncIterator[Any]:
        cursor: str | None = None
        while True:
            found: Mapping[str, Any] = (await page(cursor)).data
            for entry in entries_of(found, name):
                yield entry
            cursor = found["next_cursor"]
            if cursor is None:
                return

    async def _send(self, prepared: Prepared, *, stream: bool) -> httpx.Response:
        waited = 0.0
        attempt = 0
        while True:
            attempt += 1
            # A new request each time: a sent one has no body any more.
            request = self._http.build_request(
                prepared.method, prepared.path, params=prepared.params, headers=prepared.headers, content=as_async(prepared.content)
            )
            try:
                response = await self._http.send(request, stream=stream)
            except httpx.TransportError:
                wait = self._retries.wait_seconds(attempt, waited, {}) if prepared.is_repeatable else None
                if wait is None:
                    raise
            else:
                if response.is_success:
                    return response
                await response.aread()
                is_repeated = prepared.is_repeatable and is_passing(response.status_code, code_of(response))
                wait = self._retries.wait_seconds(attempt, waited, response.headers) if is_repeated else None
                if wait is None:
                    return response
            await asyncio.sleep(wait)
            waited += wait


class AsyncDownload:
    """An answer that is no JSON, such as an export or a label. Use it in `async with`, and read or iterate it once."""

    def __init__(self, base: AsyncBase, prepared: Prepared) -> None:
        self._base, self._prepared = base, prepared
        self._response: httpx.Response | None = None

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._response is not None:
            await self._response.aclose()

    async def _open(self) -> httpx.Response:
        if self._response is None:
            response = await self._base._send(self._prepared, stream=True)
            if not response.is_success:
                raise RefusedError(response.status_code, response.headers, problem_of(response))
            self._response = response
        return self._response

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the answer, which are there within `async with`."""
        if self._response is None:
            raise RuntimeError("The download has not begun: use it in `async with`.")
        return self._response.headers

    async def read(self) -> bytes:
        """All of it. Raises `httpx.TransportError` if the server cut it off."""
        async with self:
            return await (await self._open()).aread()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Its pieces, as they arrive."""
        async for piece in (await self._open()).aiter_bytes():
            yield piece


def as_async(content: Any) -> Any:
    """Returns content that does not block the loop: the pieces of a file are read in a thread."""
    if content is None or isinstance(content, bytes | str) or not isinstance(content, Iterable):
        return content
    return _pieces(content)


async def _pieces(content: Iterable[bytes]) -> AsyncIterator[bytes]:
    pieces = iter(content)
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece
