"""Who calls: an access token, or a client that trades its credentials for tokens that live an hour."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import httpx

from .errors import RefusedError

# A token is replaced this long before it ends, so that no request arrives with one that has ended.
SPARE_SECONDS = 60


class TokenAuth(httpx.Auth):
    """Sends an access token with each request."""

    def __init__(self, token: str) -> None:
        self._header = f"Bearer {token}"

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = self._header
        yield request


@dataclass(frozen=True)
class ClientCredentials:
    """An access token as an OAuth client: its id, and the token itself as the secret."""

    client_id: str
    client_secret: str
    scopes: Sequence[str] = ()
    """What the traded tokens may do; without any, all that the client may."""


class ClientCredentialsAuth(httpx.Auth):
    """Trades credentials for a token, and trades them again before it ends or when it is refused."""

    requires_response_body = True

    def __init__(self, credentials: ClientCredentials, url: httpx.URL) -> None:
        self._credentials = credentials
        self._url = url
        self._token = ""
        self._ends_at = 0.0

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if time.monotonic() >= self._ends_at - SPARE_SECONDS:
            self._take((yield self._trade()))
        request.headers["Authorization"] = f"Bearer {self._token}"
        answer = yield request
        # A file is sent once. With the next request there is a new token.
        if answer.status_code == 401:
            self._ends_at = 0.0
            if isinstance(request.stream, httpx.ByteStream):
                self._take((yield self._trade()))
                request.headers["Authorization"] = f"Bearer {self._token}"
                yield request

    def _trade(self) -> httpx.Request:
        form = {
            "grant_type": "client_credentials",
            "client_id": self._credentials.client_id,
            "client_secret": self._credentials.client_secret,
        }
        if self._credentials.scopes:
            form["scope"] = " ".join(self._credentials.scopes)
        return httpx.Request("POST", self._url, data=form)

    def _take(self, answer: httpx.Response) -> None:
        if not answer.is_success:
            is_problem = answer.headers.get("content-type", "").startswith("application/problem+json")
            raise RefusedError(answer.status_code, answer.headers, answer.json() if is_problem else None)
        made = answer.json()
        self._token = made["access_token"]
        self._ends_at = time.monotonic() + made["expires_in"]
