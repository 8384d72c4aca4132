"""Describes a sample and runs its function before an extension is loaded: in the fork server, whose processes are
copies of it, and in a process that waits, so that the memory it needs is its own by the time of the load.

What can go wrong: it fails on another version of Python; nothing depends on it.
"""

import json
from types import ModuleType

from .calls import bind_arguments
from .describe import describe, description_text
from .run_tool import RunTool
from .to_json import to_json_text

SOURCE = '''"""A sample."""
from typing import Any, Dict


def run(left: float, right: float = 0, ctx: Any = None) -> Dict[str, float]:
    """Adds two numbers.

    Args:
        left: the first number
    """
    return {"sum": left + right}


TOOL = {
    "label": "Sample",
    "name": "sample",
    "description": "Adds two numbers.",
    "parameters": {"left": {"type": "number", "required": True}, "right": {"type": "number", "default": 0}},
    "execute": run,
}
'''


def rehearse() -> None:
    try:
        for kind in ("tools", "tool"):
            rehearse_kind(kind)
    except Exception:
        pass


def rehearse_kind(kind: str) -> str:
    """The text of its result."""
    module = ModuleType("sample")
    exec(compile(SOURCE, "sample.py", "exec"), vars(module))
    run_tool = RunTool(module.run, "sample.py", SOURCE) if kind == "tool" else None
    json.loads(description_text(describe(module, SOURCE, [SOURCE], kind, run_tool)))
    bind = bind_arguments(module.run, ["left", "right"]) if run_tool is None else run_tool.bind
    positional, named = bind({"left": 1}, None)
    return to_json_text(module.run(*positional, **named), 1_000).text
