"""Reads tables in files and runs SQL queries on them. Read-only."""

import sqlite3
import statistics
from typing import Any, Dict, List, Optional

from switchboard import ToolError

from .reading import Table, read_table

DESCRIPTION = "Tables in CSV and TSV files of the workspace: columns and SQL queries."
INSTRUCTIONS = (
    "Call describe_table before query_table to learn the names and types of the columns. Let SQL do the counting"
    " and adding instead of reading rows yourself."
)

READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
VALUES_SHOWN = 3
FILE = {"type": "string", "minLength": 1, "description": "Path of a CSV or TSV file inside the workspace, such as data/sales.csv."}


def number_of(text: str) -> Optional[float]:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value - value == 0 else None


def describe_column(values: List[str]) -> Dict[str, Any]:
    given = [value for value in values if value.strip()]
    numbers = [number for number in map(number_of, given) if number is not None]
    about: Dict[str, Any] = {"filled": len(given), "different": len(set(given))}
    if given and len(numbers) == len(given):
        return {
            "type": "number",
            **about,
            "least": min(numbers),
            "greatest": max(numbers),
            "mean": round(statistics.fmean(numbers), 6),
            "median": statistics.median(numbers),
        }
    return {"type": "text", **about, "examples": list(dict.fromkeys(given))[:VALUES_SHOWN]}


def describe_table(path, ctx):
    table = read_table(path, ctx.workspace_root)
    columns = [
        {"name": name, **describe_column([row[at] for row in table.rows])} for at, name in enumerate(table.columns)
    ]
    return {"rows": len(table.rows), "columns": columns}


def open_table(table: Table) -> sqlite3.Connection:
    base = sqlite3.connect(":memory:")
    names = ", ".join('"' + name.replace('"', '""') + '" NUMERIC' for name in table.columns)
    base.execute(f"CREATE TABLE data ({names})")
    places = ", ".join("?" * len(table.columns))
    base.executemany(f"INSERT INTO data VALUES ({places})", ([value or None for value in row] for row in table.rows))
    base.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY)
    return base


def query_table(path, sql, limit, ctx):
    base = open_table(read_table(path, ctx.workspace_root))
    base.set_progress_handler(lambda: 1 if ctx.signal.aborted else 0, 10_000)
    try:
        answer = base.execute(sql)
        rows = answer.fetchmany(limit + 1)
    except sqlite3.Error as error:
        hint = "Write one SELECT over the table `data`; describe_table lists its columns."
        raise ToolError(f"{error}. {hint}", kind="invalid_parameters") from error
    finally:
        base.set_progress_handler(None, 0)
    columns = [column[0] for column in answer.description or []]
    return {"columns": columns, "rows": [list(row) for row in rows[:limit]], "more": len(rows) > limit}


TOOLS = [
    {
        "label": "tables",
        "name": "describe_table",
        "description": "List the columns of a table in a CSV or TSV file: their names and types, how many cells are"
        " filled, and the least, greatest, mean and median of numbers.",
        "parameters": {"path": {**FILE, "required": True}},
        "execute": describe_table,
        "annotations": {"readOnlyHint": True},
    },
    {
        "label": "tables",
        "name": "query_table",
        "description": "Answer a question to a CSV or TSV file by one SELECT statement of SQLite. The table is called"
        " data, and its columns are named by the first line of the file.",
        "parameters": {
            "type": "object",
            "properties": {
                "path": FILE,
                "sql": {
                    "type": "string",
                    "minLength": 1,
                    "description": "One SELECT over the table data, such as SELECT city, sum(price) FROM data GROUP BY city.",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 10_000,
                    "default": 100,
                    "description": "Maximum number of rows; `more` says whether there are others.",
                },
            },
            "required": ["path", "sql"],
            "additionalProperties": False,
        },
        "execute": query_table,
        "annotations": {"readOnlyHint": True},
    },
]
