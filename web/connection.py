"""How a page came here, and what a browser will therefore not let it do: told plainly, and only where it is so."""

from __future__ import annotations

from typing import NamedTuple

from flask import request

from api.reach import is_this_machine
from api.tls import shown
from web.words import gettext


class Limits(NamedTuple):
    """What a page cannot do: a sentence, what still works, and a page that leads out of it, if there is one."""

    cannot: str
    still: str
    way_out: str | None


def is_secure_context() -> bool:
    """Return whether a browser lets this page work offline: over https, or on the machine itself."""
    return request.is_secure or is_this_machine(request.host)


def limits() -> Limits | None:
    """Return what the banner of a page that came by plain http over a network says; None where there is no limit."""
    if is_secure_context():
        return None
    tls = shown()
    return Limits(
        cannot=gettext("Over plain http this page cannot be opened or reloaded without the network: leave it open."),
        still=gettext(
            "Every tap is kept on this device and sent again. Others in this network could read what is sent."
        ),
        way_out=None if tls is None or tls.is_given else "/trust",
    )
