"""A client of Dockside's API: `Dockside`, and `AsyncDockside` for asyncio."""

from .auth import ClientCredentials
from .client import AsyncDockside, Dockside
from .errors import DocksideError, RefusedError, StreamEndedError, WebhookVerificationError
from .file import File
from .generated import models
from .reply import Position, Reply
from .retry import Retries
from .webhooks import verify_webhook

__all__ = [
    "AsyncDockside",
    "ClientCredentials",
    "Dockside",
    "DocksideError",
    "File",
    "Position",
    "RefusedError",
    "Reply",
    "Retries",
    "StreamEndedError",
    "WebhookVerificationError",
    "models",
    "verify_webhook",
]
