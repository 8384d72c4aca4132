"""Imports the extension from its stored sources, under the names and paths that its author knows.

A program file contains the sources of one revision, so an older revision runs unchanged after the files have
changed. Each module is compiled under its own path, so tracebacks, `__file__` and `inspect` refer to the author's
file.

An entry is `extensions.<folder>.<stem>`, so `from .helper import x` and `from .._lib.names import y` work as in
any package; `import helper` finds the same module. A helper named like a module of the standard library can only
be imported in the first form: other code relies on the standard library's meaning of the second.

Only modules are stored: data files beside them (`importlib.resources`, `pkgutil.get_data`) are read from the
author's folder.
"""

import base64
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import sys
import tokenize
from types import ModuleType
from typing import Any, Callable, Dict, Optional, Tuple, Union

from .failures import NotDecoded
from .locations import units

ROOT = "extensions"
WIDE = (
    (b"\xff\xfe\x00\x00", "UTF-32 (little-endian)"),
    (b"\x00\x00\xfe\xff", "UTF-32 (big-endian)"),
    (b"\xff\xfe", "UTF-16 (little-endian)"),
    (b"\xfe\xff", "UTF-16 (big-endian)"),
)
DECLARED = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
LINE_END = re.compile("\r\n|\n|\r")
#: The path of the program, for processes that the extension starts by `multiprocessing`.
PROGRAM = "SWITCHBOARD_PROGRAM"


