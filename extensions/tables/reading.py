"""Reads a table of text inside the workspace."""

import csv
from pathlib import Path
from typing import List, NamedTuple

from switchboard import ToolError

ROWS_MOST = 200_000
BYTES_MOST = 50_000_000


class Table(NamedTuple):
    columns: List[str]
    rows: List[List[str]]


def read_table(path: str, workspace_root: str) -> Table:
    root = Path(workspace_root).resolve()
    file = (root / path).resolve()
    if root != file and root not in file.parents:
        raise ToolError(f"{path} lies outside of the workspace. Give a path inside of it.", kind="invalid_parameters")
    if not file.is_file():
        raise ToolError(f"There is no file {path} in the workspace.", kind="not_found")
    if file.stat().st_size > BYTES_MOST:
        raise ToolError(f"{path} is larger than {BYTES_MOST // 1_000_000} MB. Give a smaller table.", kind="invalid_parameters")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ToolError(f"{path} is not a text in UTF-8. Save it as UTF-8 first.", kind="invalid_parameters") from None
    lines = csv.reader(text.splitlines(), delimiter=delimiter_of(text))
    columns = unique_names(next(lines, []))
    if not columns:
        raise ToolError(f"{path} is empty; the first line of a table names its columns.", kind="invalid_parameters")
    rows: List[List[str]] = []
    for line in lines:
        if len(rows) == ROWS_MOST:
            raise ToolError(f"{path} has more than {ROWS_MOST} rows. Give a smaller table.", kind="invalid_parameters")
        if line:
            rows.append((line + [""] * len(columns))[: len(columns)])
    return Table(columns, rows)


def delimiter_of(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max(",;\t|", key=first.count)


def unique_names(names: List[str]) -> List[str]:
    """A column with an empty or duplicate name is named by its position."""
    found: List[str] = []
    for at, name in enumerate(names, start=1):
        name = name.strip()
        taken = {one.lower() for one in found}
        found.append(name if name and name.lower() not in taken else f"column_{at}")
    return found
