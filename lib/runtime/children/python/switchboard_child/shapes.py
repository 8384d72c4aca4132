"""One kind of value each: its JSON Schema, whether a JSON value is of it, and how it becomes what the hint promises."""

import base64
import datetime
import decimal
import enum
import pathlib
import uuid
from typing import Any, Callable, Dict, List, NamedTuple, Optional


class Wrong(Exception):
    """A value that fits its schema and still cannot become what it should; `path` is a JSON Pointer."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


class Shape(NamedTuple):
    schema: Dict[str, Any]
    fits: Callable[[Any], bool]
    #: Takes the value and its JSON Pointer.
    revive: Callable[[Any, str], Any]


def as_it_is(value: Any, path: str) -> Any:
    return value


def always(value: Any) -> bool:
    return True


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    return is_number(value) and value == int(value)


def to_int(value: Any, path: str) -> int:
    return int(value)


def to_float(value: Any, path: str) -> float:
    return float(value)


def from_text(schema: Dict[str, Any], make: Callable[[str], Any], what: str) -> Shape:
    def fits(value: Any) -> bool:
        try:
            return isinstance(value, str) and make(value) is not None
        except Exception:
            return False

    def revive(value: Any, path: str) -> Any:
        try:
            return make(value)
        except Exception:
            raise Wrong(path, f"must be {what}") from None

    return Shape({"type": "string", **schema}, fits, revive)


def read_datetime(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(f"{text[:-1]}+00:00" if text[-1:] in "zZ" else text)


def read_decimal(text: str) -> decimal.Decimal:
    value = decimal.Decimal(text)
    if not value.is_finite():
        raise ValueError(text)
    return value


ANY = Shape({}, always, as_it_is)

SIMPLE: Dict[Any, Shape] = {
    str: Shape({"type": "string"}, lambda value: isinstance(value, str), as_it_is),
    int: Shape({"type": "integer"}, is_whole, to_int),
    float: Shape({"type": "number"}, is_number, to_float),
    bool: Shape({"type": "boolean"}, lambda value: isinstance(value, bool), as_it_is),
    type(None): Shape({"type": "null"}, lambda value: value is None, as_it_is),
    datetime.datetime: from_text({"format": "date-time"}, read_datetime, 'a date with time and zone such as "2026-01-31T09:30:00Z"'),
    datetime.date: from_text({"format": "date"}, datetime.date.fromisoformat, 'a date such as "2026-01-31"'),
    datetime.time: from_text({"pattern": r"^\d\d:\d\d"}, datetime.time.fromisoformat, 'a time such as "09:30:00"'),
    datetime.timedelta: Shape(
        {"type": "number", "description": "Seconds"}, is_number, lambda value, path: datetime.timedelta(seconds=value)
    ),
    uuid.UUID: from_text({"format": "uuid"}, uuid.UUID, "a UUID"),
    decimal.Decimal: from_text({"format": "decimal", "pattern": r"^[+-]?\d+(\.\d+)?$"}, read_decimal, 'a decimal number such as "1.50"'),
    pathlib.Path: from_text({}, pathlib.Path, "a path"),
    bytes: from_text({"contentEncoding": "base64"}, lambda text: base64.b64decode(text, validate=True), "bytes in base64"),
}
SIMPLE[pathlib.PurePath] = SIMPLE[pathlib.Path]


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


def dict_of(key: Shape, value: Shape) -> Shape:
    """Keys are texts in JSON; those of numbers, choices and the like are read from them."""
    names = {} if key.schema == {"type": "string"} or not key.schema else {"propertyNames": key.schema}

    def fits(given: Any) -> bool:
        return isinstance(given, dict) and all(key.fits(name) and value.fits(one) for name, one in given.items())

    def revive(given: Any, path: str) -> Any:
        return {key.revive(name, path): value.revive(one, join(path, name)) for name, one in given.items()}

    return Shape({"type": "object", "additionalProperties": value.schema or True, **names}, fits, revive)


def number_key() -> Shape:
    def revive(value: Any, path: str) -> int:
        return int(value)

    return Shape({"pattern": r"^-?\d+$"}, lambda value: isinstance(value, str) and value.lstrip("-").isdigit(), revive)


def choice_of(values: List[Any], make: Callable[[Any], Any]) -> Shape:
    def fits(value: Any) -> bool:
        return any(type(value) is type(one) and value == one for one in values)

    kinds = {json_type(value) for value in values}
    schema = {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}
    return Shape(schema, fits, lambda value, path: make(value))


def json_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    return "integer" if isinstance(value, int) else "number"


def one_of(shapes: List[Shape]) -> Shape:
    """The first that the value is of."""

    def revive(value: Any, path: str) -> Any:
        for shape in shapes:
            if shape.fits(value):
                return shape.revive(value, path)
        return value

    return Shape(join_schemas([shape.schema for shape in shapes]), lambda value: any(shape.fits(value) for shape in shapes), revive)


def join_schemas(schemas: List[Dict[str, Any]]) -> Dict[str, Any]:
    """`X | None` stays one field of a form; only what differs more is a choice of schemas."""
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
    #: Absent where there is none, or none that JSON can carry.
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
        except Wrong:
            raise
        except Exception as error:
            raise Wrong(path, f"is not accepted: {str(error)[:500] or type(error).__name__}") from error

    schema: Dict[str, Any] = {"type": "object", **({"description": about} if about else {})}
    schema["properties"] = {name: field.schema for name, field in fields.items()}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return Shape(schema, fits, revive)


def enum_of(kind: Any) -> Optional[Shape]:
    values = [member.value for member in kind]
    if issubclass(kind, enum.Flag) or not values or not all(isinstance(value, (str, int, float, bool)) for value in values):
        return None
    return choice_of(values, kind)


def join(path: str, name: str) -> str:
    return f"{path}/{str(name).replace('~', '~0').replace('/', '~1')}"
