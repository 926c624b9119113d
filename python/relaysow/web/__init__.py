"""Play in a browser: the command `relaysow serve` (extra `web`)."""

from __future__ import annotations

from typing import Any

from relaysow._support.checks import instance, within
from relaysow._support.extras import optional_import
from relaysow.web.addresses import listener_at, told

PORT = 8765


def create_app(host: str = "127.0.0.1") -> Any:
    """The page and its server as an ASGI application, for a server that is reached at `host`.

    It keeps nothing between requests.  Beside the names of loopback it answers to `host` and to any
    numeric address, and to no other name, so that no foreign page can reach it by a name of its
    own.  Raises `ImportError`, naming the extra `web`, if Starlette is not installed, `TypeError`
    if `host` is no string.
    """
    instance("host", host, str, "a string")
    return optional_import("relaysow.web.server", "web").create_app(host)


def serve(host: str = "127.0.0.1", port: int = PORT, *, browser: bool = True) -> None:
    """Serve the page until Ctrl-C, and open it in the browser.

    `host` is a name or an address of this machine; one that others can reach, such as `"0.0.0.0"`
    (all addresses of IPv4) or `"::"` (of IPv6), lets anyone on the network use the page, which is
    printed with the addresses.  `port=0` takes any port that is free.

    Raises `OSError` if the address cannot be had, `ValueError` for a port outside 0…65535 or a host
    that is no name, `TypeError` for other types, `ImportError`, naming the extra `web`, if
    Starlette or Uvicorn is not installed.
    """
    port = within("port", port, 0, 65535)
    instance("host", host, str, "a string")
    host = host.removeprefix("[").removesuffix("]")
    server = make_server(create_app(host))
    # Signals are caught before it runs too: it then ends as soon as it would begin.  Bound here, so
    # that a port that is taken is told in one line and the page opens at once.
    with server.capture_signals(), listener_at(host, port) as listener:
        address, note = told(host, listener)
        print(f"Serving {address} (Ctrl-C ends it)", flush=True)
        if note:
            print(note, flush=True)
        if browser:
            import webbrowser

            webbrowser.open(address)
        server.run(sockets=[listener])


def make_server(app: Any) -> Any:
    """A Uvicorn server for the application, with all that bounds it."""
    uvicorn = optional_import("uvicorn", "web")
    connections = optional_import("relaysow.web.connections", "web")
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="critical",
            access_log=False,
            server_header=False,
            ws="none",
            http=connections.Connection,
            backlog=connections.most() // 2,  # so many are taken on in one go
            timeout_keep_alive=5,
            timeout_graceful_shutdown=0,
        )
    )
