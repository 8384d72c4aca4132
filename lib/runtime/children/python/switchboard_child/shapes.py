"""One class per kind of value: its JSON Schema, whether a JSON value matches, and how it is converted to the type of
the hint.
"""

import base64
import datetime
import decimal
import enum
import fractions
import os
import pathlib
import re
import uuid
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from .failures import message_of, named

REFUSAL_CHARACTERS = 500
NAME_OF_NUMBER = re.compile("-?[0-9]+")
#: In a union a text is of the type whose format it has, although Python accepts it for others: a date for a `datetime`.
FORMS = {"date-time": r"^\d{4}-\d\d-\d\d[Tt ]", "date": r"^\d{4}-\d\d-\d\d$", "uuid": r"^(urn:uuid:)?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"}

#: A JSON Pointer, and the error there.
Fault = Tuple[str, str]


class Wrong(Exception):
    """A value that matches its schema but cannot be converted. `origin` is the extension's exception."""

    def __init__(self, faults: List[Fault], origin: Optional[BaseException] = None) -> None:
        super().__init__("; ".join(message for _, message in faults))
        self.faults = faults
        self.origin = origin


def refusal(path: str, error: BaseException) -> Wrong:
    """A class refuses the value in its constructor."""
    message = named(error) if isinstance(error, LookupError) else message_of(error)
    return Wrong([(path, f"is not accepted: {message[:REFUSAL_CHARACTERS]}")], error)


class Shape(NamedTuple):
    schema: Dict[str, Any]
    fits: Callable[[Any], bool]
    #: Takes the value and its JSON Pointer.
    revive: Callable[[Any, str], Any]


def unchanged(value: Any, path: str) -> Any:
    return value


def always(value: Any) -> bool:
    return True


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value: Any) -> bool:
    return is_number(value) and value == int(value)


def to_int(value: Any, path: str) -> int:
    return int(value)


def to_float(value: Any, path: str) -> float:
    return float(value)


def from_text(schema: Dict[str, Any], make: Callable[[str], Any], what: str) -> Shape:
    def revive(value: Any, path: str) -> Any:
        try:
            return make(value)
        except Exception:
            raise Wrong([(path, f"must be {what}")]) from None

    written = re.compile(FORMS.get(schema.get("format", ""), schema.get("pattern", "")))
    return Shape({"type": "string", **schema}, lambda value: is_text(value) and written.search(value) is not None, revive)


