"""A one-file tool: the function `run` with its docstring and type hints."""

import ast
import functools
import inspect
from typing import Any, Callable, Dict, List, Tuple, TypeVar, Union

from .docstrings import read_docs
from .failures import Reported, named
from .hints import HintReader, Unsupported, with_more
from .models import Made, annotated, annotated_default, field_default, is_field, shown_default
from .locations import column_in, lines_of
from .resolve import Unreadable, resolve_hints, signature_of, unpacked
from .shapes import ANY, Field, Shape, Wrong, join

Signature = Dict[str, inspect.Parameter]
Read = TypeVar("Read")

JSON_HINT = "Use a type that JSON supports, such as a string, a number, a list, a dict, a dataclass or a TypedDict, and create other objects inside `run`."


FAULTS_IN_MESSAGE = 3
#: Kinds of a parameter with one value.
BY_VALUE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class InvalidArguments(Exception):
    """Arguments that match their schema but cannot become the types of the hints. `origin` is the extension's
    exception.
    """

    kind = "invalid_parameters"
    of_host = True

    def __init__(self, wrong: List[Wrong]) -> None:
        faults = [fault for one in wrong for fault in one.faults]
        shown = [f"{path} {message}" for path, message in faults[:FAULTS_IN_MESSAGE]]
        more = f"; and {len(faults) - len(shown)} more" if len(faults) > len(shown) else ""
        super().__init__(f"The arguments are invalid: {'; '.join(shown)}{more}.")
        self.issues = [{"path": path, "keyword": "value", "message": message} for path, message in faults]
        self.origin = next((one.origin for one in wrong if one.origin is not None), None)


