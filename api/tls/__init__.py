"""Https for a clubhouse: the club's own authority, or given certificates, in front of the server."""

from api.tls.errors import CannotServeTls
from api.tls.passage import Passage
from api.tls.shown import TLS, Shown, shown

__all__ = ["TLS", "CannotServeTls", "Passage", "Shown", "shown"]
