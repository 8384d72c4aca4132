"""Runs calls: coroutines in the event loop, other functions in a bounded thread pool, or in the single thread that
they need.

A coroutine is cancelled when its call is interrupted. A thread cannot be stopped: its result is dropped. If it keeps
computing, it starves the other threads, so the host gets no answer to its ping and ends the process. If it only
waits, for a while, the host is asked to replace this process once it is idle. Calls that wait for the single
thread then fail, since it may never be free again. Any exception of a tool, also `SystemExit` and
`KeyboardInterrupt`, ends only its call.
"""

import asyncio
import contextvars
import functools
import inspect
import itertools
import json
import sys
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from .failures import message_of, read_stack, to_call_error, truncate_message, with_inner
from .link import HostLink
from .one_thread import OneThread, is_async
from .output import Console, LogWriter, current_call
from .resolve import signature_of
from .run_tool import InvalidArguments
from .to_json import JsonOutcome, to_json_text, to_noted_json_text

THREADS = 16
TOKENS = 1_000
STUCK_S = 5.0
BUSY_S = 0.5
BUSY_SHARE = 0.1
IDLE_S = 0.1
IDLE_SHARE = 0.01
SHORTEST_S = 0.01
STATUS_BYTES = 65_536
BLOCKED = {
    "kind": "extension_unavailable",
    "message": "An abandoned call still runs in the only thread for calls of this extension, so its process is replaced. Try again.",
}


class Signal:
    def __init__(self) -> None:
        self._event = threading.Event()
        self.reason: Optional[str] = None

    @property
    def aborted(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout: Optional[float] = None) -> bool:
        return self._event.wait(timeout)

    def throw_if_aborted(self) -> None:
        if self.aborted:
            raise asyncio.CancelledError(self.reason)

    def abort(self, reason: str) -> None:
        self.reason = reason
        self._event.set()


class Log:
    def __init__(self, writer: LogWriter, call: int) -> None:
        for level in ("debug", "info", "warn", "error"):
            setattr(self, level, functools.partial(self._write, writer, call, level))
        self.warning = self.warn  # type: ignore[attr-defined]

    @staticmethod
    def _write(writer: LogWriter, call: int, level: str, message: object, data: Any = None) -> None:
        writer.write(call, level, message, data)


class CallerAsks:
    """Questions to the callers of running calls. The host answers each, at the latest when its call has ended."""

    def __init__(self, link: HostLink) -> None:
        self._link = link
        self._waiting: "Dict[int, Future[Any]]" = {}
        self._last = itertools.count(1)

    def ask(self, call: int, method: str, params: Dict[str, Any]) -> Any:
        """The answer; in the event loop, an awaitable of it."""
        id = next(self._last)
        future: "Future[Any]" = Future()
        self._waiting[id] = future
        self._link.send_json({"type": "ask", "id": id, "call": call}, {"method": method, "params": params})
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return future.result()
        return asyncio.wrap_future(future)

    def on_reply(self, id: int, payload: bytes) -> None:
        future = self._waiting.pop(id, None)
        if future is None or future.cancelled():
            return
        reply = json.loads(payload)
        if reply["ok"]:
            future.set_result(reply["result"])
        else:
            future.set_exception(RuntimeError(reply["error"]["message"]))


def as_form(schema: Dict[str, Any]) -> Dict[str, Any]:
    """The fields alone are enough: `{"city": {"type": "string", "required": True}}`."""
    if schema.get("type") == "object":
        return schema
    fields = {name: {key: value for key, value in field.items() if key != "required"} for name, field in schema.items()}
    required = [name for name, field in schema.items() if field.get("required") is True]
    return {"type": "object", "properties": fields, **({"required": required} if required else {})}


class Context:
    def __init__(self, link: HostLink, writer: LogWriter, asks: CallerAsks, call: int, call_id: str, workspace_root: str, traceparent: Optional[str]) -> None:
        self._link = link
        self._asks = asks
        self._call = call
        self.signal = Signal()
        self.log = Log(writer, call)
        self.call_id = call_id
        self.workspace_root = workspace_root
        self.traceparent = traceparent

    def progress(self, done: float, total: Optional[float] = None, message: Optional[str] = None) -> None:
        if not is_finite(done):
            raise TypeError("progress(done, total=None, message=None): `done` must be a finite number")
        header = {
            "type": "progress",
            "id": self._call,
            "done": done,
            "total": total if is_finite(total) else None,
            "message": None if message is None else str(message)[:1_000],
        }
        self._link.send(header)

    def elicit(self, message: str, schema: Dict[str, Any]) -> Any:
        params = {"mode": "form", "message": message, "requestedSchema": as_form(schema)}
        return self._asks.ask(self._call, "elicitation/create", params)

    def sample(self, request: Any) -> Any:
        if isinstance(request, str):
            request = {"messages": [{"role": "user", "content": {"type": "text", "text": request}}]}
        return self._asks.ask(self._call, "sampling/createMessage", {"maxTokens": TOKENS, **request})


