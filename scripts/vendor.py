"""Fetches by npm what the table in the browser and its tests use, in the versions and digests named here.

Run by whoever wants a newer one: change the version and the integrity below, run it, commit what it writes. So nobody
who installs Kittybook needs npm, or a step that builds.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent


class Vendored(NamedTuple):
    """A package of npm, and where which of its files go."""

    package: str
    version: str
    integrity: str
    files: dict[str, str]
    rewritten: tuple[tuple[bytes, bytes], ...] = ()  # so that modules find each other without a build, and no maps


_MODULES: Final = "web/static/table/vendor"

PACKAGES: Final = (
    Vendored(
        package="axe-core",  # MPL-2.0
        version="4.14.1",
        integrity="sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
        files={
            "package/axe.min.js": "tests/browser/vendor/axe.min.js",
            "package/LICENSE": "tests/browser/vendor/axe-core.LICENSE",
        },
    ),
    Vendored(
        package="preact",  # MIT
        version="11.2.0",
        integrity="sha512-/HfHI/7N84e6GrWBJ3J280z3mLaRJiDcSvj/A+y/4AbLnND/1UlGHe1sR6oYuTGwId0nP7dqDU9OnLxMPZ7xBg==",
        files={
            "package/dist/preact.mjs": f"{_MODULES}/preact.mjs",
            "package/hooks/dist/hooks.mjs": f"{_MODULES}/hooks.mjs",
            "package/LICENSE": f"{_MODULES}/preact.LICENSE",
        },
        rewritten=(
            (b'from"preact"', b'from"./preact.mjs"'),
            (b"//# sourceMappingURL=preact.mjs.map", b""),
            (b"//# sourceMappingURL=hooks.mjs.map", b""),
        ),
    ),
    Vendored(
        package="htm",  # Apache-2.0
        version="3.1.1",
        integrity="sha512-983Vyg8NwUE7JkZ6NmOqpCZ+sh1bKv2iYTlUkzlWmA5JD2acKoxd4KVxbMmxX/85mtfdnDmTFoNKcg5DGAvxNQ==",
        files={"package/dist/htm.mjs": f"{_MODULES}/htm.mjs", "package/LICENSE": f"{_MODULES}/htm.LICENSE"},
    ),
    Vendored(
        package="idb",  # ISC
        version="8.0.4",
        integrity="sha512-jd0ITCrN+Zah4J7R/Z2jnR3W7A4BXDAjmo62MwWuSjxCiueUAf7X5rbodEdidWzeknwXHmLpdZkoiiCppNi30Q==",
        files={"package/build/index.js": f"{_MODULES}/idb.mjs", "package/LICENSE": f"{_MODULES}/idb.LICENSE"},
    ),
)


def main() -> None:
    """Fetch everything, and write it where it belongs."""
    for vendored in PACKAGES:
        with tempfile.TemporaryDirectory() as folder:
            archive = fetched(vendored, Path(folder))
            with tarfile.open(archive) as packed:
                for name, target in vendored.files.items():
                    file = packed.extractfile(name)
                    assert file is not None, name
                    body = file.read()
                    for found, wanted in vendored.rewritten:
                        body = body.replace(found, wanted)
                    (ROOT / target).parent.mkdir(parents=True, exist_ok=True)
                    (ROOT / target).write_bytes(body)
        print(f"{vendored.package} {vendored.version}: {', '.join(vendored.files.values())}")


def fetched(vendored: Vendored, folder: Path) -> Path:
    """Return a package as npm sends it, if it is the one that was meant."""
    name = f"{vendored.package}@{vendored.version}"
    subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", name], cwd=folder, check=True, stdout=sys.stderr)
    (archive,) = folder.glob("*.tgz")
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != vendored.integrity:
        sys.exit(f"{name} is not what it was: {found}")
    return archive


if __name__ == "__main__":
    main()
