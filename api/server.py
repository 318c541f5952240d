"""The server: one process, threads that fit, an end that finishes what was begun."""

from __future__ import annotations

import errno
import gc
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final, TypedDict

import structlog
from flask import Flask
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask, WSGITask

from api import logs, welcome
from api.app import HEADERS, create_app, listeners_of
from api.bodies import BODY_LIMIT
from api.errors import CODES, problem_body
from api.live import LIMIT
from api.reach import reached_at
from api.state import kept_up_by, state_of
from api.tls import TLS, Passage, Shown
from api.tls.https import Https, with_files, with_own_authority
from ledger.errors import Refused
from ledger.stores import SqliteStore
from ledger.upkeep import Upkeep

WORKERS: Final = 8
"""Threads for everything but listening: writers wait for each other anyway."""

SWITCH: Final = 0.001
"""Seconds after which a thread that calculates lets others have a turn: a tap does not wait long for an export."""

CONNECTIONS: Final = 1_000
PATIENCE: Final = 10.0
"""Seconds that whatever is being answered at the end may take."""

_EVERYWHERE: Final = "0.0.0.0"


class CannotListen(Refused):
    code = "cannot_listen"
    sentence = "{host}:{port} cannot be listened at: {why}."


def serve(
    store: SqliteStore,
    *,
    host: str,
    port: int,
    lan: bool,
    backups: Sequence[str] = (),
    tls: Tls | None = None,
    announce: Callable[[str], Any],
    secrets: bool = False,
    create: Callable[..., Flask] = create_app,
) -> None:
    """Answer for a store until SIGTERM or SIGINT; say by ``announce`` where, once it listens.

    Backups are made in these folders, else beside the store. Where ``secrets`` may be announced, it tells how the first
    owner of a club comes in. ``create`` makes the app: the API alone, or with pages round it.
    """
    logs.to_standard_error()
    names = _names_in_the_network() if lan else []
    app = create(store, hosts=[*names, *([] if host == _EVERYWHERE else [_in_address(host)])])
    place = _EVERYWHERE if lan and host == "127.0.0.1" else host
    https = None if tls is None else _https(store, tls, [*names] or [_in_address(host)])
    BaseWSGIServer.channel_class = _Channel
    sockets: dict[int, Any] = {}
    server = _listening(app, place, port, sockets)
    passage = None
    if tls is not None and https is not None:
        passage = _passage(app, https, place, tls["port"], sockets, server.task_dispatcher)
    listeners = listeners_of(app)
    upkeep = Upkeep(store, backups)
    kept_up_by(app, upkeep)

    def stop(*_: object) -> None:
        listeners.stop()
        raise SystemExit(0)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    found = _port(server)
    addresses = []
    for name in [*names] or [_in_address(host)]:
        if passage is not None and (https is None or not https.names or name in https.names):
            addresses.append(f"https://{name}:{passage.port}/")
        addresses.append(f"http://{name}:{found}/")
    for address in addresses:
        announce(address)
    reached_at(app, [one for one in addresses if passage is None or one.startswith("https:")])
    if https is not None and https.fingerprint is not None:
        announce(
            f"http://{names[0] if names else _in_address(host)}:{found}/trust tells tablets how to trust this club."
        )
        announce(f"They show its authority as SHA-256 {https.fingerprint}")
    announce(f"http://{names[0] if names else _in_address(host)}:{found}/api/docs says what may be asked.")
    welcome.tell(store, state_of(app), addresses[0], announce, secrets=secrets)
    structlog.get_logger("kittybook").info("listening", host=place, port=found)
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()  # what is loaded by now stays: looking through it again made a tap in a hundred wait 40 ms longer
    upkeep.start()
    if passage is not None:
        passage.start()
    try:
        server.run()
    finally:
        upkeep.stop()
        listeners.close()
        if passage is not None:
            passage.stop()
            passage.join(PATIENCE)
        upkeep.join(PATIENCE)
        structlog.get_logger("kittybook").info("stopped")
        for number, handler in before.items():
            signal.signal(number, handler)


class Tls(TypedDict):
    """Https on a port: with given files, else with the club's own authority."""

    port: int
    certificate: str | None
    key: str | None


