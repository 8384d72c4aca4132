"""The child's end of the pipe to the host, descriptor 3.

Frames are u32 length | u32 length of the header | header, JSON | payload. A write blocks while the host does not
read, so a flood slows down its own thread. The process ends when the host has died.
"""

import json
import os
import signal
import struct
import threading
from typing import Any, Callable, Dict

DESCRIPTOR = 3
FRAME_BYTES = 256 * 1024 * 1024
CHUNK = 262_144

Handler = Callable[[Dict[str, Any], bytes], None]


class HostLink:
    def __init__(self) -> None:
        os.set_blocking(DESCRIPTOR, True)
        os.set_inheritable(DESCRIPTOR, False)
        self._lock = threading.Lock()
        self._is_open = True
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """A forked process must not write: the host would attribute its messages to this process."""
        self._is_open = False
        self._lock = threading.Lock()
        os.close(DESCRIPTOR)

    @property
    def is_open(self) -> bool:
        return self._is_open

    def send(self, header: Dict[str, Any], payload: bytes = b"") -> None:
        head = json.dumps(header).encode()
        frame = memoryview(struct.pack(">II", 4 + len(head) + len(payload), len(head)) + head + payload)
        with self._lock:
            while self._is_open and frame:
                try:
                    frame = frame[os.write(DESCRIPTOR, frame) :]
                except OSError:
                    leave()

    def send_json(self, header: Dict[str, Any], value: Any) -> None:
        self.send(header, json.dumps(value).encode())

    def read_forever(self, handle: Handler) -> None:
        """Runs in its own thread, so that the host's end is noticed while the extension blocks."""
        buffer = bytearray()
        while True:
            while len(buffer) >= 4:
                (length,) = struct.unpack_from(">I", buffer)
                if length < 4 or length > FRAME_BYTES:
                    leave()
                if len(buffer) < 4 + length:
                    break
                (head,) = struct.unpack_from(">I", buffer, 4)
                body = bytes(memoryview(buffer)[8 : 4 + length])
                del buffer[: 4 + length]
                handle(json.loads(body[:head]), body[head:])
            try:
                chunk = os.read(DESCRIPTOR, CHUNK)
            except OSError:
                leave()
            if not chunk:
                leave()
            buffer += chunk


def leave() -> None:
    """Exit handlers of the extension can delay an ordinary exit; this cannot be delayed."""
    os.kill(os.getpid(), signal.SIGKILL)
