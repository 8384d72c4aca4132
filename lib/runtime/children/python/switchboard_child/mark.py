"""Programs that an extension starts get the mark of its process, in any environment.

Leftovers can then be found and ended with the process. The extension does not see it in `os.environ`: the mark is
set in the C environment, and added to explicit environments.
"""

import functools
import os
import subprocess
from typing import Any

NAME = "SWITCHBOARD_OWNER"
_ENV_PLACE = 10


def carry_mark(mark: "str | None") -> None:
    if mark is None:
        return
    os.putenv(NAME, mark)
    begin = subprocess.Popen.__init__

    @functools.wraps(begin)
    def begin_marked(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        if kwargs.get("env") is not None:
            kwargs["env"] = _with_mark(kwargs["env"], mark)
        elif len(args) > _ENV_PLACE and args[_ENV_PLACE] is not None:
            args = (*args[:_ENV_PLACE], _with_mark(args[_ENV_PLACE], mark), *args[_ENV_PLACE + 1 :])
        return begin(self, *args, **kwargs)

    subprocess.Popen.__init__ = begin_marked  # type: ignore[method-assign]
    for name in ("execve", "posix_spawn", "posix_spawnp"):
        if hasattr(os, name):
            setattr(os, name, _carrying(getattr(os, name), mark))


def _carrying(start: Any, mark: str) -> Any:
    """The functions by which a forked process executes another program, as a daemon does; the others in `os` call
    these.
    """

    @functools.wraps(start)
    def start_marked(path, argv, env, **options):  # type: ignore[no-untyped-def]
        return start(path, argv, _with_mark(env, mark), **options)

    return start_marked


def _with_mark(environment, mark):  # type: ignore[no-untyped-def]
    if environment is None:
        return None
    if any(isinstance(name, bytes) for name in environment):
        return {**environment, NAME.encode(): mark.encode()}
    return {**environment, NAME: mark}
