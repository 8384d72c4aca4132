"""The first program of a `multiprocessing` process that does not start as a copy of the extension's (spawn,
forkserver).

It is the `__main__` of the extension's process in name only: `multiprocessing` runs its file in each such process
before it looks up the functions of the extension, which are found here under the same names.
"""

import os
import sys


def begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    from switchboard_child.imports import Program, carried_program, find_modules_of
    from switchboard_child.mark import NAME, carry_mark
    import switchboard  # noqa: F401  provides `from switchboard import …` to extensions

    sys.path.remove(here)
    carry_mark(os.environ.pop(NAME, None))
    find_modules_of(Program(carried_program()))


begin()
