"""Reads descriptions from docstrings: Google (`Args:`), NumPy (underlined `Parameters`) and reST (`:param x:`)
styles.
"""

import inspect
import re
from typing import Dict, List, NamedTuple, Optional

PARAMETERS = {"args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters", "attributes"}
OTHERS = {
    "returns", "return", "yields", "yield", "raises", "raise", "examples", "example", "notes", "note", "see also", "references",
    "warnings", "warning", "warns", "todo",
}  # fmt: skip
FIELD = re.compile(r"^:(?:param|parameter|arg|argument|key|keyword|ivar|cvar)\s+(?:[^:]*?\s)?\*{0,2}(\w+)\s*:\s*(.*)$")
OTHER_FIELD = re.compile(r"^:(?:type|return|returns|rtype|raise|raises|except|yield|yields|var|vartype|meta)\b.*$")
#: With parentheses in parentheses, as in `(list of (str, int) pairs)`.
TYPE = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
GOOGLE_ITEM = re.compile(rf"^(`?)\*{{0,2}}(?P<name>\w+)\1\s*(?:{TYPE})?\s*:\s*(?P<text>.*)$")
BULLET = re.compile(r"^[-*•]\s+")
NUMPY_ITEM = re.compile(r"^\*{0,2}(?P<name>\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")


class Docs(NamedTuple):
    description: str
    parameters: Dict[str, str]


def read_docs(docstring: Optional[str]) -> Docs:
    lines = inspect.cleandoc(docstring or "").split("\n")
    about: List[str] = []
    items: Dict[str, List[str]] = {}
    section: Optional[str] = None
    is_numpy = False
    current: Optional[List[str]] = None
    indent: Optional[int] = None
    is_list = False
    at = 0
    while at < len(lines):
        line = lines[at]
        text = line.strip()
        depth = len(line) - len(line.lstrip())
        underlined = at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip()) is not None
        heading = text.rstrip(":").lower()
        at += 1
        if depth == 0 and (heading in PARAMETERS or heading in OTHERS) and (underlined or (text.endswith(":") and text != ":")):
            section, is_numpy, current, indent = heading, underlined, None, None
            at += 1 if underlined else 0
            continue
        field = FIELD.match(text)
        if field is not None:
            section, current = "field", items.setdefault(field[1], [])
            current.append(field[2])
            continue
        if OTHER_FIELD.match(text):
            section, current = "field", []
            continue
        if section is None:
            about.append(line)
        elif section == "field":
            if depth > 0 and current is not None:
                current.append(text)
            elif text:
                section, current = None, None
                about.append(line)
        elif depth == 0 and text and not is_numpy and not (section in PARAMETERS and is_flush(lines, at, indent)):
            section, current = None, None
            about.append(line)
        elif section in PARAMETERS and text:
            if indent is None:
                indent, is_list = depth, not is_numpy and BULLET.match(text) is not None
            item = (NUMPY_ITEM if is_numpy else GOOGLE_ITEM).match(BULLET.sub("", text) if is_list else text) if depth == indent else None
            if item is not None:
                current = []
                for name in re.split(r"\s*,\s*", item["name"]):
                    items[name.lstrip("*")] = current
                if not is_numpy:
                    current.append(item["text"])
            elif current is not None:
                current.append(text)
    found = {name: " ".join(part for part in parts if part).strip() for name, parts in items.items()}
    return Docs("\n".join(about).strip(), {name: text for name, text in found.items() if text})


def is_flush(lines: List[str], at: int, indent: Optional[int]) -> bool:
    """Whether the line before `at` is an item without indent: directly below the heading or below another one. In a
    docstring that starts with the heading, no indent is left.
    """
    return lines[at - 2].strip() != "" and indent in (None, 0) and GOOGLE_ITEM.match(BULLET.sub("", lines[at - 1])) is not None
