"""The server of the page, run for tests as users run it, and a client of it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from threading import Thread
from time import sleep
from typing import Any

from relaysow.web import api, create_app, make_server

SLOW = "slow"
"""The text of a game with which `answer` does not come to an end."""


def answer(request: Any) -> tuple[int, bytes]:
    """In place of the server's own, in its worker processes."""
    if request.get("text") == SLOW:
        sleep(3_600)
    return api.answer(request)


@dataclass
class Response:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()

    def json(self) -> Any:
        return json.loads(self.content)


@dataclass
class Client:
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def request(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Response:
        """One request as it is, on a connection of its own."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Response(response.status, names, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Response:
        return self.request("GET", path, headers=headers)

    def ask(self, request: Any, **headers: str) -> Response:
        body = json.dumps(request).encode()
        headers = {"content-type": "application/json", **headers}
        return self.request("POST", "/api/game", body, headers)


@contextmanager
def serving(host: str = "127.0.0.1") -> Iterator[Client]:
    """The server at a free port of loopback, as one that is reached at `host`."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = make_server(create_app(host))
        thread = Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield Client(listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()
