"""``kittybook serve`` for tests: `python -m tests.api.serving --db FILE --port N [--slow]`.

With ``--slow`` a call to its health takes a second, which lets a test end the server meanwhile.
"""

from __future__ import annotations

import sys
import time

from api.trial import Trial
from ledger.cli import main

if __name__ == "__main__":
    arguments = sys.argv[1:]
    if "--slow" in arguments:
        arguments.remove("--slow")
        outcome = Trial.outcome

        def slow(self: Trial) -> object:
            time.sleep(1)
            return outcome(self)

        Trial.outcome = slow  # type: ignore[method-assign,assignment]  # as said above
    main(["serve", *arguments])
