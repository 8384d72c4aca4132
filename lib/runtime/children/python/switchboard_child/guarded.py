"""Imports for type checkers only: the statements under `if TYPE_CHECKING:`, which do not run."""

import ast
from types import TracebackType
from typing import Any, List, Optional, Set


def guarded_statements(spec: Any) -> List[ast.stmt]:
    try:
        source = spec.loader.get_source(spec.name)
        tree = ast.parse(source or "")
    except Exception:
        return []
    return [inner for one in tree.body if isinstance(one, ast.If) and is_guard(one.test) for inner in one.body]


def is_guard(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING")


def split_import(statement: ast.stmt) -> List[ast.stmt]:
    """Each name of an import separately: a missing one does not affect the others."""
    if not isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [statement]
    if isinstance(statement, ast.Import):
        return [ast.copy_location(ast.Import([alias]), statement) for alias in statement.names]
    return [ast.copy_location(ast.ImportFrom(statement.module, [alias], statement.level), statement) for alias in statement.names]


def bound_by(statement: ast.stmt) -> Set[str]:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef)):
        return {statement.name}
    return {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def guarded_name(error: BaseException) -> Optional[str]:
    """The missing name, if its module has it under `if TYPE_CHECKING:`."""
    trace: Optional[TracebackType] = error.__traceback__
    name = getattr(error, "name", None) if isinstance(error, NameError) else None
    if trace is None or name is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    guarded = guarded_statements(trace.tb_frame.f_globals.get("__spec__"))
    return name if any(name in bound_by(statement) for statement in guarded) else None
