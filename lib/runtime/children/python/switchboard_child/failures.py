"""Explains why a module could not be imported or a call failed, with the location."""

import enum
import importlib
import json
import linecache
import os
import re
import traceback
from typing import Any, Dict, List, Optional, Tuple

from .guarded import guarded_name
from .locations import column_in, units
from .network import missing_network

MESSAGE_BYTES = 8_192
DATA_OMITTED = "(left out: more than 64 KiB, or not JSON)"
FRAMES_KEPT = 30
INNER_LIMIT = 3
LOOKED_AT_MOST = 100
LINE_CHARACTERS = 300
KINDS = ("invalid_parameters", "execution_error", "schema_error", "not_found")
ONE_THREAD = (
    "Plain functions run in several threads. Open the connection within the function, or make all functions that use it `async def`,"
    " or open it by `sqlite3.connect(…, check_same_thread=False)` and use it under a `threading.Lock`."
)
HERE = os.path.dirname(os.path.abspath(__file__))
NOT_DECODED_HINT = (
    "Save the file as UTF-8, or declare its encoding in the first line, such as `# -*- coding: cp1252 -*-`."
    " In VS Code: “Reopen with Encoding”, then “Save with Encoding”, UTF-8."
)
IMPORTLIB = os.path.dirname(importlib.__file__)
#: The author writes `.helper` for our name `extensions.<folder>.helper`.
OWN_NAME = re.compile(r"'extensions\.[^.']+(?:\.([^']*))?'")

NAMED = re.compile(r"^cannot import name '([^']+)' from '([^']+)'")


class Reported(Exception):
    """A failure with a finished report."""

    def __init__(self, report: Dict[str, Any]) -> None:
        super().__init__(report["message"])
        self.report = report


class NotDecoded(SyntaxError):
    """A source with bytes that are invalid in its encoding; a subclass of the exception that Python raises."""

    def __init__(self, message: str, path: str, line: int, column: int) -> None:
        super().__init__(message)
        self.place = (path, line, column)


def explain_import(error: BaseException, own_folders: List[str], interpreter: str) -> Dict[str, Any]:
    if isinstance(error, Reported):
        return error.report
    text, first = read_stack(error, own_folders)
    report: Dict[str, Any] = {"code": "import_error", "message": truncate_message(with_author_names(with_inner(named(error), error))), **place_of(first)}
    if text is not None:
        report["stack"] = text[: 4 * MESSAGE_BYTES]
    if isinstance(error, NotDecoded):
        file, line, column = error.place
        report.update(code="unreadable", message=message_of(error), hint=NOT_DECODED_HINT, file=file, line=line, column=column)
    elif isinstance(error, SyntaxError) and is_own(error.filename, own_folders):
        report.update(code="syntax_error", message=truncate_message(f"{error.msg}."), file=error.filename)
        report.pop("column", None)
        if error.lineno:
            # Python counts the columns of syntax errors in characters.
            before = linecache.getline(error.filename or "", error.lineno)[: max(0, (error.offset or 1) - 1)]
            report.update(line=max(1, error.lineno), column=units(before) + 1 if before else max(1, error.offset or 1))
    elif isinstance(error, ModuleNotFoundError):
        report.update(code="import_unresolved", message=truncate_message(with_author_names(f"{message_of(error)}.")), hint=case_hint(error.name, own_folders) or install_hint(error.name, interpreter))
    elif isinstance(error, ImportError) and message_of(error).startswith(("cannot import name", "attempted relative import")):
        module, imported = NAMED.search(message_of(error)), "Check the spelling of the imported name, and that the two files do not import each other."
        hint = (case_hint(f"{module[2]}.{module[1]}", own_folders) if module else None) or imported
        report.update(code="import_unresolved", message=truncate_message(with_author_names(message_of(error))), hint=hint)
    elif isinstance(error, SystemExit):
        code = exit_code(error)
        message = f"The file ended its own process by sys.exit({'' if error.code is None else repr(error.code)[:200]}), exit code {code}, while it was imported"
        report.update(code="process_exited", message=message)
    elif isinstance(error, MemoryError):
        report.update(message="MemoryError: it asked for more memory at once than an extension may have (EXTENSION_MEMORY_MB).")
    else:
        refused, guarded = missing_network(error), guarded_name(error)
        if refused is not None:
            report.update(message=truncate_message(f"{named(error)}. {refused}"))
        if guarded is not None:
            report.update(hint=guarded_hint(guarded))
    return report


