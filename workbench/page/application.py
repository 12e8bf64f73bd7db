"""What is served: the page, its socket, and the documents of frames. Everything else does not exist.

Source: docs/page.md 2 and 3.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from workbench.page.access import (
    Tickets,
    Tokens,
    frame_headers,
    frame_host,
    is_own_origin,
    is_token,
    own_host,
    page_headers,
)
from workbench.page.connection import NOT_TEXT
from workbench.page.files import StaticFile, frame_files, page_files
from workbench.page.hub import Hub
from workbench.page.wire import SCOPE_KEY

_SILENT = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}


def application(hub: Hub, tokens: Tokens, tickets: Tickets, port: int) -> ASGIApp:
    """The ASGI application of one server."""
    page, frame = page_files(), frame_files()

    def guarded(
        host_of: Callable[[Mapping[str, str], int], str | None],
        token: str,
        answer: Callable[[Request, str], Response],
    ) -> Callable[[Request], Awaitable[Response]]:
        """Answers whoever names a host of ours and knows the token; nobody else learns anything."""

        async def endpoint(request: Request) -> Response:
            host = host_of(request.headers, port)
            if host is None:
                return _nothing(403)
            if not is_token(request.path_params["token"], token):
                return _nothing(404)
            return answer(request, host)

        return endpoint

    def page_file(request: Request, host: str) -> Response:
        return _file(page, request, page_headers(host, tokens.frame))

    def frame_file(request: Request, host: str) -> Response:
        return _file(frame, request, frame_headers(host, tokens.frame))

    def with_slash(_request: Request, _host: str) -> Response:
        """The address of the page as somebody has typed it; its files are relative to the one with a slash."""
        return RedirectResponse(f"/{tokens.page}/", 308, _SILENT)

    async def once(request: Request) -> Response:
        """To the page, for the first who comes with a ticket."""
        if own_host(request.headers, port) is None:
            return _nothing(403)
        if request.method != "GET" or not tickets.take(request.path_params["ticket"]):
            return _nothing(404)
        return RedirectResponse(f"/{tokens.page}/", 303, _SILENT)

    async def socket(websocket: WebSocket) -> None:
        host = own_host(websocket.headers, port)
        is_own = host is not None and is_own_origin(websocket.headers, host)
        if is_own and is_token(websocket.path_params["token"], tokens.page):
            await _serve(hub, websocket)
        else:
            await websocket.close()  # before it was accepted: 403

    async def missing(request: Request, _error: Exception) -> Response:
        return _nothing(403 if own_host(request.headers, port) is None else 404)

    made = Starlette(
        routes=[
            WebSocketRoute("/{token}/socket", socket),
            Route("/open/{ticket}", once),
            Route("/frame/{token}/{name:path}", guarded(frame_host, tokens.frame, frame_file)),
            Route("/{token}", guarded(own_host, tokens.page, with_slash)),
            Route("/{token}/{name:path}", guarded(own_host, tokens.page, page_file)),
        ],
        exception_handlers={404: missing, 405: missing},
    )
    made.router.redirect_slashes = False
    return made


async def _serve(hub: Hub, websocket: WebSocket) -> None:
    try:
        await websocket.accept()
    except WebSocketDisconnect:
        return  # it has gone already
    page = hub.enter(websocket.scope[SCOPE_KEY], websocket.headers.get("user-agent", ""))
    try:
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                page.close(NOT_TEXT)
            else:
                page.said(text)
    finally:
        await hub.leave(page)


def _nothing(status: int) -> Response:
    """No word about why."""
    return Response(status_code=status, headers=_SILENT)


def _file(files: Mapping[str, StaticFile], request: Request, headers: Mapping[str, str]) -> Response:
    file = files.get(request.path_params["name"])
    if file is None:
        return _nothing(404)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=file.media_type)
    return Response(file.content, headers=dict(headers), media_type=file.media_type)
