"""Reads the types of pydantic and similar libraries: models, and fields in `Annotated` or as the default of a
parameter.

It imports no such library; it recognizes them by their attributes.
"""

import functools
import inspect
import json
import re
import sys
import typing
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import shapes
from .failures import message_of
from .shapes import REFUSAL_CHARACTERS, Shape, Wrong

FAULTS_MOST = 20
VALUES = ("default", "const", "enum", "examples")
#: Takes a schema with `$defs`; returns it with new references, and all definitions.
Define = Callable[[Dict[str, Any]], Tuple[Dict[str, Any], Dict[str, Any]]]

KINDS: Dict[str, Callable[[Any], bool]] = {
    "string": shapes.is_text,
    "integer": shapes.is_integer,
    "number": shapes.is_number,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
}

LIMITS = {
    "ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum",
    "min_length": "minLength", "max_length": "maxLength", "multiple_of": "multipleOf", "pattern": "pattern",
}  # fmt: skip


#: Parts of `Annotated` that change the value, or are stricter than a schema can express.
ACTING = ("StringConstraints", "Predicate")
#: Errors that the schema reports already; pydantic repeats them for each other branch of a union.
REPORTED_BY_SCHEMA = ("missing", "extra_forbidden", "literal_error", "enum", "none_required", "is_instance_of")


TIME = r"\d\d:\d\d:\d\d(\.\d+)?([zZ]|[+-]\d\d(:?\d\d)?)"
#: Formats that a default of the type may not have: they require an offset.
FORMATS = {"date-time": re.compile(rf"\d{{4}}-\d\d-\d\d[Tt ]{TIME}"), "time": re.compile(TIME)}
LOCAL_TIME = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?$"


class NoSchema(Exception):
    """pydantic has no JSON Schema for a type."""


def is_model(kind: Any) -> bool:
    return (callable(getattr(kind, "model_json_schema", None)) and callable(getattr(kind, "model_validate", None))) or is_old_model(kind)


def is_old_model(kind: Any) -> bool:
    """Of pydantic 1, or of `pydantic.v1`."""
    has_methods = callable(getattr(kind, "schema", None)) and callable(getattr(kind, "parse_obj", None))
    return has_methods and hasattr(kind, "__fields__") and not hasattr(kind, "model_json_schema")


def is_known(kind: Any) -> bool:
    """Whether pydantic validates it: its own types, its dataclasses, and types made for it."""
    return hasattr(kind, "__get_pydantic_core_schema__") or "__pydantic_validator__" in getattr(kind, "__dict__", {})


def is_validator(extra: Any) -> bool:
    return hasattr(extra, "__get_pydantic_core_schema__") or type(extra).__name__ in ACTING


def adapter_of(hint: Any) -> Any:
    """None if pydantic is not loaded: then no code in this process can validate the type."""
    make = getattr(sys.modules.get("pydantic"), "TypeAdapter", None)
    return None if make is None else asked(lambda: make(hint))


adapter_of_class = functools.lru_cache(maxsize=256)(adapter_of)


