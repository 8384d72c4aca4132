"""Resolves type hints, including those imported only for type checkers.

Statements under `if TYPE_CHECKING:` do not run with the module. They run here when a hint needs them, in a copy of
the module's names, so that the extension stays unchanged; a failed import only makes its hint unknown.
"""

import ast
import inspect
import sys
import typing
from dataclasses import InitVar
from types import FunctionType, ModuleType
from typing import Any, Callable, Dict, List, Tuple

from .failures import named
from .guarded import bound_by, guarded_statements, split_import

try:
    import annotationlib
except ImportError:  # before Python 3.14
    annotationlib = None

#: Called for an unknown hint: its name, and the reason.
OnUnknown = Callable[[str, str], None]
#: Of a function: these types are not needed, and resolving them would run code.
NEVER_ASKED = ("return", "ctx")


class Guarded:
    """The names of a module, including those under `if TYPE_CHECKING:`."""

    def __init__(self, module: ModuleType) -> None:
        self.names: Dict[str, Any] = dict(vars(module))
        self.missing: Dict[str, str] = {}
        for statement in guarded_statements(module.__spec__):
            for one in split_import(statement):
                self._run(one)

    def _run(self, statement: ast.stmt) -> None:
        try:
            exec(compile(ast.Module([statement], []), "<TYPE_CHECKING>", "exec", dont_inherit=True), self.names)
        except (Exception, SystemExit) as error:
            self.missing.update({name: named(error)[:300] for name in bound_by(statement)})


_known: Dict[str, Guarded] = {}


def guarded_in(name: str) -> Guarded:
    if name not in _known:
        _known[name] = Guarded(sys.modules.get(name) or ModuleType(name))
    return _known[name]


class Unreadable(Exception):
    """A hint that cannot be resolved, with the name of its owner; `error` says why."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(name)
        self.name = name
        self.error = error


def resolve_hints(thing: Any, on_unknown: OnUnknown) -> Dict[str, Any]:
    """Like `typing.get_type_hints` with extras; a hint whose guarded name is unavailable is `Any`."""
    try:
        return typing.get_type_hints(thing, include_extras=True)
    except Exception:
        written = written_hints(thing)
    return {
        name: resolve_one(holder_of(owner, name, hint), guarded_in(owner.__module__), on_unknown)
        for owner, annotations in written
        for name, hint in annotations.items()
        if isinstance(thing, type) or name not in NEVER_ASKED
    }


def written_hints(thing: Any) -> List[Tuple[Any, Dict[str, Any]]]:
    """For a class, inherited hints come first."""
    if not isinstance(thing, type):
        return [(thing, own_hints(thing))]
    return [(owner, own_hints(owner)) for owner in reversed(thing.__mro__)]


def own_hints(owner: Any) -> Dict[str, Any]:
    """Since Python 3.14 annotations are evaluated on access; an undefined name stays a reference here."""
    if annotationlib is not None:
        return annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF)
    return vars(owner).get("__annotations__") or {} if isinstance(owner, type) else owner.__annotations__


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Never raises, for any hint."""
    if annotationlib is not None:
        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)


def holder_of(owner: Any, name: str, hint: Any) -> Any:
    """Has this one hint, and is a class if its owner is one: `ClassVar` is allowed only there."""
    holder = type("Holder", (), {}) if isinstance(owner, type) else FunctionType((lambda: None).__code__, {})
    holder.__annotations__ = {name: hint}
    return holder


def resolve_one(holder: Any, guarded: Guarded, on_unknown: OnUnknown) -> Any:
    ((name, hint),) = holder.__annotations__.items()
    try:
        return typing.get_type_hints(holder, guarded.names, guarded.names, include_extras=True)[name]
    except NameError as error:
        why = guarded.missing.get(error.name or "")
        if why is None:
            raise Unreadable(name, error) from error
        on_unknown(name, why)
        return Any
    except Exception as error:
        made = init_variable(hint, guarded.names)
        if made is None:
            raise Unreadable(name, error) from error
        return made


def evaluated(text: str, module: str) -> Any:
    try:
        return eval(text, guarded_in(module).names)
    except Exception as error:
        raise Unreadable(text, error) from error


def init_variable(hint: Any, names: Dict[str, Any]) -> Any:
    """Before Python 3.11 `typing` does not accept an `InitVar` that is written as text."""
    try:
        made = eval(hint, names) if isinstance(hint, str) else None
    except Exception:
        return None
    return made if made is InitVar or isinstance(made, InitVar) else None


def unpacked(hint: Any) -> Tuple[Any, ...]:
    """The TypedDict in `Unpack[…]`, from `typing` or from `typing_extensions`."""
    is_unpack = str(typing.get_origin(hint)).rpartition(".")[2] == "Unpack"
    return tuple(one for one in typing.get_args(hint) if is_unpack and hasattr(one, "__required_keys__"))
