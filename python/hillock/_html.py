"""What notebooks show of objects."""

from __future__ import annotations

import html
from collections.abc import Sequence


def table(title: str, columns: list[str], rows: list[list], below: Sequence[str] = ()) -> str:
    """A title, a table, and lines below it. What is not a number is text."""
    def cell(value):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        return f'<td style="text-align:{"right" if is_number else "left"}">{html.escape(shown)}</td>'

    head = "".join(f'<th style="text-align:left">{html.escape(column)}</th>' for column in columns)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    lines = "".join(f"<div>{html.escape(line)}</div>" for line in below)
    listed = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    return f"<div><strong>{html.escape(title)}</strong></div>{listed}{lines}"