class Program:
    """The program file: `{kind, name, root, folder, entry, files: {path: {text} | {base64}}}`, paths absolute."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        self.kind: str = kept["kind"]
        self.root: str = kept["root"]
        self.folder: str = kept["folder"]
        self.entry: str = kept["entry"]
        self.files: Dict[str, Any] = kept["files"]
        #: Called for each file that is read from its original location.
        self.on_read: Callable[[str], None] = lambda path: None

    def has(self, path: str) -> bool:
        return path in self.files or os.path.isfile(path)

    def source(self, path: str) -> Any:
        kept = self.files.get(path)
        if kept is None:
            self.on_read(path)
            with open(path, "rb") as file:
                return file.read()
        return kept["text"] if "text" in kept else base64.b64decode(kept["base64"])


class SourceLoader(importlib.abc.InspectLoader):
    def __init__(self, program: Program, path: str) -> None:
        self._program = program
        #: `importlib.resources` reads this name.
        self.path = path

    def _source(self) -> Any:
        return self._program.source(self.path)

    def is_package(self, fullname: str) -> bool:
        return os.path.basename(self.path) == "__init__.py"

    def get_source(self, fullname: str) -> str:
        source = self._source()
        return source if isinstance(source, str) else importlib.util.decode_source(source)

    def get_code(self, fullname: str) -> Any:
        source = self._source()
        check_encoding(self.path, source)
        try:
            return compile(source, self.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            if getattr(error, "filename", None) is None and is_binary(source):
                raise SyntaxError(str(error), (self.path, *place_of_null(source), None)) from None
            raise

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)

    def get_data(self, path: str) -> bytes:
        data = self._program.source(path)
        return data.encode() if isinstance(data, str) else data

    def get_resource_reader(self, fullname: str) -> Any:
        from importlib.readers import FileReader

        return FileReader(self) if self.is_package(fullname) else None


class FolderLoader(SourceLoader):
    """A folder without `__init__.py`: treated as an ordinary package, so that data beside its modules is found."""

    def _source(self) -> Any:
        return ""


class AliasLoader(importlib.abc.Loader):
    """`import helper` returns the module of `from . import helper`, not a second one."""

    def __init__(self, real: str) -> None:
        self._real = real

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(self._real)


class Finder(importlib.abc.MetaPathFinder):
    def __init__(self, program: Program) -> None:
        self._program = program
        self._package = f"{ROOT}.{os.path.basename(program.folder)}"

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        top, _, rest = fullname.partition(".")
        if top == ROOT:
            return self._own(fullname, os.path.join(self._program.root, *rest.split(".")) if rest else self._program.root)
        if top in sys.stdlib_module_names or top == "switchboard":
            return None
        if self._own(f"{self._package}.{top}", os.path.join(self._program.folder, top)) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, AliasLoader(f"{self._package}.{fullname}"))

    def _own(self, fullname: str, base: str) -> Optional[importlib.machinery.ModuleSpec]:
        if base == self._program.root:
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [base]
            return spec
        package = os.path.join(base, "__init__.py")
        if self._program.has(package):
            return self._spec(fullname, SourceLoader(self._program, package), base)
        if self._program.has(f"{base}.py"):
            return self._spec(fullname, SourceLoader(self._program, f"{base}.py"), None)
        if os.path.isdir(base) or any(path.startswith(base + os.sep) for path in self._program.files):
            return self._spec(fullname, FolderLoader(self._program, package), base)
        return None

    def _spec(self, fullname: str, loader: SourceLoader, folder: Optional[str]) -> importlib.machinery.ModuleSpec:
        path = loader.path
        spec = importlib.machinery.ModuleSpec(fullname, loader, origin=path, is_package=folder is not None)
        spec.has_location = True
        if folder is not None:
            spec.submodule_search_locations = [folder]
        return spec


def find_modules_of(program: Program) -> None:
    sys.meta_path.insert(0, Finder(program))


def carry_program(path: str) -> None:
    """For child processes; the extension does not see it in `os.environ`."""
    os.putenv(PROGRAM, path)


def carried_program() -> str:
    path = os.environ.pop(PROGRAM)
    carry_program(path)
    return path


def import_entry(program: Program) -> ModuleType:
    find_modules_of(program)
    stem = os.path.splitext(os.path.basename(program.entry))[0]
    return importlib.import_module(f"{ROOT}.{os.path.basename(program.folder)}.{stem}")


def check_encoding(path: str, source: Union[str, bytes]) -> None:
    """Python's own error has no line or column, and looks like a syntax error."""
    name = os.path.basename(path)
    head = source[:256].encode("utf-8", "replace") if isinstance(source, str) else source[:256]
    halves = (head[0::2], head[1::2])
    if len(head) > 3 and any(b"\0" not in one and not other.strip(b"\0") for one, other in (halves, halves[::-1])):
        raise NotDecoded(f"{name} is encoded as UTF-16 (without a byte order mark); sources must be UTF-8.", path, 1, 1)
    if isinstance(source, str):
        return
    for mark, encoding in WIDE:
        if source.startswith(mark):
            raise NotDecoded(f"{name} is encoded as {encoding}; sources must be UTF-8.", path, 1, 1)
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
    except SyntaxError:
        # The first lines are not UTF-8, or the declared encoding is unknown.
        for number, line in enumerate(source.splitlines()[:2], 1):
            declared = DECLARED.match(line)
            if declared:
                unknown = declared[1].decode("ascii", "replace")
                raise NotDecoded(f"{name} declares the encoding {unknown}, which Python does not support or which contradicts its byte order mark.", path, number, 1) from None
        encoding = "utf-8"
    try:
        source.decode(encoding)
    except UnicodeDecodeError as error:
        lines = LINE_END.split(source[: error.start].decode(encoding, "replace"))
        line, column = len(lines), units(lines[-1].lstrip("\ufeff")) + 1
        known = "UTF-8" if encoding.startswith("utf-8") else encoding.upper()
        place = f"byte {error.start} (0x{source[error.start]:02X}), at line {line}, column {column}, is part of no {known} character"
        raise NotDecoded(f"{name} is not {known}: {place}. The file looks like {guess_encoding(source)}.", path, line, column) from None


def guess_encoding(source: bytes) -> str:
    """In Western text a non-ASCII letter usually stands alone; in most other scripts such bytes come in runs."""
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", source)]
    if runs.count(1) * 2 > len(runs):
        return "Windows-1252 or Latin-1 (ISO 8859-1)"
    return "an older encoding of another script, such as Windows-1251, Shift_JIS, GB18030 or EUC-KR"


def is_binary(source: Union[str, bytes]) -> bool:
    return ("\0" if isinstance(source, str) else b"\0") in source


def place_of_null(source: Union[str, bytes]) -> Tuple[int, int]:
    """Python reports neither file nor line of such a byte."""
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    before = data[: data.index(b"\0")].split(b"\n")
    return len(before), len(before[-1].decode("utf-8", "replace")) + 1
