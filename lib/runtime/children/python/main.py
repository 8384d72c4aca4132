"""The program in a Python extension's process: `python3 -I -B -X utf8 main.py <MiB of memory>`, and in a fork server
with `fork-server` behind it.

Limits are set before anything of the extension is imported. The folder of this program is on the module path only
while its own package is imported, so it cannot shadow modules of the extension.
"""

import os
import sys
import types


def begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    from switchboard_child.limits import set_limits
    from switchboard_child.program import run
    import switchboard  # noqa: F401  provides `from switchboard import …` to extensions

    sys.path.remove(here)
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.modules["__main__"].__file__ = os.path.join(here, "worker.py")
    _, memory_mb, *rest = sys.argv
    sys.argv[:] = [""]
    if rest == ["fork-server"]:
        sys.path.insert(0, here)
        from switchboard_child.fork_server import serve

        sys.path.remove(here)
        serve()
    set_limits(int(memory_mb))
    run()


begin()
