"""Somebody who looks at pages: reads them, fills in the forms that are there, and sends them as a browser does."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

from flask import request
from flask.testing import FlaskClient
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

from ledger.tokens import Token
from tests.api.kit import CLUB


def shown_by() -> Token | None:
    """Take whoever a test says that he is."""
    role = request.headers.get("X-Test-Role")
    return Token(club=CLUB, id="tester", name="Rosa", role=role, created="2026-11-26") if role else None


class Forms(HTMLParser):
    """The forms of a page: where they go, and what is filled in."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[dict[str, Any]] = []
        self._field: tuple[str, str] | None = None
        self._select: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {key: value or "" for key, value in attrs}
        if tag == "form":
            self.found.append({"action": said["action"], "method": said.get("method", "get"), "values": MultiDict()})
        values = self.found[-1]["values"] if self.found else MultiDict()
        if tag == "input" and "name" in said:
            if said.get("type") not in ("checkbox", "radio") or "checked" in said:
                values.add(said["name"], said.get("value", ""))
        elif tag == "select":
            self._select = said["name"]
        elif tag == "option" and self._select is not None:
            if "selected" in said or self._select not in values:
                values[self._select] = said["value"]
        elif tag == "textarea":
            self._field = (said["name"], "")

    def handle_data(self, data: str) -> None:
        if self._field is not None:
            self._field = (self._field[0], self._field[1] + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._field is not None:
            self.found[-1]["values"][self._field[0]] = self._field[1]
            self._field = None
        elif tag == "select":
            self._select = None


class Visitor:
    """Somebody of a role with a browser that sends forms from its own pages."""

    def __init__(self, client: FlaskClient, role: str | None) -> None:
        self._client = client
        self._headers = {} if role is None else {"X-Test-Role": role}

    def get(self, path: str, **headers: str) -> TestResponse:
        return self._client.get(path, headers={**self._headers, **headers})

    def reads(self, path: str) -> str:
        """Return the words of a page, spaces made one."""
        response = self.get(path)
        assert response.status_code == 200, (path, response.status_code, words_of(response.text)[-300:])
        return words_of(response.text)

    def form(self, path: str, name: str) -> dict[str, Any]:
        """Return a form of a page as it is filled in when it comes."""
        found = [form for form in Forms(self.get(path).text).found if form["values"].get("form") == name]
        assert found, f"{path} has no form {name}"
        return found[0]

    def post(self, action: str, values: Any, *, site: str | None = "same-origin", **headers: str) -> TestResponse:
        sent = {**self._headers, **({"Sec-Fetch-Site": site} if site else {}), **headers}
        return self._client.post(action, data=values, headers=sent)

    def sends(self, path: str, form_name: str, /, **filled: Any) -> TestResponse:
        """Fill in a form of a page and send it; ``do`` is the button."""
        form = self.form(path, form_name)
        values = form["values"]
        for key, value in filled.items():
            values[key.replace("__", ".")] = value
        return self.post(form["action"], values)


def words_of(html: str) -> str:
    """Return what a page says."""
    html = re.sub(r"<(script|style|head)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).strip()


def went_to(response: TestResponse) -> str:
    """Return where a form led on."""
    assert response.status_code == 303, (response.status_code, words_of(response.text)[:600])
    return str(response.headers["Location"])
