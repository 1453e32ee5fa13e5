"""What functions that draw take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from ._model import Model

#: A name or several; None for all.
Names = Union[str, Sequence[str], None]
#: (first, last), in ms.
Span = Optional[tuple[float, float]]
#: Numbers of cells.
Cells = Union[int, Sequence[int], slice, None]
#: {name: colour}, in any form that matplotlib takes.
Colors = Optional[Mapping[str, Any]]
#: How many cells populations have.
Sizes = Union[Model, Mapping[str, int], None]
