"""Turns any result of a tool into JSON text. One documented rule per kind of value; no value may end the process.

Properties, `__iter__` and similar are untrusted code and may raise; a value may be circular, deeper than the
stack, or larger than memory when serialized. So ancestors are recorded, depth is limited, and the walk counts the
minimum of bytes and stops early.
"""

import base64
import collections
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import math
import pathlib
import re
import uuid
from typing import Any, Callable, List, NamedTuple, Optional

from .models import dump_of
from .shapes import NAMED

MAX_DEPTH = 200
#: Below the host's limit, with a margin for the surrounding object.
NOTED_DEPTH = 100
PLACE_CHARACTERS = 200
MAX_NOTES = 20
LISTS = (list, tuple, set, frozenset, range, collections.deque, collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView)
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonOutcome(NamedTuple):
    text: Optional[str]
    kind: str = ""
    message: str = ""
    notes: List[str] = []


class NotJson(Exception):
    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def well_formed(text: str) -> str:
    return text if text.isascii() else LONE_SURROGATE.sub("\ufffd", text)


def to_json_text(value: Any, max_bytes: int, max_depth: int = MAX_DEPTH) -> JsonOutcome:
    """For results: excessive depth makes the value invalid."""
    return to_text(value, Walk(max_bytes, max_depth, False))


def to_noted_json_text(value: Any, max_bytes: int) -> JsonOutcome:
    """For attached data (log data, error data, statuses), which the host parses: a note replaces parts that are too
    deep.
    """
    return to_text(value, Walk(max_bytes, NOTED_DEPTH, True))


