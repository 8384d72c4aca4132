"""What an extension prints and logs becomes log lines of the call in whose course it was said."""

import io
import json
import logging
import os
import sys
import threading
from contextvars import ContextVar
from typing import Any, Dict

from .link import HostLink
from .to_json import to_noted_json_text, well_formed

MESSAGE_CHARACTERS = 8_192
DATA_BYTES = 16_384

#: The call that this runs in, 0 outside of any. Copied into tasks and into the threads of sync functions.
current_call: "ContextVar[int]" = ContextVar("switchboard_call", default=0)


class LogWriter:
    """Nothing that is logged may break the one who logs."""

    def __init__(self, link: HostLink) -> None:
        self._link = link

    def write(self, call: int, level: str, message: object, data: Any = None) -> None:
        text = message if isinstance(message, str) else show(message)
        if len(text) > MESSAGE_CHARACTERS:
            text = f"{text[:MESSAGE_CHARACTERS]} … (cut; it had {len(text)} characters)"
        entry: Dict[str, Any] = {"message": well_formed(text)}
        payload = json.dumps(entry)
        if data is not None:
            given = to_noted_json_text(data, DATA_BYTES)
            kept = given.text if given.text is not None else json.dumps(f"(left out: {given.message})")
            payload = f'{payload[:-1]}, "data": {kept}}}'
        self._link.send({"type": "log", "id": call, "level": level}, payload.encode())

    def trace(self, call: int, text: str) -> None:
        self._link.send({"type": "trace", "id": call}, well_formed(text).encode())


def show(value: object) -> str:
    try:
        return str(value)
    except BaseException:
        return "(a value that cannot be shown)"


class LineStream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr`: whole lines become log lines; what stands without an end follows when its call ends."""

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
        if not self._link.is_open:
            self.buffer.write(text.encode("utf-8", "replace"))
            return len(text)
        call = current_call.get()
        with self._lock:
            *lines, rest = (self._unended.pop(call, "") + text).split("\n")
            if len(rest) > MESSAGE_CHARACTERS:
                lines.append(rest)
                rest = ""
            if rest:
                self._unended[call] = rest
        for line in lines:
            self._writer.write(call, self._level, line)
        return len(text)

    def end(self, call: int) -> None:
        with self._lock:
            rest = self._unended.pop(call, "")
        if rest:
            self._writer.write(call, self._level, rest)

    def writable(self) -> bool:
        return True

    def reconfigure(self, **_: Any) -> None:
        """Nothing to set: what is printed is text until it reaches the host."""

    def close(self) -> None:
        """Stays open: others in this process print as well."""

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
        self._streams = (LineStream(writer, link, 1, "info"), LineStream(writer, link, 2, "warn"))
        sys.stdout, sys.stderr = self._streams  # type: ignore[assignment]
        sys.__stdout__, sys.__stderr__ = self._streams  # type: ignore[misc]
        logging.root.addHandler(LogHandler(writer))
        logging.root.setLevel(logging.INFO)

    def end(self, call: int) -> None:
        for stream in self._streams:
            stream.end(call)
