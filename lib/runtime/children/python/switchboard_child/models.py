"""What pydantic and those like it say of a type: models, and the fields that stand in `Annotated` or as the default of a parameter.

Nothing of it is imported: it is told by its shape.
"""

import inspect
from typing import Any, Dict

from . import shapes
from .shapes import Shape, Wrong

LIMITS = {
    "ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum",
    "min_length": "minLength", "max_length": "maxLength", "multiple_of": "multipleOf", "pattern": "pattern",
}  # fmt: skip


def model_schema(kind: Any) -> Dict[str, Any]:
    schema = closed(kind.model_json_schema(ref_template="#/$defs/{model}"))
    schema.pop("title", None)
    return schema


def model_shape(kind: Any, schema: Dict[str, Any]) -> Shape:
    def fits(value: Any) -> bool:
        try:
            kind.model_validate(value)
            return True
        except Exception:
            return False

    def revive(value: Any, path: str) -> Any:
        try:
            return kind.model_validate(value)
        except Exception as error:
            details = getattr(error, "errors", lambda: [])()
            if not details:
                raise Wrong(path, f"is not accepted: {str(error)[:500]}") from error
            for part in details[0].get("loc", ()):
                path = shapes.join(path, part)
            raise Wrong(path, str(details[0].get("msg"))[:500]) from error

    return Shape(schema, fits, revive)


def closed(schema: Any) -> Any:
    """pydantic leaves open what it drops without a word, such as a misspelt field; what a model takes on purpose it says itself."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: one if key in ("default", "const", "enum", "examples") else closed(one) for key, one in schema.items()}
    return {**copy, "additionalProperties": False} if is_open_object(schema) else copy


def is_open_object(schema: Dict[str, Any]) -> bool:
    return schema.get("type") == "object" and isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema


def annotated(shape: Shape, extras: Any) -> Shape:
    """`Annotated[…]`: a text or `Doc("…")` describes, what has limits limits."""
    schema = dict(shape.schema)
    for extra in extras:
        if isinstance(extra, str):
            schema["description"] = extra
            continue
        for one in [extra, *(getattr(extra, "metadata", None) or [])]:
            text = getattr(one, "description", None) or getattr(one, "documentation", None)
            if isinstance(text, str):
                schema["description"] = text
            for name, keyword in LIMITS.items():
                limit = getattr(one, name, None)
                if isinstance(limit, (int, float, str)) and not isinstance(limit, bool):
                    is_list = schema.get("type") == "array" and keyword in ("minLength", "maxLength")
                    schema[keyword.replace("Length", "Items") if is_list else keyword] = limit
    return shape._replace(schema=schema)


def is_field(default: Any) -> bool:
    """`Field(5, ge=1)` as the default of a parameter says what the default is, and more about it; it is no value itself."""
    return not isinstance(default, type) and all(hasattr(default, name) for name in ("is_required", "default_factory", "metadata"))


def field_default(field: Any) -> Any:
    if field.is_required():
        return inspect.Parameter.empty
    return field.default if field.default_factory is None else field.default_factory()
