"""Connections to the server: none may hold a place without asking for something."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0
"""How long a connection may take to bring the whole head of a request, the first or the next one,
and to fetch what has been answered.  (How long a body may take is the application's business.)"""

CONNECTIONS = 256
"""The most connections; one more takes the place of the one that has waited longest."""


def most() -> int:
    """`CONNECTIONS`, or fewer where the process may open few files, as on macOS."""
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows has no such limit
        return CONNECTIONS
    files = getrlimit(RLIMIT_NOFILE)[0]
    return min(CONNECTIONS, files // 2) if files > 0 else CONNECTIONS


class Connection(H11Protocol):
    """A connection that is cut when no request comes.

    Uvicorn's own limit begins after the first request, and ends with the first byte of the next.
    """

    _deadline: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > most():
            others = (cast(Connection, other) for other in self.connections)
            min((one for one in others if one._waits()), key=lambda one: one._since)._cut()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch(anew=True)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._watch(anew=True)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._deadline is not None:
            self._deadline.cancel()

    def _is_due(self) -> bool:
        """Whether the server is to do something: a request has come, perhaps without its body."""
        cycle: Any = self.cycle  # None before the first
        return not (cycle is None or cycle.response_complete or self.flow.write_paused)

    def _waits(self) -> bool:
        """Whether the other side is to do something."""
        return not self._is_due() or self.cycle.more_body

    def _watch(self, anew: bool = False) -> None:
        """Sets the deadline, or takes it back while the server is to do something."""
        if self._deadline is not None and (anew or self._is_due()):
            self._deadline.cancel()
            self._deadline = None
        if self._deadline is None and not self._is_due():
            self._since = self.loop.time()
            self._deadline = self.loop.call_later(SECONDS, self._cut)

    def _cut(self) -> None:
        self.connections.discard(self)
        self.transport.abort()  # what is not fetched by now is not waited for
