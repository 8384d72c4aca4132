"""Reports files that the process loads at run time: by `importlib` or `pkgutil`, or by a computed path.

Their facts are taken before they are read, so a save in between counts as a change. Processes started by `fork`
report nothing: the pipe to the host is not theirs.
"""

import importlib.machinery
import os
from typing import Any, Callable, Dict, List, Optional, Set

from .failures import is_own

LOADED_MOST = 500


class LoadedFiles:
    def __init__(self, own_folders: List[str], is_known: Callable[[str], bool], send: Callable[[List[Dict[str, Any]]], None]) -> None:
        self._own_folders = own_folders
        self._is_known = is_known
        self._send = send
        self._pid = os.getpid()
        self._seen: Set[str] = set()
        self._unreported: Optional[List[Dict[str, Any]]] = []

    def follow(self) -> None:
        loader = importlib.machinery.SourceFileLoader
        get_code = loader.get_code

        def noted(self_: Any, fullname: str) -> Any:
            self.note(self_.path)
            return get_code(self_, fullname)

        loader.get_code = noted  # type: ignore[method-assign]

    def note(self, path: Any) -> None:
        try:
            self._note(os.path.abspath(path))
        except Exception:
            pass  # Load the file even if it cannot be reported.

    def _note(self, path: str) -> None:
        if path in self._seen or len(self._seen) >= LOADED_MOST or os.getpid() != self._pid:
            return
        if self._is_known(path) or not is_own(path, self._own_folders):
            return
        self._seen.add(path)
        facts = os.stat(path)
        file = {"path": path, "size": facts.st_size, "mtimeNs": str(facts.st_mtime_ns), "ctimeNs": str(facts.st_ctime_ns), "ino": str(facts.st_ino)}
        if self._unreported is None:
            self._send([file])
        else:
            self._unreported.append(file)

    def flush(self) -> None:
        """Reports the files loaded so far; later ones are reported at once."""
        unreported, self._unreported = self._unreported, None
        if unreported:
            self._send(unreported)