def _listening(app: Flask, host: str, port: int, sockets: dict[int, Any], **options: Any) -> Any:  # noqa: ANN401 - see _port
    """Return a server that listens. Raises ``CannotListen``."""
    try:
        return create_server(
            app,
            map=sockets,
            host=host,
            port=port,
            threads=LIMIT + WORKERS,
            connection_limit=CONNECTIONS,
            max_request_body_size=BODY_LIMIT + 1,
            channel_timeout=60,
            cleanup_interval=10,
            clear_untrusted_proxy_headers=True,
            ident=None,
            **options,
        )
    except OSError as error:
        raise _cannot(error, host, port, "--port") from None


def _cannot(error: OSError, host: str, port: int, option: str) -> CannotListen:
    why = error.strerror or str(error)
    if error.errno == errno.EADDRINUSE:
        why += f"; {option} takes another, and 0 a free one"
    return CannotListen(host=host, port=port, why=why)


def _https(store: SqliteStore, tls: Tls, names: list[str]) -> Https:
    certificate, key = tls["certificate"], tls["key"]
    if certificate is not None and key is not None:
        return with_files(certificate, key)
    return with_own_authority(store.path, names)


def _passage(app: Flask, https: Https, host: str, port: int, sockets: dict[int, Any], dispatcher: object) -> Passage:
    """Return what takes TLS off, and let a server behind it answer whoever comes through, in the same threads."""
    try:
        passage = Passage(host, port, https.context, https.renew)
    except OSError as error:
        raise _cannot(error, host, port, "--tls-port") from None
    behind = _listening(app, "127.0.0.1", 0, sockets, _dispatcher=dispatcher, url_scheme="https")

    def channel(server: object, sock: socket.socket, address: object, *rest: object, **options: object) -> None:
        caller = passage.caller(address)
        if caller is None:
            sock.close()  # somebody on this machine, who found the port
        else:
            _Channel(server, sock, caller, *rest, **options)

    behind.channel_class = channel
    passage.lead_to(("127.0.0.1", _port(behind)))
    app.extensions[TLS] = Shown(
        port=passage.port, names=https.names, authority=https.authority, fingerprint=https.fingerprint
    )
    return passage


class _Task(WSGITask):  # type: ignore[misc]  # it has no types
    """An answer. The connection is kept where there is no body, as where nothing is new; waitress would close it."""

    def build_response_header(self) -> bytes:
        asked = self.request.headers.get("CONNECTION", "").lower()
        self._is_kept = self.version == "1.1" and not self.has_body and asked != "close"
        try:
            head: bytes = super().build_response_header()
        finally:
            self._is_kept = False
        return head

    _is_kept = False

    def set_close_on_finish(self) -> None:
        if not self._is_kept:
            super().set_close_on_finish()


class _Refusal(ErrorTask):  # type: ignore[misc]  # as above
    """What is no request, or too large to be let in: told as a problem, like everything that is refused."""

    def execute(self) -> None:
        error = self.request.error
        status = 400 if error.code == 501 else error.code  # an encoding that nobody uses is no fault of this program
        kind, body = problem_body(status, CODES.get(status, "unreadable"), str(error.body))
        self.status = f"{status} {HTTPStatus(status).phrase}"
        self.response_headers += [("Content-Type", kind), ("X-Content-Type-Options", "nosniff"), *HEADERS.items()]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):  # type: ignore[misc]  # as above
    task_class = _Task
    error_task_class = _Refusal


def _port(server: Any) -> int:  # noqa: ANN401 - one of two classes of waitress, which share none
    """Return where a server listens; a name may have several addresses."""
    listens = getattr(server, "effective_listen", None)
    return int(listens[0][1] if listens else server.effective_port)


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _names_in_the_network() -> list[str]:
    """Return what other machines may call this one: its name, and its addresses."""
    name = socket.gethostname().lower()
    names = [name, f"{name}.local"] if "." not in name else [name]
    addresses = set()
    with_route = _address_with_a_route()
    if with_route is not None:
        addresses.add(with_route)
    with suppress(OSError):  # it does not know itself by name
        addresses |= {str(found[4][0]) for found in socket.getaddrinfo(name, None, family=socket.AF_INET)}
    return [*sorted(addresses - {"127.0.0.1", "127.0.1.1"}), *names]


def _address_with_a_route() -> str | None:
    """Return the address that this machine would be seen by from outside; nothing is sent for it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])
