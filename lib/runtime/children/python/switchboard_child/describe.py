"""A module's exports as JSON. Unsupported values become a mark `{"@@type": …}`, so that validation can name them."""

import ast
import datetime
import enum
import inspect
import json
import math
from types import ModuleType
from typing import Any, Dict, List, Optional, Union

from .blocking import BlockingCalls
from .failures import Reported
from .locations import find_locations, parsed
from .resolve import signature_of
from .run_tool import RunTool
from .state import has_module_state
from .to_json import well_formed

DESCRIBED = tuple("TOOL TOOLS NAME name DESCRIPTION description INSTRUCTIONS instructions KEEP_ALIVE run connect recv send".split())
FIELDS = (
    "label",
    "name",
    "description",
    "parameters",
    "execute",
    "annotations",
    "timeout_ms",
    "output_schema",
    "examples",
)
MAX_EXPORTS = 200
MAX_DEPTH = 64
MAX_VALUES = 200_000
MAX_CHARACTERS = 4_194_304
DESCRIPTION_BYTES = 8_388_608


def describe(module: ModuleType, source: Union[str, bytes], sources: List[Union[str, bytes]], kind: str, run: Optional[RunTool]) -> Dict[str, Any]:
    marking = Marking()
    tree = parsed(source)
    values = {name: marking.tools(name, vars(module)[name]) for name in DESCRIBED if name in vars(module)}
    return {
        "exports": [name[:200] for name in exported(module)][:MAX_EXPORTS],
        "values": values,
        "hasStatus": callable(getattr(module, "status", None)),
        "hasState": has_module_state(sources),
        **({} if run is None else {"hints": run.hints}),
        **(about_channel(module) if kind == "channel" else {}),
        "toolWarnings": tool_warnings(module, tree, kind),
        "places": find_locations(tree, [*values, *exported(module)], source),
    }


def description_text(description: Dict[str, Any]) -> bytes:
    """The text for the host, which parses no larger one. The limit is in bytes, not characters."""
    text = json.dumps(description, ensure_ascii=False).encode("utf-8", "replace")
    if len(text) > DESCRIPTION_BYTES:
        raise too_much(f"more than {DESCRIPTION_BYTES // 1_048_576} MiB of JSON. Shorten the descriptions and schemas.")
    return text


def about_channel(module: ModuleType) -> Dict[str, Any]:
    """Its description, and the number of required parameters of `send`."""
    description = inspect.cleandoc(module.__doc__ or "") or inspect.getdoc(getattr(module, "connect", None)) or ""
    about: Dict[str, Any] = {"hints": {"description": well_formed(description)[:MAX_CHARACTERS]}}
    send = getattr(module, "send", None)
    if not callable(send):
        return about
    try:
        parameters = signature_of(send).parameters.values()
    except (TypeError, ValueError):
        return about
    needed = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty]
    return {**about, "sendParameters": len(needed)}


def tool_warnings(module: ModuleType, tree: ast.Module, kind: str) -> List[List[str]]:
    """For each tool, in their order; a one-file tool is the only one."""
    calls = BlockingCalls(module, tree)
    if kind == "tool":
        return [calls.warnings(getattr(module, "run", None), "run")]
    return [[*signature_warnings(tool), *calls.warnings(field_of(tool, "execute"), "execute")] for tool in tool_entries(module)]


def signature_warnings(tool: Any) -> List[str]:
    """Warnings if the function and its described parameters do not match."""
    function = field_of(tool, "execute")
    parameters = field_of(tool, "parameters")
    if not callable(function) or not isinstance(parameters, dict):
        return []
    try:
        taken = signature_of(function).parameters
    except (TypeError, ValueError):
        return []
    described = parameters.get("properties", {}) if parameters.get("type") == "object" else parameters
    if not isinstance(described, dict):
        return []
    takes_any = any(one.kind is one.VAR_KEYWORD for one in taken.values())
    warnings = [
        f"`execute` does not take the parameter `{name}`; a call that gives it fails. Add it to the function."
        for name in described
        if isinstance(name, str) and name not in taken and not takes_any
    ]
    if "ctx" in described and "ctx" in taken:
        warnings.append("The parameter `ctx` never reaches `execute`, whose `ctx` is the context of the call. Give the parameter another name.")
    for name, one in taken.items():
        if one.kind is one.POSITIONAL_ONLY:
            warnings.append(f"`{name}` of `execute` can only be given by position; arguments are given by name. Remove the `/`.")
        elif one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL) and one.default is one.empty and name != "ctx" and name not in described:
            warnings.append(f"`execute` needs `{name}`, which is not among the parameters; every call fails. Describe it, or give it a default.")
    return [warning[:1_000] for warning in warnings[:19]]


