"""The server of the page: stateless, bounded in size and time, closed to other pages."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from ipaddress import ip_address
from threading import Event
from typing import Any

from anyio import CapacityLimiter, create_task_group, fail_after, to_thread
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from relaysow._support.checks import shown
from relaysow.web.api import answer, catalogue, check, to_json
from relaysow.web.workers import Stopped, Workers

MAX_BODY = 128 * 1024
"""The longest request, in bytes."""

SECONDS = 10.0
"""How long the engine may think about a request, and how long a request may take to arrive."""

WORKERS, WAITING = 8, 64
"""How many requests are worked on at once, each in a process of its own, and how many may wait."""

PAGE = {
    "": ("index.html", "text/html; charset=utf-8"),
    "style.css": ("style.css", "text/css; charset=utf-8"),
    "app.js": ("app.js", "text/javascript; charset=utf-8"),
    "board.js": ("board.js", "text/javascript; charset=utf-8"),
    "rules.js": ("rules.js", "text/javascript; charset=utf-8"),
    "icon.svg": ("icon.svg", "image/svg+xml"),
}

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def create_app(host: str) -> ASGIApp:
    """The application; see `relaysow.web.create_app`."""
    limiter, workers = CapacityLimiter(WORKERS), Workers()
    taken = 0  # places at work and in the queue

    async def game(request: Request) -> Response:
        nonlocal taken
        asked = await _asked(request)
        # Checked and counted in one step, or more would wait of those that come at once.
        if max(0, taken - limiter.total_tokens) >= WAITING:
            raise HTTPException(503, "too many requests at once: try again")
        taken += 1
        try:
            return await answered(request, asked)
        finally:
            taken -= 1

    async def answered(request: Request, asked: Any) -> Response:
        unwanted = Event()

        def work() -> tuple[int, bytes]:
            try:
                return workers.run(answer, asked, seconds=SECONDS, unwanted=unwanted)
            except Stopped as stopped:
                return 503, to_json({"error": f"{stopped}"})

        async def notice_who_leaves() -> None:
            try:
                while (await request.receive())["type"] != "http.disconnect":
                    pass
            finally:
                unwanted.set()
            group.cancel_scope.cancel()  # it may be in the queue still

        status, text = 503, b""  # for nobody
        async with create_task_group() as group:
            group.start_soon(notice_who_leaves)
            status, text = await to_thread.run_sync(work, limiter=limiter)
            group.cancel_scope.cancel()
        return Response(text, status, media_type="application/json")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        workers.close()

    async def games(_: Request) -> Response:
        return Response(catalogue(), media_type="application/json")

    app = Starlette(
        routes=[
            Route("/api/games", games),
            Route("/api/game", game, methods=["POST"]),
            *(Route(f"/{path}", _file(*what)) for path, what in PAGE.items()),
        ],
        exception_handlers={HTTPException: _refusal, Exception: _fault},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return Guard(app, host)


class Guard:
    """Refuses requests for other hosts and from other pages, and adds the headers of safety."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._names = {"localhost", host.lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_own(host):
            refusal = _error(421, f"the host {shown(host)} is not served here")
            return await refusal(scope, receive, send_safely)
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            refusal = _error(403, f"a page of {shown(origin)} has no business here")
            return await refusal(scope, receive, send_safely)
        return await self._app(scope, receive, send_safely)

    def _is_own(self, host: str) -> bool:
        """Whether a Host header names this server: a numeric address needs no name service, so no
        foreign page can be behind it."""
        name, colon, port = host.rpartition(":")
        if not colon or not port.isdigit():
            name = host
        if name.lower() in self._names:
            return True
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


async def _asked(request: Request) -> Any:
    """The JSON of a request, as far as it is one."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, f"the content type must be application/json, not {shown(kind)}")
    body = bytearray()
    try:
        with fail_after(SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > MAX_BODY:
                    raise HTTPException(413, f"a request has at most {MAX_BODY:,} bytes")
    except TimeoutError:
        raise HTTPException(408, f"the request took more than {SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise HTTPException(400, "the request was cut off") from None
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the request is no JSON: {error}") from None
    try:
        check(asked)  # before it takes a place
    except (ValueError, TypeError) as error:
        raise HTTPException(422, f"{error}") from None
    return asked


def _file(name: str, media_type: str) -> Any:
    content = files("relaysow.web").joinpath("page", name).read_bytes()

    async def page(_: Request) -> Response:
        return Response(content, media_type=media_type, headers={"cache-control": "no-cache"})

    return page


def _error(status: int, text: str) -> Response:
    return Response(to_json({"error": text}), status, media_type="application/json")


async def _refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = _error(error.status_code, error.detail)
    response.headers.update(error.headers or {})
    return response


async def _fault(_: Request, error: Exception) -> Response:
    return _error(500, f"a fault of the server: {type(error).__name__}")
