"""For plain functions of a module that has a `sqlite3` connection: they run one at a time in the thread that imported
the module.

Only the thread that opened such a connection can use it. So the event loop gets its own thread, and the main
thread waits for functions. If one of the functions is async, the loop stays in the main thread, where it can use
the connection.
"""

import gc
import inspect
import queue
import sys
import threading
from concurrent.futures import Executor, Future
from typing import Any, Callable, Iterable, List, Tuple

Waiting = Tuple["Future[Any]", Callable[..., Any], Tuple[Any, ...]]


class OneThread(Executor):
    """Runs in the thread that calls `run_forever`."""

    def __init__(self) -> None:
        self._waiting: "queue.SimpleQueue[Waiting]" = queue.SimpleQueue()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: "Future[Any]" = Future()
        self._waiting.put((future, lambda *given: function(*given, **kwargs), args))
        return future

    def run_forever(self) -> None:
        while True:
            try:
                future, function, args = self._waiting.get()
                if future.set_running_or_notify_cancel():
                    complete(future, function, args)
            except KeyboardInterrupt:
                continue


def complete(future: "Future[Any]", function: Callable[..., Any], args: Tuple[Any, ...]) -> None:
    try:
        future.set_result(function(*args))
    except BaseException as error:
        future.set_exception(error)


def is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))


def needs_one_thread(functions: Iterable[Any]) -> bool:
    return not any(is_async(one) for one in functions) and bool(bound_connections())


def bound_connections() -> List[Any]:
    """The `sqlite3` connections that only this thread may use."""
    kind = getattr(sys.modules.get("sqlite3"), "Connection", None)
    if kind is None:
        return []
    connections = [one for one in gc.get_objects() if issubclass(type(one), kind)]
    bound: List[Any] = []
    if connections:
        asking = threading.Thread(target=lambda: bound.extend(one for one in connections if is_refused_here(one)))
        asking.start()
        asking.join()
    return bound


def is_refused_here(connection: Any) -> bool:
    try:
        connection.cursor().close()
    except Exception as error:
        return "thread" in str(error)
    return False