def exported(module: ModuleType) -> List[str]:
    """Exports the author may have intended as tools: not imported names."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not inspect.ismodule(value) and getattr(value, "__module__", module.__name__) == module.__name__
    ]


def tool_entries(module: ModuleType) -> List[Any]:
    """In export order; invalid entries are included, so that indexes stay correct."""
    if "TOOLS" in vars(module):
        tools = module.TOOLS
        return list(tools) if isinstance(tools, (list, tuple)) else []
    return [module.TOOL] if "TOOL" in vars(module) else []


def field_of(tool: Any, field: str) -> Any:
    """A tool is a dict, or an object with the same names as attributes."""
    if isinstance(tool, dict):
        return tool.get(field)
    return getattr(tool, field, None)


def mark(kind: str, **more: str) -> Dict[str, str]:
    return {"@@type": kind, **more}


class Marking:
    def __init__(self) -> None:
        self._values = 0
        self._characters = 0
        self._ancestors: set = set()

    def tools(self, name: str, value: Any) -> Any:
        if name == "TOOL":
            return self._tool(value)
        if name == "TOOLS" and isinstance(value, (list, tuple)):
            return [self._tool(tool) for tool in value]
        return self.value(value, 0)

    def _tool(self, value: Any) -> Any:
        has_fields = not isinstance(value, (dict, type, str)) and not callable(value) and hasattr(value, "execute") and hasattr(value, "name")
        if not has_fields:
            return self.value(value, 0)
        return {field: self._attribute(value, field) for field in FIELDS if hasattr(value, field)}

    def _attribute(self, value: Any, field: str) -> Any:
        try:
            return self.value(getattr(value, field), 1)
        except Reported:
            raise
        except Exception as error:
            return mark("accessor", message=str(error)[:500])

    def value(self, value: Any, depth: int) -> Any:
        self._values += 1
        if self._values > MAX_VALUES:
            raise too_much(f"more than {MAX_VALUES} values. Make the schemas smaller.")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, enum.Enum):
            return self.value(value.value, depth + 1)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return value if value.bit_length() < 1024 else mark("bigint", text=f"{value:#x}"[:100])
        if isinstance(value, float):
            return value if math.isfinite(value) else mark("number", text=str(value))
        if id(value) in self._ancestors:
            return mark("circular")
        if depth >= MAX_DEPTH:
            return mark("deep")
        self._ancestors.add(id(value))
        try:
            return self._object(value, depth)
        finally:
            self._ancestors.discard(id(value))

    def _object(self, value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            return {self._text(str(key)): self.value(inner, depth + 1) for key, inner in list(value.items())}
        if isinstance(value, (list, tuple)):
            return [self.value(inner, depth + 1) for inner in list(value)]
        if isinstance(value, (set, frozenset)):
            return mark("set")
        if isinstance(value, type):
            return mark("library schema" if hasattr(value, "model_json_schema") else "class")
        if inspect.isawaitable(value):
            return mark("coroutine")
        if callable(value):
            return mark("function")
        if isinstance(value, (datetime.date, datetime.time)):
            return mark("date")
        if isinstance(value, (bytes, bytearray, memoryview)):
            return mark("bytes")
        return mark(type(value).__name__[:100])

    def _text(self, value: str) -> str:
        self._characters += len(value)
        if self._characters > MAX_CHARACTERS:
            raise too_much(f"more than {MAX_CHARACTERS} characters. Shorten the descriptions and schemas.")
        return well_formed(value)


def too_much(what: str) -> Reported:
    return Reported({"code": "tool_invalid", "message": f"The tool descriptions contain {what}"})