def case_hint(name: Optional[str], own_folders: List[str]) -> Optional[str]:
    """For a missing module: a file of the extension whose name differs only in case."""
    parts = (name or "").split(".")
    at = own_folders[1 if parts[0] == "extensions" else 0]
    unlike = False
    for part in parts[1 if parts[0] == "extensions" else 0 :]:
        try:
            names = os.listdir(at)
        except OSError:
            return None
        forms = (part, f"{part}.py")
        exact = next((one for one in forms if one in names), None)
        found = exact or next((one for one in sorted(names) if one.lower() in (form.lower() for form in forms)), None)
        if found is None:
            return None
        unlike = unlike or exact is None
        at = os.path.join(at, found)
    if not unlike:
        return None
    file = os.path.relpath(at, own_folders[1])
    return f"`{file}` differs only in upper and lower case, which matters. Write the name like the file, or rename the file."


def install_hint(name: Optional[str], interpreter: str) -> str:
    top = (name or "").split(".")[0]
    if name is not None and (name.startswith("extensions.") or not top):
        return "Check the spelling and the location of the file; Switchboard retries automatically when the file appears."
    return (
        f"If it is your own file, check its spelling and location. If it is a package, install it with"
        f" `{interpreter} -m pip install {top}`, or in a `.venv` in the folder of the extension; then press Reload."
    )


def guarded_hint(name: str) -> str:
    return (
        f"`{name}` is imported only for type checkers, under `if TYPE_CHECKING:`, which does not run."
        f" For type hints begin the file with `from __future__ import annotations`; for anything else import `{name}` outside of the `if`."
    )


def exit_code(error: SystemExit) -> int:
    if error.code is None:
        return 0
    return error.code if isinstance(error.code, int) else 1


def to_call_error(error: BaseException, to_json: Any) -> Dict[str, Any]:
    if isinstance(error, SystemExit):
        message = f"The tool called sys.exit({'' if error.code is None else repr(error.code)[:200]}). Return a result, or raise an error with a message."
    elif isinstance(error, KeyboardInterrupt):
        message = "The tool raised KeyboardInterrupt. Return a result, or raise an error with a message."
    elif isinstance(error, MemoryError):
        message = "MemoryError: the tool asked for more memory at once than an extension may have. Ask for less at a time, or raise EXTENSION_MEMORY_MB."
    else:
        message = named(error) if isinstance(error, (LookupError, StopIteration)) and type(error).__module__ == "builtins" else message_of(error)
        if isinstance(error, ImportError):
            message = with_author_names(message)
        hint = missing_network(error) or other_thread(error)
        message = with_inner(message, error) if hint is None else f"{message}{'' if message.endswith('.') else '.'} {hint}"
    given = read_field(error, "kind")
    given = given.value if isinstance(given, enum.Enum) else given
    kind = str.__str__(given) if isinstance(given, str) else None
    found: Dict[str, Any] = {"kind": kind if kind in KINDS else "execution_error", "message": truncate_message(message)}
    for field in ("data", "issues"):
        value = read_field(error, field)
        kept = None if value is None or (field == "issues" and not hasattr(error, "of_host")) else to_json(value, 65_536)
        if kept is not None and kept.text is not None:
            found[field] = json.loads(kept.text)
        elif kept is not None and field == "data":
            found[field] = DATA_OMITTED
    return found


def other_thread(error: BaseException) -> Optional[str]:
    """A connection is used in another thread than the one that opened it."""
    is_bound = type(error).__name__ == "ProgrammingError" and "can only be used in that same thread" in message_of(error)
    return ONE_THREAD if is_bound else None


def read_field(error: BaseException, field: str) -> Any:
    try:
        return getattr(error, field, None)
    except BaseException:
        return None


