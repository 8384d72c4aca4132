"""Imports the extension, describes it, answers the host. The extension may raise, print, block, exit or replace
anything.
"""

import asyncio
import json
import os
import queue
import sys
import threading
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Tuple

from .calls import CallRunner, CallThreads, Tool, ask_status, bind_arguments
from .channel import ChannelProgram
from .describe import describe, description_text, field_of, tool_entries
from .failures import explain_import, named, read_stack
from .imports import Program, carry_program, import_entry
from .failed_tasks import FailedTasks
from .link import HostLink
from .loaded import LoadedFiles
from .mark import NAME, carry_mark
from .network import note_rights
from .one_thread import OneThread, needs_one_thread
from .output import Console, LogWriter
from .rehearsal import rehearse
from .run_tool import RunTool

PROTOCOL_VERSION = 1
STRAYS_REPORTED = 20
#: A process that waits longer for its extension was prewarmed.
IDLE_S = 0.015
UNAWAITED = "Uncaught exception in a task"
#: Their names; asyncio and the pools of calls keep threads that wait.
OWN_THREADS = ("host", "events", "call_", "recv_", "channel_", "asyncio_")

Message = Tuple[Dict[str, Any], bytes]


class Inbox:
    """Messages are queued while the extension is imported; afterwards they go straight to the event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: "queue.SimpleQueue[Message]" = queue.SimpleQueue()
        self._forward: Optional[Callable[[Message], None]] = None

    def put(self, header: Dict[str, Any], payload: bytes) -> None:
        with self._lock:
            forward = self._forward
            if forward is None:
                self._waiting.put((header, payload))
        if forward is not None:
            forward((header, payload))

    def take(self, seconds: Optional[float] = None) -> Message:
        """Raises `queue.Empty` if there is none within this time."""
        return self._waiting.get(timeout=seconds)

    def forward_to(self, forward: Callable[[Message], None]) -> None:
        with self._lock:
            self._forward = forward
            while not self._waiting.empty():
                forward(self._waiting.get())


class Extension:
    def __init__(
        self,
        module: ModuleType,
        run_tool: Optional[RunTool],
        link: HostLink,
        writer: LogWriter,
        calls: CallRunner,
        channel: ChannelProgram,
        own_folders: List[str],
        one_thread: Optional[OneThread],
    ) -> None:
        self._one_thread = one_thread
        self._module = module
        self._channel = channel
        self._run_tool = run_tool
        self._link = link
        self._writer = writer
        self._calls = calls
        self._own_folders = own_folders
        self._schemas: List[Dict[str, Any]] = []
        self._tools: Dict[int, Tool] = {}
        self._tasks: set = set()
        self._own_tasks: set = set()
        self._strays = 0

    def handle(self, message: Message) -> None:
        header, payload = message
        kind = header["type"]
        if kind == "tools":
            self._schemas = json.loads(payload)
            self._link.send({"type": "ready"})
        elif kind == "call":
            tool = self._tool(header["tool"])
            if tool is None:
                error = {"kind": "extension_unavailable", "message": "The module no longer exports the tool. Press Reload."}
                self._link.send_json({"type": "error", "id": header["id"]}, error)
            else:
                self._calls.begin(header["id"], header["callId"], header.get("traceparent"), tool, payload)
        elif kind == "reply":
            self._calls.asks.on_reply(header["id"], payload)
        elif kind == "abort":
            self._calls.abort(header["id"], header["reason"])
            self._channel.abort(header["id"])
        elif kind == "channel":
            self._channel.begin(header["id"], header["step"], payload)
        elif kind == "idle":
            self._link.send({"type": "idle", "id": header["id"], "activity": self._activity()})
        elif kind == "ping":
            pong = {"type": "pong", "id": header["id"]}
            self._calls.answer_ping(lambda: self._link.send(pong))
        elif kind == "status":
            task = asyncio.get_running_loop().create_task(self._send_status(header["id"]))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _activity(self) -> Optional[str]:
        """Remaining activity without a call; None for none."""
        if self._calls.has_abandoned():
            return "an abandoned call"
        if asyncio.all_tasks() - self._own_tasks:
            return "a task"
        if any(not thread.name.startswith(OWN_THREADS) for thread in threading.enumerate() if thread is not threading.main_thread()):
            return "a thread"
        return None

    def begin(self) -> None:
        """In the event loop."""
        self._own_tasks = asyncio.all_tasks()

    async def _send_status(self, id: int) -> None:
        self._link.send_json({"type": "status", "id": id}, await ask_status(getattr(self._module, "status", None), self._one_thread))

    def _tool(self, at: int) -> Optional[Tool]:
        """By index; by name if the extension lists its tools in another order than when it was described."""
        known = self._tools.get(at)
        if known is not None or at >= len(self._schemas):
            return known
        schemas = self._schemas[at]
        if self._run_tool is not None:
            return Tool(self._module.run, self._run_tool.bind)
        entries = tool_entries(self._module)
        there = entries[at : at + 1] + entries
        entry = next((entry for entry in there if field_of(entry, "name") == schemas["name"]), None)
        function = None if entry is None else field_of(entry, "execute")
        if not callable(function):
            return None
        properties = schemas["parameters"].get("properties", {})
        self._tools[at] = Tool(function, bind_arguments(function, list(properties)))
        return self._tools[at]

    def on_stray(self, what: str, error: Optional[BaseException]) -> None:
        self._strays += 1
        if self._strays <= STRAYS_REPORTED:
            self._link.send({"type": "stray"}, self._stray_text(what, error).encode("utf-8", "replace"))

    def report_failed(self, call: int, error: BaseException) -> None:
        self._writer.trace(call, self._stray_text(UNAWAITED, error))

    def _stray_text(self, what: str, error: Optional[BaseException]) -> str:
        text = None if error is None else read_stack(error, self._own_folders)[0]
        words = what if error is None else f"{what}: {named(error)[:4_000]}"
        return words if text is None else f"{words}\n{text}"


def run() -> None:
    link = HostLink()
    writer = LogWriter(link)
    console = Console(writer, link)
    inbox = Inbox()
    threading.Thread(target=link.read_forever, args=(inbox.put,), daemon=True, name="host").start()
    threads = CallThreads()
    link.send({"type": "hello", "protocolVersion": PROTOCOL_VERSION})
    try:
        load, _ = inbox.take(IDLE_S)
    except queue.Empty:
        rehearse()
        load, _ = inbox.take()
    mark = os.environ.get(NAME)
    os.environ.clear()
    os.environ.update(load["environment"])
    carry_mark(mark)
    carry_program(load["program"])
    note_rights(load)
    loaded: Optional[LoadedFiles] = None
    try:
        program = Program(load["program"])
        loaded = LoadedFiles(load["ownFolders"], program.files.__contains__, lambda files: link.send_json({"type": "loaded"}, files))
        loaded.follow()
        program.on_read = loaded.note
        module = import_entry(program)
        source = program.source(program.entry)
        function = getattr(module, "run", None)
        run_tool = RunTool(function, program.entry, source) if program.kind == "tool" and callable(function) else None
        loaded.flush()
        if load["describe"]:
            sources = [program.source(path) for path in program.files]
            link.send({"type": "raw"}, description_text(describe(module, source, sources, program.kind, run_tool)))
    except BaseException as error:
        console.end(0)
        if loaded is not None:
            loaded.flush()
        link.send_json({"type": "failed"}, explain_import(error, load["ownFolders"], sys.executable))
        threading.Event().wait()
        return
    console.end(0)
    one_thread = OneThread() if program.kind != "channel" and needs_one_thread(functions_of(module)) else None
    calls = CallRunner(link, writer, console, load, threads, one_thread)
    channel = ChannelProgram(module, link, writer, console, load["ownFolders"])
    extension = Extension(module, run_tool, link, writer, calls, channel, load["ownFolders"], one_thread)
    answering = answer(extension, FailedTasks(calls.is_running, extension.report_failed), inbox)
    if one_thread is None:
        asyncio.run(answering)
    else:
        threading.Thread(target=asyncio.run, args=(answering,), daemon=True, name="events").start()
        one_thread.run_forever()


def functions_of(module: ModuleType) -> List[Any]:
    """The functions that the host may call."""
    tools = [field_of(entry, "execute") for entry in tool_entries(module)]
    return [*tools, getattr(module, "run", None), getattr(module, "status", None)]


async def answer(extension: Extension, kept: FailedTasks, inbox: Inbox) -> None:
    loop = asyncio.get_running_loop()

    def on_loop_error(_loop: asyncio.AbstractEventLoop, context: Dict[str, Any]) -> None:
        extension.on_stray(UNAWAITED, context.get("exception"))

    def on_thread_error(args: Any) -> None:
        if args.exc_type is not SystemExit:
            extension.on_stray("Uncaught exception in a thread", args.exc_value)

    loop.set_exception_handler(on_loop_error)
    loop.set_task_factory(kept.make)
    threading.excepthook = on_thread_error
    extension.begin()
    inbox.forward_to(lambda message: loop.call_soon_threadsafe(extension.handle, message))
    await loop.create_future()
