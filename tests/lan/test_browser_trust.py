"""A browser that was told to trust the club's authority has a secure context by the machine's name."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, Playwright

from api.tls.https import authority_folder
from tests.api.conftest import made_once, path
from tests.lan.test_tls import LAN, Served, served

__all__ = ["made_once", "path", "served"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.skipif(shutil.which("certutil") is None, reason="certutil is not installed (libnss3-tools)"),
]


@contextmanager
def page_of(playwright: Playwright, home: Path) -> Iterator[Page]:
    browser = playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=["--no-sandbox", f"--host-resolver-rules=MAP {LAN} 127.0.0.1"],
        env={**os.environ, "HOME": str(home)},
    )
    try:
        yield browser.new_page()
    finally:
        browser.close()


def test_a_browser_that_trusts_the_authority_has_a_secure_context(
    served: Served, tmp_path: Path, playwright: Playwright
) -> None:
    home = tmp_path / "home"
    store = home / ".pki" / "nssdb"
    store.mkdir(parents=True)
    told = f"sql:{store}"
    subprocess.run(["certutil", "-d", told, "-N", "--empty-password"], check=True)
    secure = f"https://{LAN}:{served.secure}/trust"
    with page_of(playwright, home) as page, pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
        page.goto(secure)
    own = authority_folder(served.path) / "authority.pem"
    subprocess.run(["certutil", "-d", told, "-A", "-t", "C,,", "-n", "club", "-i", str(own)], check=True)
    with page_of(playwright, home) as page:
        page.goto(f"http://{LAN}:{served.plain}/nights")
        assert page.url == f"http://{LAN}:{served.plain}/trust"
        assert page.evaluate("isSecureContext") is False
        page.get_by_role("link", name=f"https://{LAN}:{served.secure}/").click()
        page.wait_for_url(f"https://{LAN}:{served.secure}/**")
        assert page.evaluate("isSecureContext") is True
        assert page.evaluate("'serviceWorker' in navigator") is True
        page.set_viewport_size({"width": 768, "height": 1024})
        page.goto(secure)
        assert page.get_by_text("You are here over https").is_visible()
        if shots := os.environ.get("KITTYBOOK_SCREENSHOTS"):
            page.screenshot(path=str(Path(shots) / "trust.png"), full_page=True)
