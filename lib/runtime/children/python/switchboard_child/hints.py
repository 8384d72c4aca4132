"""Turns type hints into JSON Schema, and arguments into the types of the hints.

`typing` resolves the hints, so strings, aliases and imported names work. A recursive type becomes an entry of
`$defs`; all others are written inline, which suits forms best.
"""

import base64
import collections
import collections.abc
import contextlib
import dataclasses
import enum
import inspect
import json
import types
import typing
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from . import models, shapes
from .docstrings import Docs, read_docs
from .generics import bound_types, with_types
from .resolve import evaluated, resolve_hints
from .shapes import ANY, Field, Shape
from .to_json import Walk, to_text

#: And the types that they become.
LISTS = {
    **dict.fromkeys((list, collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Iterable, collections.abc.Collection), list),
    collections.deque: collections.deque,
}
SETS = {**dict.fromkeys((set, collections.abc.Set, collections.abc.MutableSet), set), frozenset: frozenset}
DICTS = {**dict.fromkeys((dict, collections.abc.Mapping, collections.abc.MutableMapping), dict), collections.OrderedDict: collections.OrderedDict}
#: Possible factories for missing keys of a `defaultdict`: the class of its values, if it creates an empty one.
EMPTY = (list, dict, set, frozenset, tuple, str, bytes, int, float, complex, bool, collections.deque, collections.OrderedDict, collections.Counter)
NESTED_MOST = 60
#: The maximum depth of a schema.
DEFAULT_DEPTH = 32


class Unsupported(Exception):
    def __init__(self, hint: Any, why: str = "") -> None:
        super().__init__(why)
        self.shown = show_type(hint)
        self.why = why


def show_type(hint: Any) -> str:
    is_named = (isinstance(hint, type) or inspect.isroutine(hint)) and not typing.get_args(hint)
    shown = hint.__qualname__ if is_named else str(hint)
    return shown.replace("typing.", "")[:200]