def read_datetime(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(f"{text[:-1]}+00:00" if text[-1:] in "zZ" else text)


def read_decimal(text: str) -> decimal.Decimal:
    value = decimal.Decimal(text)
    if not value.is_finite():
        raise ValueError(text)
    return value


ANY = Shape({}, always, unchanged)

SIMPLE: Dict[Any, Shape] = {
    str: Shape({"type": "string"}, is_text, unchanged),
    int: Shape({"type": "integer"}, is_integer, to_int),
    float: Shape({"type": "number"}, is_number, to_float),
    bool: Shape({"type": "boolean"}, lambda value: isinstance(value, bool), unchanged),
    type(None): Shape({"type": "null"}, lambda value: value is None, unchanged),
    datetime.datetime: from_text({"format": "date-time"}, read_datetime, 'a date with time and zone such as "2026-01-31T09:30:00Z"'),
    datetime.date: from_text({"format": "date"}, datetime.date.fromisoformat, 'a date such as "2026-01-31"'),
    datetime.time: from_text({"pattern": r"^\d\d:\d\d"}, datetime.time.fromisoformat, 'a time such as "09:30:00"'),
    datetime.timedelta: Shape(
        {"type": "number", "description": "Seconds"}, is_number, lambda value, path: datetime.timedelta(seconds=value)
    ),
    uuid.UUID: from_text({"format": "uuid"}, uuid.UUID, "a UUID"),
    decimal.Decimal: from_text({"format": "decimal", "pattern": r"^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$"}, read_decimal, 'a decimal number such as "1.50"'),
    pathlib.Path: from_text({}, pathlib.Path, "a path"),
    bytes: from_text({"contentEncoding": "base64"}, lambda text: base64.b64decode(text, validate=True), "bytes in base64"),
    bytearray: from_text({"contentEncoding": "base64"}, lambda text: bytearray(base64.b64decode(text, validate=True)), "bytes in base64"),
    complex: from_text({}, complex, 'a complex number such as "1+2j"'),
    fractions.Fraction: from_text({}, fractions.Fraction, 'a fraction such as "1/3"'),
    re.Pattern: from_text({}, re.compile, "a regular expression"),
}
SIMPLE[pathlib.PurePath] = SIMPLE[os.PathLike] = SIMPLE[pathlib.Path]

#: Types made from text, by name: only their users load their modules.
NAMED: Dict[str, Tuple[Dict[str, Any], str]] = {
    "ipaddress.IPv4Address": ({"format": "ipv4"}, "an IPv4 address"),
    "ipaddress.IPv6Address": ({"format": "ipv6"}, "an IPv6 address"),
    "ipaddress.IPv4Network": ({"format": "ipv4network"}, 'an IPv4 network such as "192.0.2.0/24"'),
    "ipaddress.IPv6Network": ({"format": "ipv6network"}, 'an IPv6 network such as "2001:db8::/32"'),
    "ipaddress.IPv4Interface": ({"format": "ipv4interface"}, 'an IPv4 address with its network such as "192.0.2.1/24"'),
    "ipaddress.IPv6Interface": ({"format": "ipv6interface"}, 'an IPv6 address with its network such as "2001:db8::1/32"'),
    "zoneinfo.ZoneInfo": ({}, 'a time zone such as "Europe/Berlin"'),
}


def simple(kind: Any) -> Optional[Shape]:
    """For a class without parts of its own; None if its parts must be read."""
    try:
        known = SIMPLE.get(kind)
    except TypeError:
        return None
    if known is not None or not isinstance(kind, type):
        return known
    by_name = NAMED.get(f"{kind.__module__}.{kind.__qualname__}")
    if by_name is not None:
        return from_text(by_name[0], kind, by_name[1])
    return from_text({}, kind, "a path") if issubclass(kind, pathlib.PurePath) else None


def list_of(item: Shape, make: Callable[[List[Any]], Any], **more: Any) -> Shape:
    def revive(value: Any, path: str) -> Any:
        return make([item.revive(one, f"{path}/{at}") for at, one in enumerate(value)])

    schema = {"type": "array", **({"items": item.schema} if item.schema else {}), **more}
    return Shape(schema, lambda value: isinstance(value, list) and all(item.fits(one) for one in value), revive)


def tuple_of(items: List[Shape]) -> Shape:
    def fits(value: Any) -> bool:
        return isinstance(value, list) and len(value) == len(items) and all(item.fits(one) for item, one in zip(items, value))

    def revive(value: Any, path: str) -> Any:
        return tuple(item.revive(one, f"{path}/{at}") for at, (item, one) in enumerate(zip(items, value)))

    size = {"items": False, "minItems": len(items), "maxItems": len(items)}
    places = {"prefixItems": [item.schema for item in items]} if items else {}
    return Shape({"type": "array", **places, **size}, fits, revive)


def dict_of(key: Shape, value: Shape, make: Callable[[Dict[Any, Any]], Any] = dict) -> Shape:
    """JSON keys are texts; keys that are numbers, choices and similar are parsed from them."""
    names = {} if key.schema == {"type": "string"} or not key.schema else {"propertyNames": key.schema}

    def fits(given: Any) -> bool:
        return isinstance(given, dict) and all(key.fits(name) and value.fits(one) for name, one in given.items())

    def revive(given: Any, path: str) -> Any:
        return make({key.revive(name, join(path, name)): value.revive(one, join(path, name)) for name, one in given.items()})

    return Shape({"type": "object", "additionalProperties": value.schema or True, **names}, fits, revive)


def number_key(number: Shape) -> Shape:
    """For integers: all of them or a choice."""

    def fits(value: Any) -> bool:
        return isinstance(value, str) and NAME_OF_NUMBER.fullmatch(value) is not None and number.fits(int(value))

    some = number.schema.get("enum")
    schema = {"pattern": r"^-?\d+$"} if some is None else {"enum": [str(one) for one in some]}
    return Shape(schema, fits, lambda value, path: number.revive(int(value), path))


def choice_of(values: List[Any], make: Callable[[Any], Any]) -> Shape:
    def fits(value: Any) -> bool:
        return any(is_same(value, one) for one in values)

    kinds = {json_type(value) for value in values}
    schema = {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}
    return Shape(schema, fits, lambda value, path: make(value))


def is_same(value: Any, other: Any) -> bool:
    """As in JSON: `1` and `1.0` are equal, and neither equals `true`."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def json_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    return "integer" if isinstance(value, int) else "number"


def one_of(shapes: List[Shape]) -> Shape:
    """The first type that accepts the value. A matching one may still refuse it; if none accepts it, the error of the
    one that got furthest is reported.
    """

    def revive(value: Any, path: str) -> Any:
        refusals: List[Wrong] = []
        for shape in shapes:
            if shape.fits(value):
                try:
                    return shape.revive(value, path)
                except Wrong as wrong:
                    refusals.append(wrong)
        if not refusals:
            raise Wrong([(path, "matches none of the allowed forms")])
        raise max(refusals, key=lambda wrong: wrong.faults[0][0].count("/"))

    return Shape(join_schemas([shape.schema for shape in shapes]), lambda value: any(shape.fits(value) for shape in shapes), revive)


def join_schemas(schemas: List[Dict[str, Any]]) -> Dict[str, Any]:
    """`X | None` stays one form field; only larger differences become a choice of schemas."""
    if any(not schema for schema in schemas):
        return {}
    others = [schema for schema in schemas if schema != {"type": "null"}]
    if len(others) == 1 and len(schemas) > 1 and isinstance(others[0].get("type"), str):
        only = dict(others[0])
        only["type"] = [only["type"], "null"]
        if "enum" in only:
            only["enum"] = [*only["enum"], None]
        return only
    if all(set(schema) == {"type"} and isinstance(schema["type"], str) for schema in schemas):
        return {"type": list(dict.fromkeys(schema["type"] for schema in schemas))}
    return {"anyOf": schemas}


class Field(NamedTuple):
    shape: Shape
    is_required: bool
    #: Absent if there is none, or none that JSON can express.
    schema: Dict[str, Any]


def object_of(fields: Dict[str, Field], make: Callable[[Dict[str, Any]], Any], about: str) -> Shape:
    required = [name for name, field in fields.items() if field.is_required]

    def fits(value: Any) -> bool:
        return (
            isinstance(value, dict)
            and all(name in value for name in required)
            and all(name in fields and fields[name].shape.fits(one) for name, one in value.items())
        )

    def revive(value: Any, path: str) -> Any:
        revived = {name: fields[name].shape.revive(one, join(path, name)) for name, one in value.items() if name in fields}
        try:
            return make(revived)
        except Exception as error:
            raise refusal(path, error) from None

    schema: Dict[str, Any] = {"type": "object", **({"description": about} if about else {})}
    schema["properties"] = {name: field.schema for name, field in fields.items()}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return Shape(schema, fits, revive)


def enum_of(kind: Any) -> Optional[Shape]:
    values = [member.value for member in kind]
    if issubclass(kind, enum.Flag) or not values or not all(value is None or isinstance(value, (str, int, float, bool)) for value in values):
        return None
    return choice_of(values, kind)


def join(path: str, name: str) -> str:
    return f"{path}/{str(name).replace('~', '~0').replace('/', '~1')}"
