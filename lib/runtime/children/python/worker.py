"""What a process of `multiprocessing` runs first that does not begin as a copy of the extension's (spawn, forkserver).

It is the `__main__` of the extension's process in name alone: `multiprocessing` runs the file of that in each such process before
it looks for the functions of the extension, which are found here as they are there.
"""

import os
import sys


def begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    from switchboard_child.imports import Program, carried_program, find_modules_of
    from switchboard_child.mark import NAME, carry_mark
    import switchboard  # noqa: F401  what `from switchboard import …` gives to extensions

    sys.path.remove(here)
    carry_mark(os.environ.pop(NAME, None))
    find_modules_of(Program(carried_program()))


begin()