class HintReader:
    """`home` is the module of the hints."""

    def __init__(self, home: str) -> None:
        self._home = home
        self.definitions: Dict[str, Any] = {}
        self.warnings: List[str] = []
        self._open: Dict[Any, str] = {}
        self._refered: Set[Any] = set()
        self._done: Dict[Any, Shape] = {}
        self._depth = 0

    def read(self, hint: Any) -> Shape:
        self._depth += 1
        try:
            if self._depth > NESTED_MOST:
                raise Unsupported(hint, "it is nested too deeply")
            return self._read(hint)
        except models.NoSchema as error:
            raise Unsupported(hint, str(error)) from error
        finally:
            self._depth -= 1

    def _read(self, hint: Any) -> Shape:
        if hint is Any or hint is object or hint is inspect.Parameter.empty:
            return ANY
        if hint is None:
            hint = type(None)
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        container = origin or hint
        simple = shapes.simple(container)
        if simple is not None:
            return simple
        if getattr(hint, "_name", None) == "LiteralString":
            return shapes.SIMPLE[str]
        if getattr(hint, "_name", None) == "Self":
            return self.read(self._innermost(hint))
        if origin is typing.Annotated:
            adapter = models.adapter_of(hint) if any(models.is_validator(one) for one in args[1:]) else None
            return models.annotated(self.read(args[0]) if adapter is None else models.adapted_shape(adapter, self._define), args[1:])
        if origin is typing.Literal:
            return self._literal(hint, args)
        if origin is typing.Union or origin is getattr(types, "UnionType", None):
            return shapes.one_of([self.read(arg) for arg in args])
        if qualifier(hint) in ("Required", "NotRequired", "ReadOnly", "Final"):
            return self.read(args[0])
        if hasattr(hint, "__supertype__"):
            return self.read(hint.__supertype__)
        if isinstance(hint, typing.TypeVar):
            return self.read(hint.__bound__) if hint.__bound__ is not None else one_of_any(self, hint.__constraints__)
        if type(container).__name__ == "TypeAliasType":
            with self._within(container.__module__):
                return self._named(hint, lambda: self.read(with_types(container.__value__, dict(zip(container.__type_params__, args)))))
        if isinstance(hint, (str, typing.ForwardRef)):
            return self._reference(hint if isinstance(hint, str) else hint.__forward_arg__)
        if not isinstance(container, type):
            raise Unsupported(hint)
        if container in LISTS:
            return shapes.list_of(self.read(args[0]) if args else ANY, LISTS[container])
        if container in SETS:
            return shapes.list_of(self.read(args[0]) if args else ANY, SETS[container], uniqueItems=True)
        if container is tuple:
            return self._tuple(hint, args)
        if container in DICTS:
            return self._dict(args, DICTS[container])
        if container is collections.defaultdict:
            return self._dict(args, empty_of(hint))
        if container is collections.Counter:
            return self._dict((args[0] if args else str, int), collections.Counter)
        with self._within(container.__module__):
            return self._class(container, hint)

    def _innermost(self, hint: Any) -> Any:
        """The class whose fields are being read."""
        for kind in reversed(list(self._open)):
            if isinstance(typing.get_origin(kind) or kind, type):
                return kind
        raise Unsupported(hint, "it is not in a class")

    def _literal(self, hint: Any, values: Any) -> Shape:
        plain = [value.value if isinstance(value, enum.Enum) else value for value in values]
        if not all(value is None or isinstance(value, (str, int, float, bool)) for value in plain):
            raise Unsupported(hint)
        return shapes.choice_of(plain, lambda value: next(made for made, one in zip(values, plain) if shapes.is_same(value, one)))

    def _tuple(self, hint: Any, args: Any) -> Shape:
        if hint in (tuple, typing.Tuple):
            return shapes.list_of(ANY, tuple)
        if len(args) == 2 and args[1] is Ellipsis:
            return shapes.list_of(self.read(args[0]), tuple)
        return shapes.tuple_of([] if args == ((),) else [self.read(arg) for arg in args])

    def _dict(self, args: Any, make: Any) -> Shape:
        return shapes.dict_of(self._key(args[0]), self.read(args[1]), make) if len(args) == 2 else shapes.dict_of(ANY, ANY, make)

    def _key(self, hint: Any) -> Shape:
        shape = self.read(hint)
        if shape.schema.get("type") == "integer":
            return shapes.number_key(shape)
        if shape.schema and shape.schema.get("type") != "string":
            raise Unsupported(hint, "keys of a JSON object are strings")
        return shape

    def _class(self, kind: Any, hint: Any) -> Shape:
        """`hint` is the class, or a generic one with its types, such as `Box[int]`."""
        if issubclass(kind, enum.Enum):
            return self._enum(kind)
        if models.is_model(kind):
            return models.model_shape(kind, self._define)
        adapter = models.adapter_of(hint) if models.is_known(kind) else None
        if adapter is not None:
            return models.adapted_shape(adapter, self._define)
        if issubclass(kind, dict) and hasattr(kind, "__required_keys__"):
            return self._named(hint, lambda: self._typed_dict(kind, hint))
        if dataclasses.is_dataclass(kind):
            return self._named(hint, lambda: self._dataclass(kind, hint))
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return self._named(hint, lambda: self._named_tuple(kind, hint))
        raise Unsupported(hint)

    def _enum(self, kind: Any) -> Shape:
        if issubclass(kind, enum.Flag):
            raise Unsupported(kind, "a flag may have several of its values at once")
        if not list(kind):
            raise Unsupported(kind, "it has no members")
        shape = shapes.enum_of(kind)
        if shape is None:
            raise Unsupported(kind, "its values are not strings, numbers, booleans or None")
        return shape

    @contextlib.contextmanager
    def _within(self, module: str) -> Iterator[None]:
        before, self._home = self._home, module
        try:
            yield
        finally:
            self._home = before

    def _reference(self, text: str) -> Shape:
        """A name within its own type: a recursive alias, as in `Json = Union[str, List["Json"]]`."""
        name = text if text.isidentifier() else "Alias"
        return self._named((self._home, text), lambda: self.read(evaluated(text, self._home)), name)

    def _define(self, schema: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """Adds the definitions of a model to the existing ones; a name that is already in use gets another one."""
        own = schema.pop("$defs", {})
        names: Dict[str, str] = {}
        for name, definition in own.items():
            free = name
            while free in self._open.values() or self.definitions.get(free, definition) != definition:
                free += "_"
            names[name] = free
        renamed = {f"#/$defs/{name}": f"#/$defs/{free}" for name, free in names.items() if name != free}
        self.definitions.update({names[name]: with_references(definition, renamed) for name, definition in own.items()})
        return with_references(schema, renamed), self.definitions

    def _named(self, kind: Any, make: Any, name: str = "") -> Shape:
        if kind in self._done:
            return self._done[kind]
        if kind in self._open:
            self._refered.add(kind)
            return Shape({"$ref": f"#/$defs/{self._open[kind]}"}, lambda value: self._done[kind].fits(value), lambda value, path: self._done[kind].revive(value, path))
        name = name or (typing.get_origin(kind) or kind).__name__
        while name in self.definitions or name in self._open.values():
            name += "_"
        self._open[kind] = name
        shape = make()
        del self._open[kind]
        if kind in self._refered:
            self.definitions[name] = shape.schema
            shape = shape._replace(schema={"$ref": f"#/$defs/{name}"})
        self._done[kind] = shape
        return shape

    def _hints(self, kind: Any, hint: Any) -> Dict[str, Any]:
        hints = resolve_hints(kind, lambda name, why: self.warn_unknown(f"`{name}` of `{kind.__qualname__}`", why))
        bound = bound_types(hint)
        return {name: with_types(one, bound) for name, one in hints.items()} if bound else hints

    def warn_unknown(self, what: str, why: str) -> None:
        self.warnings.append(f"The type of {what} is imported only for type checkers, and not available here ({why}), so it accepts any JSON.")

    def typed_dict_fields(self, kind: Any, written: Any = None) -> Dict[str, Field]:
        described = docs_of(kind).parameters
        return {
            name: self._field(hint, described.get(name), is_required(kind, name, hint), inspect.Parameter.empty)
            for name, hint in self._hints(kind, written or kind).items()
        }

    def _typed_dict(self, kind: Any, hint: Any) -> Shape:
        return shapes.object_of(self.typed_dict_fields(kind, hint), dict, docs_of(kind).description)

    def _dataclass(self, kind: Any, hint: Any) -> Shape:
        about = docs_of(kind)
        hints = self._hints(kind, hint)
        fields = {}
        for field in init_fields(kind, hints):
            default, taken = field.default, of_init(hints[field.name])
            is_required = default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if models.is_field(default):
                taken, default = typing.Annotated[taken, default], models.field_default(default)
                is_required = default is inspect.Parameter.empty
            elif field.default_factory is not dataclasses.MISSING:
                default = models.Made(field.default_factory)
            described = about.parameters.get(field.name) or field.metadata.get("description")
            fields[field.name] = self._field(taken, described, is_required, models.shown_default(default))
        return shapes.object_of(fields, lambda given: kind(**given), about.description)

    def _named_tuple(self, kind: Any, hint: Any) -> Shape:
        about = docs_of(kind)
        hints = self._hints(kind, hint)
        defaults = kind._field_defaults
        fields = {
            name: self._field(hints.get(name, Any), about.parameters.get(name), name not in defaults, defaults.get(name, inspect.Parameter.empty))
            for name in kind._fields
        }
        return shapes.object_of(fields, lambda given: kind(**given), about.description)

    def _field(self, hint: Any, described: Optional[str], is_required: bool, default: Any) -> Field:
        shape = self.read(hint)
        return Field(shape, is_required, with_more(shape.schema, described, default, self.definitions))


def empty_of(hint: Any) -> Any:
    """Creates a `defaultdict` with a default factory, if the hint names the type of its values."""
    value = (*typing.get_args(hint), None, None)[1]
    kind = typing.get_origin(value) or value
    make = (lambda: empty_of(value)({})) if kind is collections.defaultdict else kind if kind in EMPTY else None
    return lambda given: collections.defaultdict(make, given)


def with_references(schema: Any, renamed: Dict[str, str]) -> Any:
    if not renamed:
        return schema
    if isinstance(schema, list):
        return [with_references(one, renamed) for one in schema]
    if isinstance(schema, dict):
        return {key: one if key in models.VALUES else with_references(one, renamed) for key, one in schema.items()}
    return renamed.get(schema, schema) if isinstance(schema, str) else schema


def one_of_any(reader: HintReader, constraints: Any) -> Shape:
    return shapes.one_of([reader.read(one) for one in constraints]) if constraints else ANY


def init_fields(kind: Any, hints: Dict[str, Any]) -> List[Any]:
    """The constructor's fields: an `InitVar` is no field to Python, and a field with `init=False` is not accepted."""
    return [field for name, field in kind.__dataclass_fields__.items() if field.init and not is_class_variable(hints[name])]


def is_class_variable(hint: Any) -> bool:
    return hint is typing.ClassVar or typing.get_origin(hint) is typing.ClassVar


def of_init(hint: Any) -> Any:
    if hint is dataclasses.InitVar:
        return Any
    return hint.type if isinstance(hint, dataclasses.InitVar) else hint


def has_other_constructor(value: Any) -> bool:
    """An `InitVar` is not stored in the object: such a default cannot be rebuilt from its fields."""
    if not dataclasses.is_dataclass(value):
        return False
    return len(dataclasses.fields(value)) < len(value.__dataclass_fields__) or not all(field.init for field in dataclasses.fields(value))


def qualifier(hint: Any) -> str:
    """`NotRequired` and similar, from `typing` or `typing_extensions`."""
    return str(typing.get_origin(hint)).rpartition(".")[2]


def is_required(kind: Any, name: str, hint: Any) -> bool:
    """If hints are stored as text, the class does not know which of its keys are required."""
    return qualifier(hint) == "Required" or (name in kind.__required_keys__ and qualifier(hint) != "NotRequired")


def docs_of(kind: Any) -> Docs:
    """Its own description, and those of its fields, which a base may describe."""
    own = read_docs(own_doc(kind))
    # The bases of a TypedDict are not in its order of resolution.
    bases = kind.__mro__[1:] if dataclasses.is_dataclass(kind) else vars(kind).get("__orig_bases__", ())
    for base in (typing.get_origin(base) or base for base in bases):
        if dataclasses.is_dataclass(base) or hasattr(base, "__required_keys__"):
            own = Docs(own.description, {**docs_of(base).parameters, **own.parameters})
    return own


def own_doc(kind: Any) -> Optional[str]:
    """Python generates a docstring for a dataclass and a NamedTuple without one; a dict inherits its docstring."""
    doc = kind.__dict__.get("__doc__")
    return None if doc is None or doc.startswith(f"{kind.__name__}(") else doc


def with_more(schema: Dict[str, Any], described: Optional[str], default: Any, definitions: Dict[str, Any]) -> Dict[str, Any]:
    """Keywords beside a reference count in draft 2020-12. A default that changes in JSON, or that the schema refuses,
    is left to Python; one of another type stays, so that the tool has a warning.
    """
    more: Dict[str, Any] = {}
    if described:
        more["description"] = described
    has_none = any(default is nothing for nothing in (inspect.Parameter.empty, dataclasses.MISSING, None))
    if not (has_none or has_other_constructor(default) or models.is_masked(schema)):
        values = json_forms(base64.b64encode(default).decode() if isinstance(default, bytes) else default)
        accepted = [value for value in values if models.accepts(schema, value, definitions)]
        shown = accepted or [value for value in values if is_of_another_type(value, schema)]
        if shown:
            more["default"] = shown[0]
    return {**schema, **more}


def json_forms(default: Any) -> List[Any]:
    """A `NamedTuple` is an object to its own hint, and a list to others."""
    outcomes = (to_text(default, walk(65_536, DEFAULT_DEPTH, False)) for walk in (DefaultWalk, Walk))
    return [json.loads(outcome.text) for outcome in outcomes if outcome.text is not None and not outcome.notes]


class DefaultWalk(Walk):
    """Sets are sorted: in each process Python has them in another order, and the schema stays the same."""

    def _convert_known(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            return self._fields(value._asdict(), path, depth)
        if isinstance(value, (set, frozenset)):
            return sorted(self._list(value, path, depth), key=json.dumps)
        return super()._convert_known(value, path, depth)


def is_of_another_type(value: Any, schema: Dict[str, Any]) -> bool:
    types = {str: ("string",), bool: ("boolean",), int: ("integer", "number"), float: ("number",), list: ("array",), dict: ("object",)}
    return isinstance(schema.get("type"), str) and schema["type"] not in types.get(type(value), ("null",))
