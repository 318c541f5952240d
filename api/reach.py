"""At which addresses others reach this server: known by whoever serves it, needed where somebody is to be let in.

An owner may sit at the machine itself, where the server is called localhost. No tablet finds it by that name.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final

from flask import Flask, current_app, request

_ADDRESSES: Final = "kittybook.addresses"


def reached_at(app: Flask, addresses: Sequence[str]) -> None:
    """Let an app know where others reach it, each with a slash at the end, the best first; none: from nowhere else."""
    app.extensions[_ADDRESSES] = [one for one in addresses if not is_this_machine(one.split("/")[2])]


def addresses() -> list[str]:
    """Return where others reach the server that is asked, the best first; nothing where it listens to itself alone.

    The address by which somebody came here from elsewhere is the best: it works.
    """
    own = [] if is_this_machine(request.host) else [request.host_url]
    known: list[str] = current_app.extensions.get(_ADDRESSES, [])
    return [*dict.fromkeys([*own, *known])]


def links(path: str) -> list[str]:
    """Return a path at every address where others reach this server, else at the one that was asked for."""
    return [f"{address}{path}" for address in addresses() or [request.host_url]]


def is_this_machine(host: str) -> bool:
    """Return whether a browser takes this name for its own machine (W3C Secure Contexts, 3.1); or it is no address."""
    name = name_of(host).lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        found = ip_address(name.strip("[]"))
    except ValueError:
        return False
    return found.is_loopback or found.is_unspecified


def name_of(host: str) -> str:
    """Return a host without its port; an address of IPv6 keeps its brackets."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and not host.endswith("]") else host