def message_of(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:
        return f"{type(error).__name__} (its text cannot be shown)"
    return text if text.strip() else f"{type(error).__name__} (without a message)"


def with_author_names(message: str) -> str:
    return OWN_NAME.sub(lambda found: f"'.{found[1] or ''}'", message).replace(" (unknown location)", "")


def named(error: BaseException) -> str:
    name = type(error).__name__
    message = message_of(error)
    return message if message.startswith(name) else f"{name}: {message}"


def with_inner(message: str, error: BaseException) -> str:
    """The message, and a line for each inner error (`raise … from`, a group) that it does not contain; few, each read
    once.
    """
    lines: List[str] = []
    omitted = 0
    seen = {id(error)}
    waiting = inner_of(error)
    for _ in range(LOOKED_AT_MOST):
        if not waiting:
            break
        word, inner = waiting.pop(0)
        if id(inner) in seen:
            continue
        seen.add(id(inner))
        waiting = inner_of(inner) + waiting
        line = (named(inner)[: 4 * LINE_CHARACTERS].strip().splitlines() or [""])[0]
        if len(line) > LINE_CHARACTERS:
            line = line[:LINE_CHARACTERS] + " …"
        # Not as a part of a word: "mirror 1" is not in "mirror 10".
        if any(re.search(rf"(?<!\w){re.escape(line)}(?!\w)", known) for known in [message, *lines]):
            continue
        if len(lines) < INNER_LIMIT:
            lines.append(word + line)
        else:
            omitted += 1
    return "\n".join([message, *lines, *([f"and {omitted} more"] if omitted else [])])


def inner_of(error: BaseException) -> List[Tuple[str, BaseException]]:
    held = read_field(error, "exceptions")
    grouped = [("- ", inner) for inner in held[:LOOKED_AT_MOST] if isinstance(inner, BaseException)] if isinstance(held, tuple) else []
    cause = error.__cause__
    # multiprocessing sets the stack of the other process as the cause of its errors.
    has_cause = cause is not None and type(cause).__name__ not in ("RemoteTraceback", "_RemoteTraceback")
    return grouped + ([("Caused by: ", cause)] if has_cause else [])


def truncate_message(message: str) -> str:
    data = message.encode("utf-8", "replace")
    if len(data) <= MESSAGE_BYTES:
        return data.decode()
    note = f" … (truncated; the message had {len(message)} characters)"
    return data[: MESSAGE_BYTES - len(note.encode())].decode("utf-8", "ignore") + note


def is_own(path: Optional[str], own_folders: List[str]) -> bool:
    """Whether a file is the extension's own: in its folders and not in a package."""
    if path is None or "site-packages" in path or f"{os.sep}.venv{os.sep}" in path:
        return False
    return any(path == folder or path.startswith(folder + os.sep) for folder in own_folders)


def read_stack(error: BaseException, own_folders: List[str]) -> Tuple[Optional[str], Optional[traceback.FrameSummary]]:
    """The stack for its author: own frames first, innermost on top; frames of this program are removed."""
    try:
        frames = list(traceback.extract_tb(error.__traceback__))[::-1]
    except BaseException:
        return None, None
    frames = [frame for frame in frames if not frame.filename.startswith((HERE, IMPORTLIB, "<frozen "))]
    own = [frame for frame in frames if is_own(frame.filename, own_folders)]
    others = [frame for frame in frames if not is_own(frame.filename, own_folders)]
    lines = [f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}' for frame in (own + others)[:FRAMES_KEPT]]
    head = named(error)[:2_000]
    return (f"{head}\n" + "\n".join(lines) if lines else None), (own[0] if own else None)


def place_of(frame: Optional[traceback.FrameSummary]) -> Dict[str, Any]:
    if frame is None or not frame.lineno:
        return {}
    offset = getattr(frame, "colno", None)
    line = linecache.getline(frame.filename, frame.lineno)
    return {"file": frame.filename, "line": frame.lineno, **({} if offset is None else {"column": column_in(line, offset) if line else offset + 1})}
