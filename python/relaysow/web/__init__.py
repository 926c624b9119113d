"""Play in a browser: the command `relaysow serve` (extra `web`)."""

from __future__ import annotations

import socket
from typing import Any

from relaysow.extras import library

PORT = 8765


def create_app(host: str = "127.0.0.1") -> Any:
    """The page and its server as an ASGI application, for a server that is reached at `host`.

    It keeps nothing between requests.  Beside the names of loopback it answers to `host` and to any
    numeric address, and to no other name, so that no foreign page can reach it by a name of its
    own.  Raises `ImportError`, naming the extra `web`, if Starlette is not installed.
    """
    return library("relaysow.web.server", "web").create_app(host)


def serve(host: str = "127.0.0.1", port: int = PORT, *, browser: bool = True) -> None:
    """Serve the page until Ctrl-C, and open it in the browser.

    `port=0` takes any port that is free.  Raises `OSError` if the address cannot be had,
    `ValueError` for a port outside 0…65535, `ImportError`, naming the extra `web`, if Starlette or
    Uvicorn is not installed.
    """
    if not 0 <= port <= 65535:
        raise ValueError(f"port={port}: must be 0…65535")
    server = make_server(create_app(host))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with server.capture_signals():  # before it runs too: it then ends as soon as it would begin
        try:
            # Bound here, so that a port that is taken is told in one line and the page opens at
            # once.
            listener = socket.create_server((host, port), family=family)
        except OSError as error:
            raise OSError(f"{host} port {port}: {error.strerror or error}") from error
        with listener:
            shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
            shown = f"[{shown}]" if ":" in shown else shown
            address = f"http://{shown}:{listener.getsockname()[1]}/"
            print(f"Serving {address} (Ctrl-C ends it)", flush=True)
            if browser:
                import webbrowser

                webbrowser.open(address)
            server.run(sockets=[listener])


def make_server(app: Any) -> Any:
    """A Uvicorn server for the application, with all that bounds it."""
    uvicorn = library("uvicorn", "web")
    connections = library("relaysow.web.connections", "web")
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="critical",
            access_log=False,
            server_header=False,
            ws="none",
            http=connections.Connection,
            backlog=connections.CONNECTIONS // 2,  # so many are taken on in one go
            timeout_keep_alive=5,
            timeout_graceful_shutdown=0,
        )
    )
