"""Warnings about tools that block: calls of the standard library and common clients that block the event loop.

Found in the text of the entry file: in the function itself and in functions of the file that it calls by name.
Functions passed as values (`asyncio.to_thread(time.sleep, 1)`) are not calls.
"""

import ast
import inspect
from types import ModuleType
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple, Union

from .run_tool import written_function

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]

VERBS = "get post put patch delete head options request"
BLOCKS: Dict[str, Tuple[str, str]] = {
    "time": ("sleep", "`await asyncio.sleep(…)`"),
    "requests": (VERBS, "a client that is awaited, such as `httpx.AsyncClient`"),
    "httpx": (VERBS, "`httpx.AsyncClient`"),
    "urllib.request": ("urlopen urlretrieve", "a client that is awaited, such as `httpx.AsyncClient`"),
    "subprocess": ("run call check_call check_output getoutput getstatusoutput", "`asyncio.create_subprocess_exec`"),
    "os": ("system popen", "`asyncio.create_subprocess_exec`"),
    "socket": ("create_connection getaddrinfo gethostbyname", "`asyncio.open_connection`"),
}
INSTEAD = {f"{module}.{name}": instead for module, (names, instead) in BLOCKS.items() for name in names.split()}
DEPTH_MOST = 20


class BlockingCalls:
    """The blocking calls of one entry file."""

    def __init__(self, module: ModuleType, tree: ast.Module) -> None:
        self._file = getattr(module, "__file__", None)
        self._functions: Dict[int, Function] = {}
        self._named: Dict[str, Function] = {}
        self._imported: Dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._functions[min([node.lineno, *(one.lineno for one in node.decorator_list)])] = node
            elif isinstance(node, ast.Lambda):
                self._functions.setdefault(node.lineno, node)
            elif isinstance(node, ast.Import):
                for one in node.names:
                    self._imported[one.asname or one.name.split(".")[0]] = one.name if one.asname else one.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for one in node.names:
                    self._imported[one.asname or one.name] = f"{node.module}.{one.name}"
        self._named = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}

    def warnings(self, function: Any, name: str) -> List[str]:
        try:
            function = written_function(function)
        except Exception:  # An object of the extension may raise on access; a warning is not worth a failure.
            return []
        written = self._written(function)
        if written is None:
            return []
        found = next(self._blocking(written, set(), 0), None)
        if found is None:
            return []
        call, line = found
        if inspect.iscoroutinefunction(function):
            return [
                f"`{name}` is async and calls `{call}` (line {line}), which blocks: until it returns, no other call of this extension "
                f"can run or be cancelled. Use {INSTEAD[call]}, or `await asyncio.to_thread({call}, …)`."
            ]
        return [
            f"`{name}` blocks in `{call}` (line {line}): a cancelled or timed-out call keeps its thread until it returns. "
            f"Make it `async def` with {INSTEAD[call]}, and it ends at once."
        ]

    def _written(self, function: Any) -> Optional[Function]:
        code = getattr(function, "__code__", None)
        if code is None or code.co_filename != self._file:
            return None
        return self._functions.get(code.co_firstlineno)

    def _blocking(self, function: Function, seen: Set[ast.AST], depth: int) -> Iterator[Tuple[str, int]]:
        if function in seen or depth > DEPTH_MOST:
            return
        seen.add(function)
        for node in own_nodes(function):
            if not isinstance(node, ast.Call):
                continue
            call = self._full_name(node.func)
            if call in INSTEAD:
                yield call, node.lineno
            elif isinstance(node.func, ast.Name) and node.func.id in self._named:
                yield from self._blocking(self._named[node.func.id], seen, depth + 1)

    def _full_name(self, node: ast.AST) -> str:
        parts: List[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._imported:
            return ""
        return ".".join([self._imported[node.id], *reversed(parts)])


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """In source order, without nested functions."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    waiting: List[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))
