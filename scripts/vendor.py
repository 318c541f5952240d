"""Fetches by npm what tests in the browser use and Python has no package of, in the versions and digests named here.

Run by whoever wants a newer one: change the version and the integrity below, run it, commit what it writes. Nothing of
it is installed with Kittybook.
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
                    (ROOT / target).write_bytes(file.read())
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
