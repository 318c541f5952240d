"""Why there is no https."""

from __future__ import annotations

from ledger.errors import Refused


class CannotServeTls(Refused):
    code = "cannot_serve_tls"
    sentence = "Https cannot be served: {why}."


class AuthorityUnusable(CannotServeTls):
    code = "authority_unusable"
    sentence = "Https cannot be served: the authority in {folder} {why}."
