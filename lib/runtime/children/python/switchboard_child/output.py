"""Output and logs of an extension become log lines of the current call."""

import io
import json
import logging
import os
import sys
import threading
import time
from collections import deque
from contextvars import ContextVar
from typing import Any, Deque, Dict, List, Optional, Tuple

from .link import HostLink
from .to_json import to_noted_json_text, well_formed

MESSAGE_CHARACTERS = 8_192
DATA_BYTES = 16_384
INTERVAL_S = 0.1
#: The limit per interval for immediate lines, and for the newest lines held beyond that.
ROOM_CHARACTERS = 65_536
HELD_CHARACTERS = 32_768
LINE_OVERHEAD = 64
HELD_LINES = HELD_CHARACTERS // LINE_OVERHEAD
#: Per printed text: earlier characters are counted, not split into lines, which take several times their memory.
PRINTED_CHARACTERS = 1_048_576
#: During a flood, printed texts are buffered up to this size before they are split into lines.
GATHERED_CHARACTERS = 262_144

#: The current call, 0 outside of any. Copied into tasks and into the threads of sync functions.
current_call: "ContextVar[int]" = ContextVar("switchboard_call", default=0)


class LogWriter:
    """Logging must never raise, nor wait for a slow host.

    A limited amount passes at once per interval; beyond it the newest lines are held until the end of the interval
    or of their call, and the rest is counted. During a flood nothing passes at once. Missing lines are reported
    where they are missing, and again at the end of their call.
    """

    def __init__(self, link: HostLink) -> None:
        self._link = link
        self._renew()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.RLock()
        self._room = 0
        self._interval_ends = 0.0
        self._held: Deque[Tuple[int, str, str, Optional[str]]] = deque()
        self._held_characters = 0
        self._is_release_due = False
        self._is_flooded = False
        self._left_out: Dict[int, int] = {}
        self._left_out_in_all: Dict[int, int] = {}
        self._gatherer: "Optional[LineStream]" = None
        self._gatherer_call = 0
        self._gathered: List[str] = []
        self._gathered_characters = 0

    def gather(self, stream: "LineStream", text: str) -> bool:
        """During a flood, buffers the text of one stream and call: splitting it into lines costs more than printing."""
        with self._lock:
            if self._gatherer is not stream or self._gatherer_call != current_call.get():
                return False
            self._gathered.append(text)
            self._gathered_characters += len(text)
            if self._gathered_characters > GATHERED_CHARACTERS:
                self.flush()
            return True

    def gather_from(self, stream: "LineStream", call: int) -> None:
        with self._lock:
            self.flush()
            if self._is_flooded and self._is_release_due:
                self._gatherer, self._gatherer_call = stream, call

    def flush(self) -> None:
        """Splits the buffered text into lines, before any later line."""
        with self._lock:
            stream, self._gatherer = self._gatherer, None
            gathered, self._gathered, self._gathered_characters = self._gathered, [], 0
            if not gathered or stream is None:
                return
            stream.write_text(self._gatherer_call, "".join(gathered), HELD_CHARACTERS)

    def write(self, call: int, level: str, message: object, data: Any = None) -> None:
        text = message if isinstance(message, str) else show(message)
        noted = None
        if data is not None:
            given = to_noted_json_text(data, DATA_BYTES)
            noted = given.text if given.text is not None else json.dumps(f"(left out: {given.message})")
        with self._lock:
            self.flush()
            self._add(call, level, text, noted)

    def write_lines(self, call: int, level: str, lines: List[str]) -> None:
        with self._lock:
            self.flush()
            if self._room <= 0 and len(lines) > HELD_LINES and time.monotonic() < self._interval_ends:
                self._count(call, len(lines) - HELD_LINES)
                lines = lines[-HELD_LINES:]
            for line in lines:
                self._add(call, level, line, None)

    def leave_out(self, call: int, lines: int) -> None:
        with self._lock:
            self.flush()
            self._count(call, lines)

    def end(self, call: int) -> None:
        """Emits all held lines, and reports how many lines of this call are missing."""
        with self._lock:
            self.flush()
            if self._held:
                self._release()
            missing = self._left_out_in_all.pop(call, 0)
            if missing > 0:
                self._send(call, "warn", left_out(missing), None, is_gap=True)

    def _add(self, call: int, level: str, text: str, data: Optional[str]) -> None:
        now = time.monotonic()
        if now >= self._interval_ends:
            if self._held:
                self._release()
            self._interval_ends = now + INTERVAL_S
            self._room = 0 if self._is_flooded else ROOM_CHARACTERS
            self._is_flooded = False
        size = (len(text) if len(text) < MESSAGE_CHARACTERS else MESSAGE_CHARACTERS) + LINE_OVERHEAD
        if data is not None:
            size += len(data)
        if self._room > 0:
            self._room -= size
            self._send(call, level, text, data)
            return
        self._is_flooded = True
        self._held.append((call, level, text, data))
        self._held_characters += size
        while self._held_characters > HELD_CHARACTERS and len(self._held) > 1:
            oldest = self._held.popleft()
            self._held_characters -= min(len(oldest[2]), MESSAGE_CHARACTERS) + LINE_OVERHEAD + len(oldest[3] or "")
            self._count(oldest[0], 1)
        if not self._is_release_due:
            self._release_soon()

    def _release_soon(self) -> None:
        timer = threading.Timer(INTERVAL_S, self._release_later)
        timer.daemon = True
        try:
            timer.start()
            self._is_release_due = True
        except RuntimeError:
            # No thread can be started, for example at interpreter shutdown: the next line or the end of the call
            # emits the lines.
            return

    def _count(self, call: int, lines: int) -> None:
        self._left_out[call] = self._left_out.get(call, 0) + lines
        if call != 0:
            self._left_out_in_all[call] = self._left_out_in_all.get(call, 0) + lines

    def _release_later(self) -> None:
        with self._lock:
            # Still marked as due, so that new lines do not schedule another flush.
            self.flush()
            self._is_release_due = False
            self._release()

    def _release(self) -> None:
        with self._lock:
            held, self._held, self._held_characters = self._held, deque(), 0
            missing, self._left_out = self._left_out, {}
            for call, lines in missing.items():
                self._send(call, "warn", left_out(lines), None, is_gap=True)
            for line in held:
                self._send(*line)

    def _send(self, call: int, level: str, text: str, data: Optional[str], is_gap: bool = False) -> None:
        if len(text) > MESSAGE_CHARACTERS:
            text = f"{text[:MESSAGE_CHARACTERS]} … (truncated; it had {len(text)} characters)"
        payload = json.dumps({"message": well_formed(text), "gap": True} if is_gap else {"message": well_formed(text)})
        if data is not None:
            payload = f'{payload[:-1]}, "data": {data}}}'
        self._link.send({"type": "log", "id": call, "level": level}, payload.encode())

    def trace(self, call: int, text: str) -> None:
        self._link.send({"type": "trace", "id": call}, well_formed(text).encode())


