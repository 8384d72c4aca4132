"""Tasks that failed while the extension holds a reference, as in a list: asyncio reports an error only when the task
is collected.

What can go wrong: the task is awaited a little later, or at the end of its call, and the error is handled. So it
is reported only a while after that call has ended. It may still be awaited then, and the process continues.
"""

import asyncio
import weakref
from typing import Any, Callable

from .output import current_call

GRACE_S = 0.2
REPORT_LIMIT = 20
REPORT_WINDOW_S = 60.0


class FailedTasks:
    def __init__(self, is_running: Callable[[int], bool], report: Callable[[int, BaseException], None]) -> None:
        self._is_running = is_running
        self._report = report
        self._reported = 0
        self._reported_since = 0.0

    def make(self, loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> "asyncio.Task[Any]":
        task = asyncio.Task(coroutine, loop=loop, **options)
        task.add_done_callback(self._on_done)
        return task

    def _on_done(self, task: "asyncio.Task[Any]") -> None:
        if is_unawaited(task):
            task.get_loop().call_later(GRACE_S, self._look, weakref.ref(task), current_call.get())

    def _look(self, kept: Callable[[], Any], call: int) -> None:
        task = kept()
        if task is None or not is_unawaited(task):
            return
        loop = task.get_loop()
        if self._is_running(call):
            loop.call_later(GRACE_S, self._look, kept, call)
            return
        error = task.exception()
        if loop.time() - self._reported_since > REPORT_WINDOW_S:
            self._reported_since, self._reported = loop.time(), 0
        self._reported += 1
        if self._reported <= REPORT_LIMIT:
            self._report(call, error)


def is_unawaited(task: Any) -> bool:
    """Whether asyncio would report its error on collection."""
    return getattr(task, "_log_traceback", False) is True