def to_text(value: Any, walk: "Walk") -> JsonOutcome:
    try:
        text = json.dumps(walk.convert(value, "", 0), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if len(text.encode()) > walk.max_bytes:
            raise walk.too_large()
        return JsonOutcome(text, notes=walk.notes)
    except NotJson as error:
        return JsonOutcome(None, error.kind, str(error))
    except RecursionError:
        error = fail(walk.at, "is nested too deep. Return something flatter.")
        return JsonOutcome(None, error.kind, str(error))
    except BaseException:
        error = fail(walk.at, "could not be read. Return plain dicts, lists, strings and numbers.")
        return JsonOutcome(None, error.kind, str(error))


class Walk:
    def __init__(self, max_bytes: int, max_depth: int, is_noted: bool) -> None:
        self.max_bytes = max_bytes
        self._max_depth = max_depth
        self._is_noted = is_noted
        self._bytes = 0
        self._ancestors: set = set()
        #: The current path.
        self.at = ""
        self.notes: List[str] = []

    def too_large(self) -> NotJson:
        return NotJson(
            "result_too_large",
            f"The result is larger than {self.max_bytes} bytes of JSON."
            " Return less, for example a page at a time, or raise MAX_RESULT_BYTES.",
        )

    def convert(self, value: Any, path: str, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            self._spend(4)
            return value
        if isinstance(value, enum.Enum):
            return self.convert(value.value, path, depth + 1)
        if isinstance(value, str):
            return self._text(str.__str__(value))
        if isinstance(value, int):
            return self._integer(int(value))
        if isinstance(value, float):
            return self._float(float(value), path)
        self._spend(2)
        self.at = path
        if depth > self._max_depth:
            if self._is_noted:
                return self._text(f"(left out: nested more than {self._max_depth} levels deep)")
            raise fail(path, f"is nested more than {self._max_depth} levels deep. Return something flatter.")
        if id(value) in self._ancestors:
            raise fail(path, "contains itself. Return each thing once, or an id in its place.")
        self._ancestors.add(id(value))
        try:
            return self._convert_known(value, path, depth)
        except NotJson:
            raise
        except (RecursionError, MemoryError):
            raise
        except Exception as error:
            raise fail(path, f"raises {type(error).__name__} when it is read: {shown(error)}. Return plain data instead.") from None
        finally:
            self._ancestors.discard(id(value))

    def _convert_known(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
            return self._mapping(value, path, depth)
        if isinstance(value, LISTS):
            return self._list(value, path, depth)
        text = text_of(value)
        if text is not None:
            return self._text(text)
        if isinstance(value, datetime.timedelta):
            return self._float(value.total_seconds(), path)
        if isinstance(value, decimal.Decimal):
            return self._float(math.nan, path)
        if isinstance(value, (bytes, bytearray, memoryview)):
            raw = bytes(value)
            self._spend(len(raw) * 4 // 3 + 13)
            return {"base64": base64.b64encode(raw).decode()}
        if isinstance(value, BaseException):
            return {"name": type(value).__name__, "message": self._text(shown(value))}
        plain = plain_of(value)
        if plain is not None:
            return self.convert(plain(), path, depth + 1)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._fields({field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, path, depth)
        raise fail(path, explain(value))

    def _mapping(self, value: Any, path: str, depth: int) -> Any:
        """An object, if its keys have distinct JSON names."""
        keys = list(value.keys())
        named = {name_of(key): key for key in keys}
        if None in named or len(named) < len(keys):
            return self._list([[key, value[key]] for key in keys], path, depth)
        return self._fields({name: value[key] for name, key in named.items()}, path, depth)

    # Few frames per level, and no comprehension: Python's recursion limit is a thousand frames.
    def _fields(self, fields: dict, path: str, depth: int) -> Any:
        converted = {}
        for key, value in fields.items():
            converted[self._text(key)] = self.convert(value, f"{path}/{escape(key)}", depth + 1)
        return converted

    def _list(self, values: Any, path: str, depth: int) -> Any:
        converted = []
        for at, value in enumerate(values):
            converted.append(self.convert(value, f"{path}/{at}", depth + 1))
        return converted

    def _integer(self, value: int) -> Any:
        """As digits, however many: the host preserves them all."""
        self._spend(value.bit_length() // 4 + 1)
        if value.bit_length() > 10_000:
            raise fail("", "is a number of more than 3,000 digits.")
        return value

    def _float(self, value: float, path: str) -> Any:
        self._spend(1)
        if math.isfinite(value):
            return value
        if len(self.notes) < MAX_NOTES:
            self.notes.append(f"{place(path)} was {value} and became null")
        return None

    def _text(self, value: str) -> str:
        self._spend(len(value) + 2)
        return well_formed(value)

    def _spend(self, amount: int) -> None:
        self._bytes += amount
        if self._bytes > self.max_bytes:
            raise self.too_large()


def text_of(value: Any) -> Optional[str]:
    """For values that are text in JSON, in the form that the type hint of the same class accepts."""
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return iso(value)
    if isinstance(value, decimal.Decimal):
        return str(value) if value.is_finite() else None
    if isinstance(value, complex):
        return str(value).strip("()")
    if isinstance(value, (uuid.UUID, pathlib.PurePath, fractions.Fraction)):
        return str(value)
    if isinstance(value, re.Pattern):
        return str(value.pattern)
    return str(value) if any(f"{kind.__module__}.{kind.__qualname__}" in NAMED for kind in type(value).__mro__) else None


def name_of(key: Any) -> Optional[str]:
    """The property name that `dict[int, …]` and similar accept. None if the key has no JSON name."""
    if isinstance(key, enum.Enum):
        key = key.value
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, int):
        return None if isinstance(key, bool) else str(int(key))
    return text_of(key)


def plain_of(value: Any) -> Optional[Callable[[], Any]]:
    """Plain data from an object of a library: models, and numbers and arrays as in numpy. None if it offers none."""
    if isinstance(value, type):
        return None
    dump = dump_of(value)
    if dump is not None:
        return dump
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "ndim", None) == 0:
        return item
    to_list = getattr(value, "tolist", None)
    return to_list if callable(to_list) else None


def iso(value: Any) -> str:
    text = value.isoformat()
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


def explain(value: Any) -> str:
    name = type(value).__name__
    if isinstance(value, type) or callable(value):
        return "is a function or a class. Return data, not code."
    if hasattr(value, "__await__"):
        return "is a coroutine. Put `await` before it."
    if hasattr(value, "__anext__"):
        return f"is an {name}, which yields its values one by one. Make a list of it: `[one async for one in …]`."
    if hasattr(value, "__next__"):
        return f"is a {name}, which yields its values one by one. Make a list of it: `list(…)`."
    return f"is an object of the class {name}. Return a dict, a list or a dataclass instead."


def fail(path: str, what: str) -> NotJson:
    return NotJson("result_not_serializable", f"The result cannot be turned into JSON: {place(path)} {what}")


def place(path: str) -> str:
    if path == "":
        return "the result itself"
    return f"the value at {well_formed(path[:PLACE_CHARACTERS])}{'…' if len(path) > PLACE_CHARACTERS else ''}"


def escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def shown(error: BaseException) -> str:
    try:
        return str(error)[:500]
    except BaseException:
        return "something without a text"
