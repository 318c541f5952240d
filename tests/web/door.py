"""What the tests of pages at the door share: a browser without a script, and how the first owner comes in."""

from __future__ import annotations

from typing import Final

from flask import Flask
from werkzeug.test import TestResponse

from ledger import people
from ledger.people import By
from tests.api.kit import CLUB
from tests.web.kit import Forms

GOOD: Final = "correct horse battery"


class Browser:
    """Somebody with a browser that runs no script."""

    def __init__(self, app: Flask, base: str = "http://localhost") -> None:
        self.http = app.test_client()
        self._base = base
        self.page = ""

    def get(self, at: str) -> TestResponse:
        return self._kept(self.http.get(at, base_url=self._base))

    def send(self, action: str, *, site: str = "same-origin", **values: str) -> TestResponse:
        """Fill in the form of the page that goes somewhere, and send it."""
        (form, *_) = [one for one in Forms(self.page).found if one["action"] == action]
        filled = {**form["values"].to_dict(), **values}
        return self._kept(self.http.post(action, data=filled, base_url=self._base, headers={"Sec-Fetch-Site": site}))

    def follow(self, answered: TestResponse) -> TestResponse:
        assert answered.status_code == 303, answered.get_data(as_text=True)
        return self.get(answered.headers["Location"])

    def _kept(self, answered: TestResponse) -> TestResponse:
        self.page = answered.get_data(as_text=True)
        return answered


def first_link(app: Flask) -> str:
    return people.first_owner(app.extensions["kittybook"].door, CLUB, "Owner", By(actor="cli"))


def owner_of(app: Flask) -> Browser:
    """Olga, who came in by the link of init."""
    secret = first_link(app)
    olga = Browser(app)
    olga.get("/invite")
    olga.send("/invite", code=secret)
    olga.follow(olga.send("/invite/use", name="Olga", login="olga", password=GOOD))
    return olga
