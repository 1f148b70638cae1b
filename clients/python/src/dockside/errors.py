"""What can go wrong. A server that can't be reached is an `httpx.TransportError`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .generated.models import Problem


class DocksideError(Exception):
    """An error of this library."""


class RefusedError(DocksideError):
    """An answer that is no success."""

    def __init__(self, status: int, headers: Mapping[str, str], problem: Problem | None) -> None:
        self.status = status
        self.headers = headers
        self.problem = problem
        """What the server says; `None` if the answer is not of Dockside, such as that of a proxy."""
        self.code: str | None = problem["code"] if problem else None
        """The cause in a word for programs, such as `validation_failed`. `/docs/errors` of the server explains each."""
        self.request_id = headers.get("x-request-id")
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        if self.problem is None:
            return f"The server answered with the status {self.status}."
        fields = "".join(f"\n  {each['field']}: {each['message']}" for each in self.problem["errors"])
        return f"{self.status} {self.problem['code']}: {self.problem['detail']}{fields}"


class WebhookVerificationError(DocksideError):
    """A message that was not signed with the secret, or too long ago."""


class StreamEndedError(DocksideError):
    """The server ended the stream for good. `code` is one of the guide's table."""

    def __init__(self, code: int, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(f"The stream ended with the code {code}: {reason}.")
