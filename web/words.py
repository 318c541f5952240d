"""Words of pages, in the language of whoever reads them: flask-babel's, with types."""

from __future__ import annotations

import flask_babel


def gettext(words: str, **values: object) -> str:
    """Return words in the page's language, values filled in."""
    return str(flask_babel.gettext(words, **values))


def ngettext(one: str, many: str, num: int, **values: object) -> str:
    """Return words for one or many, as the page's language counts."""
    return str(flask_babel.ngettext(one, many, num, **values))
