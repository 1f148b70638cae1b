"""How a request is written and its answer read, whatever client sends it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

import httpx

from .errors import RefusedError
from .file import File
from .reply import Reply

PROBLEM = "application/problem+json"
# Longer than the 30 seconds for which a purchase may be waited for.
TIMEOUT = httpx.Timeout(60.0, connect=10.0)


def server_url(url: str) -> httpx.URL:
    """Returns the address of a server. A wrong one is an error at once, and no server that can't be reached."""
    parsed = httpx.URL(url)
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError(f"The address of the server begins with http:// or https://, and {url!r} does not.")
    return parsed


def below(url: httpx.URL, path: str) -> httpx.URL:
    """Returns the address of a path of the server, which may itself be below a path of a proxy."""
    return url.copy_with(raw_path=(url.path.rstrip("/") + path).encode())


def segment(text: str) -> str:
    """Returns a text as one segment of a path."""
    return quote(text, safe="")


def query_string(query: Mapping[str, Any]) -> dict[str, str]:
    """Returns the parameters that have a value, as they are written in an address."""
    written: dict[str, str] = {}
    for name, value in query.items():
        if isinstance(value, bool):
            written[name] = "true" if value else "false"
        elif isinstance(value, str | int | float):
            written[name] = str(value)
        elif value is not None:
            written[name] = ",".join(str(each) for each in value)
    return written


def header_fields(
    headers: Mapping[str, str] | None, if_match: str | None, takes_key: bool, idempotency_key: str | None
) -> dict[str, str]:
    """Returns the headers of a request. A change that takes an idempotency key always has one, so that it can be repeated."""
    fields = dict(headers or {})
    if if_match is not None:
        fields["If-Match"] = if_match
    if takes_key:
        fields["Idempotency-Key"] = idempotency_key if idempotency_key is not None else uuid.uuid4().hex
    return fields


class Prepared:
    """A request that can be sent, and whether it can be sent twice."""

    def __init__(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: object = None,
        form: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        if_match: str | None = None,
        takes_key: bool = False,
        idempotency_key: str | None = None,
    ) -> None:
        self.method, self.path = method, path
        self.params = query_string(query or {})
        self.headers = header_fields(headers, if_match, takes_key, idempotency_key)
        self.content: Any = None
        if isinstance(body, File):
            self.content = body.content
            self.headers.setdefault("Content-Type", body.media_type)
        elif body is not None:
            self.content = json.dumps(body, ensure_ascii=False).encode()
            self.headers.setdefault("Content-Type", "application/json")
        elif form is not None:
            self.content = str(httpx.QueryParams(query_string(form))).encode()
            self.headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        self.is_repeatable = (method == "GET" or takes_key) and not isinstance(body, File)


def read(response: httpx.Response) -> Reply[Any]:
    """Returns what a successful answer has, or raises what the server refused."""
    if not response.is_success:
        raise RefusedError(response.status_code, response.headers, problem_of(response))
    data = response.json() if response.content else None
    return Reply(data, response.status_code, response.headers)


def problem_of(response: httpx.Response) -> Any:
    """The problem document of an answer that was read, or `None` if it has none."""
    if not response.headers.get("content-type", "").startswith(PROBLEM):
        return None
    try:
        return response.json()
    except ValueError:
        return None


def code_of(response: httpx.Response) -> str | None:
    problem = problem_of(response)
    return problem.get("code") if isinstance(problem, dict) else None


def entries_of(page: Mapping[str, Any], name: str) -> Iterable[Any]:
    entries: list[Any] = page[name]
    return entries
