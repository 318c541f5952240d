"""Forms as they were sent: what was filled in, and what was wrong with it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from flask import g, request
from werkzeug.datastructures import MultiDict

from ledger.commands.reading import command_id
from ledger.errors import BadValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of a page: its name there, the id of its command, its values, and by field what is wrong.

    What is wrong with the form as a whole has the field ``""``.
    """

    name: str
    command: str
    values: MultiDict[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def sent(cls) -> Form:
        """Return the form of this request. One without an id for its command gets one; it may then be booked twice."""
        values = request.form
        try:
            command = command_id(values.get("command", ""))
        except BadValue:
            command = str(uuid.uuid4())
        return cls(name=values.get("form", ""), command=command, values=values)

    def value(self, name: str, default: str = "") -> str:
        """Return what was filled in."""
        return self.values.get(name, default)

    def all(self, name: str) -> list[str]:
        """Return everything that was chosen under a name."""
        return self.values.getlist(name)

    def text(self, name: str) -> str | None:
        """Return what was filled in without spaces round it; None where nothing was."""
        return self.value(name).strip() or None

    def number(self, name: str) -> int | None:
        """Return a whole number; None where nothing was filled in. Raises ``BadValue``."""
        text = self.value(name).strip().replace("−", "-").replace("\u00a0", "").replace(" ", "")
        if not text:
            return None
        try:
            return int(text) if len(text) <= 20 else _no_number(name)
        except ValueError:
            return _no_number(name)

    def part(self, index: int) -> str:
        """Return the id of one of several commands that this form sends: the same whenever it is sent."""
        return str(uuid.uuid5(uuid.UUID(self.command), str(index)))

    def error(self, name: str) -> str:
        """Return what is wrong with a field, or ``""``."""
        return self.errors.get(name, "")

    def place_of(self, field: str | None) -> str:
        """Return the field of this form that a refusal names, or ``""``: a part of it stands for the whole."""
        name = (field or "").removeprefix("data.")
        short = name.partition("[")[0].partition(".")[0]
        return next((place for place in (name, short) if place and place in self.values), "")

    def refused(self, field: str | None, words: str, *, anew: bool = False) -> Form:
        """Return the form with what is wrong in it; ``anew`` gives its command another id."""
        place = self.place_of(field)
        return replace(self, errors={place: words}, command=str(uuid.uuid4()) if anew else self.command)


def sent(name: str) -> Form | None:
    """Return the form of that name if it was sent with this request and refused; for templates."""
    form: Form | None = g.get("form")
    return form if form is not None and form.name == name else None


def _no_number(name: str) -> int:
    raise BadValue(field=name, wanted="a whole number")