def left_out(lines: int) -> str:
    return f"{lines} log lines were left out: they arrived faster than they could be stored"


def show(value: object) -> str:
    try:
        return str(value)
    except BaseException:
        return "(a value that cannot be shown)"


class LineStream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr`: complete lines become log lines; an unfinished line follows when its call ends."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, writer: LogWriter, link: HostLink, descriptor: int, level: str) -> None:
        super().__init__()
        self._writer = writer
        self._link = link
        self._descriptor = descriptor
        self._level = level
        self._lock = threading.RLock()
        self._unended: Dict[int, str] = {}
        self.buffer = os.fdopen(descriptor, "wb", buffering=0, closefd=False)

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self._writer.gather(self, text):
            return len(text)
        if not self._link.is_open:
            self.buffer.write(text.encode("utf-8", "replace"))
            return len(text)
        call = current_call.get()
        self.write_text(call, text, PRINTED_CHARACTERS)
        self._writer.gather_from(self, call)
        return len(text)

    def write_text(self, call: int, text: str, most: int) -> None:
        if len(text) > most:
            text = self._newest_of(call, text, most)
        with self._lock:
            unended = self._unended.pop(call, "")
            *lines, rest = (unended + text if unended else text).split("\n")
            if len(rest) > MESSAGE_CHARACTERS:
                lines.append(rest)
                rest = ""
            if rest:
                self._unended[call] = rest
        if lines:
            self._writer.write_lines(call, self._level, lines)

    def _newest_of(self, call: int, text: str, most: int) -> str:
        end = text.find("\n", len(text) - most) + 1
        if end == 0:
            return text
        with self._lock:
            self._unended.pop(call, None)
        self._writer.leave_out(call, text.count("\n", 0, end))
        return text[end:]

    def end(self, call: int) -> None:
        self._writer.flush()
        with self._lock:
            rest = self._unended.pop(call, "")
        if rest:
            self._writer.write(call, self._level, rest)

    def writable(self) -> bool:
        return True

    def reconfigure(self, **_: Any) -> None:
        """No effect: output is text until it reaches the host."""

    def close(self) -> None:
        """Stays open: other code in this process prints too."""

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return False


class LogHandler(logging.Handler):
    def __init__(self, writer: LogWriter) -> None:
        super().__init__()
        self._writer = writer
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._writer.write(current_call.get(), level_name(record.levelno), self.format(record))
        except Exception:
            self.handleError(record)


def level_name(level: int) -> str:
    if level >= logging.ERROR:
        return "error"
    if level >= logging.WARNING:
        return "warn"
    return "info" if level >= logging.INFO else "debug"


class Console:
    """Takes over the standard streams and the root of `logging`."""

    def __init__(self, writer: LogWriter, link: HostLink) -> None:
        self._writer = writer
        self._streams = (LineStream(writer, link, 1, "info"), LineStream(writer, link, 2, "warn"))
        sys.stdout, sys.stderr = self._streams  # type: ignore[assignment]
        sys.__stdout__, sys.__stderr__ = self._streams  # type: ignore[misc]
        logging.root.addHandler(LogHandler(writer))
        logging.root.setLevel(logging.INFO)

    def end(self, call: int) -> None:
        for stream in self._streams:
            stream.end(call)
        self._writer.end(call)