def asked(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except Exception as error:
        if type(error).__name__ in ("PydanticInvalidForJsonSchema", "PydanticSchemaGenerationError"):
            raise NoSchema(message_of(error).splitlines()[0][:REFUSAL_CHARACTERS]) from error
        raise


def model_shape(kind: Any, define: Define) -> Shape:
    """Validated as JSON: there a strict model accepts a text for a date."""
    if is_old_model(kind):
        schema = dict(kind.schema(ref_template="#/$defs/{model}"))
        definitions = schema.pop("definitions", {})
        return shape_of(with_prefix_items({**schema, "$defs": definitions}), kind.parse_obj, define)
    read_json = getattr(kind, "model_validate_json", None)
    read = kind.model_validate if read_json is None else lambda value: read_json(json.dumps(value))
    return shape_of(asked(lambda: kind.model_json_schema(ref_template="#/$defs/{model}", **generator_for(kind))), read, define)


def with_prefix_items(schema: Any) -> Any:
    """The list `items` of a tuple has another name since draft 2020-12."""
    if isinstance(schema, list):
        return [with_prefix_items(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: one if key in VALUES else with_prefix_items(one) for key, one in schema.items()}
    return {**copy, "prefixItems": copy["items"], "items": False} if isinstance(copy.get("items"), list) else copy


def adapted_shape(adapter: Any, define: Define) -> Shape:
    return shape_of(asked(lambda: adapter.json_schema(**generator_for(adapter))), lambda value: adapter.validate_json(json.dumps(value)), define)


def generator_for(owner: Any) -> Dict[str, Any]:
    """The option with the schema generator, for pydantic itself and not for a class that only resembles a model."""
    if not hasattr(owner, "__pydantic_core_schema__") and not hasattr(owner, "core_schema"):
        return {}
    base = getattr(sys.modules.get("pydantic.json_schema"), "GenerateJsonSchema", None)
    return {} if base is None else {"schema_generator": local_time_generator(base)}


@functools.lru_cache(maxsize=1)
def local_time_generator(base: Any) -> Any:
    """pydantic gives `NaiveDatetime` the format `date-time`, which requires the offset that the type refuses."""

    class Generator(base):  # type: ignore[misc]
        def datetime_schema(self, schema: Any) -> Dict[str, Any]:
            if schema.get("tz_constraint") != "naive":
                return super().datetime_schema(schema)
            return {"type": "string", "pattern": LOCAL_TIME, "examples": ["2026-01-31T09:30:00"]}

    return Generator


def shape_of(schema: Dict[str, Any], read: Callable[[Any], Any], define: Define) -> Shape:
    schema, definitions = define(closed(schema))
    schema.pop("title", None)

    def revive(value: Any, path: str) -> Any:
        try:
            return read(value)
        except Exception as error:
            raise refused(path, value, error) from None

    return Shape(schema, lambda value: is_of(schema, value, definitions), revive)


def dump_of(value: Any) -> Optional[Callable[[], Any]]:
    """A value as pydantic writes it to JSON: with the names and forms that it accepts. None for unknown types."""
    kind = type(value)
    if is_old_model(kind):
        return lambda: json.loads(value.json(by_alias=True))
    if callable(getattr(value, "model_dump", None)):
        dump: Callable[..., Any] = value.model_dump
    elif "__pydantic_serializer__" in kind.__dict__:
        dump = functools.partial(kind.__pydantic_serializer__.to_python, value)
    elif hasattr(kind, "__get_pydantic_core_schema__"):
        adapter = adapter_of_class(kind)
        if adapter is None:
            return None
        dump = functools.partial(adapter.dump_python, value)
    else:
        return None
    return lambda: dumped(dump)


def dumped(dump: Callable[..., Any]) -> Any:
    """Values that JSON cannot express, such as the bytes of an image, stay unchanged; a class that only resembles a
    model takes no options.
    """
    for options in ({"mode": "json", "by_alias": True}, {"by_alias": True}):
        try:
            return dump(**options)
        except Exception:
            continue
    return dump()


def refused(path: str, value: Any, error: BaseException) -> Wrong:
    """Every error with its path in the value."""
    try:
        read: Any = error.errors  # type: ignore[attr-defined]
        details = [one for one in (read() if is_old_model(getattr(error, "model", None)) else read(include_url=False))][:FAULTS_MOST]
    except Exception:
        return shapes.refusal(path, error)
    own = [one for one in details if not str(one["type"]).endswith("_type") and one["type"] not in REPORTED_BY_SCHEMA]
    faults = list(dict.fromkeys((path + place_of(one["loc"], value), words_of(one)) for one in own or details))
    raised = (one.get("ctx", {}).get("error") for one in own)
    origin = next((one for one in raised if isinstance(one, BaseException)), error)
    return Wrong(faults, origin) if faults else shapes.refusal(path, error)


def place_of(parts: Any, value: Any) -> str:
    """pydantic includes branches of unions and its own functions in the path: these are not part of the value, or are
    a tag in it.
    """
    path = ""
    for at, part in enumerate(parts):
        is_name = isinstance(value, dict) and part in value
        is_index = isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value)
        if is_name or is_index:
            value = value[part]
            path = shapes.join(path, part)
        elif isinstance(value, dict) and at == len(parts) - 1 and str(part).isidentifier() and part not in value.values():
            path = shapes.join(path, part)
    return path


def words_of(detail: Any) -> str:
    if isinstance(detail.get("ctx", {}).get("error"), BaseException):
        return shapes.refusal("", detail["ctx"]["error"]).faults[0][1]
    if detail["type"] == "missing":
        return "is required, but it is missing"
    message = str(detail["msg"])[:REFUSAL_CHARACTERS]
    return f"s{message[len('Input s'):]}" if message.startswith("Input should ") else f"is not accepted: {message}"


def is_of(schema: Any, value: Any, definitions: Dict[str, Any]) -> bool:
    """Checks enough to select the branch of a union: the value is known to match one of them."""
    if not isinstance(schema, dict):
        return schema is not False
    referred = str(schema.get("$ref", "")).rpartition("/")[2]
    kinds = schema.get("type", [])
    return (
        (not referred or is_of(definitions.get(referred), value, definitions))
        and (not kinds or any(KINDS[kind](value) for kind in ([kinds] if isinstance(kinds, str) else kinds)))
        and ("const" not in schema or shapes.is_same(value, schema["const"]))
        and ("enum" not in schema or any(shapes.is_same(value, one) for one in schema["enum"]))
        and all(is_of(one, value, definitions) for one in schema.get("allOf", ()))
        and all(any(is_of(one, value, definitions) for one in schema[word]) for word in ("anyOf", "oneOf") if word in schema)
        and (not isinstance(value, dict) or has_properties_of(schema, value, definitions))
        and (not isinstance(value, list) or has_items_of(schema, value, definitions))
    )


def has_properties_of(schema: Dict[str, Any], value: Dict[str, Any], definitions: Dict[str, Any]) -> bool:
    properties = schema.get("properties", {})
    other = True if "patternProperties" in schema else schema.get("additionalProperties", True)
    return all(name in value for name in schema.get("required", ())) and all(
        is_of(properties.get(name, other), one, definitions) for name, one in value.items()
    )


def has_items_of(schema: Dict[str, Any], value: List[Any], definitions: Dict[str, Any]) -> bool:
    first = schema.get("prefixItems", [])
    return (
        schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        and all(is_of(one, inner, definitions) for one, inner in zip(first, value))
        and all(is_of(schema.get("items", True), inner, definitions) for inner in value[len(first) :])
    )


def accepts(schema: Any, value: Any, definitions: Dict[str, Any]) -> bool:
    """Checks a default: filled in, an invalid one would fail each call that relies on it."""
    if not isinstance(schema, dict):
        return schema is not False
    referred = definitions.get(str(schema.get("$ref", "")).rpartition("/")[2])
    parts: List[Tuple[Any, Any]] = [(one, value) for one in (referred, *schema.get("allOf", ())) if one is not None]
    if isinstance(value, dict):
        properties, other = schema.get("properties", {}), schema.get("additionalProperties", True)
        parts += [(schema.get("propertyNames", True), name) for name in value]
        parts += [(properties.get(name, other), one) for name, one in value.items()]
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        parts += [(first[at] if at < len(first) else schema.get("items", True), one) for at, one in enumerate(value)]
    return (
        is_of(schema, value, definitions)
        and is_within(schema, value)
        and all(accepts(part, one, definitions) for part, one in parts)
        and all(any(accepts(one, value, definitions) for one in schema[word]) for word in ("anyOf", "oneOf") if word in schema)
    )


def is_within(schema: Dict[str, Any], value: Any) -> bool:
    if isinstance(value, str):
        form = FORMATS.get(schema.get("format", ""))
        return (
            (form is None or form.fullmatch(value) is not None)
            and schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
            and has_pattern(schema.get("pattern", ""), value)
        )
    if not shapes.is_number(value):
        return True
    return (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and ("exclusiveMinimum" not in schema or schema["exclusiveMinimum"] < value)
        and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
    )


def has_pattern(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value, re.ASCII) is not None
    except re.error:
        return True


def closed(schema: Any) -> Any:
    """pydantic's schema accepts properties that it silently ignores, such as a misspelt field; models that accept
    extra properties declare it.
    """
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: one if key in VALUES else closed(one) for key, one in schema.items() if key != "default" or keeps_default(schema)}
    return {**copy, "additionalProperties": False} if is_open_object(schema) else copy


