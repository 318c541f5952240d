"""Fields that agree with JSON Schema, and with what the ledger reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from ledger import values

ID: Final = f"^{values.ID_PATTERN.pattern}$"
UUID: Final = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"


class Strict(ma.Schema):
    """An object that has these keys and no others."""

    class Meta:  # noqa: D106 - marshmallow's
        unknown = ma.RAISE


class Whole(ma.fields.Integer):
    """A whole number as JSON Schema has it: 5 and 5.0 are; 5.5, true, "5" and NaN are not."""

    def __init__(self, low: int = -values.AMOUNT_LIMIT, high: int = values.AMOUNT_LIMIT, **options: Any) -> None:  # noqa: ANN401 - marshmallow's
        super().__init__(validate=ma.validate.Range(low, high), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:  # noqa: ANN401, ARG002 - as above
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or value != int(value):
            raise self.make_error("invalid", input=value)
        return int(value)


class Flag(ma.fields.Boolean):
    """True or false, and nothing that merely looks like it."""

    truthy = {True}  # noqa: RUF012 - marshmallow's
    falsy = {False}  # noqa: RUF012 - as above

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:  # noqa: ANN401, ARG002 - as above
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Digits(ma.fields.Integer):
    """A whole number in an address, in plain digits."""

    def __init__(self, low: int, high: int, **options: Any) -> None:  # noqa: ANN401 - as above
        super().__init__(validate=ma.validate.Range(low, high), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:  # noqa: ANN401, ARG002 - as above
        if not isinstance(value, str) or not value.isascii() or not value.isdigit() or len(value) > 17:
            raise self.make_error("invalid", input=value)
        return int(value)


def identifier(**options: Any) -> ma.fields.String:  # noqa: ANN401 - as above
    """Return a field for an id that people may type."""
    return ma.fields.String(validate=ma.validate.Regexp(ID), **options)


def member(**options: Any) -> ma.fields.String:  # noqa: ANN401 - as above
    """Return a field for the id of a member; the names of accounts are taken."""
    reserved = {"not": {"enum": sorted(values.RESERVED_IDS)}}
    return identifier(**{**options, "metadata": {**reserved, **options.get("metadata", {})}})


def members(**options: Any) -> ma.fields.List[Any]:  # noqa: ANN401 - as above
    """Return a field for players in seat order."""
    return ma.fields.List(member(), validate=ma.validate.Length(1, 20), **_unique(options))


def text(low: int, high: int, **options: Any) -> ma.fields.String:  # noqa: ANN401 - as above
    """Return a field for a text of so many characters."""
    return ma.fields.String(validate=ma.validate.Length(low, high), **options)


def pattern(form: str, **options: Any) -> ma.fields.String:  # noqa: ANN401 - as above
    """Return a field for a text of a form."""
    return ma.fields.String(validate=ma.validate.Regexp(form), **options)


def choice(*allowed: str, **options: Any) -> ma.fields.String:  # noqa: ANN401 - as above
    """Return a field for one of a few words."""
    return ma.fields.String(validate=ma.validate.OneOf(allowed), **options)


def _unique(options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "metadata": {"uniqueItems": True, **options.get("metadata", {})}}
