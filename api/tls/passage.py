"""Https in front of the server: takes TLS off in one thread and hands on what was in it, byte for byte.

The server behind it stays as it is, with its limits, its log and its end. It is asked over the machine's own loopback,
by a port that is known to it beforehand, and so knows who is behind each connection; nobody else is answered there.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import structlog

HANDSHAKE: Final = 10.0
"""Seconds in which a caller must have shaken hands."""

AT_ONCE: Final = 1_000
_FAREWELL: Final = 0.2
_LOOK: Final = 3_600.0
_CHUNK: Final = 65_536

_log = structlog.get_logger("kittybook")

Address = tuple[str, int]


class Passage(threading.Thread):
    """Listens for https at a place until it is stopped."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext, renew: Callable[[], None] | None = None) -> None:
        """Listen; raises ``OSError``. ``renew`` is called every hour, to look whether certificates must be renewed."""
        super().__init__(name="tls", daemon=True)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listening = socket.create_server((host.strip("[]"), port), family=family, backlog=128)
        self.port: int = self._listening.getsockname()[1]
        self._context = context
        self._renew = renew
        self._to: Address = ("", 0)
        self._callers: dict[Address, Address] = {}
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._open: set[asyncio.Task[Any]] = set()

    def lead_to(self, place: Address) -> None:
        self._to = place

    def caller(self, address: Any) -> Address | None:  # noqa: ANN401 - as sockets give it
        """Return who is behind a connection to the server; None where it did not come through here."""
        return self._callers.get((address[0], address[1]))

    def run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    def stop(self) -> None:
        """Take nobody else in, let what was answered go out, and end."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._over.set)

    async def _serve(self) -> None:
        server = await asyncio.start_server(
            self._pass,
            sock=self._listening,
            ssl=self._context,
            ssl_handshake_timeout=HANDSHAKE,
            ssl_shutdown_timeout=2.0,
        )
        renewing = asyncio.create_task(self._look_after_certificates())
        await self._over.wait()
        server.close()
        await asyncio.sleep(_FAREWELL)
        renewing.cancel()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(renewing, *self._open, return_exceptions=True)

    async def _look_after_certificates(self) -> None:
        while self._renew is not None:
            await asyncio.sleep(_LOOK)
            await asyncio.to_thread(self._renew)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            if len(self._open) <= AT_ONCE:
                await self._hand_on(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # somebody went away: the other is let go, too
        finally:
            self._open.discard(task)
            writer.close()

    async def _hand_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        behind.setblocking(False)
        behind.bind(("127.0.0.1", 0))
        known: Address = behind.getsockname()
        peer = writer.get_extra_info("peername")
        self._callers[known] = (peer[0], peer[1])
        answers: asyncio.StreamWriter | None = None
        try:
            await self._loop.sock_connect(behind, self._to)
            there, answers = await asyncio.open_connection(sock=behind)
            ways = {asyncio.create_task(_pump(reader, answers)), asyncio.create_task(_pump(there, writer))}
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            if answers is None:
                behind.close()
            else:
                answers.close()
            del self._callers[known]


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while chunk := await source.read(_CHUNK):
        sink.write(chunk)
        await sink.drain()


def context_of(certificate: str, key: str) -> ssl.SSLContext:
    """Return what shakes hands with a certificate. Raises ``OSError`` (of which ``ssl.SSLError`` is one)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE+AESGCM:ECDHE+CHACHA20")  # of TLS 1.2; those of 1.3 are all as good
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(certificate, key, password=_no_password)
    return context


def _no_password() -> str:
    return ""  # instead of asking for one at the terminal