def keeps_default(schema: Dict[str, Any]) -> bool:
    """In a map of properties, `default` may be the name of one: there all values are schemas."""
    if all(isinstance(one, dict) for one in schema.values()):
        return True
    return not is_masked(schema) and accepts({key: one for key, one in schema.items() if key != "default"}, schema["default"], {})


def is_masked(schema: Dict[str, Any]) -> bool:
    """The default of a secret is written as asterisks, and would be filled in as such."""
    return schema.get("writeOnly") is True


def is_open_object(schema: Dict[str, Any]) -> bool:
    return schema.get("type") == "object" and isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema


def annotated(shape: Shape, extras: Any) -> Shape:
    """`Annotated[…]`: a text or `Doc("…")` is the description, constraints are limits. Those that no keyword expresses,
    such as the least date, are checked here.
    """
    schema, limits = shape.schema, {}
    for extra in extras:
        if isinstance(extra, str):
            schema = {**schema, "description": extra}
            continue
        for one in [extra, *(getattr(extra, "metadata", None) or [])]:
            text = getattr(one, "description", None) or getattr(one, "documentation", None)
            if isinstance(text, str):
                schema = {**schema, "description": text}
            for name in (*LIMITS, *CHECKS):
                limit = getattr(one, name, None)
                if limit is None or isinstance(limit, bool) or callable(limit):
                    continue
                limits[name] = limit
                if name in LIMITS and isinstance(limit, (int, float, str)):
                    schema = with_limit(schema, LIMITS[name], limit)

    def revive(value: Any, path: str) -> Any:
        revived = shape.revive(value, path)
        for name, limit in limits.items():
            if revived is not None and name in CHECKS and not is_met(CHECKS[name][0], revived, limit):
                raise Wrong([(path, CHECKS[name][1].format(limit))])
        return revived

    return shape._replace(schema=schema, revive=revive)