class RunTool:
    """`hints` is reported to the host; `bind` turns the arguments of a call into those of `run`."""

    def __init__(self, function: Callable[..., Any], file: str, source: Union[str, bytes]) -> None:
        self._parameters: Signature = dict(signature_of(function).parameters)
        self._shapes: Dict[str, Shape] = {}
        #: Of a TypedDict that is unpacked into `**kwargs`.
        self._fields: Dict[str, Field] = {}
        self._file = file
        self._source = source
        self.warnings: List[str] = []
        written = written_function(function)
        docs = read_docs(doc_of(function, written))
        reader = HintReader(written.__module__)
        types = self._types(written, reader)
        properties: Dict[str, Any] = {}
        required: List[str] = []
        extra: Any = False
        for name, parameter in self._parameters.items():
            if name == "ctx":
                continue
            if parameter.annotation is parameter.empty:
                self.warnings.append(f"The parameter `{name}` has no type hint, so it accepts any JSON. Add one, such as `{name}: str`.")
            hint = types.get(name, inspect.Parameter.empty)
            if parameter.kind is parameter.VAR_KEYWORD and unpacked(hint):
                self._fields = self._reading(name, lambda: reader.typed_dict_fields(unpacked(hint)[0]))
                properties.update({key: with_more(field.schema, docs.parameters.get(key), None, reader.definitions) for key, field in self._fields.items()})
                required += [key for key, field in self._fields.items() if field.is_required]
                continue
            field = parameter.default if is_field(parameter.default) else None
            if field is not None:
                parameter = self._parameters[name] = parameter.replace(default=field_default(field))
            elif parameter.default is parameter.empty and parameter.kind in BY_VALUE:
                parameter = self._parameters[name] = parameter.replace(default=annotated_default(hint))
            shape = self._reading(name, lambda: reader.read(hint) if field is None else annotated(reader.read(hint), [field]))
            if parameter.kind is parameter.VAR_KEYWORD:
                extra = shape.schema or True
                self._shapes[name] = shape
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                schema = {"type": "array", **({"items": shape.schema} if shape.schema else {}), "default": []}
            else:
                schema = shape.schema
                is_optional = parameter.default is not parameter.empty or (shape is not ANY and shape.fits(None))
                if not is_optional:
                    required.append(name)
            self._shapes[name] = shape
            described = docs.parameters.get(name) or schema.get("description")
            properties[name] = with_more(schema, described, shown_default(parameter.default), reader.definitions)
        parameters: Dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": extra}
        if required:
            parameters["required"] = required
        if reader.definitions:
            parameters["$defs"] = reader.definitions
        self.warnings += reader.warnings
        self.hints = {"description": docs.description, "parameters": parameters, "warnings": self.warnings}

    def bind(self, args: Dict[str, Any], context: Any) -> Tuple[List[Any], Dict[str, Any]]:
        """By position only if a parameter cannot be passed by name."""
        has_rest = any(one.kind is one.VAR_POSITIONAL for one in self._parameters.values())
        positional: List[Any] = []
        by_name: Dict[str, Any] = {}
        rest = dict(args)
        wrong: List[Wrong] = []

        def revived(shape: Shape, value: Any, path: str) -> Any:
            try:
                return shape.revive(value, path)
            except Wrong as one:
                wrong.append(one)

        for name, parameter in self._parameters.items():
            if name == "ctx":
                value = context
            elif parameter.kind is parameter.VAR_POSITIONAL:
                positional += [revived(self._shapes[name], one, f"/{name}/{at}") for at, one in enumerate(rest.pop(name, []))]
                continue
            elif parameter.kind is parameter.VAR_KEYWORD:
                by_name.update({key: revived(self._shape_of(name, key), one, join("", key)) for key, one in rest.items()})
                continue
            elif name in rest:
                given = rest.pop(name)
                is_none = given is None and not self._shapes[name].fits(None)
                value = None if is_none else revived(self._shapes[name], given, f"/{name}")
            else:
                default = None if parameter.default is parameter.empty else parameter.default
                value = default.factory() if isinstance(default, Made) else default
            if parameter.kind is parameter.POSITIONAL_ONLY or (has_rest and parameter.kind is parameter.POSITIONAL_OR_KEYWORD):
                positional.append(value)
            else:
                by_name[name] = value
        if wrong:
            raise InvalidArguments(wrong)
        return positional, by_name

    def _shape_of(self, name: str, key: str) -> Shape:
        return self._fields[key].shape if key in self._fields else self._shapes[name]

    def _types(self, function: Callable[..., Any], reader: HintReader) -> Dict[str, Any]:
        try:
            return resolve_hints(function, lambda name, why: reader.warn_unknown(f"the parameter `{name}`", why))
        except Unreadable as fault:
            raise self._unreadable(fault.name, fault.error) from fault.error

    def _reading(self, name: str, read: Callable[[], Read]) -> Read:
        try:
            return read()
        except Unsupported as error:
            why = f": {error.why}" if error.why else ""
            message = f"The parameter `{name}` of `run` has the type `{error.shown}`, which JSON does not support{why}."
            hint = "Name the parameter `ctx` to receive the context of the call." if error.shown == "ToolContext" else JSON_HINT
            raise Reported({"code": "type_unsupported", "message": message, "hint": hint, **self._place(name)}) from error
        except Unreadable as fault:
            raise self._unreadable(name, fault.error) from fault.error
        except Exception as error:
            raise self._unreadable(name, error) from error

    def _unreadable(self, parameter: str, error: Exception) -> Reported:
        hint = "Import every name that the type hints use, also those in quotation marks."
        message = f"The type of the parameter `{parameter}` of `run` cannot be read: {named(error)}"
        return Reported({"code": "import_error", "message": message, "hint": hint, **self._place(parameter)})

    def _place(self, parameter: str) -> Dict[str, Any]:
        """The location of the hint, if `run` is in this file."""
        for statement in ast.parse(self._source).body:
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) or statement.name != "run":
                continue
            args = statement.args
            every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, [args.vararg, args.kwarg])]
            node: Any = next((one.annotation or one for one in every if one.arg == parameter), statement)
            column = column_in(lines_of(self._source)[node.lineno - 1], node.col_offset)
            return {"file": self._file, "line": node.lineno, "column": column}
        return {"file": self._file}


def written_function(run: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the docstring and the type hints: the target of a decorator or `partial`, or the `__call__`
    of an object.
    """
    if isinstance(run, functools.partial):
        return written_function(run.func)
    unwrapped = inspect.unwrap(run)
    return unwrapped if inspect.isroutine(unwrapped) else type(unwrapped).__call__


def doc_of(run: Callable[..., Any], written: Callable[..., Any]) -> str:
    """Every `partial` inherits a docstring about `partial` itself."""
    docs = [run.__doc__, written.__doc__] if inspect.isroutine(run) else [written.__doc__, run.__doc__]
    return inspect.cleandoc(next((doc for doc in docs if doc and doc != functools.partial.__doc__), ""))
