"""A folder of one's own."""

from tests.cli.conftest import folder

__all__ = ["folder"]