def is_finite(value: Any) -> bool:
    """Also finite as a JavaScript number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


Bound = Tuple[List[Any], Dict[str, Any]]
Bind = Callable[[Dict[str, Any], Context], Bound]


class Tool(NamedTuple):
    """A callable: the function, and how validated arguments become its own, by position and by name."""

    function: Callable[..., Any]
    bind: Bind


def bind_arguments(function: Callable[..., Any], properties: List[str]) -> Bind:
    """A missing parameter is None if the function has no default."""
    parameters = parameters_of(function)
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    absent: Set[str] = set()
    for name in properties:
        parameter = parameters.get(name)
        if parameter is None:
            if takes_any:
                absent.add(name)
        elif parameter.default is parameter.empty:
            absent.add(name)

    context_name = ["ctx"] if "ctx" in parameters else []

    def bind(args: Dict[str, Any], context: Context) -> Bound:
        return [], {**{name: None for name in absent if name not in args}, **args, **{name: context for name in context_name}}

    return bind


def parameters_of(function: Callable[..., Any]) -> Dict[str, inspect.Parameter]:
    try:
        return dict(signature_of(function).parameters)
    except (TypeError, ValueError):
        return {}


class Call:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.task: Optional["asyncio.Task[None]"] = None
        self.in_thread = False
        self.thread: Optional[int] = None
        self.native_thread: Optional[int] = None


class CallThreads(ThreadPoolExecutor):
    """Starts its first thread at once: a process that may start none ends before it serves. If the system starts no
    more threads later, calls wait for those that there are."""

    def __init__(self) -> None:
        super().__init__(THREADS, thread_name_prefix="call")
        self.submit(int)

    def _adjust_thread_count(self) -> None:
        try:
            super()._adjust_thread_count()
        except RuntimeError:
            if not self._threads:
                raise


class CallRunner:
    def __init__(self, link: HostLink, writer: LogWriter, console: Console, load: Dict[str, Any], pool: Executor, one_thread: Optional[OneThread]) -> None:
        self._link = link
        self._writer = writer
        self._console = console
        self._load = load
        self.asks = CallerAsks(link)
        self._calls: Dict[int, Call] = {}
        self._one_thread = one_thread
        self._pool = one_thread or pool
        self._given_up: Set[Call] = set()
        self._blocked_by: Optional[Call] = None

    def begin(self, id: int, call_id: str, traceparent: Optional[str], tool: Tool, payload: bytes) -> None:
        call = Call(Context(self._link, self._writer, self.asks, id, call_id, self._load["workspaceRoot"], traceparent))
        self._calls[id] = call
        if self._blocked_by is not None and self._blocked_by.in_thread and not is_async(tool.function):
            return self.fail(id, BLOCKED)
        context = contextvars.copy_context()
        context.run(current_call.set, id)
        call.task = context.run(asyncio.Task, self._run(id, call, tool, payload), loop=asyncio.get_running_loop())

    def is_running(self, id: int) -> bool:
        return id in self._calls

    def has_abandoned(self) -> bool:
        return any(call.in_thread for call in self._given_up)

    def fail(self, id: int, error: Dict[str, Any]) -> None:
        if self._calls.pop(id, None) is not None:
            self._link.send_json({"type": "error", "id": id}, error)

    def abort(self, id: int, reason: str) -> None:
        call = self._calls.pop(id, None)
        if call is None:
            return
        call.context.signal.abort("This call timed out" if reason == "timeout" else "This call was cancelled")
        if call.in_thread:
            self._given_up.add(call)
            asyncio.get_running_loop().call_later(STUCK_S, self._replace_if_stuck, call)
        elif call.task is not None:
            call.task.cancel()

    def _replace_if_stuck(self, call: Call) -> None:
        if call.in_thread:
            text = f"An abandoned call still runs in its thread {STUCK_S:.0f} s later (call {call.context.call_id})"
            self._link.send({"type": "stray"}, text.encode())
            if self._one_thread is not None and call.thread is not None:
                self._blocked_by = call
                for id, waiting in list(self._calls.items()):
                    if waiting.in_thread:
                        self.fail(id, BLOCKED)

    def answer_ping(self, answer: Callable[[], None]) -> None:
        """Does not answer while threads that cannot be stopped keep computing: the host then ends the process."""
        self._given_up = {call for call in self._given_up if call.in_thread}
        if not self._given_up:
            return answer()
        (computed, waited), began = self._times(), time.monotonic()

        def share() -> float:
            """Their share of the time in which they did not wait for a processor; on a busy machine they mostly wait."""
            computed_now, waited_now = self._times()
            return (computed_now - computed) / max(time.monotonic() - began - (waited_now - waited), SHORTEST_S)

        def answer_unless_busy() -> None:
            if share() < BUSY_SHARE:
                answer()

        def answer_if_idle() -> None:
            """Calls wait for the answer, so threads that only wait are reported sooner."""
            if share() < IDLE_SHARE:
                answer()
            else:
                loop.call_later(BUSY_S - IDLE_S, answer_unless_busy)

        loop = asyncio.get_running_loop()
        loop.call_later(IDLE_S, answer_if_idle)

    def _times(self) -> Tuple[float, float]:
        """Processor time of all, and how long each waited for a processor on average."""
        threads = [call for call in self._given_up if call.in_thread and call.thread is not None]
        computed = sum(computed_seconds(call.thread) for call in threads)
        return computed, sum(waited_seconds(call.native_thread) for call in threads) / max(1, len(threads))

    async def _run(self, id: int, call: Call, tool: Tool, payload: bytes) -> None:
        try:
            positional, named = tool.bind(json.loads(payload), call.context)
            outcome, notes, error = await self._execute(call, functools.partial(tool.function, *positional, **named), tool.function)
        except BaseException as raised:
            outcome, notes, error = None, [], raised
        self._console.end(id)
        if id not in self._calls:
            return
        if error is not None:
            try:
                self._fail_raised(id, error)
            except BaseException:
                self.fail(id, {"kind": "execution_error", "message": f"{type(error).__name__} (it cannot be shown)"})
            return
        for note in notes:
            self._writer.write(id, "warn", f"result: {note}")
        if outcome.text is None:
            self.fail(id, {"kind": outcome.kind, "message": outcome.message})
        elif self._calls.pop(id, None) is not None:
            self._link.send({"type": "result", "id": id}, outcome.text.encode())

    async def _execute(self, call: Call, run: Callable[[], Any], function: Callable[..., Any]) -> Tuple[Any, List[str], Any]:
        limit = self._load["maxResultBytes"]
        if is_async(function):
            return serialized(await run(), limit)
        call.in_thread = True
        context = contextvars.copy_context()
        value = await asyncio.get_running_loop().run_in_executor(self._pool, context.run, run_in_thread, call, run, limit)
        if isinstance(value, Awaited):
            return serialized(await value.awaitable, limit)
        return value

    def _fail_raised(self, id: int, error: BaseException) -> None:
        if isinstance(error, asyncio.CancelledError):
            self.fail(id, {"kind": "execution_error", "message": "The tool cancelled itself. Return a result, or raise an error with a message."})
            return
        # For arguments that a class of the extension refused, use the stack of its own error.
        origin = error.origin if isinstance(error, InvalidArguments) else error
        text = None if origin is None else read_stack(origin, self._load["ownFolders"])[0]
        if text is not None:
            self._writer.trace(id, text)
        self.fail(id, to_call_error(error, to_noted_json_text))


class Awaited:
    """A plain function that returned an awaitable, such as a lambda around a coroutine."""

    def __init__(self, awaitable: Any) -> None:
        self.awaitable = awaitable


def run_in_thread(call: Call, run: Callable[[], Any], limit: int) -> Any:
    if call.context.signal.aborted:
        call.in_thread = False
        return None, [], None
    call.thread, call.native_thread = threading.get_ident(), threading.get_native_id()
    try:
        value = run()
        return Awaited(value) if inspect.isawaitable(value) else serialized(value, limit)
    except BaseException as error:
        return None, [], error
    finally:
        call.in_thread = False


def waited_seconds(native_thread: int) -> float:
    """How long a living thread was ready to run without running, if the system reports it."""
    try:
        with open(f"/proc/self/task/{native_thread}/schedstat", "rb") as facts:
            return int(facts.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def computed_seconds(thread: int) -> float:
    """Processor time of a living thread, if the system reports it."""
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    except (AttributeError, OSError):
        return 0.0


def serialized(value: Any, limit: int) -> Tuple[JsonOutcome, List[str], None]:
    outcome = to_json_text(value, limit)
    return outcome, outcome.notes, None


async def ask_status(ask: Any, one_thread: Optional[OneThread]) -> Dict[str, Any]:
    loop = asyncio.get_running_loop()
    began = loop.time()

    def end(value: Any, error: Optional[str]) -> Dict[str, Any]:
        return {"value": value, "error": error, "duration_ms": round((loop.time() - began) * 1000, 2)}

    if not callable(ask):
        return end(None, "This extension has no `status` function")
    try:
        value = await ask() if inspect.iscoroutinefunction(ask) else await loop.run_in_executor(one_thread, ask)
        outcome = to_noted_json_text(await value if inspect.isawaitable(value) else value, STATUS_BYTES)
        if outcome.text is None:
            return end(None, outcome.message)
        read = json.loads(outcome.text)
        return end(read, None) if isinstance(read, dict) else end(None, "`status()` must return a dict, such as {'connected': True}")
    except BaseException as error:
        return end(None, truncate_message(with_inner(message_of(error), error)))
