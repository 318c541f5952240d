"""Tokens of programs: made and revoked by somebody, and that stands in the trail whichever way it was done."""

from __future__ import annotations

from ledger import values
from ledger.access import ROLES
from ledger.errors import TokenUnknown
from ledger.people.door import By, Door
from ledger.people.links import drop_links_by
from ledger.tokens import Token, Tokens, digest_of, new_secret


def make_token(
    door: Door, tokens: Tokens, club: str, name: object, role: object, by: By, *, field: str = "name"
) -> tuple[Token, str]:
    """Return a new token, and its secret, which is kept nowhere. Raises ``BadName`` (of ``field``), ``BadValue``."""
    given = None if name is None else values.name(name, field)
    allowed = values.choice(role, "role", ROLES)
    secret = new_secret(door.chance)
    digest = digest_of(secret)
    token = Token(club=club, id=digest[:8], name=given, role=allowed, created=door.now()[:10])
    tokens.add(token, digest)
    with door.people.write() as records:
        by.note(records, club, door.now(), "token_made", f"token:{token.id} {token.role}")
    return token, secret


def revoke_token(door: Door, tokens: Tokens, club: str, token: str, by: By) -> None:
    """Let a token be of no use any more, by its id in the list. Raises ``TokenUnknown``."""
    found = next((one for one in tokens.all(club) if one.id == token), None)
    if found is None:
        raise TokenUnknown(token=token)
    tokens.revoke(found, door.now()[:10])
    with door.people.write() as records:
        drop_links_by(records, club, f"token:{token}")  # what it made lets nobody in
        by.note(records, club, door.now(), "token_revoked", f"token:{token}")
