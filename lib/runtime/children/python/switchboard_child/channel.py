"""The three functions of a channel, called on request of the host.

A function that is not a coroutine runs in a thread: `recv` in its own, so that it can block, the others in a few
shared ones. A coroutine that takes too long is cancelled; a thread cannot be stopped, and its result is dropped.
When all of those threads are stuck, the host is asked to replace this process.
"""

import asyncio
import contextvars
import inspect
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from switchboard import Message

from .failures import read_stack, to_call_error
from .link import HostLink
from .output import Console, LogWriter
from .to_json import to_json_text, to_noted_json_text

THREADS = 8
FIELDS = ("text", "sender", "channel", "metadata", "idempotency_key")
#: Far above the limit of a message.
MESSAGE_BYTES = 786_432
TOO_LARGE = "`recv` returned a message of more than 786,432 bytes as JSON. Write large data to a file, and put its name into `metadata`."

GENERATOR = "`recv` is a generator function. Make it a function that waits for the next message and returns it; it is called again for each message."


class ChannelProgram:
    def __init__(self, module: ModuleType, link: HostLink, writer: LogWriter, console: Console, own_folders: List[str]) -> None:
        self._module = module
        self._link = link
        self._writer = writer
        self._console = console
        self._own_folders = own_folders
        self._recv_pool = ThreadPoolExecutor(1, thread_name_prefix="recv")
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="channel")
        self._tasks: Dict[int, "asyncio.Task[None]"] = {}
        self._in_thread: Set[int] = set()
        self._stuck: Set[int] = set()

    def begin(self, id: int, step: str, payload: bytes) -> None:
        self._tasks[id] = asyncio.get_running_loop().create_task(self._run(id, step, payload))

    def abort(self, id: int) -> None:
        task = self._tasks.get(id)
        if task is None:
            return
        if id not in self._in_thread:
            task.cancel()
            return
        self._stuck.add(id)
        if len(self._stuck) >= THREADS:
            self._link.send({"type": "stray"}, f"{THREADS} calls of this channel's functions still run in their threads after their time limit".encode())

    async def _run(self, id: int, step: str, payload: bytes) -> None:
        error: Optional[BaseException] = None
        value: Any = None
        try:
            function = getattr(self._module, step)
            args = [Message(**one) if isinstance(one, dict) else one for one in json.loads(payload)]
            value, error = await self._call(id, step, function, args)
        except BaseException as raised:
            error = raised
        self._tasks.pop(id, None)
        self._console.end(0)
        if error is not None:
            self._send_raised(id, step, error)
        elif step == "recv":
            self._send_message(id, value)
        else:
            self._link.send({"type": "channel", "id": id, "how": "done"})

    async def _call(self, id: int, step: str, function: Callable[..., Any], args: List[Any]) -> Tuple[Any, Optional[BaseException]]:
        if inspect.iscoroutinefunction(function):
            return await function(*args), None
        pool = self._recv_pool if step == "recv" else self._pool
        context = contextvars.copy_context()
        self._in_thread.add(id)
        try:
            value, error = await asyncio.get_running_loop().run_in_executor(pool, context.run, in_thread, function, args)
        finally:
            self._in_thread.discard(id)
            self._stuck.discard(id)
        return (await value if error is None and inspect.isawaitable(value) else value), error

    def _send_message(self, id: int, value: Any) -> None:
        if inspect.isgenerator(value) or inspect.isasyncgen(value):
            self._link.send({"type": "channel", "id": id, "how": "invalid"}, GENERATOR.encode())
            return
        try:
            outcome = to_json_text(as_fields(value), MESSAGE_BYTES)
        except BaseException as error:
            self._send_raised(id, "recv", error)
            return
        if outcome.text is not None:
            self._link.send({"type": "channel", "id": id, "how": "done"}, outcome.text.encode())
        else:
            words = TOO_LARGE if outcome.kind == "result_too_large" else outcome.message.replace("The result", "What `recv` returned", 1)
            self._link.send({"type": "channel", "id": id, "how": "invalid"}, words.encode())

    def _send_raised(self, id: int, step: str, error: BaseException) -> None:
        if isinstance(error, asyncio.CancelledError):
            message = f"`{step}` cancelled itself. Raise an error with a message instead."
        else:
            text, _ = read_stack(error, self._own_folders)
            if text is not None:
                self._writer.trace(0, f"`{step}` raised {text}")
            message = to_call_error(error, to_noted_json_text)["message"]
            if isinstance(error, (SystemExit, KeyboardInterrupt, MemoryError)):
                message = message.replace("The tool", f"`{step}`").replace("the tool", f"`{step}`")
        self._link.send({"type": "channel", "id": id, "how": "threw"}, message.encode("utf-8", "replace"))


def in_thread(function: Callable[..., Any], args: List[Any]) -> Tuple[Any, Optional[BaseException]]:
    """Returns errors as values: not every exception can be raised across threads."""
    try:
        return function(*args), None
    except BaseException as error:
        return None, error


def as_fields(value: Any) -> Any:
    """A message may be a dict, or an object with the same names as attributes."""
    if isinstance(value, Mapping) or not any(hasattr(value, field) for field in ("text", "sender")):
        return value
    return {field: getattr(value, field) for field in FIELDS if hasattr(value, field)}
