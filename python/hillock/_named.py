"""What is looked up by its name: where there is none, the names that there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Dict, TypeVar

T = TypeVar("T")


def unknown(what: str, name: object, known: Iterable[str]) -> KeyError:
    """The error for a name that nothing has. what: "population"."""
    known = list(known)
    near = difflib.get_close_matches(str(name), known, 1)
    return KeyError(f"there is no {what} '{name}' among {', '.join(known) or 'none'}" +
                    (f". Did you mean '{near[0]}'?" if near else ""))


class Named(Dict[str, T]):
    """{name: …} of some kind. what: a word for one, "population"."""

    def __init__(self, what: str, entries: dict[str, T]):
        super().__init__(entries)
        self._what = what

    def __missing__(self, name):
        raise unknown(self._what, name, self)

    def __reduce__(self):
        return Named, (self._what, dict(self))