def is_met(check: Callable[[Any, Any], bool], value: Any, limit: Any) -> bool:
    """A limit that cannot be compared with the value, such as that of another member of a union, does not concern it."""
    try:
        return bool(check(value, limit))
    except Exception:
        return True


def with_limit(schema: Dict[str, Any], keyword: str, limit: Any) -> Dict[str, Any]:
    """A limit of length has a keyword for each type. A text of another type, such as base64 or a decimal number, has no
    keyword for the limits of its value.
    """
    if "anyOf" in schema:
        return {**schema, "anyOf": [with_limit(one, keyword, limit) for one in schema["anyOf"]]}
    given = schema.get("type", [])
    kinds = [given] if isinstance(given, str) else given
    if keyword in ("minLength", "maxLength"):
        words = {"string": "Length", "array": "Items", "object": "Properties"}
        is_encoded = "contentEncoding" in schema
        return {**schema, **{keyword.replace("Length", words[kind]): limit for kind in kinds or words if kind in words and not is_encoded}}
    is_of_value = keyword == "pattern" or not kinds or bool({"number", "integer"}.intersection(kinds))
    return {**schema, keyword: limit} if is_of_value else schema


def count_digits(value: Any) -> int:
    _, digits, exponent = value.as_tuple()
    return max(len(digits), -exponent) if exponent < 0 else len(digits) + exponent


#: Checked in Python, with their messages.
CHECKS: Dict[str, Tuple[Callable[[Any, Any], bool], str]] = {
    "ge": (lambda value, limit: value >= limit, "must be {} or more"),
    "le": (lambda value, limit: value <= limit, "must be {} or less"),
    "gt": (lambda value, limit: value > limit, "must be more than {}"),
    "lt": (lambda value, limit: value < limit, "must be less than {}"),
    "min_length": (lambda value, limit: len(value) >= limit, "must have a length of {} or more"),
    "max_length": (lambda value, limit: len(value) <= limit, "must have a length of {} or less"),
    "multiple_of": (lambda value, limit: isinstance(value, float) or value % limit == 0, "must be a multiple of {}"),
    "max_digits": (lambda value, limit: count_digits(value) <= limit, "must have {} digits or fewer"),
    "decimal_places": (lambda value, limit: -value.as_tuple()[2] <= limit, "must have {} decimal places or fewer"),
}


def is_field(default: Any) -> bool:
    """`Field(5, ge=1)` as the default of a parameter contains the default and constraints; it is not the value
    itself.
    """
    return not isinstance(default, type) and all(hasattr(default, name) for name in ("is_required", "default_factory", "metadata"))


def annotated_default(hint: Any) -> Any:
    """The default in `Annotated[int, Field(default=5)]`."""
    for extra in typing.get_args(hint)[1:] if typing.get_origin(hint) is typing.Annotated else ():
        if is_field(extra):
            return field_default(extra)
    return inspect.Parameter.empty


class Made:
    """A default that a factory makes for each call."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory


#: Factories with the same result each time.
EMPTY = (list, dict, set, frozenset, tuple, str, int, float, bool)


def field_default(field: Any) -> Any:
    if field.is_required():
        return inspect.Parameter.empty
    return field.default if field.default_factory is None else Made(field.default_factory)


def shown_default(default: Any) -> Any:
    """The default for a schema: none if each call gets another one."""
    if not isinstance(default, Made):
        return default
    return default.factory() if default.factory in EMPTY else inspect.Parameter.empty
