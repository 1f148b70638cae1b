"""When a request is sent again, and after how long."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

# Refused before it was carried out, or not known to be: of both it is safe to repeat a read, or a change that has a key.
REPEATED = frozenset({408, 429, 500, 502, 503, 504})
FIRST_WAIT_SECONDS = 0.25
WAIT_SECONDS_MAX = 20.0


@dataclass(frozen=True)
class Retries:
    """How often a request is sent, at most, and how long is waited between, in all."""

    attempts_max: int = 8
    seconds_max: float = 60.0

    def wait_seconds(self, attempt: int, waited: float, headers: Mapping[str, str]) -> float | None:
        """Returns how long to wait after the attempt with this number, from 1, or `None` to give up."""
        if attempt >= self.attempts_max:
            return None
        longest = min(FIRST_WAIT_SECONDS * 2 ** (attempt - 1), WAIT_SECONDS_MAX)
        # Spread, so that clients that were refused together do not come back together.
        wait = max(random.uniform(longest / 2, longest), retry_after_seconds(headers))
        return wait if waited + wait <= self.seconds_max else None


def retry_after_seconds(headers: Mapping[str, str]) -> float:
    try:
        return max(float(headers.get("retry-after", "0")), 0.0)
    except ValueError:
        return 0.0


def is_passing(status: int, code: str | None) -> bool:
    """Returns whether the same request may succeed later."""
    return status in REPEATED or (status == 409 and code == "idempotency_in_progress")
