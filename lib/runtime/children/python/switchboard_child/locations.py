"""Locations of the parts of TOOL and TOOLS in the entry file, so that an error can be shown at its line."""

import ast
import importlib.util
import io
from typing import Any, Dict, List, Optional, Union

PLACES_MOST = 5_000
DEPTH_MOST = 40

Places = Dict[str, List[int]]


def parsed(source: Union[str, bytes]) -> ast.Module:
    """Empty if the text cannot be parsed."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def find_locations(tree: ast.Module, names: List[str], source: Union[str, bytes]) -> Places:
    bound = bindings(tree.body)
    places: Places = {}
    for name in names:
        if name in bound:
            places[name] = place(bound[name])
            walk(value_of(bound[name]), name, bound, places, 0)
    lines = lines_of(source) if places else []
    return {path: [line, column_in(lines[line - 1], offset)] for path, (line, offset) in places.items()}


def lines_of(source: Union[str, bytes]) -> List[str]:
    text = source if isinstance(source, str) else importlib.util.decode_source(source)
    return io.IncrementalNewlineDecoder(None, True).decode(text).split("\n")


def column_in(line: str, offset: int) -> int:
    """From 1, in UTF-16 units as in editors and the pages; Python counts UTF-8 bytes from 0."""
    before = line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")
    return units(before) + 1


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def bindings(body: List[ast.stmt]) -> Dict[str, ast.AST]:
    """The last top-level statement that assigns a name."""
    bound: Dict[str, ast.AST] = {}
    for statement in body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    bound[target.id] = statement
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            bound[statement.target.id] = statement
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound[statement.name] = statement
    return bound


def value_of(node: Optional[ast.AST]) -> Optional[ast.AST]:
    return node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else node


def walk(node: Any, path: str, bound: Dict[str, ast.AST], places: Places, depth: int) -> None:
    if node is None or depth > DEPTH_MOST or len(places) > PLACES_MOST:
        return
    if isinstance(node, ast.Name):
        walk(value_of(bound.get(node.id)), path, bound, places, depth + 1)
    elif isinstance(node, (ast.List, ast.Tuple)):
        for at, element in enumerate(node.elts):
            if isinstance(element, ast.Starred):
                return
            add(element, element, f"{path}/{at}", bound, places, depth)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                add(key, value, f"{path}/{key.value}", bound, places, depth)
    elif isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg is not None:
                add(keyword, keyword.value, f"{path}/{keyword.arg}", bound, places, depth)


def add(shown: Any, value: Any, path: str, bound: Dict[str, ast.AST], places: Places, depth: int) -> None:
    places[path] = place(shown)
    walk(value, path, bound, places, depth + 1)


def place(node: Any) -> List[int]:
    return [node.lineno, node.col_offset]
