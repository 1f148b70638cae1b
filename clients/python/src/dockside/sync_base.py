"""Sends requests and waits for their answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

import httpx

from .auth import ClientCredentials, ClientCredentialsAuth, TokenAuth
from .errors import RefusedError
from .reply import Reply
from .request import TIMEOUT, Prepared, below, code_of, entries_of, problem_of, read, server_url
from .retry import Retries, is_passing


class Base:
    """A connection to a server. It can be used by several threads, and in `with`."""

    def __init__(
        self,
        url: str,
        token: str | ClientCredentials,
        *,
        retries: Retries = Retries(),
        timeout: httpx.Timeout | float = TIMEOUT,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.url = server_url(url)
        auth = (
            ClientCredentialsAuth(token, below(self.url, "/oauth/token"))
            if isinstance(token, ClientCredentials)
            else TokenAuth(token)
        )
        self._retries = retries
        self._http = httpx.Client(base_url=self.url, auth=auth, timeout=timeout, transport=transport)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _call(self, method: str, path: str, **about: Any) -> Reply[Any]:
        return read(self._send(Prepared(method, path, **about), stream=False))

    def _download(self, method: str, path: str, **about: Any) -> Download:
        return Download(self, Prepared(method, path, **about))

    def _entries(self, name: str, page: Callable[[str | None], Reply[Any]]) -> Iterator[Any]:
        cursor: str | None = None
        while True:
            found: Mapping[str, Any] = page(cursor).data
            yield from entries_of(found, name)
            cursor = found["next_cursor"]
            if cursor is None:
                return

    def _send(self, prepared: Prepared, *, stream: bool) -> httpx.Response:
        waited = 0.0
        attempt = 0
        while True:
            attempt += 1
            # A new request each time: a sent one has no body any more.
            request = self._http.build_request(
                prepared.method, prepared.path, params=prepared.params, headers=prepared.headers, content=prepared.content
            )
            try:
                response = self._http.send(request, stream=stream)
            except httpx.TransportError:
                wait = self._retries.wait_seconds(attempt, waited, {}) if prepared.is_repeatable else None
                if wait is None:
                    raise
            else:
                if response.is_success:
                    return response
                response.read()
                is_repeated = prepared.is_repeatable and is_passing(response.status_code, code_of(response))
                wait = self._retries.wait_seconds(attempt, waited, response.headers) if is_repeated else None
                if wait is None:
                    return response
            time.sleep(wait)
            waited += wait


class Download:
    """An answer that is no JSON, such as an export or a label. Use it in `with`, and read or iterate it once."""

    def __init__(self, base: Base, prepared: Prepared) -> None:
        self._base, self._prepared = base, prepared
        self._response: httpx.Response | None = None

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._response is not None:
            self._response.close()

    def _open(self) -> httpx.Response:
        if self._response is None:
            response = self._base._send(self._prepared, stream=True)
            if not response.is_success:
                raise RefusedError(response.status_code, response.headers, problem_of(response))
            self._response = response
        return self._response

    @property
    def headers(self) -> Mapping[str, str]:
        return self._open().headers

    def read(self) -> bytes:
        """All of it. Raises `httpx.TransportError` if the server cut it off."""
        with self:
            return self._open().read()

    def __iter__(self) -> Iterator[bytes]:
        """Its pieces, as they arrive."""
        yield from self._open().iter_bytes()
